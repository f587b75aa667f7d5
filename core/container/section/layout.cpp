// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/section/layout.h"

#include "core/base/error_builder.h"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

namespace kernscope::section {

namespace {

Error groupError(const std::string &file, const Unit &unit, std::string expected, std::string found)
{
    return ErrorBuilder("section.group")
        .file(file)
        .at(FileOffset(unit.payload))
        .field(unit.name)
        .expected(std::move(expected))
        .found(std::move(found))
        .message("The units of the weight do not fit together");
}

bool sameWeight(const Unit &a, const Unit &b)
{
    return a.kernelFormat == b.kernelFormat && a.cores == b.cores && a.outputs == b.outputs &&
           a.inputs == b.inputs && a.depth == b.depth && a.height == b.height &&
           a.width == b.width && a.groups == b.groups && a.vectorSize == b.vectorSize &&
           a.sparse() == b.sparse();
}

bool sameSections(const Unit &a, const Unit &b)
{
    return a.has(Kind::Scale) == b.has(Kind::Scale) && a.has(Kind::Bias) == b.has(Kind::Bias) &&
           a.entry(Kind::Weights).bitDepth == b.entry(Kind::Weights).bitDepth &&
           a.entry(Kind::Weights).type == b.entry(Kind::Weights).type &&
           a.entry(Kind::Pal).paletteFormat == b.entry(Kind::Pal).paletteFormat &&
           a.entry(Kind::Pal).bitDepth == b.entry(Kind::Pal).bitDepth &&
           a.entry(Kind::Pal).count == b.entry(Kind::Pal).count;
}

std::uint64_t channelsAt(const Unit &unit, std::size_t record)
{
    return record < unit.records.size() ? unit.records[record].channels() : 0;
}

/// Works out the chunks; an error where the counts are not those of a block-cyclic deal.
std::optional<Error> dealOf(const WeightSection &section, UnitGroup &group, const std::string &file)
{
    const Unit &first = section.units[group.units.front()];
    std::size_t chunks = 0;
    for (const std::size_t unit : group.units)
        chunks = std::max(chunks, section.units[unit].records.size());
    std::uint64_t next = 0;
    for (std::size_t number = 0; number < chunks; ++number) {
        lanes::Chunk chunk;
        chunk.first = next;
        chunk.lanes = 0;
        for (const std::size_t unit : group.units) {
            const std::uint64_t channels = channelsAt(section.units[unit], number);
            chunk.lanes = std::max(chunk.lanes, channels);
            chunk.channels += channels;
        }
        for (std::size_t core = 0; core < group.units.size(); ++core) {
            const std::uint64_t channels = channelsAt(section.units[group.units[core]], number);
            if (channels != chunk.channelsOf(core) || chunk.lanes == 0)
                return groupError(
                    file, section.units[group.units[core]],
                    fmt::format("{} channels in record {}", chunk.channelsOf(core), number),
                    fmt::format("{}", channels));
        }
        next += chunk.channels;
        group.chunks.push_back(chunk);
    }
    if (next != first.outputs)
        return groupError(file, first, fmt::format("{} channels on all cores", first.outputs),
                          fmt::format("{}", next));
    for (const std::size_t unit : group.units) {
        const Unit &one = section.units[unit];
        const std::uint32_t books = one.entry(Kind::Pal).count;
        if (one.has(Kind::Pal) && books > 1 &&
            (one.records.size() + one.vectorSize - 1) / one.vectorSize > books)
            return groupError(file, one, "a codebook for every group", fmt::format("{}", books));
    }
    return std::nullopt;
}

/// Cores are dealt channels in their order: those without any are the last ones.
void setIdleAside(const WeightSection &section, UnitGroup &group)
{
    const auto idle = std::find_if(group.units.begin(), group.units.end(),
                                   [&](std::size_t unit) { return section.units[unit].idle(); });
    group.idle.assign(idle, group.units.end());
    group.units.erase(idle, group.units.end());
}

} // namespace

void groupUnits(WeightSection &section, const std::string &file)
{
    std::map<std::string, std::size_t> byName;
    for (std::size_t i = 0; i < section.units.size(); ++i) {
        const std::string &name = section.units[i].name;
        const auto [place, added] = byName.try_emplace(name, section.groups.size());
        if (added)
            section.groups.push_back({name, {}, {}, {}, std::nullopt});
        section.groups[place->second].units.push_back(i);
    }
    for (UnitGroup &group : section.groups) {
        std::sort(group.units.begin(), group.units.end(), [&section](std::size_t a, std::size_t b) {
            return std::pair(section.units[a].core, a) < std::pair(section.units[b].core, b);
        });
        const Unit &first = section.units[group.units.front()];
        for (std::size_t core = 0; core < group.units.size() && !group.fault; ++core) {
            const Unit &unit = section.units[group.units[core]];
            if (unit.fault)
                group.fault = unit.fault;
            else if (unit.core != core || !sameWeight(unit, first) ||
                     (!unit.idle() && !sameSections(unit, first)) ||
                     group.units.size() != first.cores)
                group.fault = groupError(
                    file, unit, fmt::format("core {} of {} alike", core, group.units.size()),
                    fmt::format("core {} of {}", unit.core, unit.cores));
            if (group.fault && !unit.fault)
                section.diagnostics.push_back({Severity::Error, *group.fault});
        }
        if (group.fault)
            continue;
        group.fault = dealOf(section, group, file);
        if (group.fault)
            section.diagnostics.push_back({Severity::Error, *group.fault});
        else
            setIdleAside(section, group);
    }
}

std::vector<RecordPlace> recordPlaces(const WeightSection &section, const UnitGroup &group)
{
    std::vector<RecordPlace> places;
    for (std::size_t number = 0; number < group.chunks.size(); ++number) {
        const lanes::Chunk &chunk = group.chunks[number];
        for (std::size_t core = 0; core < group.units.size(); ++core) {
            const Unit &unit = section.units[group.units[core]];
            if (number >= unit.records.size())
                continue;
            RecordPlace place;
            place.unit = group.units[core];
            place.record = number;
            place.firstChannel = chunk.first + core * chunk.lanes;
            place.channels = unit.records[number].channels();
            place.codebook = unit.entry(Kind::Pal).count > 1 ? number / unit.vectorSize : 0;
            if (!unit.sparse()) {
                const std::uint64_t bits =
                    place.channels * unit.steps() * unit.entry(Kind::Weights).bitDepth;
                place.range = {FileOffset(unit.range(Kind::Weights).offset.value +
                                          unit.records[number].offset()),
                               ByteCount((bits + 7) / 8)};
            }
            places.push_back(place);
        }
    }
    return places;
}

std::vector<Overlap> overlapsOf(std::vector<PlacedRange> ranges)
{
    std::erase_if(ranges, [](const PlacedRange &range) { return range.bytes == 0; });
    std::sort(ranges.begin(), ranges.end(), [](const PlacedRange &a, const PlacedRange &b) {
        return std::tie(a.offset, a.number) < std::tie(b.offset, b.number);
    });
    std::vector<Overlap> overlaps;
    std::uint64_t end = 0, holder = 0; // of what reaches furthest so far
    for (const PlacedRange &range : ranges) {
        if (range.offset < end)
            overlaps.push_back({holder, range.number});
        if (range.offset + range.bytes > end) {
            end = range.offset + range.bytes;
            holder = range.number;
        }
    }
    return overlaps;
}

} // namespace kernscope::section
