// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/audit/window.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

/// Private to the audit: what makes a weight out of its reference where it is not what the form
/// makes of it.
namespace kernscope::audit {

/// What was found, and the relative error that remains once it is put right.
struct Explanation {
    Kind kind = Kind::OtherValues;
    std::string why;
    double left = 0;
    double factor = 0;
    std::vector<std::vector<std::uint64_t>> elements = {};
    std::vector<Rows> rows = {};
};

/// A structure explains a weight where what is left is at most this times the form's own error.
constexpr double kExplains = 1.6, kSlack = 3e-3;
/// And at most this part of what was there before.
constexpr double kBetter = 0.6;

/// What explanations need beside the weight itself.
struct Surroundings {
    /// Relative errors, of what a mask keeps: that the form must have (dense: what rounding makes),
    /// and of the weight.
    double best = 0, error = 0;
    const FoldedNorm *norm = nullptr; ///< folded into the reference

    bool explains(double left, double before) const
    {
        return left <= kExplains * best + kSlack && left <= kBetter * before;
    }
};

/// Of a fault that is in all of the weight: the first structure that leaves no more error than the
/// form has; nothing where none does.
std::optional<Explanation> explain(const Subject &subject, const Surroundings &about);
/// Of a palette whose indices are right: what is wrong with its tables, be it with a few of them or
/// with two entries of one; nothing where that does not explain the error.
std::optional<Explanation> explainTables(const Subject &subject, const Surroundings &about);
/// Rows, or the indices of another axis, that are those of the checkpoint in another order; nothing
/// where they are not. Of large weights some are looked for.
std::optional<Explanation> channelOrder(const Subject &subject, const Surroundings &about);
/// Runs of rows out of single ones, which are ascending.
std::vector<Rows> rowRuns(std::span<const std::uint64_t> rows);
/// "2", "1.3 to 2".
std::string timesText(double least, double most);
/// "rows 1,500 to 1,755", "row 37".
std::string rowsText(std::span<const Rows> rows);

} // namespace kernscope::audit
