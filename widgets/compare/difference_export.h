// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/progress.h"
#include "core/compare/limits.h"

#include <QString>

#include <string>
#include <vector>

namespace kernscope::ui {

/// Kinds of files that a difference is saved as, for a file dialog: changes to be applied to
/// another copy of A (.kpatch), reports (.html, .md, .csv, .json, .xml).
QString differenceKinds();

/// The whole difference of two bundles as the text of such a file, by the ending of its name:
/// compares everything first, so not for the GUI thread. Errors: those of compareBundles and of
/// report::changeScript; "diff.format" for another ending.
Result<std::string> differenceDocument(const BundlePtr &a, const BundlePtr &b,
                                       const DiffLimits &limits,
                                       const std::vector<PairChoice> &chosen,
                                       const QString &fileName, Progress &progress);

} // namespace kernscope::ui
