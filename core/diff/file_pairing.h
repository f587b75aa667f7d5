// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/bundle/weight.h"

#include <cstddef>
#include <vector>

namespace kernscope::diff {

/// A file of each side, or of one of them: indices into Bundle::files().
struct FilePair {
    std::size_t a = kNoIndex, b = kNoIndex;
};

/// The files of two bundles in pairs: by path; then by the last name among files of one role (a
/// compiled bundle against its package); then the only two left of a role (weight files of any
/// name). In the order of A, then what only B has.
std::vector<FilePair> pairFiles(const Bundle &a, const Bundle &b);

} // namespace kernscope::diff
