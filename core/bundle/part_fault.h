// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/bundle/weight.h"

namespace kernscope {

/// Gives a fault of the codec, which knows no files, its place: the stored operand that its
/// field names, or the weight's first one. Literals lie in the program, at the place of their
/// notation.
void placeFault(const Bundle &bundle, const Weight &weight, Error &error);

} // namespace kernscope
