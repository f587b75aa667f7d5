// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/stream.h"
#include "core/format/catalogue.h"
#include "core/report/column.h"

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

} // namespace kernscope::report
