// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/design.h"

#include <QFont>

namespace kernscope::ui {

/// The desktop's font of equal widths, larger or smaller as the application's font was made larger
/// or smaller than the desktop's.
QFont fixedFont(design::Type step = design::Type::Body);

/// Makes the application's font that one. A font that was set for a widget keeps its size in Qt:
/// titles, captions and bytes of every widget there is grow and shrink in proportion.
void changeApplicationFont(const QFont &font);

} // namespace kernscope::ui
