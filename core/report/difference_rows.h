// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/difference_report.h"

#include <array>
#include <string>
#include <string_view>

/// Private to the formats of comparisons.
namespace kernscope::report {

struct DifferenceColumn {
    std::string_view name;  ///< as CSV and Markdown have it
    std::string_view title; ///< for people
    bool number = false;
};
inline constexpr std::array<DifferenceColumn, 19> kDifferenceColumns{
    {{"name", "weight"},
     {"name_b", "in B"},
     {"form_a", "form of A"},
     {"form_b", "form of B"},
     {"stored_a", "bytes in A", true},
     {"stored_b", "bytes in B", true},
     {"pairing", "paired by"},
     {"equal", "equal", true},
     {"changed", "changed", true},
     {"zeroed", "zeroed", true},
     {"revived", "revived", true},
     {"max_abs", "max |B - A|", true},
     {"max_rel", "max |B - A| / |A|", true},
     {"max_ulp", "max ULP", true},
     {"cosine", "cosine", true},
     {"snr_db", "SNR, dB", true},
     {"verdict", "verdict"},
     {"limits", "exceeds"},
     {"changes", "what happened"}}};
using DifferenceRow = std::array<std::string, kDifferenceColumns.size()>;

/// One row a pair in the order of A, one a part of split and merged weights, then the weights that
/// one side alone has. Cells without a figure are empty; an SNR without an error reads "inf".
std::vector<DifferenceRow> differenceRows(const CheckedDifference &checked);

/// "Equal", "Holds" (other, but within the limits), "Different" (there are no limits) or "Does not
/// hold".
std::string_view differenceHeadline(const CheckedDifference &checked);
/// "old.mlmodelc > new.mlmodelc".
std::string differenceTitle(const CheckedDifference &checked);
/// "max_abs: found 4, allowed 1 (rule w*)".
std::string faultText(const LimitFault &fault);
/// How the storage of a weight is named.
std::string formName(const Weight &weight);

/// Tables of the codebooks of the pairs that were matched.
std::string codebooksHtml(const CheckedDifference &checked);

/// For XML and HTML, in text and in attributes. What neither can hold (control characters, bytes
/// that are no UTF-8) becomes U+FFFD.
std::string escapedMarkup(std::string_view text);

} // namespace kernscope::report
