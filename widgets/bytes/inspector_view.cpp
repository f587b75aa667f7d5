// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/bytes/inspector_view.h"

#include "widgets/bytes/inspector_model.h"
#include "widgets/common/text_direction.h"
#include "widgets/common/theme.h"

#include <QEvent>
#include <QFontDatabase>
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

    /// The whole cell of the grid: else the view hands out as much as the value alone needs.
    QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        const auto *view = qobject_cast<const QListView *>(option.widget);
        return view ? view->gridSize() : QStyledItemDelegate::sizeHint(option, index);
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
                          index.siblingAtColumn(InspectorModel::Name).data().toString());
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
    setModelColumn(InspectorModel::Value);
    setItemDelegate(new CellDelegate(this));
    setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    setFlow(QListView::LeftToRight);
    setWrapping(true);
    setResizeMode(QListView::Adjust);
    setUniformItemSizes(true);
    setEditTriggers(NoEditTriggers);
    setSelectionMode(ExtendedSelection);
    setContextMenuPolicy(Qt::ActionsContextMenu);
    measure();
}

void InspectorView::measure()
{
    // The longest value is that of i64.
    m_wide = fontMetrics().horizontalAdvance(QStringLiteral("i64 -9223372036854775808")) +
             theme::em(this, 0.7);
    fitGrid();
}

/// A cell wider than the view would be wrapped, and leave the first row empty.
void InspectorView::fitGrid()
{
    const QSize cell(std::clamp(viewport()->width() - 1, 1, m_wide), theme::em(this, 1.2));
    if (gridSize() != cell)
        setGridSize(cell);
}

void InspectorView::resizeEvent(QResizeEvent *event)
{
    fitGrid();
    QListView::resizeEvent(event);
}

void InspectorView::changeEvent(QEvent *event)
{
    QListView::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        measure();
}

int InspectorView::heightFor(int width) const
{
    const int inside = width - 2 * frameWidth() - theme::em(this, 0.3);
    const int columns = std::max(1, inside / m_wide);
    const int rows = (model()->rowCount() + columns - 1) / columns;
    return gridSize().height() * rows + 2 * frameWidth() + theme::em(this, 0.3);
}

QSize InspectorView::sizeHint() const
{
    const int rows = model()->rowCount();
    return {m_wide * 2 + 2 * frameWidth() + theme::em(this, 0.3),
            gridSize().height() * ((rows + 1) / 2) + 2 * frameWidth() + theme::em(this, 0.3)};
}

QSize InspectorView::minimumSizeHint() const
{
    return {m_wide + 2 * frameWidth() + theme::em(this, 0.3), gridSize().height() * 3};
}

} // namespace kernscope::ui
