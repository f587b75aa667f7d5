// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

/// Private to the codec: codes that become others, all elements of one code the same one.
namespace kernscope::codec {

/// What mapping a run came to.
struct MappedRun {
    std::uint64_t changed = 0; ///< codes that became another one
    bool marked = false;       ///< one of the codes has a mark
};

/// What each code of 16 bits becomes, in the low half of its entry; a mark where the upper half is
/// not zero. 65,536 entries.
using HalfMap = std::span<const std::uint32_t>;
/// `codes`: little-endian, at any address. `out` is as long.
MappedRun mapHalves(std::span<const std::byte> codes, HalfMap map, std::span<std::byte> out);

/// All codes of 16 bits but a few become one.
struct HalfFill {
    std::uint16_t becomes = 0;
    std::array<std::uint16_t, 4> kept{}; ///< stay as they are; `becomes` among them
};
/// Returns how many became another one.
std::uint64_t fillHalves(std::span<const std::byte> codes, const HalfFill &fill,
                         std::span<std::byte> out);

/// mapHalves() of codes of one byte: what they become in the low byte, a mark in the upper one.
using ByteMap = std::array<std::uint16_t, 256>;
MappedRun mapBytes(std::span<const std::uint8_t> codes, const ByteMap &map,
                   std::span<std::uint8_t> out);

} // namespace kernscope::codec
