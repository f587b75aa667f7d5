// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QWidget;

namespace kernscope::ui {

/// Writes a widget as it is drawn: PDF where the name ends so, else PNG in twice its resolution.
/// Whole or not at all; the message of what went wrong, or empty.
QString exportWidgetPicture(QWidget &widget, const QString &path);

} // namespace kernscope::ui
