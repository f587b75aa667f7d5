// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/difference_json.h"
#include "core/report/pair_table.h"

namespace kernscope::report {

/// "x.mlmodelc: [journal.pending] …" of each journal that makes the answer one of bytes that are
/// not, or may not be, what the disk holds as a whole. Every format has them.
std::vector<std::string> journalTexts(const CheckedDifference &checked);

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
/// An entry as text: its number ("7", of several codebooks "2:7"), of a split one the numbers with
/// their elements ("3 (120), 9 (17)"), and its value or values. Empty where a side has none.
struct EntryTexts {
    std::string a, valueA, b, valueB;
};
EntryTexts entryTexts(const CodebookMatch &match, const EntryMatch &entry);

// Private to the formats of comparisons.

/// One row a pair in the order of A, one a part of split and merged weights, then the weights that
/// one side alone has; or all of them in the order of their severity, as checked.order says: the
/// rows of pairTable(), whose columns for documents these formats have.
std::vector<PairRow> differenceRows(const CheckedDifference &checked);
/// Places of those columns in pairTable(), in the order of CSV.
const std::vector<std::size_t> &differenceColumns();

/// "Equal", "Holds" (other, but within the limits), "Different" or "Cannot be compared" (there are
/// no limits), or "Does not hold".
std::string_view differenceHeadline(const CheckedDifference &checked);
/// "old.mlmodelc > new.mlmodelc".
std::string differenceTitle(const CheckedDifference &checked);
/// "max_abs: found 4, allowed 1 (rule w*)".
std::string faultText(const LimitFault &fault);
/// A number of the tables for people: whole ones grouped, others at six digits; CSV and JSON have
/// all of them. Anything else stays as it is.
std::string readableNumber(const std::string &text);

/// A cell of the tables for people.
std::string readableCell(const Value &value);

} // namespace kernscope::report
