// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/form_token.h"

#include "core/form/form_steps.h"
#include "core/numeric/element_type.h"

namespace kernscope::ui {

Token formToken(const StorageForm &form)
{
    switch (formTint(form)) {
    case FormTint::Mask: return Token::KindMask;
    case FormTint::Codebook: return Token::KindCodebook;
    case FormTint::Indices: return Token::KindIndices;
    case FormTint::Data: return Token::KindData;
    case FormTint::Values: return Token::KindValues;
    case FormTint::Scale: return Token::KindScale;
    case FormTint::Plain: break;
    }
    const bool wide = bitWidth(form.storedType()) > 16; // twice the bytes that it needs
    return wide ? Token::KindHeader : Token::KindMetadata;
}

} // namespace kernscope::ui
