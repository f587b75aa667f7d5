// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/design.h"

#include "widgets/models/theme.h"

#include <QLabel>

namespace kernscope::ui::design {

int space(const QWidget *widget, Space step)
{
    switch (step) {
    case Space::Hair: return theme::em(widget, 0.15);
    case Space::Small: return theme::em(widget, 0.3);
    case Space::Medium: return theme::em(widget, 0.6);
    case Space::Large: return theme::em(widget, 1.0);
    }
    return 0;
}

QColor accent(const QPalette &palette)
{
    return palette.color(QPalette::Active, QPalette::Link);
}

QColor chosenGround(const QPalette &palette)
{
    return theme::isDark(palette) ? QColor(0x24, 0x3B, 0x52) : QColor(0xDC, 0xEB, 0xF9);
}

QColor hairline(const QPalette &palette)
{
    return theme::isDark(palette) ? QColor(0x3A, 0x41, 0x4A) : QColor(0xD9, 0xDE, 0xE3);
}

QColor track(const QPalette &palette)
{
    return theme::isDark(palette) ? QColor(0x2F, 0x36, 0x3E) : QColor(0xEC, 0xF0, 0xF3);
}

QFont type(const QFont &base, Type step)
{
    QFont font = base;
    const auto scale = [&font](qreal by) {
        if (font.pointSizeF() > 0)
            font.setPointSizeF(font.pointSizeF() * by);
        else
            font.setPixelSize(static_cast<int>(font.pixelSize() * by));
    };
    switch (step) {
    case Type::Title:
        scale(1.25);
        font.setBold(true);
        break;
    case Type::Heading: font.setBold(true); break;
    case Type::Figure:
        scale(1.4);
        font.setBold(true);
        break;
    case Type::Body: break;
    case Type::Small: scale(0.92); break;
    }
    return font;
}

QLabel *label(const QString &text, Type step, QWidget *parent)
{
    auto *label = new QLabel(text, parent);
    label->setFont(type(parent->font(), step));
    if (step == Type::Small)
        label->setForegroundRole(QPalette::PlaceholderText);
    return label;
}

} // namespace kernscope::ui::design
