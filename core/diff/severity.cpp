// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diff/severity.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace kernscope {

using SeverityKind = PairSeverity::Kind;

PairSeverity severityOf(const ValueDifference &values, bool storedEqual)
{
    if (values.identical())
        return {storedEqual ? SeverityKind::Identical : SeverityKind::SameValues};
    return {values.notFinite > 0 ? SeverityKind::NotFinite : SeverityKind::Differs,
            values.relativeRmse, values.maxAbs, values.different()};
}

PairSeverity severityOf(const ComparedPair &pair)
{
    if (pair.a == kNoIndex || pair.b == kNoIndex)
        return {SeverityKind::OneSided};
    if (pair.unreadable())
        return {SeverityKind::NotComparable};
    if (pair.values)
        return severityOf(*pair.values, pair.storedEqual);
    if (pair.storedEqual)
        return {SeverityKind::Identical};
    if (pair.reshaped)
        return {SeverityKind::SameValues};
    return {pair.shapeEqual ? SeverityKind::Unknown : SeverityKind::NotComparable};
}

bool worse(const PairSeverity &x, const PairSeverity &y)
{
    // Larger differences come first, hence the sides change places.
    return std::tie(x.kind, y.relativeRmse, y.maxAbs, y.different) <
           std::tie(y.kind, x.relativeRmse, x.maxAbs, x.different);
}

std::vector<std::size_t> worstFirst(std::span<const PairSeverity> severities)
{
    std::vector<std::size_t> order(severities.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) {
        return worse(severities[x], severities[y]);
    });
    return order;
}

} // namespace kernscope
