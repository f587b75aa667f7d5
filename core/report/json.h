// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/statistics.h"
#include "core/compare/compare.h"
#include "core/patch/interrupted_save.h"
#include "core/report/column.h"

#include <functional>

/// The JSON documents of cli.md. Keys are only ever added.
namespace kernscope::report {

using Json = nlohmann::ordered_json;

/// `{"schema":1,"tool":"kernscope","version":…,"command":…}`; finish() appends the diagnostics.
Json document(std::string_view command);
/// Appends `diagnostics`, the last key of every document.
void finish(Json &document, const Diagnostics &diagnostics);
/// The text of a document, lines ended by '\n' but for the last. Names come from files: what is no
/// UTF-8 is replaced, so that every document is.
std::string documentText(const Json &document, int indent = 1);
/// A list of a document whose rows are made while its text is written: all of them at once take
/// several times as much memory. What a row is made of has to live until then.
struct LateList {
    std::string_view key; ///< its place, as "comparisons/0/weights"
    std::size_t count = 0;
    std::function<Json(std::size_t)> row;
};
using LateLists = std::vector<LateList>;
/// Appends these lists to a document; with `late`, empty ones, and their rows go there.
void addLists(Json &document, LateLists lists, LateLists *late);
/// The text of a document with these lists in place of what has their keys.
std::string documentText(const Json &document, const LateLists &lists);
/// The same in pieces, whole letters each.
void writeDocument(const Json &document, const LateLists &lists,
                   const std::function<void(std::string_view)> &write);
Json diagnosticJson(const Diagnostic &diagnostic);

/// WEIGHT of cli.md; `statistics` with the keys that were asked for.
Json weightJson(const Bundle &bundle, std::size_t weight,
                const std::optional<Statistics> &statistics, const StatisticsOptions &asked);
/// Everything of `inspect`; `statistics` is empty or has one entry a weight. With `late`, sections
/// and weights go there.
Json inspectJson(const Bundle &bundle, const std::vector<std::optional<Statistics>> &statistics,
                 const StatisticsOptions &asked, LateLists *late = nullptr);
Json patchJson(const Bundle &bundle, const std::vector<AppliedEdit> &edits,
               const std::optional<SaveReport> &saved);
/// Adds to patchJson() how `patch` was asked; `output` is empty where no copy was written.
void addPatchRun(Json &document, std::string_view mode, std::string_view output, double tolerance);
/// Everything of `recover`.
Json recoverJson(std::string_view path, RecoverAction action, bool dryRun,
                 const RecoverReport &report);

/// Faults: `diagnostics[]` of every document, and the Diagnostics dock.
extern const TableOf<Diagnostic> diagnosticTable;

/// One thing that an installed program must be able to do.
struct SelftestStep {
    std::string name;
    bool passed = false;
    std::string detail; ///< figures, or why it failed
};
/// Everything of `selftest`.
Json selftestJson(const std::vector<SelftestStep> &steps);

} // namespace kernscope::report
