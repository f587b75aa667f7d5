// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "core/bundle/bundle_fwd.h"
#include "widgets/models/theme.h"

#include <QIcon>
#include <QString>

namespace kernscope::ui {

/// Icons painted at the size and pixel ratio asked for, in the colours of the theme in force.

/// A character in a token's colour, such as theme::glyph(token) of it.
QIcon glyphIcon(const QString &glyph, Token token);
/// Ground and pattern of a kind of section, framed.
QIcon kindIcon(SectionKind kind);
/// A colour, framed: also those near that of the ground are seen.
QIcon swatchIcon(const QColor &color);
/// ✕, ▲ or i: shape as well as colour.
QIcon severityIcon(Severity severity);
QString severityGlyph(Severity severity);
QString severityWord(Severity severity); ///< translated: "error", "warning", "note"
/// "1 error", "2 warnings".
QString severityCount(Severity severity, std::size_t count);

} // namespace kernscope::ui
