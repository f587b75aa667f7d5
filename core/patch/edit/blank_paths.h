// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/patch/edit/edit.h"

namespace kernscope::patch {

/// Edits of bytes that write blanks over the paths of the author's machine in the debug information
/// of a Core AI package. The name of a file at a path's end stays, folders do not. None for other
/// kinds of bundles.
std::vector<Edit> blankPathEdits(const Bundle &bundle);

} // namespace kernscope::patch
