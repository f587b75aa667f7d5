// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/file_table.h"

#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/bundle/kinds.h"

namespace kernscope::report {

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
        {kName, "path", "path", "Path in the bundle",
         [](const BundleFile &row) { return Value(View(row.path)); }},
        {kNumber, "bytes", "bytes", "Length of the file in bytes",
         [](const BundleFile &row) { return Value(Count(row.file->size().value)); }},
        {"kind", "kind", "What the file holds",
         [](const BundleFile &row) -> Value {
             return Word(row.role == SectionKind::Data ? "weights" : sectionKindName(row.role));
         }},
        {kNumber, "records", "records", "Records of a file of weights",
         [](const BundleFile &row) { return recordsOf(row, row.records); }},
        {kNumber, "unused", "unused", "Records that no operation of the program names",
         [](const BundleFile &row) { return recordsOf(row, row.unusedRecords); }},
    };
    static const TableOf<Row> kTable{"files", kColumns};
    return kTable;
}

} // namespace kernscope::report
