// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <ranges>
#include <string_view>
#include <type_traits>
#include <unordered_set>
#include <utility>

/// Hashes of structs, and tables of equal values. A struct that is a key has a function
/// `std::size_t hashOf(const T &)` in its namespace.
namespace kernscope {

/// The hash of several values together.
class HashSum
{
public:
    template <class... Values>
    explicit HashSum(const Values &...values)
    {
        (add(values), ...);
    }

    template <class Value>
    void add(const Value &value)
    {
        if constexpr (std::is_convertible_v<const Value &, std::string_view>)
            mix(std::hash<std::string_view>()(value));
        else if constexpr (std::ranges::range<Value>)
            for (const auto &each : value)
                add(each);
        else if constexpr (requires { hashOf(value); })
            mix(hashOf(value));
        else
            mix(std::hash<Value>()(value));
    }
    std::size_t value() const { return m_value; }

private:
    void mix(std::size_t more)
    {
        m_value = (m_value ^ more) * 0x9E3779B97F4A7C15u;
        m_value ^= m_value >> 29;
    }

    std::size_t m_value = 0;
};

/// As the third argument of std::unordered_map.
struct Hashed {
    template <class Value>
    std::size_t operator()(const Value &value) const
    {
        return HashSum(value).value();
    }
};

/// Makes equal values the same object: there may be a million of them and a few hundred different
/// ones. Forgets all where too many are different; what it gave out stays.
template <class Value>
class Interner
{
public:
    using Pointer = std::shared_ptr<const Value>;

    Pointer get(Value value)
    {
        if (const auto known = m_known.find(value); known != m_known.end())
            return *known;
        if (m_known.size() >= kMostKnown)
            m_known.clear();
        return *m_known.insert(std::make_shared<const Value>(std::move(value))).first;
    }

private:
    static constexpr std::size_t kMostKnown = std::size_t{1} << 15;

    struct Hash {
        using is_transparent = void;
        std::size_t operator()(const Value &value) const { return Hashed()(value); }
        std::size_t operator()(const Pointer &value) const { return Hashed()(*value); }
    };
    struct Equal {
        using is_transparent = void;
        bool operator()(const Value &a, const Pointer &b) const { return a == *b; }
        bool operator()(const Pointer &a, const Value &b) const { return *a == b; }
        bool operator()(const Pointer &a, const Pointer &b) const { return a == b || *a == *b; }
    };
    std::unordered_set<Pointer, Hash, Equal> m_known;
};

} // namespace kernscope
