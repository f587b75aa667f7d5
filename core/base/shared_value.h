// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/compact_shared.h"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace kernscope {

/// A value that seldom changes and that many objects may have: copies share it. Whoever makes many
/// of them gives equal ones the same (`SharedValue` of an earlier one, or a ValuePool). Empty ones
/// take no memory but their pointer. Reads like the value itself: an index, a loop, its members by
/// an arrow.
template <class T>
class SharedValue
{
public:
    SharedValue() noexcept = default;
    explicit SharedValue(T value) : m_value(std::move(value)) {}

    SharedValue &operator=(std::string_view text) requires std::same_as<T, std::string>
    {
        m_value = text.empty() ? CompactShared<T>() : CompactShared<T>(std::string(text));
        return *this;
    }

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
        if (!m_value.unshared())
            m_value = CompactShared<T>(value());
        return *m_value.unshared();
    }

    /// The same object, not only an equal one.
    bool isSameAs(const SharedValue &other) const { return m_value.isSameAs(other.m_value); }
    friend bool operator==(const SharedValue &a, const T &b) requires(!std::same_as<T, std::string>)
    {
        return a.value() == b;
    }
    friend bool operator==(const SharedValue &a,
                           std::string_view b) requires std::same_as<T, std::string>
    {
        return a.value() == b;
    }
    friend bool operator==(const SharedValue &a, const SharedValue &b)
    {
        return a.isSameAs(b) || a.value() == b.value();
    }

private:
    CompactShared<T> m_value;
};

/// A text that many objects have: the name of an operation, of a function.
using SharedText = SharedValue<std::string>;

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
