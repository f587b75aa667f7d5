// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

/// Private to the codec: places of fp16 numbers among ascending bounds, and the codes that edits
/// choose, by vector instructions.
namespace kernscope::codec {

/// The bits of an fp16 number as an integer in the order of its value; -0 is just below 0.
constexpr std::int16_t halfOrder(std::uint16_t half)
{
    return static_cast<std::int16_t>((half & 0x8000u) != 0 ? half ^ 0x7fffu : half);
}

/// out[i]: how many bounds, at most 255 of them in halfOrder, lie below halves[i].
void countBelow(std::span<const std::uint16_t> halves, std::span<const std::int16_t> bounds,
                std::span<std::uint8_t> out);

/// What the codes chosen for a run have in common.
struct ChosenRun {
    std::uint64_t changed = 0; ///< codes that are not the ones held
    double worst = 0;          ///< the largest error
    bool sure = true;          ///< false: nothing is known of some of them, what was stored is void
};

/// The nearest fp16 number to each value, rounded once, and in `next` as fp32; a zero for a zero
/// keeps the sign held. Sure where each value and its number are finite.
ChosenRun chooseHalves(std::span<const double> values, std::span<const std::uint16_t> held,
                       std::span<std::uint16_t> chosen, std::span<float> next);

/// Values of integer codes of at most 8 bits under one scale and offset.
struct CodeScale {
    float scale = 1, offset = 0;
    bool addsOffset = false; ///< scale * code + offset; else scale * (code - offset)
    bool roundDifference = false, roundResult = false; ///< to fp16
    std::int32_t low = 0, high = 255;                  ///< all codes
    std::uint32_t mask = 255;                          ///< of the bits that are stored
    double absolute = 0, relative = 0;                 ///< how far a value may be off
};
/// The nearest code to each value, and in `next` what it decodes to; of two equally near ones the
/// code held, or the lower one. Sure where no third one is as near and each is near enough.
ChosenRun chooseScaled(std::span<const double> values, const CodeScale &scale,
                       std::span<const std::uint8_t> held, std::span<std::uint8_t> chosen,
                       std::span<float> next);

/// Brings together the values whose bits of `mask`, from bit `first` on, are set; `kept` has room
/// for all and 8 more. Nothing where one of the others is not zero.
std::optional<std::size_t> keepMasked(std::span<const double> values,
                                      std::span<const std::byte> mask, std::uint64_t first,
                                      std::span<double> kept);

} // namespace kernscope::codec
