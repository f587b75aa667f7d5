// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/diff/build_verdict.h"

#include <QString>

namespace kernscope::ui {

/// "▶ 1 streams, ▽ 6 folds": how many weights of a build have which outcome; those that none has
/// are left out.
QString outcomeCounts(const BuildOutcome &outcome);

} // namespace kernscope::ui
