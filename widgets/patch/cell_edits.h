// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/patch/edit/edit.h"

#include <cstdint>
#include <span>
#include <vector>

namespace kernscope::ui {

/// An edit of one decoded element (Set, Keep or Drop), its place written by the index of each axis.
Edit elementEdit(const Weight &weight, std::uint64_t element, Edit::Kind kind, double value = 0);

/// An edit of several elements: a fill, or an expression of w. Of elements that are all those of
/// some range along each axis one edit, "w[4:7,0,:]=-w*0.5"; of others one each.
std::vector<Edit> rangeEdits(const Weight &weight, std::span<const std::uint64_t> elements,
                             const Edit &edit);

/// The code of one decoded element. Errors: those of codec::Editor::storedPlace().
Result<Edit> codeEdit(const Bundle &bundle, std::size_t weight, std::uint64_t element,
                      std::int64_t code);

/// An edit of one value of a codebook; the lane is named for vector palettes only.
Edit codebookEdit(const Weight &weight, std::uint64_t codebook, std::uint64_t entry,
                  std::uint64_t lane, bool vector, double value);

} // namespace kernscope::ui
