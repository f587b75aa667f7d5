// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/hwx/debug_records.h"

#include <iterator>
#include <map>
#include <utility>

namespace kernscope::hwx {

namespace {

constexpr std::size_t kShortestText = 4;

std::vector<DebugText> textsIn(std::span<const std::byte> bytes, std::uint64_t offset)
{
    std::vector<DebugText> texts;
    std::string text;
    for (std::size_t i = 0; i <= bytes.size(); ++i) {
        const auto value = i < bytes.size() ? std::to_integer<unsigned char>(bytes[i]) : 0u;
        if (value >= 0x20 && value < 0x7f) {
            text += static_cast<char>(value);
            continue;
        }
        if (text.size() >= kShortestText)
            texts.push_back({FileOffset(offset + i - text.size()), std::move(text)});
        text.clear();
    }
    return texts;
}

/// Start of each record within the section, and the symbols that name it.
std::map<std::uint64_t, std::vector<std::size_t>> startsIn(const Container &container,
                                                           const SegmentSection &section)
{
    std::map<std::uint64_t, std::vector<std::size_t>> starts{{0, {}}};
    for (std::size_t i = 0; i < container.symbols.size(); ++i) {
        const Symbol &symbol = container.symbols[i];
        const bool inside = symbol.section == section.ordinal && symbol.value >= section.address &&
                            symbol.value - section.address < section.bytes->bytes.value;
        if (inside)
            starts[symbol.value - section.address].push_back(i);
    }
    return starts;
}

} // namespace

std::vector<DebugRecord> debugRecords(const Container &container, std::span<const std::byte> bytes)
{
    std::vector<DebugRecord> records;
    for (const Segment &segment : container.segments) {
        for (const SegmentSection &section : segment.sections) {
            if (section.type() != SectionType::Debug || !section.bytes ||
                section.bytes->bytes.value == 0 ||
                !fitsInside(*section.bytes, ByteCount(bytes.size())))
                continue;
            const auto starts = startsIn(container, section);
            for (auto at = starts.begin(); at != starts.end(); ++at) {
                const auto next = std::next(at);
                const std::uint64_t end =
                    next == starts.end() ? section.bytes->bytes.value : next->first;
                const std::uint64_t offset = section.bytes->offset.value + at->first;
                DebugRecord record{section.ordinal,
                                   {FileOffset(offset), ByteCount(end - at->first)},
                                   section.address + at->first,
                                   at->second,
                                   {}};
                record.texts = textsIn(bytes.subspan(static_cast<std::size_t>(offset),
                                                     static_cast<std::size_t>(end - at->first)),
                                       offset);
                records.push_back(std::move(record));
            }
        }
    }
    return records;
}

} // namespace kernscope::hwx
