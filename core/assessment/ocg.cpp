// SPDX-License-Identifier: GPL-3.0-or-later
// Group size, passes, cores and buffering: listings 20.1 and 20.2.
#include "core/assessment/geometry.h"

#include <algorithm>
#include <array>
#include <bit>

namespace kernscope::decision {

namespace {

struct ModeRow {
    std::string_view name;
    unsigned channels;
    std::uint32_t offset;
};
/// Table 20.3; uniform across every chip of the chapters.
constexpr std::array<ModeRow, 4> kModes{
    {{"tiny", 8, 0x3a8}, {"small", 4, 0x3b0}, {"default", 2, 0x3b8}, {"other", 1, 0x3c0}}};

struct CapRow {
    unsigned bytes;
    std::uint32_t offset;
};
/// Table of the byte caps (chapter 20, output-channel-group tiling).
constexpr std::array<CapRow, 3> kCaps{{{32, 0x388}, {16, 0x390}, {8, 0x398}}};

std::uint64_t floorPow2(std::uint64_t value)
{
    return value == 0 ? 1 : std::bit_floor(value);
}

} // namespace

std::string_view ocgReadingName(OcgReading reading)
{
    return reading == OcgReading::Listing ? "listing" : "formula";
}

std::string_view sourceModeName(SourceMode mode)
{
    return kModes[std::size_t(mode)].name;
}

std::optional<SourceMode> sourceModeFromName(std::string_view name)
{
    for (std::size_t i = 0; i < kModes.size(); ++i) {
        if (kModes[i].name == name)
            return SourceMode(i);
    }
    return std::nullopt;
}

unsigned channelsPerAccumulator(SourceMode mode)
{
    return kModes[std::size_t(mode)].channels;
}

target::HalOffset accumulatorOffset(SourceMode mode)
{
    return {kModes[std::size_t(mode)].offset};
}

unsigned byteCap(CapClass cap)
{
    return kCaps[std::size_t(cap)].bytes;
}

target::HalOffset byteCapOffset(CapClass cap)
{
    return {kCaps[std::size_t(cap)].offset};
}

std::uint64_t outputChannelGroup(std::uint64_t kernel, unsigned cap, unsigned perAccumulator,
                                 OcgReading reading, unsigned accumulators)
{
    const std::uint64_t k = std::max<std::uint64_t>(kernel, 1);
    const std::uint64_t budget = floorPow2(accumulators / k);
    const std::uint64_t group = reading == OcgReading::Listing
                                    ? std::min<std::uint64_t>(budget * perAccumulator, cap / k)
                                    : std::min<std::uint64_t>(budget, cap);
    return std::max<std::uint64_t>(group, 1);
}

std::uint64_t ocgPasses(std::uint64_t channels, std::uint64_t group)
{
    const std::uint64_t size = std::max<std::uint64_t>(group, 1);
    return channels / size + (channels % size == 0 ? 0 : 1);
}

std::uint64_t coresLit(std::uint64_t passes, std::uint64_t cores)
{
    // bit_ceil past 2^63 has no value; so many passes light every core anyway.
    if (passes >= cores)
        return cores;
    return std::min(cores, std::bit_ceil(std::max<std::uint64_t>(passes, 1)));
}

std::string_view bufferingName(Buffering buffering)
{
    switch (buffering) {
    case Buffering::Double: return "double";
    case Buffering::Single: return "single";
    case Buffering::Exceeds: break;
    }
    return "exceeds";
}

Buffering bufferingOf(std::uint64_t demand, unsigned accumulators)
{
    if (demand <= accumulators / 2)
        return Buffering::Double;
    return demand <= accumulators ? Buffering::Single : Buffering::Exceeds;
}

} // namespace kernscope::decision
