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
    constexpr auto kTotal = TextTable::Align::Right;
    static const TableOf<TargetTotals> kTable{
        "chips",
        {{.key = "target",
          .title = "chip",
          .explanation = "Chip that the weights are judged for",
          .value = [](const TargetTotals &row) { return Value(View(row.target->name)); }},
         {.key = "streams",
          .title = "streams",
          .explanation = "Weights that the engine reads in their stored form",
          .align = kTotal,
          .value = countOf<&TargetTotals::streams>},
         {.key = "folds",
          .title = "folds",
          .explanation = "Weights that the compiler writes out dense",
          .align = kTotal,
          .value = countOf<&TargetTotals::folds>},
         {.key = "dense",
          .title = "dense",
          .explanation = "Weights that are stored dense",
          .align = kTotal,
          .value = countOf<&TargetTotals::dense>},
         {.key = "rejected",
          .title = "rejected",
          .explanation = "Weights that the compiler refuses",
          .align = kTotal,
          .value = countOf<&TargetTotals::rejected>},
         {.key = "unknown",
          .title = "unknown",
          .explanation = "Weights for which nothing is known",
          .align = kTotal,
          .value = countOf<&TargetTotals::unknown>},
         {.key = "moved",
          .title = "moved a dispatch",
          .unit = "B",
          .explanation = "Bytes of weights that one dispatch moves, as far as known",
          .align = kTotal,
          .unknown = "?",
          .value = movedOf}}};
    return kTable;
}

} // namespace kernscope::report
