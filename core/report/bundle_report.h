// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/bundle_findings.h"
#include "core/base/progress.h"
#include "core/bundle/bundle_fwd.h"
#include "core/bundle/statistics.h"

#include <optional>
#include <string>
#include <vector>

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

/// The bundle as one HTML file to keep, print or send: totals, notes, every weight with its form,
/// bytes and (with statistics) figures, what each chip does with the weights, pictures of the
/// largest ones (with statistics), files and faults. Reads the values of the pictured weights.
/// Errors: "task.cancelled".
Result<std::string> bundleHtml(const BundleReport &report, Progress *progress = nullptr);

} // namespace kernscope::report
