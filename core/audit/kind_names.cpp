// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/audit/audit.h"

#include <array>

namespace kernscope::audit {

namespace {

constexpr std::array<std::string_view, 28> kKindNames{"non-finite",
                                                      "rows-zeroed",
                                                      "block-scale",
                                                      "other-rows",
                                                      "other-elements",
                                                      "scales-shifted",
                                                      "scale-missing",
                                                      "zero-point-sign",
                                                      "rows-scaled",
                                                      "scaled",
                                                      "batch-norm-gain-missing",
                                                      "batch-norm-fold",
                                                      "nibbles-swapped",
                                                      "codes-unpacked",
                                                      "mask-shifted",
                                                      "table-permuted",
                                                      "group-order",
                                                      "transposed",
                                                      "flipped",
                                                      "channel-order",
                                                      "clipped",
                                                      "swapped",
                                                      "repeated",
                                                      "other-tensor",
                                                      "other-values",
                                                      "unrelated",
                                                      "not-compressed",
                                                      "above-best"};
static_assert(static_cast<std::size_t>(Kind::AboveBest) + 1 == kKindNames.size());

} // namespace

std::string_view kindName(Kind kind)
{
    return kKindNames[static_cast<std::size_t>(kind)];
}

std::string_view pairedByName(PairedBy how)
{
    constexpr std::array<std::string_view, 5> kNames{"name", "values", "structure", "order",
                                                     "remainder"};
    return kNames[static_cast<std::size_t>(how)];
}

} // namespace kernscope::audit
