// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/descriptor/image_v10.h"

#include "core/base/little_endian.h"
#include "core/descriptor/register_map.h"
#include "core/format/table_rows.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::descriptor {

namespace {

constexpr std::uint64_t kBarriers = 0x134, kSignal = 0x10, kWait = 0x18;
constexpr std::uint32_t kL2Barrier = 1U << 23, kForwardBarrier = 1U << 30;
constexpr std::uint32_t kMask = (1U << 26) - 1;
constexpr std::uint32_t kLead = 8;

/// A row of the table as a group; a row "group_window" is the reading of the group before it.
struct GroupRow {
    std::string record;
    ImageGroup group;
    std::optional<std::uint32_t> structOffset;
};

std::vector<ImageGroup> readGroups()
{
    using Row = GroupRow;
    const auto into = [](auto member) {
        return [member](Row &row, std::string_view cell) {
            tables::readCell(cell, row.group.*member);
        };
    };
    std::vector<ImageGroup> groups;
    for (Row &row : tables::loadRows<Row>("descriptor_v10",
                                          {{"record", &Row::record},
                                           {"struct_offset", &Row::structOffset},
                                           {"group", into(&ImageGroup::id)},
                                           {"name", into(&ImageGroup::name)},
                                           {"count", into(&ImageGroup::registers)},
                                           {"byte_address_hex", into(&ImageGroup::base)},
                                           {"contents", into(&ImageGroup::contents)},
                                           {"confidence", [](Row &to, std::string_view cell) {
                                                to.group.confidence = confidenceOfEvidence(cell);
                                            }}})) {
        if (row.record == "group_window" && !groups.empty())
            groups.back().reading = row.group.contents;
        if (row.record != "group")
            continue;
        row.group.structOffset = row.structOffset.value_or(kLead);
        row.group.imageOffset = row.group.structOffset - std::min(kLead, row.group.structOffset);
        groups.push_back(std::move(row.group));
    }
    return groups;
}

std::vector<ImageField> readFields()
{
    using Row = ImageField;
    auto fields = tables::loadRows<Row>("descriptor_v10",
                                        {{"record", &Row::record},
                                         {"group", &Row::group},
                                         {"name", &Row::name},
                                         {"struct_offset", &Row::structOffset},
                                         {"register_hex", &Row::wordAddress},
                                         {"byte_address_hex", &Row::byteAddress},
                                         {"bits_or_mask", &Row::bits},
                                         {"contents", &Row::contents},
                                         {"source", &Row::source},
                                         {"confidence", [](Row &row, std::string_view cell) {
                                              row.confidence = confidenceOfEvidence(cell);
                                          }}});
    std::erase_if(fields, [](const Row &field) { return field.record.starts_with("group"); });
    return fields;
}

} // namespace

std::string_view imageV10Note()
{
    static const std::string text = [] {
        std::string note = "Contested.";
        for (const format::Reading &reading : format::readingsOf("version_10_image"))
            note +=
                fmt::format(" {} on {}: {} [{}]{}.", reading.taken ? "Followed" : "Not followed",
                            reading.subject, reading.text, reading.source,
                            reading.note.empty() ? "" : "; " + reading.note);
        return note;
    }();
    return text;
}

std::span<const ImageGroup> imageGroups()
{
    static const auto groups = readGroups();
    return groups;
}

const ImageGroup *imageGroupOfAddress(std::uint32_t address)
{
    const auto groups = imageGroups();
    const auto at = std::ranges::find_if(groups, [address](const ImageGroup &group) {
        return address >= group.firstAddress() && address < group.endAddress();
    });
    return at == groups.end() ? nullptr : &*at;
}

std::span<const ImageField> imageFields()
{
    static const auto fields = readFields();
    return fields;
}

std::vector<ImageStream> imageStreams()
{
    std::vector<ImageStream> streams;
    for (const ImageField &field : imageFields()) {
        if (field.record != "kernel_stream")
            continue;
        const auto part = [&field](std::string_view suffix) {
            return field.name.size() > suffix.size() && field.name.ends_with(suffix);
        };
        if (part(" enable"))
            streams.push_back(
                {field.name.substr(0, field.name.size() - 7), field.byteAddress.value_or(0), 0, 0});
        else if (part(" base offset") && !streams.empty())
            streams.back().baseOffset = field.byteAddress.value_or(0);
        else if (part(" relocation") && !streams.empty())
            streams.back().relocation = field.wordAddress.value_or(0);
    }
    return streams;
}

std::optional<OrderingBits> readOrderingBits(std::span<const std::byte> object)
{
    if (object.size() < kBarriers + 4)
        return std::nullopt;
    const auto barriers = loadLittle<std::uint32_t>(object, kBarriers);
    OrderingBits bits;
    bits.l2Barrier = (barriers & kL2Barrier) != 0;
    bits.forwardBarrier = (barriers & kForwardBarrier) != 0;
    bits.signalMask = loadLittle<std::uint32_t>(object, kSignal) & kMask;
    bits.waitMask = loadLittle<std::uint32_t>(object, kWait) & kMask;
    return bits;
}

} // namespace kernscope::descriptor
