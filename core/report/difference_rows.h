// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/difference_report.h"
#include "core/report/pair_table.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// Private to the formats of comparisons.
namespace kernscope::report {

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
