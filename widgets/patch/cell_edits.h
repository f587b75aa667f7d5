// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/patch/edit/edit.h"

#include <cstdint>

namespace kernscope::ui {

/// An edit of one decoded element (Set, Keep or Drop), its place written by the index of each axis.
Edit elementEdit(const Weight &weight, std::uint64_t element, Edit::Kind kind, double value = 0);

/// An edit of one value of a codebook; the lane is named for vector palettes only.
Edit codebookEdit(const Weight &weight, std::uint64_t codebook, std::uint64_t entry,
                  std::uint64_t lane, bool vector, double value);

} // namespace kernscope::ui
