// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/elided_name.h"

#include <QFontMetrics>

namespace kernscope::ui {

QString elidedName(const QFontMetrics &metrics, const QString &name, int width)
{
    constexpr qsizetype kTail = 6;
    constexpr qsizetype kLeastNameLetters = 6;
    constexpr int kLeastHeads = 2; // a head of that many tails, or the cut is no better
    if (metrics.horizontalAdvance(name) <= width)
        return name;
    // What follows the mark is common to many names and was left out already, or what stood before
    // it: the end of what is there goes next, not its middle.
    if (name.endsWith(QChar(0x2026)) || name.startsWith(QChar(0x2026)))
        return metrics.elidedText(name, Qt::ElideRight, width);
    // An index tells places of one weight apart: letters of the name go before it, and what is said
    // of the place.
    const qsizetype open = name.lastIndexOf(QLatin1Char('[')),
                    close = name.indexOf(QLatin1Char(']'), std::max<qsizetype>(open, 0));
    if (open > 0 && close > open) {
        const QString index = name.mid(open, close - open + 1);
        const QString most = name.left(kLeastNameLetters) + QChar(0x2026);
        for (const QString &end : {name.mid(open), index + QChar(0x2026)}) {
            const int room = width - metrics.horizontalAdvance(end);
            if (room >= metrics.horizontalAdvance(most))
                return elidedName(metrics, name.left(open), room) + end;
        }
    }
    // Of a file's path the last parts tell which it is, as many as there is room for.
    const bool file = name.lastIndexOf(QLatin1Char('.')) > name.lastIndexOf(QLatin1Char('/'));
    for (qsizetype slash = name.indexOf(QLatin1Char('/')); file && slash > 0;
         slash = name.indexOf(QLatin1Char('/'), slash + 1)) {
        const QString end = QChar(0x2026) + name.mid(slash);
        if (metrics.horizontalAdvance(end) <= width)
            return end;
    }
    const QString tail = name.right(kTail);
    const int tailWidth = metrics.horizontalAdvance(tail);
    if (width < (kLeastHeads + 1) * tailWidth)
        return metrics.elidedText(name, Qt::ElideMiddle, width);
    return metrics.elidedText(name.chopped(tail.size()) + QChar(0x2026), Qt::ElideRight,
                              width - tailWidth) +
           tail;
}

} // namespace kernscope::ui
