// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/descriptor/image_v10.h"

#include "core/base/little_endian.h"
#include "core/descriptor/version.h"
#include "core/format/contested.h"
#include "core/format/tables.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::descriptor {

namespace {

constexpr std::uint64_t kBarriers = 0x134, kSignal = 0x10, kWait = 0x18;
constexpr std::uint32_t kL2Barrier = 1U << 23, kForwardBarrier = 1U << 30;
constexpr std::uint32_t kMask = (1U << 26) - 1;
constexpr std::uint32_t kLead = 8;

std::optional<std::uint32_t> numberIn(std::string_view cell)
{
    const auto value = parseInteger(cell);
    return value ? std::optional(static_cast<std::uint32_t>(*value)) : std::nullopt;
}

std::vector<ImageGroup> readGroups()
{
    std::vector<ImageGroup> groups;
    const auto csv = tables::load("descriptor_v10");
    for (std::size_t row = 0; csv && row < csv->rows(); ++row) {
        const auto record = csv->cell(row, "record");
        if (record == "group_window" && !groups.empty()) {
            groups.back().reading = csv->cell(row, "contents");
            continue;
        }
        if (record != "group")
            continue;
        ImageGroup group;
        group.id = csv->cell(row, "group");
        group.name = csv->cell(row, "name");
        group.structOffset = numberIn(csv->cell(row, "struct_offset")).value_or(kLead);
        group.imageOffset = group.structOffset - std::min(kLead, group.structOffset);
        group.registers = numberIn(csv->cell(row, "count")).value_or(0);
        group.base = numberIn(csv->cell(row, "byte_address_hex"));
        group.contents = csv->cell(row, "contents");
        group.confidence = confidenceOfEvidence(csv->cell(row, "confidence"));
        groups.push_back(std::move(group));
    }
    return groups;
}

std::vector<ImageField> readFields()
{
    std::vector<ImageField> fields;
    const auto csv = tables::load("descriptor_v10");
    for (std::size_t row = 0; csv && row < csv->rows(); ++row) {
        ImageField field;
        field.record = csv->cell(row, "record");
        if (field.record.starts_with("group"))
            continue;
        field.group = csv->cell(row, "group");
        field.name = csv->cell(row, "name");
        field.structOffset = numberIn(csv->cell(row, "struct_offset"));
        field.wordAddress = numberIn(csv->cell(row, "register_hex"));
        field.byteAddress = numberIn(csv->cell(row, "byte_address_hex"));
        field.bits = csv->cell(row, "bits_or_mask");
        field.contents = csv->cell(row, "contents");
        field.source = csv->cell(row, "source");
        field.confidence = confidenceOfEvidence(csv->cell(row, "confidence"));
        fields.push_back(std::move(field));
    }
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
    const auto at = std::find_if(groups.begin(), groups.end(), [address](const ImageGroup &group) {
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
