// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/byte_table.h"

#include "core/base/little_endian.h"
#include "core/base/overlaid_file.h"
#include "core/base/progress.h"
#include "core/bundle/bundle.h"
#include "core/numeric/convert.h"
#include "core/report/joined_columns.h"
#include "core/report/json_table.h"
#include "core/report/json_values.h"
#include "core/search/find.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace kernscope::report {

namespace {

constexpr std::size_t kMostShownBytes = 8, kMostShownCells = 2;

std::string hexOf(std::span<const std::byte> bytes, std::string_view between)
{
    std::string text;
    for (const std::byte byte : bytes)
        text += fmt::format("{}{:02x}", text.empty() ? "" : between, static_cast<unsigned>(byte));
    return text;
}

const Weight *weightOf(const ByteFieldFacts &row)
{
    const auto &weights = row.bundle->weights();
    return row.field.weight < weights.size() ? &weights[row.field.weight] : nullptr;
}

const codec::Operand *operandOf(const ByteFieldFacts &row)
{
    const Weight *weight = weightOf(row);
    return weight != nullptr && row.field.operand < weight->operands().size()
               ? &weight->operands()[row.field.operand]
               : nullptr;
}

const Section &sectionOf(const ByteFieldFacts &row)
{
    return row.bundle->sections()[row.field.section];
}

/// The number that the field or the first stored element holds.
std::optional<double> storedNumber(const ByteFieldFacts &row)
{
    const unsigned width = bitWidth(row.field.type);
    if (width % 8 == 0 && width != 0)
        return row.bytes.size() == width / 8
                   ? std::optional(loadValue(row.bytes, row.field.type, 0))
                   : std::nullopt;
    const codec::Operand *operand = operandOf(row);
    if (width == 0 || operand == nullptr || operand->order || !row.field.stored)
        return std::nullopt;
    const auto bytes = row.bundle->operandBytes(*operand);
    if ((*row.field.stored + 1) * width > 8 * bytes.size())
        return std::nullopt;
    return loadValue(bytes, row.field.type, *row.field.stored);
}

/// Integers of 64 bits that a double does not hold are texts.
std::optional<std::string> wideNumber(const ByteFieldFacts &row)
{
    if (row.bytes.size() != 8)
        return std::nullopt;
    const auto bits = loadLittle<std::uint64_t>(row.bytes, 0);
    if (row.field.type == ElementType::Uint64 && bits >> 53 != 0)
        return fmt::format("{}", bits);
    const auto value = static_cast<std::int64_t>(bits);
    if (row.field.type == ElementType::Int64 && (value >> 53) != 0 && (value >> 53) != -1)
        return fmt::format("{}", value);
    return std::nullopt;
}

Value numberCell(const ByteFieldFacts &row)
{
    if (auto wide = wideNumber(row))
        return std::move(*wide);
    const auto number = storedNumber(row);
    if (!number)
        return Absent();
    return std::isnan(*number) ? Value(std::string("nan")) : Value(fmt::format("{}", *number));
}

Json byteNumberJson(const ByteFieldFacts &row)
{
    if (auto wide = wideNumber(row))
        return *wide;
    const auto number = storedNumber(row);
    if (!number)
        return noKey();
    if (!std::isfinite(*number))
        return std::isnan(*number) ? "nan" : *number > 0 ? "inf" : "-inf";
    return isFloatingPoint(row.field.type) ? Json(*number)
                                           : Json(static_cast<std::int64_t>(*number));
}

Value cellsCell(const ByteFieldFacts &row)
{
    if (row.elements.empty())
        return Absent();
    std::string text;
    for (std::size_t i = 0; i < std::min(row.elements.size(), kMostShownCells); ++i)
        text += (i == 0 ? "" : " ") + search::elementAddress(*weightOf(row), row.elements[i]);
    return row.elements.size() > kMostShownCells
               ? fmt::format("{} and {} more", text, row.elements.size() - kMostShownCells)
               : text;
}

Json cellsJson(const ByteFieldFacts &row)
{
    if (row.elements.empty())
        return noKey();
    Json cells = Json::array();
    for (const std::uint64_t element : row.elements)
        cells.push_back(search::elementAddress(*weightOf(row), element));
    return cells;
}

Json elementsJson(const ByteFieldFacts &row)
{
    return row.elements.empty() ? noKey() : Json(row.elements);
}

std::vector<Column<ByteFieldFacts>> placeColumns()
{
    using Row = ByteFieldFacts;
    return {{.key = "offset",
             .title = "offset",
             .explanation = "First byte of the field, counted from the start of the file",
             .align = TextTable::Align::Right,
             .value = [](const Row &row) -> Value { return Hex{row.field.bytes.offset.value}; }},
            {.key = "bytes",
             .title = "bytes",
             .explanation = "Length of the field, or of the stored element, in bytes",
             .align = TextTable::Align::Right,
             .value = [](const Row &row) -> Value { return Count{row.field.bytes.bytes.value}; }},
            {.key = "hex",
             .title = "hex",
             .explanation = "Its first bytes in hexadecimal: 8 in text, 64 in documents",
             .value = [](const Row &row) -> Value {
                 const std::span bytes(row.bytes);
                 const bool whole = row.field.bytes.bytes.value <= kMostShownBytes;
                 return hexOf(bytes.first(std::min(bytes.size(), kMostShownBytes)), " ") +
                        (whole ? "" : " …");
             },
             .document = [](const Row &row) { return Json(hexOf(row.bytes, "")); }},
            {.key = "value",
             .title = "value",
             .explanation = "The number that it holds, of several elements in a byte the first",
             .align = TextTable::Align::Right,
             .value = numberCell,
             .document = byteNumberJson},
            {.key = "type",
             .title = "type",
             .explanation = "Type of that number",
             .value = [](const Row &row) -> Value {
                 return row.field.type == ElementType::Unknown
                            ? Value(Absent())
                            : Value(elementTypeName(row.field.type));
             }},
            {.key = "field",
             .title = "field",
             .explanation = "What the bytes are",
             .align = TextTable::Align::Name,
             .value = [](const Row &row) -> Value { return View(row.field.text); }}};
}

std::vector<Column<ByteFieldFacts>> ownerIdentityColumns()
{
    using Row = ByteFieldFacts;
    return {
        {.key = "section",
         .title = "section",
         .explanation = "Section that the first byte lies in",
         .shown = kDocument,
         .value = [](const Row &row) -> Value { return row.bundle->nameOf(sectionOf(row)); }},
        {.key = "kind",
         .title = "kind",
         .explanation = "What the section's bytes are for",
         .shown = kDocument,
         .value = [](const Row &row) -> Value {
             return Word{sectionKindName(sectionOf(row).kind)};
         }},
        {.key = "weight",
         .title = "weight",
         .explanation = "Weight that the bytes belong to",
         .shown = kDocument,
         .value = [](const Row &row) -> Value {
             const Weight *weight = weightOf(row);
             return weight == nullptr ? Value(Nothing()) : Value(weight->findableName());
         }},
        {.key = "address",
         .title = "address",
         .explanation = "Model, function and name of that weight",
         .shown = kDocument,
         .value = [](const Row &row) -> Value {
             const Weight *weight = weightOf(row);
             return weight == nullptr ? Value(Nothing()) : Value(weight->address());
         }},
        {.key = "part",
         .title = "part",
         .explanation = "Part of the weight that they store",
         .shown = kDocument,
         .value = [](const Row &row) -> Value {
             const codec::Operand *operand = operandOf(row);
             return operand == nullptr ? Value(Absent())
                                       : Value(codec::partRoleName(operand->role));
         }},
    };
}

std::vector<Column<ByteFieldFacts>> ownerElementColumns()
{
    using Row = ByteFieldFacts;
    return {
        {.key = "entry",
         .title = "entry",
         .explanation = "Number of the stored element within that part, from 0",
         .align = TextTable::Align::Right,
         .shown = kDocument,
         .value = [](const Row &row) -> Value {
             return row.field.stored ? Value(Count{*row.field.stored}) : Value(Absent());
         }},
        {.key = "elements",
         .title = "elements",
         .explanation = "Decoded elements whose codes have bits in the first byte",
         .shown = kDocument,
         .document = elementsJson},
        {.key = "cells",
         .title = "cells",
         .explanation = "Decoded elements that the first byte has bits of, by their indices",
         .align = TextTable::Align::Name,
         .value = cellsCell,
         .document = cellsJson},
    };
}

std::vector<Column<ByteFieldFacts>> ownerSourceColumns()
{
    using Row = ByteFieldFacts;
    return {
        {.key = "confidence",
         .title = "confidence",
         .explanation = "How sure the name of the field is",
         .value = [](const Row &row) -> Value {
             return row.field.source.empty()
                        ? Value(Absent())
                        : Value(Word{format::confidenceName(row.field.confidence)});
         }},
        {.key = "source",
         .title = "source",
         .explanation = "Where the name of the field is from",
         .value = [](const Row &row) -> Value {
             return row.field.source.empty() ? Value(Absent()) : Value(View(row.field.source));
         }},
    };
}

std::vector<Column<ByteFieldFacts>> ownerColumns()
{
    return joinedColumns(ownerIdentityColumns(), ownerElementColumns(), ownerSourceColumns());
}

/// Where a run of bytes that no table names and no weight stores ends: at the next that is one, at
/// the end of its section or of what was asked for.
std::uint64_t unnamedEnd(const ByteFieldFacts &row, std::uint64_t end, BoundOrder &order)
{
    std::uint64_t at = row.field.bytes.offset.value + 1;
    for (end = std::min(end, sectionOf(row).range.end()); at < end; ++at) {
        const ByteField next = fieldAt(*row.bundle, row.file, FileOffset(at), order);
        if (next.named || next.stored)
            break;
    }
    return at;
}

} // namespace

std::vector<ByteFieldFacts> byteFieldRows(const BundlePtr &bundle, std::size_t file,
                                          const ByteRange &range, Progress &progress)
{
    std::vector<ByteFieldFacts> rows;
    const auto bytes = bundle->files()[file].file->bytes();
    const std::uint64_t end = std::min<std::uint64_t>(range.end(), bytes.size());
    BoundOrder order;
    for (std::uint64_t at = range.offset.value; at < end;) {
        ByteFieldFacts row{bundle, file, fieldAt(*bundle, file, FileOffset(at), order), {}, {}};
        if (row.field.section >= bundle->sections().size())
            break; // the file is longer than its map: it changed meanwhile
        ByteRange &field = row.field.bytes;
        if (!row.field.named && !row.field.stored)
            field = {FileOffset(at), ByteCount(unnamedEnd(row, end, order) - at)};
        const auto own =
            bytes.subspan(field.offset.value, std::min(field.bytes.value, kMostFieldBytes));
        row.bytes.assign(own.begin(), own.end());
        if (auto owner = ownerOfByte(*bundle, file, FileOffset(at), order))
            row.elements = std::move(owner->elements);
        // A field that holds no byte behind this one, such as an element in pieces, is no step.
        const std::uint64_t next = std::max(field.end(), at + 1);
        const bool goOn = progress.advance(next - at);
        at = next;
        rows.push_back(std::move(row));
        if (!goOn)
            break;
    }
    return rows;
}

const TableOf<ByteFieldFacts> &byteFieldTable()
{
    static const TableOf<ByteFieldFacts> kTable = [] {
        TableOf<ByteFieldFacts> table{"bytes", placeColumns()};
        const auto more = ownerColumns();
        table.columns.insert(table.columns.end(), more.begin(), more.end());
        return table;
    }();
    return kTable;
}

std::vector<ReadingFacts> readingRows(const Bundle &bundle, std::size_t file, FileOffset offset)
{
    const auto all = bundle.files()[file].file->bytes();
    return readingRows(
        all.subspan(offset.value, std::min<std::uint64_t>(8, all.size() - offset.value)));
}

std::vector<ReadingFacts> readingRows(std::span<const std::byte> bytes)
{
    auto little = byteReadings(bytes), big = byteReadings(bytes, true);
    std::vector<ReadingFacts> rows;
    for (std::size_t i = 0; i < little.size(); ++i)
        rows.push_back({std::move(little[i]), std::move(big[i])});
    return rows;
}

const TableOf<ReadingFacts> &readingTable()
{
    using Row = ReadingFacts;
    static const TableOf<Row> kTable{
        "readings",
        {{.key = "name",
          .title = "read as",
          .explanation = "How the bytes from the offset on are read",
          .value = [](const Row &row) -> Value { return row.little.name; }},
         {.key = "little_endian",
          .title = "little-endian",
          .explanation = "What they then mean, the lowest byte of a number first",
          .align = TextTable::Align::Right,
          .value = [](const Row &row) { return orNothing(row.little.value); }},
         {.key = "big_endian",
          .title = "big-endian",
          .explanation = "What they then mean, the highest byte of a number first",
          .align = TextTable::Align::Right,
          .value = [](const Row &row) { return orNothing(row.big.value); }},
         {.key = "meaning",
          .title = "meaning",
          .explanation = "What the reading is",
          .value = [](const Row &row) -> Value { return row.little.meaning; }}}};
    return kTable;
}

Json bytesJson(std::string_view path, const Bundle &bundle, std::size_t file,
               const ByteRange &range, const std::vector<ByteFieldFacts> &fields,
               const std::vector<ReadingFacts> &readings)
{
    Json json = document("bytes");
    json["path"] = path;
    json["file"] = bundle.files()[file].path;
    json["offset"] = range.offset.value;
    json["bytes"] = range.bytes.value;
    json["fields"] = jsonArray(byteFieldTable(), fields);
    json["readings"] = jsonArray(readingTable(), readings);
    return json;
}

} // namespace kernscope::report
