// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/form_color.h"

namespace kernscope::graph {

std::uint32_t formColor(const StorageForm &form)
{
    constexpr std::uint32_t kMask = 0xE69F00, kCodebook = 0xCC79A7, kIndices = 0x56B4E9,
                            kData = 0x0072B2, kValues = 0x009E73, kScale = 0xB8860B,
                            kPlain = 0x8A94A0;
    if (form.isSparse())
        return kMask;
    if (form.isPalette())
        return kCodebook;
    if (form.isSlices())
        return kIndices;
    if (form.isAffine())
        return kData;
    if (form.isBlockwise())
        return kValues;
    if (form.isMicroscaled())
        return kScale;
    return form.isDense() ? kPlain : kIndices;
}

} // namespace kernscope::graph
