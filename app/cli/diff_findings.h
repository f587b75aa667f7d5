// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/difference_report.h"

#include <optional>

/// What `diff` looks for beyond the figures of every pair.
namespace kernscope::cli {

struct DiffArguments;
struct Context;

/// How well B stores the values of A, of every pair whose values differ; what has no form to check
/// is left out. Errors of all: "task.cancelled", and those of reading.
Result<void> checkForms(report::CheckedDifference &checked, Context &context);
/// Where the pairs whose values differ are furthest apart, parts of split and merged ones included.
Result<void> findWorst(report::CheckedDifference &checked, const DiffArguments &arguments,
                       Context &context);
/// The ranges of bytes that differ; nothing where cancelled.
std::optional<report::RangeList> findRanges(const report::CheckedDifference &checked,
                                            Context &context);
/// Codebooks of every pair of palettes, parts of split and merged ones included.
Result<void> findCodebooks(report::CheckedDifference &checked, Context &context);

} // namespace kernscope::cli
