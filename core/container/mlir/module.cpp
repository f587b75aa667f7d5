// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/mlir/module.h"

#include "core/base/byte_text.h"
#include "core/base/find.h"
#include "core/base/parts.h"
#include "core/container/mlir/cursor.h"
#include "core/format/table_rows.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace kernscope::mlir {

const Section *Module::section(SectionId id) const
{
    return findBy(sections, &Section::id, id);
}

std::span<const std::byte> Module::bytesOf(ByteRange range) const
{
    return bytes.subspan(static_cast<std::size_t>(range.offset.value),
                         static_cast<std::size_t>(range.bytes.value));
}

std::string_view Module::textOf(ByteRange range) const
{
    return textInBytes(bytesOf(range));
}

std::string_view Module::dialectName(std::uint32_t dialect) const
{
    return strings[dialects[dialect].name];
}

std::string Module::operationName(const Operation &operation) const
{
    const OperationName &name = operationNames[operation.name];
    return std::string(dialectName(name.dialect)) + "." + std::string(strings[name.name]);
}

bool Module::is(const Operation &operation, std::string_view fullName) const
{
    const OperationName &name = operationNames[operation.name];
    const std::string_view dialect = dialectName(name.dialect), own = strings[name.name];
    return fullName.size() == dialect.size() + 1 + own.size() && fullName.starts_with(dialect) &&
           fullName[dialect.size()] == '.' && fullName.ends_with(own);
}

Siblings<Operation> Module::operationsOf(const Block &block) const
{
    return {operations, block.operations};
}

Siblings<Region> Module::regionsOf(const Operation &operation) const
{
    return {regions, operation.regions};
}

std::span<const std::uint32_t> Module::operandsOf(const Operation &operation) const
{
    return std::span(operandValues).subspan(operation.operands.first, operation.operands.count);
}

std::span<const Value> Module::resultsOf(const Operation &operation) const
{
    return std::span(values).subspan(operation.results.first, operation.results.count);
}

std::uint32_t Module::resourceOf(std::uint64_t handle) const
{
    return static_cast<std::uint32_t>(externalResources + handle);
}

std::vector<NamedAttribute> Module::propertiesOf(const PropertyRow &row, std::uint32_t number) const
{
    std::vector<NamedAttribute> found;
    FaultState faults{file, {}};
    Cursor cursor(bytes, properties[number], faults, "mlir.properties", {});
    for (const PropertyRow::Property &property : row.properties) {
        const std::uint64_t stored = cursor.varint(property.name);
        const std::uint64_t index = property.optional ? stored >> 1 : stored;
        if (cursor.ok() && (!property.optional || (stored & 1) != 0) && index < attributes.size())
            found.push_back({property.name, static_cast<std::uint32_t>(index)});
    }
    return found;
}

std::vector<NamedAttribute> Module::attributesOf(const Operation &operation) const
{
    std::vector<NamedAttribute> found;
    const PropertyRow *row = operationNames[operation.name].row;
    if (row && operation.properties != kNone)
        found = propertiesOf(*row, operation.properties);
    if (operation.attributes == kNone)
        return found;
    const Decoded dictionary = attribute(operation.attributes);
    if (dictionary.is("dictionary") && dictionary.row->dialect == "builtin") {
        for (std::size_t i = 0; i + 1 < dictionary.fields.size(); i += 2)
            found.push_back({stringOf(static_cast<std::uint32_t>(dictionary.fields[i].value)),
                             static_cast<std::uint32_t>(dictionary.fields[i + 1].value)});
    }
    return found;
}

std::uint32_t Module::attributeOf(const Operation &operation, std::string_view name) const
{
    const std::vector<NamedAttribute> all = attributesOf(operation);
    const auto *at = findBy(all, &NamedAttribute::name, name);
    return !at ? kNone : at->attribute;
}

std::string_view Module::stringOf(std::uint32_t index) const
{
    if (index == kNone)
        return {};
    const Decoded decoded = attribute(index);
    const bool text = decoded.is("serialization.string") || decoded.is("string");
    return text && !decoded.fields.empty()
               ? strings[static_cast<std::size_t>(decoded.fields.front().value)]
               : std::string_view();
}

namespace {

void takeFields(KindRow &row, std::string_view cell)
{
    for (const std::string_view word : partsOf(cell, ' ')) {
        const std::size_t colon = word.find(':');
        if (colon != std::string_view::npos && colon + 1 < word.size())
            row.fields.push_back(
                {word[colon + 1], word.ends_with('*'), std::string(word.substr(0, colon))});
    }
}

void takeProperties(PropertyRow &row, std::string_view cell)
{
    for (const std::string_view word : partsOf(cell, ' ')) {
        const bool optional = word.ends_with('?');
        row.properties.push_back({std::string(word.substr(0, word.size() - optional)), optional});
    }
}

using RowsByCode =
    std::map<std::pair<std::string_view, bool>, std::vector<const KindRow *>, std::less<>>;

const RowsByCode &rowsOfDialects()
{
    static const RowsByCode all = [] {
        RowsByCode byCode;
        for (const KindRow &row : kindRows()) {
            auto &rows = byCode[{row.dialect, row.type}];
            if (row.code >= rows.size())
                rows.resize(static_cast<std::size_t>(row.code) + 1);
            rows[static_cast<std::size_t>(row.code)] = &row;
        }
        return byCode;
    }();
    return all;
}

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

std::span<const KindRow> kindRows()
{
    static const auto rows = tables::loadRows<KindRow>(
        "mlir_kinds",
        {{"dialect", &KindRow::dialect},
         {"kind", [](KindRow &row, std::string_view cell) { row.type = cell == "type"; }},
         {"code", &KindRow::code},
         {"name", &KindRow::name},
         {"fields", takeFields},
         {"print", &KindRow::print},
         {"element", &KindRow::element},
         {"bits", &KindRow::bits}});
    return rows;
}

const std::vector<const KindRow *> *rowsByCode(std::string_view dialect, bool types)
{
    const auto at = rowsOfDialects().find(std::pair(dialect, types));
    return at == rowsOfDialects().end() ? nullptr : &at->second;
}

const KindRow *kindNamed(std::string_view name, bool type)
{
    const auto rows = kindRows();
    const auto at = std::ranges::find_if(rows, [&](const KindRow &row) {
        return row.type == type && row.name == name && row.dialect == "aicode";
    });
    return at == rows.end() ? nullptr : &*at;
}

std::span<const PropertyRow> propertyRows()
{
    static const auto rows =
        tables::loadRows<PropertyRow>("mlir_properties", {{"operation", &PropertyRow::operation},
                                                          {"properties", takeProperties}});
    return rows;
}

const PropertyRow *propertyRow(std::string_view operation)
{
    const auto find = [](std::string_view name) -> const PropertyRow * {
        const auto rows = propertyRows();
        return findBy(rows, &PropertyRow::operation, name);
    };
    if (const PropertyRow *row = find(operation))
        return row;
    const std::size_t version = operation.rfind("_v");
    return version == std::string_view::npos ? nullptr : find(operation.substr(0, version));
}

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
