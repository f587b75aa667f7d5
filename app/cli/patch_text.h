// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/patch/patch.h"

#include <optional>
#include <string>
#include <vector>

namespace kernscope::cli {

/// What `patch` prints for people: each edit with what was asked and what is stored, the bytes, and
/// what was written to `target`; without a report, that nothing was.
std::string patchText(const Bundle &bundle, const std::vector<AppliedEdit> &edits,
                      const std::optional<SaveReport> &saved, const std::string &target);

} // namespace kernscope::cli
