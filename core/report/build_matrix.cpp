// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/build_matrix.h"

#include "core/assessment/weight_facts.h"
#include "core/bundle/bundle.h"
#include "core/bundle/stored_bytes.h"
#include "core/report/json_table.h"
#include "core/report/pair_table.h"

#include <map>

namespace kernscope::report {

namespace {

/// What every weight of a build does on every chip.
std::vector<std::vector<decision::Outcome>>
outcomesOf(const Bundle &bundle, const std::vector<const target::Target *> &chips)
{
    const DecisionTable table(bundle, chips);
    std::vector<std::vector<decision::Outcome>> outcomes(table.rows());
    for (std::size_t row = 0; row < table.rows(); ++row) {
        for (std::size_t column = 0; column < table.columns(); ++column)
            outcomes[row].push_back(table.verdict(row, column).outcome);
    }
    return outcomes;
}

/// The pairs of a weight of the base: a whole one, or those of its slices.
using PairsOf = std::multimap<std::size_t, const ComparedPair *>;

/// Of a weight of the base that was split or merged: nothing of others.
std::optional<MatrixCell> slicedCell(const PairsOf &pairs, std::size_t weight)
{
    std::optional<MatrixCell> cell;
    const auto [first, last] = pairs.equal_range(weight);
    for (auto at = first; at != last; ++at) {
        const ComparedPair &pair = *at->second;
        const PairSeverity severity = severityOf(pair);
        if (!cell || worse(severity, cell->severity)) {
            cell.emplace();
            cell->verdict = pair.slice->name();
            cell->severity = severity;
        }
    }
    return cell;
}

/// The worst of all builds; the base itself is its first cell.
PairSeverity rowSeverity(const BuildMatrix::Row &row)
{
    PairSeverity worst;
    for (std::size_t i = 1; i < row.cells.size(); ++i) {
        if (worse(row.cells[i].severity, worst))
            worst = row.cells[i].severity;
    }
    return worst;
}

MatrixCell cellOf(const CheckedDifference &checked, const PairsOf &pairs, std::size_t weight,
                  const std::vector<std::vector<decision::Outcome>> &outcomes)
{
    MatrixCell cell;
    const auto [first, last] = pairs.equal_range(weight);
    const auto whole =
        std::find_if(first, last, [](const auto &each) { return !each.second->slice; });
    if (whole == last) {
        if (auto sliced = slicedCell(pairs, weight))
            return *std::move(sliced);
        cell.alone = true;
        cell.verdict = "only in the first";
        cell.severity = {PairSeverity::Kind::OneSided};
        return cell;
    }
    const ComparedPair *pair = whole->second;
    cell.weight = pair->b;
    cell.storedBytes = knownStoredBytes(checked.b->weights()[pair->b]);
    cell.ratio = pair->storedRatio;
    cell.values = pair->values;
    cell.verdict = verdict(*pair, *checked.a, *checked.b);
    cell.outcomes = outcomes[pair->b];
    cell.severity = severityOf(*pair);
    return cell;
}

/// Of values that were compared; those of the base were not.
template <double ValueDifference::*Member, int places = 4, bool significant = true>
Value cellErrorValue(const MatrixCell &cell)
{
    return cell.values
               ? errorFigure(*cell.values, Real((*cell.values).*Member, places, significant))
               : Value(Unknown());
}

/// JSON has a key for what was compared; the base was not.
template <double ValueDifference::*Member>
Json errorJson(const MatrixCell &cell)
{
    return cell.values ? json(cellErrorValue<Member>(cell)) : noKey();
}

} // namespace

const TableOf<MatrixCell> matrixTable(
    "builds",
    {{kNumber | kDocument | kWindow, "stored_bytes", "stored bytes",
      "Bytes that the build stores for the weight, all its parts", CELL(known(row.storedBytes))},
     {kNumber | kDocument | kWindow, "stored_ratio", "stored, of the base",
      "Stored bytes of the build over those of the base", CELL(known<Ratio>(row.ratio))},
     {kDocument | kWindow, "verdict", "What became of the weight, in a word",
      member<&MatrixCell::verdict>},
     {kNumber | kDocument | kWindow, "relative_rmse", "relative RMSE",
      "Root of the squares of the differences from the base over those of the base",
      cellErrorValue<&ValueDifference::relativeRmse>,
      jsonOf(errorJson<&ValueDifference::relativeRmse>)},
     {kNumber | kDocument | kWindow, "snr_db", "SNR, dB",
      "Signal to noise ratio: the squares of the base over those of the differences",
      cellErrorValue<&ValueDifference::snr, 2, false>, jsonOf(errorJson<&ValueDifference::snr>)},
     {kNumber | kDocument | kWindow, "max_abs", "max |B - A|",
      "Largest absolute difference from the base of a decoded value",
      cellErrorValue<&ValueDifference::maxAbs>, jsonOf(errorJson<&ValueDifference::maxAbs>)},
     {kNumber | kWindow, "rmse", "RMSE", "Root of the mean squared difference from the base",
      cellErrorValue<&ValueDifference::rmse>},
     {kNumber | kDocument | kWindow, "max_ulp", "max ULP",
      "Largest difference from the base in steps of its type; only where both are of one type",
      [](auto &cell) { return cell.values ? known<Count>(cell.values->ulp()) : Value(Unknown()); },
      jsonOf([](auto &cell) {
          return cell.values ? json(known<Count>(cell.values->ulp())) : noKey();
      })},
     {kNumber | kWindow, "zeroed_share", "zeroed",
      "Share of the elements that are nonzero in the base and zero here",
      [](auto &cell) -> Value {
          if (!cell.values)
              return Unknown();
          const auto elements = static_cast<double>(cell.values->elements());
          return Percent(elements > 0 ? static_cast<double>(cell.values->zeroed) / elements : 0.0);
      }}},
    {},
    {"stored_bytes", "stored_ratio", "relative_rmse", "snr_db", "max_abs", "rmse", "max_ulp",
     "zeroed_share", "verdict"});

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
        PairsOf pairs;
        for (const ComparedPair &pair : checked.difference.weights)
            pairs.emplace(pair.a, &pair);
        for (BuildMatrix::Row &row : matrix.rows)
            row.cells.push_back(cellOf(checked, pairs, row.weight, outcomes));
    }
    if (!all.empty() && all.front().order == RowOrder::WorstFirst)
        std::ranges::stable_sort(matrix.rows,
                                 [](const BuildMatrix::Row &x, const BuildMatrix::Row &y) {
                                     return worse(rowSeverity(x), rowSeverity(y));
                                 });
    return matrix;
}

TextTable matrixTextTable(const BuildMatrix &matrix)
{
    const auto columnOf = [](std::string_view key) -> const Column<MatrixCell> & {
        const auto &columns = matrixTable.columns;
        return *std::ranges::find_if(columns,
                                     [key](const auto &column) { return column.key == key; });
    };
    const auto &stored = columnOf("stored_bytes"), &ratio = columnOf("stored_ratio"),
               &verdict = columnOf("verdict");
    std::vector<TextTable::Column> headers{{"weight", TextTable::Align::Name},
                                           {"stored B", stored.align}};
    for (std::size_t i = 1; i < matrix.builds.size(); ++i) {
        headers.push_back({printable(matrix.builds[i]), ratio.align});
        headers.push_back({std::string(verdict.title), TextTable::Align::Name});
    }
    TextTable table(std::move(headers));
    for (const BuildMatrix::Row &row : matrix.rows) {
        std::vector<std::string> cells{row.name, text(stored.value(row.cells.front()), "unknown")};
        for (std::size_t i = 1; i < row.cells.size(); ++i) {
            cells.push_back(text(ratio.value(row.cells[i]), ratio.unknown));
            cells.push_back(text(verdict.value(row.cells[i])));
        }
        table.add(std::move(cells));
    }
    return table;
}

} // namespace kernscope::report
