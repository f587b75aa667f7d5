// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace kernscope {

/// A value that never changes and that many objects may have: copies share it. Whoever makes many
/// of them gives equal ones the same (`SharedValue` of an earlier one). Empty ones take no memory.
/// Reads like the value itself: an index, a loop, its members by an arrow.
template <class T>
class SharedValue
{
public:
    SharedValue() noexcept = default;
    explicit SharedValue(T value) : m_value(std::make_shared<const T>(std::move(value))) {}

    const T &value() const
    {
        static const T none{};
        return m_value ? *m_value : none;
    }
    operator const T &() const { return value(); }
    operator std::string_view() const requires std::same_as<T, std::string> { return value(); }
    const T &operator*() const { return value(); }
    const T *operator->() const { return &value(); }

    bool empty() const { return value().empty(); }
    auto size() const { return value().size(); }
    auto begin() const { return value().begin(); }
    auto end() const { return value().end(); }
    decltype(auto) operator[](std::size_t index) const { return value()[index]; }

    /// The same object, not only an equal one.
    bool isSameAs(const SharedValue &other) const { return m_value == other.m_value; }
    friend bool operator==(const SharedValue &a, const T &b) { return a.value() == b; }

private:
    std::shared_ptr<const T> m_value;
};

} // namespace kernscope
