// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/progress.h"
#include "core/patch/edit/edit.h"

namespace kernscope::patch {

/// Elements that a copy may add to what a mask keeps: each is an edit of its own.
inline constexpr std::uint64_t kMostCopied = 262144;
/// Up to this number of elements are edits of their own; more are one edit that carries their
/// values.
inline constexpr std::uint64_t kMostSingle = 256;

/// Whether an element that differs is copied: by the value that it has, and that it would get.
using CopyFilter = std::function<bool(double before, double after)>;

/// Edits that give elements [first, first + count) of a weight of `to` the values that a weight of
/// `from` has there: those that differ, as the form of `to` can hold them. An element that a mask
/// leaves out is kept first. Where there is a filter only what it lets pass, and values that are
/// not finite never. Takes the files' locks itself, shared; progress in elements. Costs 8 bytes an
/// element that differs and 24 a run of such.
///
/// Errors: those of Bundle::decoder, "patch.copy" (other numbers of elements, a range that leaves
/// the weight, more than kMostCopied elements that a mask left out, a value that is not finite, a
/// 64-bit integer that fp64 may not have),
/// "task.cancelled".
Result<std::vector<Edit>> copyValues(const Bundle &to, std::size_t weightTo, const Bundle &from,
                                     std::size_t weightFrom, std::uint64_t first,
                                     std::uint64_t count, Progress *progress = nullptr,
                                     const CopyFilter &filter = {});

/// Elements [to, to + count) that get the values of [from, from + count).
struct CopyRun {
    std::uint64_t to = 0, from = 0, count = 0;
};

/// The same for runs of elements of two weights of any shapes: of a part of a split weight and its
/// place in the whole, or of single elements that a person chose.
Result<std::vector<Edit>> copyRuns(const Bundle &to, std::size_t weightTo, const Bundle &from,
                                   std::size_t weightFrom, std::span<const CopyRun> runs,
                                   Progress *progress = nullptr, const CopyFilter &filter = {});

/// Elements that edits of copyValues() or copyRuns() change.
std::uint64_t copiedElements(std::span<const Edit> edits);

/// Edits that give the codebooks of a palette of `to` the entries of one of `from`; indices stay.
/// Takes the files' locks itself, shared. Errors: those of Bundle::decoder, "patch.copy" (no
/// palette, other numbers of codebooks, entries or lanes, an entry that is not finite).
Result<std::vector<Edit>> copyCodebooks(const Bundle &to, std::size_t weightTo, const Bundle &from,
                                        std::size_t weightFrom);

/// Adds an element's value to an edit of Edit::Kind::FromNpy that carries its values: `indices` are
/// runs of flat indices, `bytes` the values of their elements one after the other, as fp64 of this
/// machine's byte order. Elements come in rising order; 8 bytes an element and 24 a run.
void carryValue(Edit &edit, std::uint64_t element, double value);

/// Whether an edit has its values with it instead of in a file.
bool carriesValues(const Edit &edit);
/// How many.
std::uint64_t carriedCount(const Edit &edit);
/// Values [first, first + out.size()) of those that it carries.
void readCarried(const Edit &edit, std::uint64_t first, std::span<double> out);

/// The same as lines of single elements, `set w[17]=0.5`, each with its end of line.
std::string carriedScript(const Edit &edit);

} // namespace kernscope::patch
