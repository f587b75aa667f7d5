// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

/// Where two runs of bytes of one length differ.
namespace kernscope::patch {

inline std::uint64_t wordAt(std::span<const std::byte> bytes, std::size_t at)
{
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    return word;
}

/// The first place from `at` on where the two differ, or their end; eight bytes at a time.
inline std::size_t nextDifference(std::span<const std::byte> a, std::span<const std::byte> b,
                                  std::size_t at)
{
    while (at + sizeof(std::uint64_t) <= a.size() && wordAt(a, at) == wordAt(b, at))
        at += sizeof(std::uint64_t);
    while (at < a.size() && a[at] == b[at])
        ++at;
    return at;
}

/// The first place from `at` on where the two are equal, or their end.
inline std::size_t nextEqual(std::span<const std::byte> a, std::span<const std::byte> b,
                             std::size_t at)
{
    constexpr std::uint64_t kOnes = 0x0101010101010101u, kHighs = 0x8080808080808080u;
    while (at + sizeof(std::uint64_t) <= a.size()) {
        const std::uint64_t differs = wordAt(a, at) ^ wordAt(b, at);
        if (((differs - kOnes) & ~differs & kHighs) != 0)
            break; // one of the eight is equal
        at += sizeof(std::uint64_t);
    }
    while (at < a.size() && a[at] != b[at])
        ++at;
    return at;
}

/// Calls `found(from, to)` for each run where the two differ, until it gives false.
template <class Found>
void forEachExactChange(std::span<const std::byte> before, std::span<const std::byte> now,
                        const Found &found)
{
    for (std::size_t from = nextDifference(before, now, 0); from < before.size();) {
        const std::size_t to = nextEqual(before, now, from);
        if (!found(from, to))
            return;
        from = nextDifference(before, now, to);
    }
}

/// The same with runs closer than `gap`, at least 8, as one: a step for each eight bytes, however
/// many runs there are.
template <class Found>
void forEachMergedChange(std::span<const std::byte> before, std::span<const std::byte> now,
                         std::size_t gap, const Found &found)
{
    static_assert(std::endian::native == std::endian::little);
    constexpr std::size_t kWord = sizeof(std::uint64_t);
    const std::size_t size = before.size();
    std::size_t from = size, to = 0; // of the run that is open
    const auto differs = [&](std::size_t first, std::size_t end) {
        if (from == size) {
            from = first;
        } else if (first - to >= gap) {
            found(from, to);
            from = first;
        }
        to = end;
    };
    std::size_t at = 0;
    for (; at + kWord <= size; at += kWord) {
        const std::uint64_t changed = wordAt(before, at) ^ wordAt(now, at);
        if (changed != 0)
            differs(at + static_cast<std::size_t>(std::countr_zero(changed)) / 8,
                    at + kWord - static_cast<std::size_t>(std::countl_zero(changed)) / 8);
    }
    for (; at < size; ++at) {
        if (before[at] != now[at])
            differs(at, at + 1);
    }
    if (from != size)
        found(from, to);
}

} // namespace kernscope::patch
