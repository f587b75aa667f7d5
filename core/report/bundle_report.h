// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/bundle_findings.h"
#include "core/report/json.h"

namespace kernscope::report {

/// A place that the user marked, and the note about it.
struct ReportNote {
    std::string place, text;
};

/// What a report says of a bundle.
struct BundleReport {
    const Bundle *bundle = nullptr;
    /// One a weight, or none where the values were not read.
    std::vector<std::optional<Statistics>> statistics;
    std::vector<ReportNote> notes;
    std::vector<Finding> findings; ///< what is worth a look
    Diagnostics diagnostics;
};

/// The bundle as one HTML file to keep, print or send: totals, what its program waits for on the
/// default chip, notes, every weight with its form,
/// bytes and (with statistics) figures, what each chip does with the weights, pictures of the
/// largest ones (with statistics), files and faults. Reads the values of the pictured weights.
/// Errors: "task.cancelled".
Result<std::string> bundleHtml(const BundleReport &report, Progress *progress = nullptr);

/// What is worth a look in a bundle, as `inspect --findings` and reports list it.
struct FindingRow {
    const Bundle *bundle = nullptr;
    const Finding *finding = nullptr;
};
std::vector<FindingRow> findingRows(const Bundle &bundle, const std::vector<Finding> &findings);
extern const TableOf<FindingRow> findingTable;
/// The findings as SARIF 2.1.0, which code hosts show beside a change: a rule a kind, each finding
/// with its file and weight.
std::string findingsSarif(const Bundle &bundle, const std::vector<Finding> &findings);

/// Everything that is worth a look: of the tables, the values and the chips. `weights`: one entry a
/// weight, with figures and digests. Takes the bundle's lock itself. Where the progress is
/// cancelled: what was found.
std::vector<Finding> findAll(const Bundle &bundle,
                             const std::vector<std::optional<Statistics>> &weights,
                             Progress &progress);

/// Keeps those of the last list, `weights`, that were selected, and says by which terms.
void keepWeights(Json &document, LateLists &lists, std::string_view where,
                 const std::vector<bool> &selected);

/// Adds `findings`: what is worth a look.
void addFindings(Json &document, const Bundle &bundle, const std::vector<Finding> &findings);

/// Adds `report`: the file that the report of the bundle was written to.
void addReportFile(Json &document, std::string_view path);

} // namespace kernscope::report
