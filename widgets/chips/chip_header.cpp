// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chips/chip_header.h"

#include "widgets/chips/chip_words.h"
#include "widgets/common/theme.h"

#include <QTimer>

#include <algorithm>
#include <utility>

namespace kernscope::ui {

namespace {

/// What stays in one line: "M1", "Pro/", "Max/", "Ultra".
QStringList pieces(const QString &product)
{
    QStringList parts;
    QString part;
    for (const QChar letter : product) {
        if (letter == QLatin1Char(' ') && !part.isEmpty())
            parts += std::exchange(part, QString());
        part += letter;
        if (letter == QLatin1Char('/'))
            parts += std::exchange(part, QString());
    }
    if (!part.isEmpty())
        parts += part;
    return parts;
}

} // namespace

ChipHeader::ChipHeader(QWidget *parent) : QHeaderView(Qt::Horizontal, parent)
{
    setSectionsClickable(true); // as the header that a table has by itself
    connect(this, &QHeaderView::sectionResized, this, [this] {
        // All columns are measured once, after the last of them has its width.
        if (!std::exchange(m_asks, true))
            QTimer::singleShot(0, this, [this] {
                m_asks = false;
                if (mostLines() != m_lines)
                    Q_EMIT geometriesChanged(); // the table asks for the height again
            });
    });
}

QString ChipHeader::product(int logicalIndex) const
{
    return model() ? model()->headerData(logicalIndex, orientation(), kProductRole).toString()
                   : QString();
}

QStringList ChipHeader::productLines(const QString &product, const QFontMetrics &metrics, int width)
{
    QStringList lines{QString()};
    for (const QString &piece : pieces(product)) {
        const QString longer = lines.constLast() + piece;
        const bool fits = metrics.elidedText(longer, Qt::ElideRight, width) == longer;
        if (!fits && lines.size() == 1 && !lines.constFirst().isEmpty())
            lines += QString();
        lines.last() += piece;
    }
    for (QString &line : lines)
        line = metrics.elidedText(line.trimmed(), Qt::ElideRight, width);
    return lines;
}

int ChipHeader::leastWidth(const QString &product, const QFontMetrics &metrics)
{
    int least = metrics.horizontalAdvance(product);
    QString first;
    for (const QString &piece : pieces(product)) {
        first += piece;
        const QString second = product.mid(first.size()).trimmed();
        least = std::min(least, std::max(metrics.horizontalAdvance(first.trimmed()),
                                         metrics.horizontalAdvance(second)));
    }
    return least;
}

QStringList ChipHeader::linesOf(int logicalIndex) const
{
    const QString below = product(logicalIndex);
    return below.isEmpty() ? QStringList()
                           : productLines(below, fontMetrics(),
                                          sectionSize(logicalIndex) - theme::em(this, 0.3));
}

qsizetype ChipHeader::mostLines() const
{
    qsizetype most = 0;
    for (int section = 0; section < count(); ++section)
        most = std::max(most, linesOf(section).size());
    return most;
}

QSize ChipHeader::sizeHint() const
{
    QSize size = QHeaderView::sizeHint();
    m_lines = mostLines();
    size.rheight() += static_cast<int>(m_lines) * fontMetrics().lineSpacing();
    return size;
}

void ChipHeader::initStyleOptionForIndex(QStyleOptionHeader *option, int logicalIndex) const
{
    QHeaderView::initStyleOptionForIndex(option, logicalIndex);
    for (const QString &line : linesOf(logicalIndex))
        option->text += QLatin1Char('\n') + line;
}

} // namespace kernscope::ui
