// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

/// Sub-byte codes in one bit stream, least significant bit first: code i of width b takes bits
/// i*b .. i*b+b-1, and bit t is bit (t mod 8) of byte t div 8 (resources/formats/blob-storage.md).
/// Widths: 1, 2, 3, 4, 6 and 8 bits. Codes must lie in the stream.
namespace kernscope {

/// One code of a stream.
inline std::uint8_t unpackCode(std::span<const std::byte> stream, unsigned width,
                               std::uint64_t index)
{
    const std::uint64_t bit = index * width;
    const auto at = static_cast<std::size_t>(bit / 8);
    const auto shift = static_cast<unsigned>(bit % 8);
    unsigned word = std::to_integer<unsigned>(stream[at]);
    if (shift + width > 8)
        word |= std::to_integer<unsigned>(stream[at + 1]) << 8;
    return static_cast<std::uint8_t>((word >> shift) & ((1u << width) - 1u));
}

/// Two's complement of a nibble.
constexpr std::int8_t signExtendNibble(std::uint8_t nibble)
{
    return static_cast<std::int8_t>((nibble ^ 8) - 8);
}

/// Codes [first, first + out.size()) of a stream, one a byte.
void unpackCodes(std::span<const std::byte> stream, unsigned width, std::uint64_t first,
                 std::span<std::uint8_t> out);
/// Two's complement nibbles [first, first + out.size()).
void unpackInt4(std::span<const std::byte> stream, std::uint64_t first, std::span<std::int8_t> out);

/// Writes `codes` (their low `width` bits) as codes [first, first + codes.size()); the other bits
/// of the stream stay as they are.
void packCodes(std::span<const std::uint8_t> codes, unsigned width, std::uint64_t first,
               std::span<std::byte> stream);

/// Lays a code (its low `width` bits) over a stream from a bit on. `highestFirst`: bit 0 is the
/// highest of a byte, and the code begins with its highest one. Codes of whole bytes are
/// little-endian and begin a byte.
void putBits(std::span<std::byte> stream, std::uint64_t bit, unsigned width, std::uint64_t code,
             bool highestFirst = false);

/// Set bits among bits [first, first + count) of a stream.
std::uint64_t countBits(std::span<const std::byte> stream, std::uint64_t first,
                        std::uint64_t count);

} // namespace kernscope
