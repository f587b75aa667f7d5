// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/bytes/inspector_view.h"

#include "widgets/common/labels.h"
#include "widgets/common/qt.h"
#include "widgets/models/byte_models.h"
#include "widgets/models/theme.h"

namespace kernscope::ui {

namespace {

constexpr int kLongest32 = 15; ///< characters of the longest value of 32 bits

/// Readings of 64 bits last: a small view shows those that are looked up most. The bits of the byte
/// stand beside fp32, which keeps the others in pairs.
class UsualFirst final : public QSortFilterProxyModel
{
public:
    UsualFirst(InspectorModel &readings, QObject *parent) : QSortFilterProxyModel(parent)
    {
        constexpr int kStep = 2, kLast = 1000;
        int beside = 0;
        for (int row = 0; row < readings.rowCount(); ++row) {
            const QString name = readings.name(row);
            if (name == "fp32"_L1)
                beside = kStep * row + 1;
            m_rank.push_back(name == "bits"_L1                         ? beside
                             : readings.longestValue(row) > kLongest32 ? kLast + row
                                                                       : kStep * row);
        }
        setSourceModel(&readings);
        sort(0);
    }

protected:
    bool lessThan(const QModelIndex &left, const QModelIndex &right) const override
    {
        return m_rank[static_cast<std::size_t>(left.row())] <
               m_rank[static_cast<std::size_t>(right.row())];
    }

private:
    std::vector<int> m_rank; ///< by row of the readings
};

/// Name to the left, value to the right, in one cell; below it where they have no room there.
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
        const auto *view = qobject_cast<const InspectorView *>(option.widget);
        const bool tall = view && view->isTall(index.row());
        const QRect upper = tall ? box.adjusted(0, 0, 0, -box.height() / 2) : box;
        const QRect lower = tall ? box.adjusted(0, box.height() / 2, 0, 0) : box;
        if (view)
            painter->drawText(upper, Qt::AlignLeft | Qt::AlignVCenter, view->nameOf(index));
        painter->setPen(palette.color(selected ? QPalette::HighlightedText : QPalette::Text));
        painter->drawText(lower, Qt::AlignRight | Qt::AlignVCenter,
                          readFromLeft(index.data().toString(), option.direction));
    }
};

} // namespace

InspectorView::InspectorView(InspectorModel *model, QWidget *parent)
    : QListView(parent), m_readings(model)
{
    setAccessibleName(tr("The bytes under the cursor, in every reading"));
    setModel(new UsualFirst(*model, this));
    setModelColumn(model->valueColumn());
    setItemDelegate(new CellDelegate(this));
    setFont(fixedFont(design::Type::Small));
    setFlow(QListView::LeftToRight);
    setWrapping(true);
    setResizeMode(QListView::Adjust);
    setContextMenuPolicy(Qt::ActionsContextMenu);
    measure();
}

QString InspectorView::nameOf(const QModelIndex &index) const
{
    return index.siblingAtColumn(m_readings->nameColumn()).data().toString();
}

void InspectorView::measure()
{
    const int around = 3 * theme::em(this, 0.35); // at both ends, and between name and value
    m_needs.clear();
    m_usual = 0;
    const auto *order = static_cast<const QSortFilterProxyModel *>(model());
    for (int row = 0; row < order->rowCount(); ++row) {
        const QString name = order->index(row, m_readings->nameColumn()).data().toString();
        const int longest =
            m_readings->longestValue(order->mapToSource(order->index(row, 0)).row());
        const QString value(longest, QLatin1Char('8'));
        m_needs.push_back(fontMetrics().horizontalAdvance(name + value) + around);
        if (longest <= kLongest32)
            m_usual = std::max(m_usual, m_needs.back());
        if (name == "bits"_L1 && row > 0)
            m_needs.back() = std::max(m_needs.back(), m_needs[m_needs.size() - 2]); // as fp32
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

int InspectorView::heightOf(int row, int width) const
{
    const bool tall = m_needs[static_cast<std::size_t>(row)] > widthOf(row, width);
    return rowHeight() * (tall ? 2 : 1);
}

QSize InspectorView::cellSize(int row) const
{
    return {widthOf(row, roomForCells()), heightOf(row, roomForCells())};
}

void InspectorView::changeEvent(QEvent *event)
{
    QListView::changeEvent(event);
    if (event->type() == QEvent::FontChange && model())
        measure();
}

int InspectorView::heightOfCells(int room) const
{
    int height = 0, line = 0, used = 0;
    for (int row = 0; row < model()->rowCount(); ++row) {
        const int cell = widthOf(row, room);
        if (used + cell > room) {
            height += line;
            line = used = 0;
        }
        used += cell;
        line = std::max(line, heightOf(row, room));
    }
    return height + line;
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
    // What does not fit scrolls, and numbers of 64 bits have two lines.
    return {m_usual + 2 * frameWidth() + verticalScrollBar()->sizeHint().width() + 1,
            rowHeight() * 3};
}

} // namespace kernscope::ui

#include "moc_inspector_view.cpp"
