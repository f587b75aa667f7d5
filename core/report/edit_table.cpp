// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/edit_table.h"

#include "core/bundle/bundle.h"
#include "core/report/joined_columns.h"
#include "core/report/json_table.h"
#include "core/report/written_table.h"

#include <cmath>

#include <fmt/format.h>

namespace kernscope::report {

namespace {

/// A number; "nan", "inf" and "-inf", which JSON has no numbers for, as strings.
Json valueJson(double value)
{
    return std::isfinite(value) ? Json(value) : Json(fmt::format("{}", value));
}

Json rangesJson(const EditFacts &row)
{
    return jsonArray(changedBytesTable(), changedBytes(*row.bundle, *row.edit));
}

Value whereValue(const EditFacts &row)
{
    if (row.bundle == nullptr || row.edit->bytes.empty())
        return Nothing();
    const FileEdit &first = row.edit->bytes.front();
    return FilePlace{row.bundle->files()[first.file].path, first.offset.value};
}

Value noteValue(const EditFacts &row)
{
    return row.edit->bytes.empty() ? Value(Word{"nothing to change"}) : Value(View(row.edit->note));
}

/// Bytes as such are no number; what was there and what comes is listed as bytes.
bool hasNoFigure(const EditFacts &row)
{
    return row.edit->edit.kind == Edit::Kind::Bytes;
}

std::vector<Column<EditFacts>> editIdentityColumns()
{
    using Row = EditFacts;
    return {
        {.key = "active",
         .title = "on",
         .explanation = "Cleared: switched off, or undone and not made again",
         .shown = kWindow,
         .value = [](const Row &row) -> Value { return Word{row.active ? "on" : "off"}; }},
        {.key = "kind",
         .title = "kind",
         .explanation = "What kind of edit it is",
         .shown = kDocument,
         .value = [](const Row &row) -> Value { return Word{editKindName(row.edit->edit.kind)}; }},
        {.key = "written",
         .title = "edit",
         .explanation = "The kind and the edit, as the command line writes them",
         .align = TextTable::Align::Name,
         .shown = kTerminal,
         .value = [](const Row &row) -> Value {
             return fmt::format("{} {}", editKindName(row.edit->edit.kind),
                                editText(row.edit->edit));
         }},
        {.key = "edit",
         .title = "edit",
         .explanation = "The edit as the command line writes it",
         .shown = kDocument | kWindow,
         .value = [](const Row &row) -> Value { return editText(row.edit->edit); }},
        {.key = "weight",
         .title = "weight",
         .explanation = "The weight that it changes",
         .shown = kDocument,
         .value = [](const Row &row) -> Value { return View(row.edit->edit.weight); }},
    };
}

std::vector<Column<EditFacts>> editValueColumns()
{
    using Row = EditFacts;
    constexpr auto kNumber = TextTable::Align::Right;
    return {
        {.key = "asked",
         .title = "asked",
         .explanation = "The value that was asked for",
         .align = kNumber,
         .shown = kDocument | kTerminal,
         .value = [](const Row &row) -> Value {
             if (hasNoFigure(row))
                 return Nothing();
             return Written{row.edit->asked, fmt::format("{}", row.edit->asked)};
         },
         .document =
             [](const Row &row) {
                 return hasNoFigure(row) ? Json(nullptr) : valueJson(row.edit->asked);
             }},
        {.key = "stored",
         .title = "stored",
         .explanation = "The value that the form holds",
         .align = kNumber,
         .shown = kDocument | kTerminal,
         .value = [](const Row &row) -> Value {
             if (hasNoFigure(row))
                 return Nothing();
             return Written{row.edit->stored, fmt::format("{:.9g}", row.edit->stored)};
         },
         .document =
             [](const Row &row) {
                 return hasNoFigure(row) ? Json(nullptr) : valueJson(row.edit->stored);
             }},
        {.key = "old",
         .title = "was",
         .explanation = "The value before",
         .align = kNumber,
         .value = [](const Row &row) -> Value { return View(row.edit->oldText); }},
        {.key = "new",
         .title = "new",
         .explanation = "The value that the form holds now",
         .align = kNumber,
         .shown = kDocument | kWindow,
         .value = [](const Row &row) -> Value { return View(row.edit->newText); }},
    };
}

std::vector<Column<EditFacts>> editExtentColumns()
{
    using Row = EditFacts;
    constexpr auto kNumber = TextTable::Align::Right;
    return {
        {.key = "where",
         .title = "where",
         .explanation = "The first changed byte, and how many more runs",
         .shown = kWindow,
         .value = whereValue},
        {.key = "bytes",
         .title = "bytes",
         .explanation = "How many bytes change",
         .align = kNumber,
         .shown = kWindow,
         .value = [](const Row &row) -> Value { return Count{row.changedBytes()}; }},
        {.key = "note",
         .title = "note",
         .explanation = "What the form made of the value",
         .align = TextTable::Align::Name,
         .value = noteValue,
         .document = [](const Row &row) { return Json(row.edit->note); }},
        {.key = "elements",
         .title = "elements",
         .explanation = "Decoded elements that it sets",
         .align = kNumber,
         .shown = kDocument,
         .value = [](const Row &row) -> Value { return Count{row.edit->elements}; }},
        {.key = "tables",
         .title = "tables",
         .explanation = "Whether it touches program text, a header or a record",
         .shown = kDocument,
         .value = [](const Row &row) -> Value { return row.edit->tables; }},
        {.key = "ranges",
         .title = "ranges",
         .explanation = "The bytes before and after, run by run",
         .shown = kDocument,
         .document = rangesJson},
    };
}

std::vector<Column<EditFacts>> editColumns()
{
    return joinedColumns(editIdentityColumns(), editValueColumns(), editExtentColumns());
}

} // namespace

std::uint64_t EditFacts::changedBytes() const
{
    std::uint64_t bytes = 0;
    for (const FileEdit &change : edit->bytes)
        bytes += change.after.size();
    return bytes;
}

std::vector<EditFacts> editRows(const Bundle &bundle, const std::vector<AppliedEdit> &edits)
{
    std::vector<EditFacts> rows;
    for (const AppliedEdit &edit : edits)
        rows.push_back({&bundle, &edit, true});
    return rows;
}

const TableOf<EditFacts> &editTable()
{
    static const TableOf<EditFacts> kTable{
        "edits",
        editColumns(),
        {"kind", "edit", "weight", "asked", "stored", "note", "old", "new"},
        {"active", "edit", "old", "new", "note"}};
    return kTable;
}

} // namespace kernscope::report
