// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/section_table.h"

#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/report/joined_columns.h"

namespace kernscope::report {

namespace {

std::vector<Column<SectionFacts>> sectionPlaceColumns()
{
    using Row = SectionFacts;
    constexpr auto kSectionNumber = TextTable::Align::Right;
    return {
        {.key = "file",
         .title = "file",
         .explanation = "File of the bundle that holds the section",
         .value = [](const Row &row) -> Value {
             return View(row.bundle->files()[row.section->file].path);
         }},
        {.key = "offset",
         .title = "offset",
         .explanation = "First byte, counted from the start of the file",
         .align = kSectionNumber,
         .searched = false,
         .value = [](const Row &row) -> Value { return Hex{row.section->range.offset.value}; }},
        {.key = "bytes",
         .title = "bytes",
         .explanation = "Length of the section in bytes",
         .align = kSectionNumber,
         .searched = false,
         .value = [](const Row &row) -> Value { return Count{row.section->range.bytes.value}; }},
        {.key = "share",
         .title = "share",
         .explanation = "Share of the bytes of its file",
         .align = kSectionNumber,
         .shown = kDocument | kWindow,
         .searched = false,
         .value = [](const Row &row) -> Value {
             const ByteCount file = row.bundle->files()[row.section->file].file->size();
             return file.value == 0
                        ? Value(Unknown())
                        : Value(Percent{static_cast<double>(row.section->range.bytes.value) /
                                        static_cast<double>(file.value)});
         }},
        {.key = "end",
         .title = "end",
         .explanation = "First byte after the section",
         .align = kSectionNumber,
         .shown = kDocument | kWindow,
         .searched = false,
         .value = [](const Row &row) -> Value { return Hex{row.section->range.end()}; }},
    };
}

std::vector<Column<SectionFacts>> sectionIdentityColumns()
{
    using Row = SectionFacts;
    return {
        {.key = "kind",
         .title = "kind",
         .explanation = "What the bytes are for",
         .value = [](const Row &row) -> Value { return Word{sectionKindName(row.section->kind)}; }},
        {.key = "name",
         .title = "name",
         .explanation = "What the bytes are",
         .align = TextTable::Align::Name,
         .value = [](const Row &row) -> Value { return row.bundle->nameOf(*row.section); }},
        {.key = "owner",
         .title = "weight",
         .explanation = "Weight that the section belongs to",
         .shown = kDocument | kWindow,
         .value = [](const Row &row) { return orNothing(row.bundle->ownerOf(*row.section)); }},
    };
}

std::vector<Column<SectionFacts>> sectionColumns()
{
    return joinedColumns(sectionPlaceColumns(), sectionIdentityColumns());
}

} // namespace

std::vector<SectionFacts> sectionRows(const Bundle &bundle)
{
    std::vector<SectionFacts> rows;
    rows.reserve(bundle.sections().size());
    for (const kernscope::Section &section : bundle.sections())
        rows.push_back({&bundle, &section});
    return rows;
}

const TableOf<SectionFacts> &sectionTable()
{
    static const TableOf<SectionFacts> kTable{"sections",
                                              sectionColumns(),
                                              {"name", "file", "offset", "bytes", "kind"},
                                              {"name", "kind", "owner", "file"}};
    return kTable;
}

} // namespace kernscope::report
