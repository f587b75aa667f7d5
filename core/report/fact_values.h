// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/stream.h"
#include "core/format/catalogue.h"
#include "core/report/column.h"

#include <fmt/format.h>

/// Cells that many tables of facts have.
namespace kernscope::report {

/// "documented", with the mark of what is contested or assumed.
inline Value confidenceValue(format::Confidence confidence)
{
    const Mark mark = confidence == format::Confidence::Contested ? Mark::Contested
                      : confidence == format::Confidence::Assumed ? Mark::Assumed
                                                                  : Mark::None;
    return Word{format::confidenceName(confidence), mark};
}

inline Mark outcomeMark(decision::Outcome outcome)
{
    return outcome == decision::Outcome::Streams    ? Mark::Good
           : outcome == decision::Outcome::Folds    ? Mark::Folds
           : outcome == decision::Outcome::Dense    ? Mark::Dense
           : outcome == decision::Outcome::Rejected ? Mark::Bad
                                                    : Mark::Open;
}

inline Value outcomeValue(decision::Outcome outcome)
{
    return Word{decision::outcomeName(outcome), outcomeMark(outcome)};
}

/// "1.55 to 1.64 ?", where the question mark says that some condition is not known.
inline Value speedupValue(const std::optional<decision::Speedup> &quoted)
{
    if (!quoted)
        return Unknown();
    const std::string figures = quoted->low == quoted->high
                                    ? fmt::format("{:.2f}", quoted->low)
                                    : fmt::format("{:.2f} to {:.2f}", quoted->low, quoted->high);
    const bool assumed = quoted->confidence == format::Confidence::Assumed;
    return Written{quoted->low, figures + (assumed ? " ?" : "")};
}

} // namespace kernscope::report
