// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"

namespace kernscope::ui {

/// Whether both are one file with the same weights in the same order, whatever their values: rows
/// of `before` then name the weights of `now`, and may stay on view while new ones are made.
bool sameTables(const BundlePtr &before, const BundlePtr &now);

} // namespace kernscope::ui
