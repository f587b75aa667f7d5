// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/mlir/field_at.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::mlir {

namespace {

constexpr std::size_t kMostShown = 60; ///< bytes of a text

format::PlacedField named(std::string name, ByteRange bytes)
{
    return {std::move(name), bytes, ElementType::Unknown, format::Confidence::Verified,
            "mlir-bytecode.md"};
}

/// The last of items that lie in ascending order which begins at or before the byte and holds it.
template <class Item, class RangeOf>
const Item *holding(const std::vector<Item> &items, FileOffset offset, const RangeOf &rangeOf)
{
    const auto after =
        std::upper_bound(items.begin(), items.end(), offset, [&](FileOffset at, const Item &item) {
            return at < rangeOf(item).offset;
        });
    if (after == items.begin() || !rangeOf(*(after - 1)).contains(offset))
        return nullptr;
    return &*(after - 1);
}

std::optional<format::PlacedField> entryField(const std::vector<Entry> &entries, bool isType,
                                              const Module &module, FileOffset offset)
{
    const Entry *entry = holding(entries, offset, [](const Entry &each) { return each.range; });
    if (!entry)
        return std::nullopt;
    const auto index = static_cast<std::uint32_t>(entry - entries.data());
    const Decoded decoded = isType ? module.type(index) : module.attribute(index);
    std::string name = fmt::format("{} {} ({})", isType ? "type" : "attribute", index,
                                   decoded.row ? decoded.row->name : "unknown kind");
    for (const Field &field : decoded.fields) {
        if (field.range.contains(offset) && field.column < decoded.row->fields.size())
            return named(fmt::format("{}: {}", name, decoded.row->fields[field.column].name),
                         field.range);
    }
    return named(std::move(name), entry->range);
}

/// The innermost operation that holds the byte.
std::optional<format::PlacedField> operationField(const Module &module, FileOffset offset)
{
    const auto &all = module.operations;
    auto after =
        std::upper_bound(all.begin(), all.end(), offset, [](FileOffset at, const Operation &each) {
            return at < each.range.offset;
        });
    while (after != all.begin()) {
        const Operation &each = *--after;
        if (!each.range.contains(offset)) {
            // What is around it stands before it: its block's operation.
            const std::uint32_t region =
                each.block == kNone ? kNone : module.blocks[each.block].region;
            if (region == kNone)
                return std::nullopt;
            after = all.begin() + static_cast<std::ptrdiff_t>(module.regions[region].operation) + 1;
            continue;
        }
        return named(fmt::format("operation {} ({}){}", &each - all.data(),
                                 module.operationName(each),
                                 each.head.contains(offset) ? "" : ": its regions"),
                     each.head.contains(offset) ? each.head : ByteRange{offset, ByteCount(1)});
    }
    return std::nullopt;
}

std::optional<format::PlacedField> stringField(const Module &module, FileOffset offset)
{
    const auto *base = reinterpret_cast<const char *>(module.bytes.data());
    const auto rangeOf = [base](std::string_view text) {
        return ByteRange{FileOffset(static_cast<std::uint64_t>(text.data() - base)),
                         ByteCount(text.size() + 1)};
    };
    const std::string_view *text = holding(module.strings, offset, rangeOf);
    if (!text)
        return std::nullopt;
    return named(
        fmt::format("string {}: {}", text - module.strings.data(), text->substr(0, kMostShown)),
        rangeOf(*text));
}

std::optional<format::PlacedField> resourceField(const Module &module, FileOffset offset)
{
    const Resource *resource =
        holding(module.resources, offset, [](const Resource &each) { return each.entry; });
    if (!resource)
        return std::nullopt;
    const bool data = resource->data.contains(offset);
    return named(fmt::format("resource {}: {}", module.strings[resource->key].substr(0, kMostShown),
                             data ? "data" : "alignment, size, padding"),
                 data ? resource->data : ByteRange{offset, ByteCount(1)});
}

} // namespace

std::optional<format::PlacedField> fieldAt(const Module &module, FileOffset offset)
{
    const Section *section = holding(module.sections, offset, [](const Section &each) {
        return ByteRange{each.header.offset, ByteCount(each.data.end() - each.header.offset.value)};
    });
    if (!section)
        return module.header.contains(offset)
                   ? std::optional(named("magic, version, producer", module.header))
                   : std::nullopt;
    if (section->header.contains(offset))
        return named(fmt::format("section {}: id, length, alignment", sectionName(section->id)),
                     section->header);
    switch (section->id) {
    case SectionId::Entries: {
        auto field = entryField(module.attributes, false, module, offset);
        return field ? field : entryField(module.types, true, module, offset);
    }
    case SectionId::Ir: return operationField(module, offset);
    case SectionId::Strings: return stringField(module, offset);
    case SectionId::Resources: return resourceField(module, offset);
    case SectionId::Properties: {
        const ByteRange *run =
            holding(module.properties, offset, [](const ByteRange &each) { return each; });
        return run ? std::optional(
                         named(fmt::format("properties {}", run - module.properties.data()), *run))
                   : std::nullopt;
    }
    default: return std::nullopt;
    }
}

} // namespace kernscope::mlir
