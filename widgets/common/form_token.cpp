// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/form_token.h"

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
    return form.isDense() ? Token::KindMetadata : Token::KindIndices;
}

} // namespace kernscope::ui
