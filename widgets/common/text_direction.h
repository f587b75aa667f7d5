// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace kernscope::ui {

/// A number, a name or a path for a painter in a window that is laid out from right to left: there
/// the sign of "-0.1" would stand behind the number and "0_weight" would read "weight_0". Text that
/// begins in a script of that direction, and any text where `around` is from left to right, stays
/// as it is. Only for painting: what is copied or compared has no such marks.
inline QString readFromLeft(const QString &text, Qt::LayoutDirection around)
{
    constexpr char16_t kBegin = 0x2066, kEnd = 0x2069; // an isolate from left to right
    return around == Qt::RightToLeft && !text.isEmpty() && !text.isRightToLeft()
               ? QChar(kBegin) + text + QChar(kEnd)
               : text;
}

} // namespace kernscope::ui
