// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/form_color.h"

#include "core/form/form_steps.h"

namespace kernscope::graph {

std::uint32_t formColor(const StorageForm &form)
{
    switch (formTint(form)) {
    case FormTint::Mask: return 0xE69F00;
    case FormTint::Codebook: return 0xCC79A7;
    case FormTint::Indices: return 0x56B4E9;
    case FormTint::Data: return 0x0072B2;
    case FormTint::Values: return 0x009E73;
    case FormTint::Scale: return 0xB8860B;
    case FormTint::Plain: break;
    }
    return 0x8A94A0;
}

} // namespace kernscope::graph
