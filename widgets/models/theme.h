// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "core/bundle/bundle_fwd.h"

#include <QBrush>
#include <QColor>
#include <QIcon>
#include <QObject>
#include <QPalette>
#include <QString>

#include <array>
#include <span>

namespace kernscope::ui {

/// Colour tokens of window.md, "Tokens". Colour never stands alone: glyph() and pattern go with it.
enum class Token : std::uint8_t {
    KindHeader,
    KindMetadata,
    KindProgram,
    KindData,
    KindIndices,
    KindCodebook,
    KindMask,
    KindValues,
    KindScale,
    KindPadding,
    KindUnknown,
    OutStreams,
    OutFolds,
    OutDense,
    OutRefused,
    OutUnknown,
    DiffLess,
    DiffMore,
    DiffEqual,
    MarkChanged,
    MarkContested,
    MarkAssumed,
    Count,
};

/// The two themes. Everything is a function of `dark`, so that a test can walk both.
namespace theme {

/// "kind.header"
QString tokenName(Token token);
QColor color(Token token, bool dark);
/// Text colour with a contrast of at least 4.5 against `color(token, dark)`.
QColor textOn(Token token, bool dark);
/// From `a` (0) to `b` (1).
QColor mix(const QColor &a, const QColor &b, double t);
/// WCAG contrast ratio, 1 to 21.
double contrast(const QColor &a, const QColor &b);
/// Shape that goes with a token: ▶ ▽ ■ ✕ ? for outcomes, ● ≠ ~ for marks; empty where none.
QString glyph(Token token);

Token tokenOf(SectionKind kind);
/// Solid for parts, hatched for padding, dotted as well for unknown.
QBrush brushOf(SectionKind kind, bool dark);
QString sectionKindLabel(SectionKind kind); ///< translated

/// Cividis-like map of monotone lightness, `value` 0 to 1.
QColor sequential(double value);
/// Blue to neutral to orange about zero, `value` -1 to 1.
QColor diverging(double value, bool dark);

QPalette palette(bool dark);
/// True where the application's palette is a dark one.
bool isDark(const QPalette &palette);
/// Sets style, palette and fonts of the application.
void apply(bool dark);

/// A length in ems of `widget`'s font, in device-independent pixels.
int em(const QWidget *widget, double ems);

} // namespace theme

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
