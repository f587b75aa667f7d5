// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/edit_table.h"

#include "core/bundle/bundle.h"
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
    using Row = EditFacts;
    static constexpr Column<Row> kColumns[] = {
        {kWindow, "active", "on", "Cleared: switched off, or undone and not made again",
         [](const Row &row) -> Value { return Word(row.active ? "on" : "off"); }},
        {kDocument, "kind", "kind", "What kind of edit it is",
         [](const Row &row) -> Value { return Word(editKindName(row.edit->edit.kind)); }},
        {kName | kTerminal, "written", "edit",
         "The kind and the edit, as the command line writes them",
         [](const Row &row) -> Value {
             return fmt::format("{} {}", editKindName(row.edit->edit.kind),
                                editText(row.edit->edit));
         }},
        {kDocument | kWindow, "edit", "edit", "The edit as the command line writes it",
         [](const Row &row) -> Value { return editText(row.edit->edit); }},
        {kDocument, "weight", "weight", "The weight that it changes",
         [](const Row &row) -> Value { return View(row.edit->edit.weight); }},
        {kNumber | kDocument | kTerminal, "asked", "asked", "The value that was asked for",
         [](const Row &row) -> Value {
             if (hasNoFigure(row))
                 return Nothing();
             return Written(row.edit->asked, fmt::format("{}", row.edit->asked));
         },
         jsonOf([](const Row &row) {
             return hasNoFigure(row) ? Json(nullptr) : valueJson(row.edit->asked);
         })},
        {kNumber | kDocument | kTerminal, "stored", "stored", "The value that the form holds",
         [](const Row &row) -> Value {
             if (hasNoFigure(row))
                 return Nothing();
             return Written(row.edit->stored, fmt::format("{:.9g}", row.edit->stored));
         },
         jsonOf([](const Row &row) {
             return hasNoFigure(row) ? Json(nullptr) : valueJson(row.edit->stored);
         })},
        {kNumber, "old", "was", "The value before",
         [](const Row &row) -> Value { return View(row.edit->oldText); }},
        {kNumber | kDocument | kWindow, "new", "new", "The value that the form holds now",
         [](const Row &row) -> Value { return View(row.edit->newText); }},
        {kWindow, "where", "where", "The first changed byte, and how many more runs", whereValue},
        {kNumber | kWindow, "bytes", "bytes", "How many bytes change",
         [](const Row &row) -> Value { return Count(row.changedBytes()); }},
        {kName, "note", "note", "What the form made of the value", noteValue,
         jsonOf([](const Row &row) { return Json(row.edit->note); })},
        {kNumber | kDocument, "elements", "elements", "Decoded elements that it sets",
         [](const Row &row) -> Value { return Count(row.edit->elements); }},
        {kDocument, "tables", "tables", "Whether it touches program text, a header or a record",
         [](const Row &row) -> Value { return row.edit->tables; }},
        {kDocument, "ranges", "ranges", "The bytes before and after, run by run", nullptr,
         jsonOf(rangesJson)},
    };
    static const TableOf<Row> kTable{
        "edits",
        kColumns,
        {"kind", "edit", "weight", "asked", "stored", "note", "old", "new"},
        {"active", "edit", "old", "new", "note"}};
    return kTable;
}

} // namespace kernscope::report
