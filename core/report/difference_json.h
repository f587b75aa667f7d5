// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/build_verdict.h"
#include "core/compare/form_check.h"
#include "core/compare/value_difference.h"
#include "core/report/json.h"
#include "core/report/places_table.h"

namespace kernscope::report {

/// In which order a report has the pairs of weights.
enum class RowOrder : std::uint8_t { OfA, WorstFirst };

/// One comparison with what its limits and its figures say of it.
struct CheckedDifference {
    BundlePtr a, b;
    Difference difference;
    std::vector<LimitFault> faults; ///< of checkLimits: none where all holds
    BuildVerdict verdict;
    /// What checkForm() found, by index in Difference::weights; empty where it was not asked for.
    std::vector<std::pair<std::size_t, FormCheck>> forms = {};
    /// What findWorstPlaces() found, likewise.
    std::vector<std::pair<std::size_t, WorstPlaces>> worst = {};
    /// What matchCodebooks() found, likewise.
    std::vector<std::pair<std::size_t, CodebookMatch>> codebooks = {};
    /// Ranges of bytes that differ; empty where they were not asked for.
    std::optional<RangeList> ranges = {};
    RowOrder order = RowOrder::OfA; ///< of the tables of weights in its reports

    bool holds() const { return faults.empty(); }
};

/// What a comparison is asked for.
struct ComparisonWanted {
    DiffOptions options; ///< but for its pairs by hand
    DiffLimits limits;
    /// How well B stores the values of A, of every pair whose values differ.
    bool forms = false;
    bool ranges = false;    ///< the ranges of bytes that differ
    bool codebooks = false; ///< of every pair of palettes, entry by entry
    /// Where the pairs whose values differ are furthest apart.
    std::optional<PlacesWanted> places = {};
    RowOrder placesOrder = RowOrder::WorstFirst; ///< of those findings
};

/// Compares builds with a base. `pairs`: pairs by hand, one list a build. Errors: "task.cancelled",
/// and those of reading.
Result<std::vector<CheckedDifference>>
compareChecked(const BundlePtr &base, std::span<const BundlePtr> builds,
               std::span<const std::vector<PairChoice>> pairs, const ComparisonWanted &wanted,
               Progress *progress = nullptr);

/// Sets the order of the rows for a document of that format: unless one is given, what people read
/// begins with the worst.
void setRowOrder(std::span<CheckedDifference> all, std::string_view format,
                 std::optional<RowOrder> order);
/// The comparisons as "csv", "markdown", "junit", "html" or "json" (with `diagnostics`); the first
/// as "changes", "ips" or "bps". Errors: "diff.format"; those of changeScript() and binaryPatch();
/// "task.cancelled".
Result<std::string> differenceDocument(std::span<CheckedDifference> all, std::string_view format,
                                       const Diagnostics &diagnostics, Progress *progress);

/// The same of one; of several builds against the first: `comparisons`, each as that of two, and
/// `matrix`, weights down and builds across. With `late`, their lists go there.
Json differencesJson(std::span<const CheckedDifference> all, LateLists *late = nullptr);

// How the documents of comparisons write figures.

/// Limits that are not kept: `faults` of a verdict.
Json faultsJson(const std::vector<LimitFault> &faults);
/// What JSON has no number for is said in words: "inf", "not finite".
Json figureJson(const LimitFigure &figure);
/// A number where a double holds it, otherwise the digits as a string.
Json exactJson(ExactValue value);

} // namespace kernscope::report
