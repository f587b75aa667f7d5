// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/record_fields.h"

#include "core/format/table_rows.h"

#include <map>
#include <mutex>

#include <fmt/format.h>

namespace kernscope::format {

namespace {

struct NamedRecordField : RecordField {
    std::string record;
};
using FieldsOfRecords = std::map<std::string, std::vector<RecordField>, std::less<>>;

FieldsOfRecords readRecordFields(std::string_view table)
{
    using Row = NamedRecordField;
    FieldsOfRecords records;
    for (Row &row : tables::loadRows<Row>(
             table,
             {{"record", &Row::record},
              {"offset", [](Row &to, std::string_view cell) { tables::readCell(cell, to.offset); }},
              {"bytes", [](Row &to, std::string_view cell) { tables::readCell(cell, to.bytes); }},
              {"name", [](Row &to, std::string_view cell) { to.name = cell; }},
              {"type", [](Row &to, std::string_view cell) { to.type = elementTypeFromName(cell); }},
              {"confidence",
               [](Row &to, std::string_view cell) { tables::readCell(cell, to.confidence); }},
              {"source", [](Row &to, std::string_view cell) { to.source = cell; }}}))
        records[row.record].push_back(std::move(row));
    return records;
}

/// Read once for each table; what it returns stays where it is.
const FieldsOfRecords &fieldsOfTable(std::string_view table)
{
    static std::mutex guard;
    static std::map<std::string, FieldsOfRecords, std::less<>> all;
    const std::scoped_lock lock(guard);
    const auto known = all.find(table);
    return known != all.end() ? known->second
                              : all.emplace(table, readRecordFields(table)).first->second;
}

} // namespace

std::string RecordField::text() const
{
    return type == ElementType::Unknown ? name
                                        : fmt::format("{} ({})", name, elementTypeName(type));
}

std::span<const RecordField> recordFields(std::string_view table, std::string_view record)
{
    const FieldsOfRecords &records = fieldsOfTable(table);
    const auto found = records.find(record);
    return found == records.end() ? std::span<const RecordField>() : found->second;
}

const RecordField *fieldHolding(std::span<const RecordField> fields, std::uint64_t into)
{
    for (const RecordField &field : fields) {
        if (field.contains(into))
            return &field;
    }
    return nullptr;
}

std::optional<PlacedField> placedField(std::string_view table, std::string_view record,
                                       std::uint64_t begin, FileOffset offset,
                                       std::string_view owner)
{
    const RecordField *field =
        offset.value < begin ? nullptr
                             : fieldHolding(recordFields(table, record), offset.value - begin);
    if (field == nullptr)
        return std::nullopt;
    PlacedField placed;
    placed.name = fmt::format("{}: {}", owner, field->text());
    placed.bytes = {FileOffset(begin + field->offset), ByteCount(field->bytes)};
    placed.type = field->type;
    placed.confidence = field->confidence;
    placed.source = field->source;
    return placed;
}

} // namespace kernscope::format
