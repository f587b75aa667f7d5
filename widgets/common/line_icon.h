// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QIcon>
#include <QPainterPath>
#include <QString>

#include <optional>

namespace kernscope::ui {

/// The outline of an SVG path's "d" attribute: M, L, H, V, C, A and Z, absolute and relative.
/// Nothing where the text is no such path.
std::optional<QPainterPath> svgPath(const QString &d);

/// One of the line icons under resources/icons/actions ("open", "save", …), drawn at the size and
/// pixel ratio asked for in the text colour of the palette in force; the accent where it is
/// switched on. An empty icon where there is no such file.
QIcon lineIcon(const QString &name);

} // namespace kernscope::ui
