// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/progress.h"
#include "core/bundle/bundle.h"
#include "core/patch/edit/edit.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace kernscope::patch {

/// Elements that one copy may change: each is an edit of its own.
inline constexpr std::uint64_t kMostCopied = 262144;

/// Whether an element that differs is copied: by the value that it has, and that it would get.
using CopyFilter = std::function<bool(double before, double after)>;

/// Edits that give elements [first, first + count) of a weight of `to` the values that a weight of
/// `from` has there: those that differ, as the form of `to` can hold them. An element that a mask
/// leaves out is kept first. Where there is a filter only what it lets pass, and values that are
/// not finite never. Takes the files' locks itself, shared; progress in elements.
///
/// Errors: those of Bundle::decoder, "patch.copy" (other numbers of elements, a range that leaves
/// the weight, more than kMostCopied elements that differ, a value that is not finite),
/// "task.cancelled".
Result<std::vector<Edit>> copyValues(const Bundle &to, std::size_t weightTo, const Bundle &from,
                                     std::size_t weightFrom, std::uint64_t first,
                                     std::uint64_t count, Progress *progress = nullptr,
                                     const CopyFilter &filter = {});

} // namespace kernscope::patch
