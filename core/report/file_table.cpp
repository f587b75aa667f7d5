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
    constexpr auto kFileNumber = TextTable::Align::Right;
    static const TableOf<BundleFile> kTable{
        "files",
        {{.key = "path",
          .title = "path",
          .explanation = "Path in the bundle",
          .align = TextTable::Align::Name,
          .value = [](const BundleFile &row) { return Value(View(row.path)); }},
         {.key = "bytes",
          .title = "bytes",
          .explanation = "Length of the file in bytes",
          .align = kFileNumber,
          .value = [](const BundleFile &row) { return Value(Count{row.file->size().value}); }},
         {.key = "kind",
          .title = "kind",
          .explanation = "What the file holds",
          .value = [](const BundleFile &row) -> Value {
              return Word{row.role == SectionKind::Data ? "weights" : sectionKindName(row.role)};
          }},
         {.key = "records",
          .title = "records",
          .explanation = "Records of a file of weights",
          .align = kFileNumber,
          .value = [](const BundleFile &row) { return recordsOf(row, row.records); }},
         {.key = "unused",
          .title = "unused",
          .explanation = "Records that no operation of the program names",
          .align = kFileNumber,
          .value = [](const BundleFile &row) { return recordsOf(row, row.unusedRecords); }}}};
    return kTable;
}

} // namespace kernscope::report
