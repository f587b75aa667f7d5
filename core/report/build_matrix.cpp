// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/build_matrix.h"

#include "core/assessment/weight_facts.h"
#include "core/bundle/stored_bytes.h"

#include <algorithm>

namespace kernscope::report {

namespace {

/// What every weight of a build does on every chip.
std::vector<std::vector<decision::Outcome>>
outcomesOf(const Bundle &bundle, const std::vector<const target::Target *> &chips)
{
    const DecisionTable table(weightLayers(bundle), chips);
    std::vector<std::vector<decision::Outcome>> outcomes(table.rows());
    for (std::size_t row = 0; row < table.rows(); ++row) {
        for (std::size_t column = 0; column < table.columns(); ++column)
            outcomes[row].push_back(table.verdict(row, column).outcome);
    }
    return outcomes;
}

/// "split" or "merged" where a weight of the base is.
std::optional<std::string> joinedName(const Difference &difference, std::size_t weight)
{
    for (const JoinedWeights &joined : difference.joined) {
        for (std::size_t i = 0; i < joined.parts.size(); ++i) {
            if (joined.weightA(i) == weight)
                return std::string(joined.name());
        }
    }
    return std::nullopt;
}

MatrixCell cellOf(const CheckedDifference &checked, std::size_t weight,
                  const std::vector<std::vector<decision::Outcome>> &outcomes)
{
    MatrixCell cell;
    const auto &pairs = checked.difference.weights;
    const auto pair = std::find_if(pairs.begin(), pairs.end(),
                                   [weight](const WeightPair &each) { return each.a == weight; });
    if (pair == pairs.end()) {
        const auto joined = joinedName(checked.difference, weight);
        cell.alone = !joined;
        cell.verdict = joined.value_or("only in the first");
        return cell;
    }
    cell.weight = pair->b;
    cell.storedBytes = knownStoredBytes(checked.b->weights()[pair->b]);
    cell.ratio = pair->storedRatio;
    cell.values = pair->values;
    cell.verdict = verdict(*pair, *checked.a, *checked.b);
    cell.outcomes = outcomes[pair->b];
    return cell;
}

} // namespace

BuildMatrix buildMatrix(const Bundle &base, std::span<const CheckedDifference> all)
{
    BuildMatrix matrix;
    matrix.chips = allTargets();
    matrix.builds.push_back(base.name());
    const auto ofBase = outcomesOf(base, matrix.chips);
    for (std::size_t weight = 0; weight < base.weights().size(); ++weight) {
        BuildMatrix::Row row{weight, base.weights()[weight].findableName(), {}};
        MatrixCell cell;
        cell.weight = weight;
        cell.storedBytes = knownStoredBytes(base.weights()[weight]);
        cell.ratio = storedRatio(base.weights()[weight], base.weights()[weight]);
        cell.verdict = "base";
        cell.outcomes = ofBase[weight];
        row.cells.push_back(std::move(cell));
        matrix.rows.push_back(std::move(row));
    }
    for (const CheckedDifference &checked : all) {
        matrix.builds.push_back(checked.b->name());
        const auto outcomes = outcomesOf(*checked.b, matrix.chips);
        for (BuildMatrix::Row &row : matrix.rows)
            row.cells.push_back(cellOf(checked, row.weight, outcomes));
    }
    return matrix;
}

} // namespace kernscope::report
