// SPDX-License-Identifier: GPL-3.0-or-later
// Group size, passes, cores and buffering: listings 20.1 and 20.2.
#include "core/assessment/geometry.h"

#include "core/format/table_rows.h"

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

namespace kernscope::decision {

namespace {

/// A row of resources/tables/ocg_figures.csv, in the order of SourceMode or of CapClass.
struct OcgFigure {
    std::string kind, name;
    unsigned figure = 0;
    std::uint32_t offset = 0; ///< HAL place of the figure
};

std::vector<OcgFigure> figuresOf(std::string_view kind)
{
    auto rows = tables::loadRows<OcgFigure>("ocg_figures", {{"kind", &OcgFigure::kind},
                                                            {"name", &OcgFigure::name},
                                                            {"figure", &OcgFigure::figure},
                                                            {"offset", &OcgFigure::offset}});
    std::erase_if(rows, [kind](const OcgFigure &row) { return row.kind != kind; });
    return rows;
}

/// Table 20.3.
const std::vector<OcgFigure> &modes()
{
    static const auto rows = figuresOf("mode");
    return rows;
}

/// Byte caps of a kernel element.
const std::vector<OcgFigure> &caps()
{
    static const auto rows = figuresOf("cap");
    return rows;
}

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
    return modes()[std::size_t(mode)].name;
}

std::optional<SourceMode> sourceModeFromName(std::string_view name)
{
    for (std::size_t i = 0; i < modes().size(); ++i) {
        if (modes()[i].name == name)
            return SourceMode(i);
    }
    return std::nullopt;
}

unsigned channelsPerAccumulator(SourceMode mode)
{
    return modes()[std::size_t(mode)].figure;
}

target::HalOffset accumulatorOffset(SourceMode mode)
{
    return {modes()[std::size_t(mode)].offset};
}

unsigned byteCap(CapClass cap)
{
    return caps()[std::size_t(cap)].figure;
}

target::HalOffset byteCapOffset(CapClass cap)
{
    return {caps()[std::size_t(cap)].offset};
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
