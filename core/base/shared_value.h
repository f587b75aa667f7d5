// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace kernscope {

/// A value that seldom changes and that many objects may have: copies share it. Whoever makes many
/// of them gives equal ones the same (`SharedValue` of an earlier one, or a ValuePool). Empty ones
/// take no memory. Reads like the value itself: an index, a loop, its members by an arrow.
template <class T>
class SharedValue
{
public:
    SharedValue() noexcept = default;
    explicit SharedValue(T value) : m_value(std::make_shared<T>(std::move(value))) {}

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

    /// For writing: from now on no other object has it.
    T &change()
    {
        if (!m_value || m_value.use_count() > 1)
            m_value = std::make_shared<T>(value());
        return *m_value;
    }

    /// The same object, not only an equal one.
    bool isSameAs(const SharedValue &other) const { return m_value == other.m_value; }
    friend bool operator==(const SharedValue &a, const T &b) { return a.value() == b; }
    friend bool operator==(const SharedValue &a, const SharedValue &b)
    {
        return a.isSameAs(b) || a.value() == b.value();
    }

private:
    std::shared_ptr<T> m_value;
};

/// Makes equal values the same object, as far as they follow one another closely: it remembers the
/// last 32 different ones.
template <class T>
class ValuePool
{
public:
    void share(SharedValue<T> &value)
    {
        const auto end = m_known.begin() + m_count;
        if (const auto known = std::find(m_known.begin(), end, value); known != end) {
            value = *known;
            return;
        }
        m_known[m_next] = value;
        m_next = (m_next + 1) % m_known.size();
        m_count = std::min(m_count + 1, static_cast<std::ptrdiff_t>(m_known.size()));
    }

private:
    std::array<SharedValue<T>, 32> m_known;
    std::ptrdiff_t m_count = 0; ///< of those that are taken
    std::size_t m_next = 0;
};

} // namespace kernscope
