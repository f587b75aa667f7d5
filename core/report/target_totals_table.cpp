// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/target_totals_table.h"

#include "core/report/number_text.h"

namespace kernscope::report {

namespace {

template <std::size_t TargetTotals::*Member>
Value countOf(const TargetTotals &row)
{
    return Count{row.*Member};
}

/// A sum of nothing that is known says nothing.
Value movedOf(const TargetTotals &row)
{
    if (row.movedOpen != 0 && row.bytesMoved == 0)
        return Unknown();
    return sumText(grouped(row.bytesMoved), row.movedOpen);
}

} // namespace

const TableOf<TargetTotals> &targetTotalsTable()
{
    using Row = TargetTotals;
    static constexpr Column<Row> kColumns[] = {
        {"target", "chip", "Chip that the weights are judged for",
         [](const TargetTotals &row) { return Value(View(row.target->name)); }},
        {kNumber, "streams", "streams", "Weights that the engine reads in their stored form",
         countOf<&TargetTotals::streams>},
        {kNumber, "folds", "folds", "Weights that the compiler writes out dense",
         countOf<&TargetTotals::folds>},
        {kNumber, "dense", "dense", "Weights that are stored dense", countOf<&TargetTotals::dense>},
        {kNumber, "rejected", "rejected", "Weights that the compiler refuses",
         countOf<&TargetTotals::rejected>},
        {kNumber, "unknown", "unknown", "Weights for which nothing is known",
         countOf<&TargetTotals::unknown>},
        {kNumber, "moved", "moved a dispatch",
         "Bytes of weights that one dispatch moves, as far as known", movedOf, withUnit("B"),
         unknownAs("?")},
    };
    static const TableOf<Row> kTable{"chips", kColumns};
    return kTable;
}

} // namespace kernscope::report
