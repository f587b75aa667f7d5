// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QIcon>

class QWidget;

namespace kernscope::app {

/// An icon made of one character in the widget's text colour (no picture files to ship, right in
/// both themes and at every device pixel ratio).
QIcon glyphIcon(const QString &glyph, const QWidget *widget);

} // namespace kernscope::app
