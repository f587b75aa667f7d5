// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/form_token.h"

#include "core/numeric/element_type.h"

namespace kernscope::ui {

Token formToken(const StorageForm &form)
{
    if (form.isSparse())
        return Token::KindMask;
    if (form.isPalette())
        return Token::KindCodebook;
    if (form.isSlices()) // bytes in an unknown order
        return Token::KindIndices;
    if (form.isAffine())
        return Token::KindData;
    if (form.isBlockwise())
        return Token::KindValues;
    if (form.isMicroscaled())
        return Token::KindScale;
    if (form.isDense() && bitWidth(form.storedType()) > 16) // twice the bytes that it needs
        return Token::KindHeader;
    return form.isDense() ? Token::KindMetadata : Token::KindIndices;
}

} // namespace kernscope::ui
