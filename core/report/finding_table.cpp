// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/finding_table.h"

namespace kernscope::report {

namespace {

Value weightValue(const Bundle &bundle, std::size_t weight)
{
    return weight == kNoIndex ? Value(Nothing()) : Value(bundle.weights()[weight].findableName());
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
    using Row = FindingRow;
    static constexpr Column<Row> kColumns[] = {
        {"kind", "kind", "What is odd",
         [](const Row &row) -> Value { return Word(findingName(row.finding->kind)); }},
        {kName | kDocument, "weight", "weight", "Weight that it is about",
         [](const Row &row) { return weightValue(*row.bundle, row.finding->weight); }},
        {kDocument, "address", "address", "Model, function and name of that weight",
         [](const Row &row) -> Value {
             const std::size_t weight = row.finding->weight;
             return weight == kNoIndex ? Value(Nothing())
                                       : Value(row.bundle->weights()[weight].address());
         }},
        {kName | kDocument, "other", "other weight",
         "The weight that came first, of two with the same values",
         [](const Row &row) { return weightValue(*row.bundle, row.finding->other); }},
        {kDocument, "file", "file", "File that it is about",
         [](const Row &row) -> Value {
             const std::size_t file = row.finding->file;
             return file == kNoIndex ? Value(Nothing())
                                     : Value(View(row.bundle->files()[file].path));
         }},
        {kNumber | kDocument, "count", "count",
         "Records, elements, bytes, channels, scales, codebook entries or chips, by kind",
         [](const Row &row) -> Value { return Count(row.finding->count); }},
        {kNumber | kDocument, "of", "of",
         "Out of that many elements, channels, scales, codebook entries or chips",
         [](const Row &row) -> Value {
             return row.finding->of > 0 ? Value(Count(row.finding->of)) : Value(Nothing());
         }},
        {kNumber | kDocument, "value", "value", "The only value, or the one that lies far out",
         [](const Row &row) -> Value {
             const bool has = row.finding->kind == Finding::Kind::Constant ||
                              row.finding->kind == Finding::Kind::Outlier;
             return has ? Value(Real(row.finding->value, 6, true)) : Value(Nothing());
         }},
        {kName, "text", "what", "The same in words",
         [](const Row &row) -> Value { return findingText(*row.bundle, *row.finding); }},
    };
    static const TableOf<Row> table{"findings", kColumns};
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
