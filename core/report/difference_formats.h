// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/patch/binary/apply_binary.h"
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

/// The document "json" in pieces, each of whole letters: rows are made as they are written.
void writeDifferences(std::span<const CheckedDifference> all, const Diagnostics &diagnostics,
                      const std::function<void(std::string_view)> &write);

/// "14 same, 2 moved, 1 unused": what became of the entries of a pair's codebooks.
std::string codebookCountsText(const CodebookMatch &match);
/// The worst first, where that is the order.
void sortRows(std::span<PairRow> rows, RowOrder order);
/// "max_abs: found 4, allowed 1 (rule w*)".
std::string faultText(const LimitFault &fault);

using patch::BinaryFormat;

/// An IPS patch that makes `after` out of `before`: records of the bytes that differ, runs of one
/// byte as such, and where the file gets shorter its new length behind the end (as Lunar IPS and
/// Flips read it). Errors: "diff.binary_patch" where a byte that differs, or the new length, is
/// beyond patch::ips::kMostOffset; "task.cancelled".
Result<std::vector<std::byte>> ipsPatch(std::span<const std::byte> before,
                                        std::span<const std::byte> after,
                                        Progress *progress = nullptr);

/// A BPS patch: what stayed in its place is read there, what moved is copied from where it was, the
/// rest is in the patch, with CRC-32 of both files and of the patch. Needs a table of the blocks of
/// `before` (6 to 12 bytes for every 32). Errors: "task.cancelled".
Result<std::vector<std::byte>> bpsPatch(std::span<const std::byte> before,
                                        std::span<const std::byte> after,
                                        Progress *progress = nullptr);

/// The patch of the one file of two bundles that differs. Takes the files' locks itself. Errors: as
/// above; "diff.binary_patch" where no file differs, more than one does, or one side alone has one.
Result<std::vector<std::byte>> binaryPatch(const Bundle &a, const Bundle &b,
                                           const Difference &difference, BinaryFormat format,
                                           Progress *progress = nullptr);

/// Edits as a script for `patch`, which make the weights of B out of A: one stored code a line with
/// what it was, under the digests of A and of the result (core/patch/edit/edit_parser.h).
///
/// Edits change codes, not layouts: the two must have the same program and every weight the same
/// layout. Errors: "diff.changes" naming what edits cannot say (a weight without a partner, in
/// another form, with another mask; another program) or that there are more than kMostChanges.
Result<std::string> changeScript(const Bundle &a, const Bundle &b, const Difference &difference,
                                 Progress *progress = nullptr);
inline constexpr std::uint64_t kMostChanges = 1'000'000;

} // namespace kernscope::report
