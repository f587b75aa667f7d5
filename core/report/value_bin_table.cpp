// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/value_bin_table.h"

#include "core/report/text_table.h"

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
    using Row = ValueBin;
    static constexpr Column<Row> kColumns[] = {
        {kNumber, "from", "Least value of the row",
         [](const ValueBin &row) { return edgeValue(row.from); }},
        {kNumber, "below", "The values of the row are less than this",
         [](const ValueBin &row) { return edgeValue(row.below); }},
        {kNumber, "a", "in A", "Elements of A with such a value", member<&ValueBin::a, Count>},
        {kNumber, "b", "in B", "Elements of B with such a value", member<&ValueBin::b, Count>},
        {kNumber, "more", "B - A", "How many more there are in B", moreValue},
    };
    static const TableOf<Row> kTable{"value_bins", kColumns};
    return kTable;
}

} // namespace kernscope::report
