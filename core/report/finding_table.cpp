// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/finding_table.h"

#include "core/report/joined_columns.h"

namespace kernscope::report {

namespace {

Value weightValue(const Bundle &bundle, std::size_t weight)
{
    return weight == kNoIndex ? Value(Nothing()) : Value(bundle.weights()[weight].findableName());
}

std::vector<Column<FindingRow>> findingSubjectColumns()
{
    using Row = FindingRow;
    return {
        {.key = "kind",
         .title = "kind",
         .explanation = "What is odd",
         .value = [](const Row &row) -> Value { return Word{findingName(row.finding->kind)}; }},
        {.key = "weight",
         .title = "weight",
         .explanation = "Weight that it is about",
         .align = TextTable::Align::Name,
         .shown = kDocument,
         .value = [](const Row &row) { return weightValue(*row.bundle, row.finding->weight); }},
        {.key = "address",
         .title = "address",
         .explanation = "Model, function and name of that weight",
         .shown = kDocument,
         .value = [](const Row &row) -> Value {
             const std::size_t weight = row.finding->weight;
             return weight == kNoIndex ? Value(Nothing())
                                       : Value(row.bundle->weights()[weight].address());
         }},
        {.key = "other",
         .title = "other weight",
         .explanation = "The weight that came first, of two with the same values",
         .align = TextTable::Align::Name,
         .shown = kDocument,
         .value = [](const Row &row) { return weightValue(*row.bundle, row.finding->other); }},
        {.key = "file",
         .title = "file",
         .explanation = "File that it is about",
         .shown = kDocument,
         .value = [](const Row &row) -> Value {
             const std::size_t file = row.finding->file;
             return file == kNoIndex ? Value(Nothing())
                                     : Value(View(row.bundle->files()[file].path));
         }},
    };
}

std::vector<Column<FindingRow>> findingContentColumns()
{
    using Row = FindingRow;
    using Kind = Finding::Kind;
    return {
        {.key = "count",
         .title = "count",
         .explanation =
             "Records, elements, bytes, channels, scales, codebook entries or chips, by kind",
         .align = TextTable::Align::Right,
         .shown = kDocument,
         .value = [](const Row &row) -> Value { return Count{row.finding->count}; }},
        {.key = "of",
         .title = "of",
         .explanation = "Out of that many elements, channels, scales, codebook entries or chips",
         .align = TextTable::Align::Right,
         .shown = kDocument,
         .value = [](const Row &row) -> Value {
             return row.finding->of > 0 ? Value(Count{row.finding->of}) : Value(Nothing());
         }},
        {.key = "value",
         .title = "value",
         .explanation = "The only value, or the one that lies far out",
         .align = TextTable::Align::Right,
         .shown = kDocument,
         .value = [](const Row &row) -> Value {
             const bool has =
                 row.finding->kind == Kind::Constant || row.finding->kind == Kind::Outlier;
             return has ? Value(Real{row.finding->value, 6, true}) : Value(Nothing());
         }},
        {.key = "text",
         .title = "what",
         .explanation = "The same in words",
         .align = TextTable::Align::Name,
         .value = [](const Row &row) -> Value { return findingText(*row.bundle, *row.finding); }},
    };
}

std::vector<Column<FindingRow>> findingColumns()
{
    return joinedColumns(findingSubjectColumns(), findingContentColumns());
}

} // namespace

std::vector<FindingRow> findingRows(const Bundle &bundle, const std::vector<Finding> &findings)
{
    std::vector<FindingRow> rows;
    for (const Finding &finding : findings)
        rows.push_back({&bundle, &finding});
    return rows;
}

const TableOf<FindingRow> &findingTable()
{
    static const TableOf<FindingRow> table{"findings", findingColumns()};
    return table;
}

std::vector<Finding> findAll(const Bundle &bundle,
                             const std::vector<std::optional<Statistics>> &weights,
                             Progress &progress)
{
    const BundleReadLock lock(bundle);
    std::vector<Finding> found = examineBundle(bundle, weights, progress).findings;
    const std::vector<Finding> folds = foldFindings(DecisionTable(bundle, allTargets()));
    found.insert(found.end(), folds.begin(), folds.end());
    sortFindings(found);
    return found;
}

} // namespace kernscope::report
