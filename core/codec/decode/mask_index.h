// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

namespace kernscope::codec {

/// Counts set bits before any place of a mask. The first count walks the mask once and keeps
/// running totals (one part in 31 of the mask); every later one reads at most 64 bytes.
/// Safe to share between threads. The mask's bytes are taken as they are at the first count.
class MaskIndex
{
public:
    /// `bytes` holds at least ceil(bits / 8) bytes, least significant bit first.
    MaskIndex(std::span<const std::byte> bytes, std::uint64_t bits) : m_bytes(bytes), m_bits(bits)
    {
    }

    std::uint64_t bits() const { return m_bits; }
    std::span<const std::byte> bytes() const { return m_bytes; }
    bool test(std::uint64_t bit) const
    {
        return (std::to_integer<unsigned>(m_bytes[bit / 8]) >> (bit % 8) & 1u) != 0;
    }
    /// Set bits among the first `bit`, at most bits().
    std::uint64_t rank(std::uint64_t bit) const;

private:
    void build() const;

    static constexpr std::uint64_t kSmall = 512;   ///< bits to one running total within a large
    static constexpr std::uint64_t kLarge = 65024; ///< bits to one absolute total: 127 small ones
    std::span<const std::byte> m_bytes;
    std::uint64_t m_bits;
    mutable std::once_flag m_built;
    mutable std::vector<std::uint64_t> m_large;
    mutable std::vector<std::uint16_t> m_small;
};

} // namespace kernscope::codec
