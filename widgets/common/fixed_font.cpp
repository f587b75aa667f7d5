// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/fixed_font.h"

#include <QApplication>
#include <QFontDatabase>
#include <QWidget>

namespace kernscope::ui {

QFont fixedFont(design::Type step)
{
    QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    const qreal desktop = QFontDatabase::systemFont(QFontDatabase::GeneralFont).pointSizeF();
    const qreal now = QApplication::font().pointSizeF();
    if (font.pointSizeF() > 0 && desktop > 0 && now > 0)
        font.setPointSizeF(font.pointSizeF() * now / desktop);
    return design::type(font, step);
}

void changeApplicationFont(const QFont &font)
{
    const qreal before = QApplication::font().pointSizeF();
    QApplication::setFont(font);
    if (before <= 0 || font.pointSizeF() <= 0)
        return;
    for (QWidget *widget : QApplication::allWidgets()) {
        QFont own = widget->font();
        if (!widget->testAttribute(Qt::WA_SetFont) || own.pointSizeF() <= 0 ||
            !(own.resolveMask() & QFont::SizeResolved))
            continue;
        own.setPointSizeF(own.pointSizeF() * font.pointSizeF() / before);
        widget->setFont(own);
    }
}

} // namespace kernscope::ui
