// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/section_table.h"

#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/bundle/kinds.h"

namespace kernscope::report {

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
    using Row = SectionFacts;
    static constexpr Column<Row> kColumns[] = {
        {"file", "File of the bundle that holds the section",
         [](const Row &row) -> Value { return View(row.bundle->files()[row.section->file].path); }},
        {kNumber, "offset", "First byte, counted from the start of the file",
         [](const Row &row) -> Value { return Hex(row.section->range.offset.value); },
         notSearched()},
        {kNumber, "bytes", "Length of the section in bytes",
         [](const Row &row) -> Value { return Count(row.section->range.bytes.value); },
         notSearched()},
        {kNumber | kDocument | kWindow, "share", "Share of the bytes of its file",
         [](const Row &row) -> Value {
             const ByteCount file = row.bundle->files()[row.section->file].file->size();
             return file.value == 0
                        ? Value(Unknown())
                        : Value(Percent(static_cast<double>(row.section->range.bytes.value) /
                                        static_cast<double>(file.value)));
         },
         notSearched()},
        {kNumber | kDocument | kWindow, "end", "First byte after the section",
         [](const Row &row) -> Value { return Hex(row.section->range.end()); }, notSearched()},
        {"kind", "What the bytes are for",
         [](const Row &row) -> Value { return Word(sectionKindName(row.section->kind)); }},
        {kName, "name", "What the bytes are",
         [](const Row &row) -> Value { return row.bundle->nameOf(*row.section); }},
        {kDocument | kWindow, "owner", "weight", "Weight that the section belongs to",
         [](const Row &row) { return orNothing(row.bundle->ownerOf(*row.section)); }},
    };
    static const TableOf<Row> kTable{"sections",
                                     kColumns,
                                     {"name", "file", "offset", "bytes", "kind"},
                                     {"name", "kind", "owner", "file"}};
    return kTable;
}

namespace {

/// Only a file of weights has records.
Value recordsOf(const BundleFile &file, std::size_t records)
{
    return file.role == SectionKind::Data ? Value(Count{records}) : Value(Nothing());
}

} // namespace

const TableOf<BundleFile> &fileTable()
{
    using Row = BundleFile;
    static constexpr Column<Row> kColumns[] = {
        {kName, "path", "Path in the bundle", member<&BundleFile::path>},
        {kNumber, "bytes", "Length of the file in bytes",
         [](const BundleFile &row) { return Value(Count(row.file->size().value)); }},
        {"kind", "What the file holds",
         [](const BundleFile &row) -> Value {
             return Word(row.role == SectionKind::Data ? "weights" : sectionKindName(row.role));
         }},
        {kNumber, "records", "Records of a file of weights",
         [](const BundleFile &row) { return recordsOf(row, row.records); }},
        {kNumber, "unused", "Records that no operation of the program names",
         [](const BundleFile &row) { return recordsOf(row, row.unusedRecords); }},
    };
    static const TableOf<Row> kTable{"files", kColumns};
    return kTable;
}

} // namespace kernscope::report
