// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/diff/byte_ranges.h"
#include "core/patch/binary/apply_binary.h"
#include "core/report/json.h"

#include <cstdint>
#include <optional>
#include <string>

namespace kernscope::report {

/// What came of a binary patch of one file.
struct AppliedPatch {
    patch::PatchedFile result;
    diff::DifferentBytes changed;
    std::uint64_t bytesBefore = 0;
    std::optional<bool> verified; ///< empty where nothing was written
};
/// Between what it was: names as the document has them.
struct AppliedNames {
    std::string bundle, file, patch;
    std::string output; ///< empty: none was asked for
    bool dryRun = false;
};
/// Everything of `patch --apply`.
Json appliedJson(const AppliedNames &names, const AppliedPatch &applied);

} // namespace kernscope::report
