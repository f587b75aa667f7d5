// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QFont>
#include <QIcon>
#include <QPainterPath>
#include <QPalette>
#include <QProxyStyle>
#include <QString>
#include <QWidget>

#include <optional>

class QLabel;

namespace kernscope::ui {

/// The tokens of the window's design beside the colours of theme.h: one accent, hairlines, a scale
/// of type and of spacing. Hierarchy comes from size and weight, not from frames.
namespace design {

/// Multiples of the application's font height.
enum class Space : std::uint8_t { Hair, Small, Medium, Large };
int space(const QWidget *widget, Space step);

/// Of what is chosen or can be followed: the one strong colour of the frame.
QColor accent(const QPalette &palette);
/// Ground of a chosen row or cell; text keeps its colour on it.
QColor chosenGround(const QPalette &palette);
/// The line between two panels.
QColor hairline(const QPalette &palette);
/// Ground of a switch, a bar's empty part, a hovered tab.
QColor track(const QPalette &palette);

/// Sizes and weights of text, from the application's font.
enum class Type : std::uint8_t {
    Title,   ///< what a page is about
    Heading, ///< of a section
    Figure,  ///< a number that stands for itself
    Body,
    Small, ///< captions
};
QFont type(const QFont &base, Type step);
/// A label of that type; captions are faint.
QLabel *label(const QString &text, Type step, QWidget *parent);

} // namespace design

/// Fusion without frames: panels are separated by hairlines, tabs have a line of the accent under
/// the chosen one, chosen rows a pale ground with a bar of the accent at their left.
class QuietStyle final : public QProxyStyle
{
    Q_OBJECT

public:
    QuietStyle();

    int pixelMetric(PixelMetric metric, const QStyleOption *option,
                    const QWidget *widget) const override;
    void drawPrimitive(PrimitiveElement element, const QStyleOption *option, QPainter *painter,
                       const QWidget *widget) const override;
    void drawControl(ControlElement element, const QStyleOption *option, QPainter *painter,
                     const QWidget *widget) const override;
    QSize sizeFromContents(ContentsType type, const QStyleOption *option, const QSize &size,
                           const QWidget *widget) const override;
    int styleHint(StyleHint hint, const QStyleOption *option, const QWidget *widget,
                  QStyleHintReturn *data) const override;
};

/// The outline of an SVG path's "d" attribute: M, L, H, V, C, A and Z, absolute and relative.
/// Nothing where the text is no such path.
std::optional<QPainterPath> svgPath(const QString &d);

/// One of the line icons under resources/icons/actions ("open", "save", …), drawn at the size and
/// pixel ratio asked for in the text colour of the palette in force; the accent where it is
/// switched on. An empty icon where there is no such file.
QIcon lineIcon(const QString &name);

} // namespace kernscope::ui
