// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/difference_json.h"
#include "core/report/pair_table.h"

namespace kernscope::report {

/// One row a weight and build, header first; fields quoted as RFC 4180 has it, lines ended by LF.
/// A text that a spreadsheet would take for a formula gets a leading apostrophe.
std::string differenceCsv(std::span<const CheckedDifference> all);
/// A heading and a table a build, and what does not hold.
std::string differenceMarkdown(std::span<const CheckedDifference> all);
/// JUnit XML: a suite a build, in it one test case for the whole and one a weight; each limit that
/// is exceeded a failure, what cannot be read an error.
std::string differenceJunit(std::span<const CheckedDifference> all);
/// One file that needs no other: the verdict, the table and, for the weights that differ most, the
/// pictures of both and of the difference and the histogram in ULP. Decodes those weights once.
/// Errors: "task.cancelled".
Result<std::string> differenceHtml(std::span<const CheckedDifference> all,
                                   Progress *progress = nullptr);

/// "14 same, 2 moved, 1 unused": what became of the entries of a pair's codebooks.
std::string codebookCountsText(const CodebookMatch &match);
/// The worst first, where that is the order.
void sortRows(std::span<PairRow> rows, RowOrder order);
/// "max_abs: found 4, allowed 1 (rule w*)".
std::string faultText(const LimitFault &fault);

} // namespace kernscope::report
