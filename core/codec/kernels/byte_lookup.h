// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

/// Private to the codec: looking codes up one by one.
namespace kernscope::codec {

/// The half with that number of a codebook at any address.
inline std::uint16_t entryAt(std::span<const std::byte> table, std::size_t code)
{
    std::uint16_t half = 0;
    std::memcpy(&half, table.data() + 2 * code, sizeof(half));
    return half;
}

/// out[i] = the entry that codes[i] names, of codebooks of at most 256 entries.
void lookupBytes(std::span<const std::uint8_t> codes, std::span<const std::byte> table,
                 std::span<std::uint16_t> out);

/// The entries of `vector` halves that the codes name, one after the other.
void copyVectors(std::span<const std::uint8_t> codes, std::span<const std::uint16_t> table,
                 std::size_t vector, std::span<std::uint16_t> out);

} // namespace kernscope::codec
