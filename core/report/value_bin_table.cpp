// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/value_bin_table.h"

#include "core/report/number_text.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::report {

namespace {

Value edgeValue(double edge)
{
    return Written{edge, fmt::format("{}", edge)};
}

/// "+12" where B has more.
Value moreValue(const ValueBin &row)
{
    const std::uint64_t apart = std::max(row.a, row.b) - std::min(row.a, row.b);
    const char *sign = row.a > row.b ? "-" : row.b > row.a ? "+" : "";
    return Written{(row.a > row.b ? -1.0 : 1.0) * static_cast<double>(apart),
                   sign + grouped(apart)};
}

} // namespace

std::vector<ValueBin> valueBins(const PairBins &bins)
{
    constexpr std::size_t kRows = 16;
    std::vector<ValueBin> rows;
    const auto occupied = bins.occupied();
    if (!occupied)
        return rows;
    const auto [first, last] = *occupied;
    const std::size_t step = (last - first) / kRows + 1;
    for (std::size_t bin = first; bin <= last; bin += step) {
        const std::size_t end = std::min(bin + step, PairBins::kBins);
        ValueBin row{bins.edge(bin), bins.edge(end), 0, 0};
        for (std::size_t i = bin; i < end; ++i) {
            row.a += bins.a[i];
            row.b += bins.b[i];
        }
        rows.push_back(row);
    }
    return rows;
}

const TableOf<ValueBin> &valueBinTable()
{
    constexpr auto kBinNumber = TextTable::Align::Right;
    static const TableOf<ValueBin> kTable{
        "value_bins",
        {{.key = "from",
          .title = "from",
          .explanation = "Least value of the row",
          .align = kBinNumber,
          .value = [](const ValueBin &row) { return edgeValue(row.from); }},
         {.key = "below",
          .title = "below",
          .explanation = "The values of the row are less than this",
          .align = kBinNumber,
          .value = [](const ValueBin &row) { return edgeValue(row.below); }},
         {.key = "a",
          .title = "in A",
          .explanation = "Elements of A with such a value",
          .align = kBinNumber,
          .value = [](const ValueBin &row) -> Value { return Count{row.a}; }},
         {.key = "b",
          .title = "in B",
          .explanation = "Elements of B with such a value",
          .align = kBinNumber,
          .value = [](const ValueBin &row) -> Value { return Count{row.b}; }},
         {.key = "more",
          .title = "B - A",
          .explanation = "How many more there are in B",
          .align = kBinNumber,
          .value = moreValue}}};
    return kTable;
}

} // namespace kernscope::report
