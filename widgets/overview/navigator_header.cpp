// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/overview/navigator_header.h"

#include "widgets/models/bundle_tree_model.h"
#include "widgets/models/theme.h"
#include "widgets/overview/two_line_rows.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <array>
#include <string_view>

namespace kernscope::ui {

namespace {

constexpr double kBelow = 0.15; // of the font's height, between the second line and the edge

} // namespace

NavigatorHeader::NavigatorHeader(const BundleTreeModel &model, QWidget *parent)
    : QHeaderView(Qt::Horizontal, parent), m_model(model)
{
    setSectionsMovable(true);
    setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
}

void NavigatorHeader::setTwoLines(bool two)
{
    if (m_two == two)
        return;
    m_two = two;
    updateGeometry();
    Q_EMIT geometriesChanged();
    viewport()->update();
}

QString NavigatorHeader::titleOf(int column) const
{
    QString title = m_model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
    if (isSortIndicatorShown() && sortIndicatorSection() == column)
        title += sortIndicatorOrder() == Qt::AscendingOrder ? QStringLiteral(" \u25B4")
                                                            : QStringLiteral(" \u25BE");
    return title;
}

QRect NavigatorHeader::titleRect(int column) const
{
    const int names = m_model.columnOf("name"), bytes = m_model.columnOf("stored_bytes");
    const bool below = column != names && column != bytes;
    const std::string_view under = column == m_model.columnOf("form") ? "name" : "stored_bytes";
    const int section = below ? m_model.columnOf(under) : column;
    if (!m_two || isSectionHidden(section))
        return {};
    const int margin = TwoLineRows::gap(this) / 2;
    const QFontMetrics small(TwoLineRows::smallFont(font()));
    const int second = small.height() + theme::em(this, kBelow);
    QRect rect(sectionViewportPosition(section), 0, sectionSize(section), height());
    const QRect around = rect;
    rect.adjust(margin, 0, -margin, 0);
    if (below)
        rect.setTop(rect.bottom() - second);
    else
        rect.setBottom(rect.bottom() - second);
    const int zeros = TwoLineRows::zerosWidth(small) + TwoLineRows::gap(this);
    if (column == m_model.columnOf("zero_fraction"))
        rect.setLeft(rect.right() - zeros + TwoLineRows::gap(this) / 2);
    else if (column == m_model.columnOf("ratio"))
        rect.setRight(rect.right() - zeros);
    else if (below && column != m_model.columnOf("form"))
        return {};
    return QStyle::visualRect(layoutDirection(), around, rect);
}

void NavigatorHeader::initStyleOptionForIndex(QStyleOptionHeader *option, int logicalIndex) const
{
    QHeaderView::initStyleOptionForIndex(option, logicalIndex);
    if (!m_two)
        return;
    option->text.clear(); // paintSection() writes the titles
    option->sortIndicator = QStyleOptionHeader::None;
}

void NavigatorHeader::paintSection(QPainter *painter, const QRect &rect, int logicalIndex) const
{
    painter->save();
    QHeaderView::paintSection(painter, rect, logicalIndex);
    painter->restore();
    if (!m_two)
        return;
    const bool names = logicalIndex == m_model.columnOf("name");
    const std::array<const char *, 3> keys =
        names ? std::array{"name", "form", ""}
              : std::array{"stored_bytes", "ratio", "zero_fraction"};
    const Qt::Alignment side =
        QStyle::visualAlignment(layoutDirection(), names ? Qt::AlignLeft : Qt::AlignRight);
    painter->save();
    painter->setFont(font());
    painter->setPen(palette().color(QPalette::ButtonText));
    for (const std::string_view key : keys) {
        const int column = key.empty() ? -1 : m_model.columnOf(key);
        if (column >= 0)
            painter->drawText(titleRect(column), int(side | Qt::AlignVCenter) | Qt::TextSingleLine,
                              titleOf(column));
        painter->setFont(TwoLineRows::smallFont(font()));
        painter->setPen(palette().color(QPalette::PlaceholderText));
    }
    painter->restore();
}

QSize NavigatorHeader::sectionSizeFromContents(int logicalIndex) const
{
    QSize size = QHeaderView::sectionSizeFromContents(logicalIndex);
    if (m_two) {
        const QFontMetrics small(TwoLineRows::smallFont(font()));
        // The titles are drawn by this class: the base measures none.
        size.setHeight(fontMetrics().height() + small.height() + 4 * theme::em(this, kBelow));
    }
    return size;
}

int NavigatorHeader::secondLineAt(const QPoint &pos) const
{
    for (const char *key : {"form", "ratio", "zero_fraction"}) {
        const int column = m_model.columnOf(key);
        if (titleRect(column).contains(pos))
            return column;
    }
    return -1;
}

bool NavigatorHeader::viewportEvent(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto *help = static_cast<QHelpEvent *>(event);
        if (const int column = secondLineAt(help->pos()); column >= 0) {
            QToolTip::showText(
                help->globalPos(),
                m_model.headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString(), this);
            return true;
        }
    }
    return QHeaderView::viewportEvent(event);
}

void NavigatorHeader::mousePressEvent(QMouseEvent *event)
{
    // At the edge of a section the press begins to resize it.
    const bool resizes =
        viewport()->cursor().shape() == Qt::SplitHCursor || cursor().shape() == Qt::SplitHCursor;
    m_pressed = event->button() == Qt::LeftButton && !resizes
                    ? secondLineAt(event->position().toPoint())
                    : -1;
    if (m_pressed < 0)
        QHeaderView::mousePressEvent(event);
}

void NavigatorHeader::mouseReleaseEvent(QMouseEvent *event)
{
    if (m_pressed < 0) {
        QHeaderView::mouseReleaseEvent(event);
        return;
    }
    const int column = std::exchange(m_pressed, -1);
    if (secondLineAt(event->position().toPoint()) == column)
        sortBy(column);
}

/// As a click on a title in the first line: upwards, downwards, not at all.
void NavigatorHeader::sortBy(int column)
{
    if (sortIndicatorSection() != column)
        setSortIndicator(column, Qt::AscendingOrder);
    else if (sortIndicatorOrder() == Qt::AscendingOrder)
        setSortIndicator(column, Qt::DescendingOrder);
    else
        setSortIndicator(-1, Qt::AscendingOrder);
}

} // namespace kernscope::ui

#include "moc_navigator_header.cpp"
