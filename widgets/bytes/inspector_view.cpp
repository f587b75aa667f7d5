// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/bytes/inspector_view.h"

#include "widgets/bytes/inspector_model.h"
#include "widgets/common/fixed_font.h"
#include "widgets/common/text_direction.h"
#include "widgets/common/theme.h"

#include <QEvent>
#include <QPainter>
#include <QStyledItemDelegate>

#include <algorithm>

namespace kernscope::ui {

namespace {

/// Name to the left, value to the right, in one cell.
class CellDelegate final : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    /// The whole cell: else the view hands out as much as the value alone needs.
    QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        const auto *view = qobject_cast<const InspectorView *>(option.widget);
        return view ? view->cellSize(index.row()) : QStyledItemDelegate::sizeHint(option, index);
    }

    void paint(QPainter *painter, const QStyleOptionViewItem &option,
               const QModelIndex &index) const override
    {
        const bool selected = option.state & QStyle::State_Selected;
        const QPalette &palette = option.palette;
        painter->fillRect(option.rect,
                          palette.color(selected ? QPalette::Highlight : QPalette::Base));
        const int margin = theme::em(option.widget, 0.35);
        const QRect box = option.rect.adjusted(margin, 0, -margin, 0);
        painter->setFont(option.font);
        painter->setPen(
            palette.color(selected ? QPalette::HighlightedText : QPalette::PlaceholderText));
        painter->drawText(box, Qt::AlignLeft | Qt::AlignVCenter,
                          static_cast<const InspectorModel *>(index.model())->name(index.row()));
        painter->setPen(palette.color(selected ? QPalette::HighlightedText : QPalette::Text));
        painter->drawText(box, Qt::AlignRight | Qt::AlignVCenter,
                          readFromLeft(index.data().toString(), option.direction));
    }
};

} // namespace

InspectorView::InspectorView(InspectorModel *model, QWidget *parent) : QListView(parent)
{
    setAccessibleName(tr("The bytes under the cursor, in every reading"));
    setModel(model);
    setModelColumn(model->valueColumn());
    setSpacing(0);
    setItemDelegate(new CellDelegate(this));
    setFont(fixedFont(design::Type::Small));
    setFlow(QListView::LeftToRight);
    setWrapping(true);
    setResizeMode(QListView::Adjust);
    setEditTriggers(NoEditTriggers);
    setSelectionMode(ExtendedSelection);
    setContextMenuPolicy(Qt::ActionsContextMenu);
    measure();
}

void InspectorView::measure()
{
    const auto *readings = static_cast<const InspectorModel *>(model());
    const int around = 3 * theme::em(this, 0.35); // at both ends, and between name and value
    m_needs.clear();
    for (int row = 0; row < readings->rowCount(); ++row) {
        const QString name = readings->name(row);
        const QString longest(readings->longestValue(row), QLatin1Char('8'));
        m_needs.push_back(fontMetrics().horizontalAdvance(name + longest) + around);
    }
    m_wide = *std::max_element(m_needs.begin(), m_needs.end());
    // What is as long as a number of 32 bits, or shorter, stands two in a row.
    m_narrow = 0;
    for (const int need : m_needs) {
        if (5 * need <= 4 * m_wide)
            m_narrow = std::max(m_narrow, need);
    }
    m_narrow = std::max(m_narrow, m_wide / 2);
    fit();
    scheduleDelayedItemsLayout();
}

/// Where everything is in sight no room is kept for a bar that scrolls; the list would keep it.
void InspectorView::fit()
{
    const bool whole = heightOfCells(width() - 2 * frameWidth() - 1) <= height() - 2 * frameWidth();
    setVerticalScrollBarPolicy(whole ? Qt::ScrollBarAlwaysOff : Qt::ScrollBarAlwaysOn);
}

/// Pixels of a row of cells, one less than the list has: it wraps what reaches its edge.
int InspectorView::roomForCells() const
{
    return std::max(1, maximumViewportSize().width() - 1);
}

void InspectorView::resizeEvent(QResizeEvent *event)
{
    fit();
    QListView::resizeEvent(event);
}

int InspectorView::rowHeight() const
{
    return theme::em(this, 1.2);
}

/// An even number keeps what belongs together in one row: unsigned and signed, both halves.
int InspectorView::columnsOf(int width) const
{
    const int fit = width / m_narrow;
    return fit < 2 ? 1 : fit - fit % 2;
}

/// A cell wider than the view would be wrapped, and leave the first row empty.
int InspectorView::widthOf(int row, int width) const
{
    const int columns = columnsOf(width);
    const int column = std::max(1, width / columns);
    const int spans = m_needs[static_cast<std::size_t>(row)] > column ? 2 : 1;
    return column * std::min(spans, columns);
}

QSize InspectorView::cellSize(int row) const
{
    return {widthOf(row, roomForCells()), rowHeight()};
}

void InspectorView::changeEvent(QEvent *event)
{
    QListView::changeEvent(event);
    if (event->type() == QEvent::FontChange && model())
        measure();
}

int InspectorView::heightOfCells(int room) const
{
    int rows = 1, used = 0;
    for (int row = 0; row < model()->rowCount(); ++row) {
        const int cell = widthOf(row, room);
        if (used + cell > room) {
            ++rows;
            used = 0;
        }
        used += cell;
    }
    return rowHeight() * rows;
}

int InspectorView::heightFor(int width) const
{
    return heightOfCells(std::max(1, width - 2 * frameWidth() - 1)) + 2 * frameWidth();
}

QSize InspectorView::sizeHint() const
{
    const int width = 2 * m_narrow + 2 * frameWidth() + 1;
    return {width, heightFor(width)};
}

QSize InspectorView::minimumSizeHint() const
{
    return {m_wide + 2 * frameWidth() + theme::em(this, 0.3), rowHeight() * 3};
}

} // namespace kernscope::ui
