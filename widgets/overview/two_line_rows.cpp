// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/overview/two_line_rows.h"

#include "widgets/common/design.h"
#include "widgets/common/elided_name.h"
#include "widgets/common/margin_mark.h"
#include "widgets/common/text_direction.h"
#include "widgets/models/bundle_tree_model.h"
#include "widgets/models/short_names.h"
#include "widgets/models/theme.h"

#include <QHeaderView>
#include <QIcon>
#include <QPainter>
#include <QTreeView>

#include <algorithm>

namespace kernscope::ui {

namespace {

constexpr double kRowGap = 0.5, kAround = 0.4, kRowSwatch = 0.75; // in ems

/// The two lines of a row, with as much room above as below.
struct Lines {
    QRect first, second;
};

Lines linesOf(const QRect &row, int firstHeight, int secondHeight)
{
    const int top = row.top() + (row.height() - firstHeight - secondHeight) / 2;
    return {QRect(row.left(), top, row.width(), firstHeight),
            QRect(row.left(), top + firstHeight, row.width(), secondHeight)};
}

/// `box` and `side` as in a window that reads from left to right.
void drawText(QPainter &painter, const QStyleOptionViewItem &cell, const QRect &around,
              const QRect &box, Qt::Alignment side, const QString &text)
{
    const QRect place = QStyle::visualRect(cell.direction, around, box);
    painter.drawText(place,
                     int(QStyle::visualAlignment(cell.direction, side) | Qt::AlignVCenter) |
                         Qt::TextSingleLine,
                     readFromLeft(text, cell.direction));
}

} // namespace

TwoLineRows::TwoLineRows(const BundleTreeModel &model, QTreeView *view)
    : QStyledItemDelegate(view), m_model(model), m_view(view)
{
}

int TwoLineRows::zerosWidth(const QFontMetrics &small)
{
    return small.horizontalAdvance(QStringLiteral("100.0 %"));
}

int TwoLineRows::ratioWidth(const QFontMetrics &small)
{
    return small.horizontalAdvance(QStringLiteral("0.000"));
}

int TwoLineRows::gap(const QWidget *widget)
{
    return theme::em(widget, kRowGap);
}

QFont TwoLineRows::smallFont(const QFont &base)
{
    return design::type(base, design::Type::Small);
}

QString TwoLineRows::text(const QModelIndex &row, const char *key) const
{
    return row.siblingAtColumn(m_model.columnOf(key)).data().toString();
}

int TwoLineRows::freeBesideNumber(const QModelIndex &index) const
{
    const QHeaderView *header = m_view->header();
    const int bytes = m_model.columnOf("stored_bytes"), names = m_model.columnOf("name");
    const bool beside = header->visualIndex(bytes) > header->visualIndex(names);
    if (!beside || !m_model.isLeaf(index))
        return 0;
    const int number = m_view->fontMetrics().horizontalAdvance(text(index, "stored_bytes"));
    return std::max(0, header->sectionSize(bytes) - number - 2 * gap(m_view));
}

int TwoLineRows::nameRoom(const QModelIndex &name) const
{
    int depth = 0;
    for (QModelIndex at = name.parent(); at.isValid(); at = at.parent())
        ++depth;
    return m_view->header()->sectionSize(m_model.columnOf("name")) - depth * m_view->indentation() -
           gap(m_view) + freeBesideNumber(name);
}

int TwoLineRows::wholeNameWidth(const QModelIndex &name) const
{
    return m_view->fontMetrics().horizontalAdvance(name.data().toString());
}

void TwoLineRows::paintNames(QPainter &painter, const QStyleOptionViewItem &cell,
                             const QModelIndex &index) const
{
    const bool leaf = m_model.isLeaf(index);
    const int margin = gap(m_view) / 2;
    const QFont smaller = smallFont(cell.font);
    const QFontMetrics metrics(cell.font), small(smaller);
    const Lines lines =
        leaf ? linesOf(cell.rect, metrics.height(), small.height()) : Lines{cell.rect, {}};
    QRect line = lines.first.adjusted(margin, 0, -margin, 0);
    line.setRight(line.right() + freeBesideNumber(index));
    // Also the names of a tree that are short are those of their like.
    const bool brief = m_view->property(kAlwaysShort).toBool();
    QString name = index.data().toString();
    const QString shorter = index.data(kShortNameRole).toString();
    if (!shorter.isEmpty() && (brief || metrics.horizontalAdvance(name) > line.width()))
        name = shorter;
    painter.setFont(cell.font);
    painter.setPen(cell.palette.color(QPalette::Text));
    drawText(painter, cell, cell.rect, line, Qt::AlignLeft,
             elidedName(metrics, name, line.width()));
    if (!leaf)
        return;
    QRect form = lines.second.adjusted(margin, 0, -margin, 0);
    const QModelIndex at = index.siblingAtColumn(m_model.columnOf("form"));
    if (const QVariant swatch = at.data(Qt::DecorationRole); swatch.isValid()) {
        const int side = theme::em(m_view, kRowSwatch);
        QRect place(form.left(), form.center().y() - side / 2, side, side);
        swatch.value<QIcon>().paint(&painter, QStyle::visualRect(cell.direction, cell.rect, place));
        form.setLeft(place.right() + margin + 1);
    }
    painter.setFont(smaller);
    painter.setPen(cell.palette.color(QPalette::PlaceholderText));
    drawText(painter, cell, cell.rect, form, Qt::AlignLeft,
             small.elidedText(at.data().toString(), Qt::ElideMiddle, form.width()));
}

void TwoLineRows::paintFigures(QPainter &painter, const QStyleOptionViewItem &cell,
                               const QModelIndex &index) const
{
    const int margin = gap(m_view) / 2;
    const QFont smaller = smallFont(cell.font);
    const QFontMetrics small(smaller);
    const QColor faint = cell.palette.color(QPalette::PlaceholderText);
    if (!m_model.isLeaf(index)) {
        // "13 weights" of a function.
        painter.setFont(smaller);
        painter.setPen(faint);
        drawText(painter, cell, cell.rect, cell.rect.adjusted(margin, 0, -margin, 0),
                 Qt::AlignRight, text(index, "form"));
        return;
    }
    const Lines lines = linesOf(cell.rect, QFontMetrics(cell.font).height(), small.height());
    painter.setFont(cell.font);
    painter.setPen(cell.palette.color(QPalette::Text));
    drawText(painter, cell, cell.rect, lines.first.adjusted(margin, 0, -margin, 0), Qt::AlignRight,
             text(index, "stored_bytes"));
    painter.setFont(smaller);
    painter.setPen(faint);
    const QRect below = lines.second.adjusted(margin, 0, -margin, 0);
    drawText(painter, cell, cell.rect, below, Qt::AlignRight, text(index, "zero_fraction"));
    drawText(painter, cell, cell.rect, below.adjusted(0, 0, -zerosWidth(small) - gap(m_view), 0),
             Qt::AlignRight, text(index, "ratio"));
}

void TwoLineRows::paint(QPainter *painter, const QStyleOptionViewItem &option,
                        const QModelIndex &index) const
{
    QStyleOptionViewItem cell = option;
    initStyleOption(&cell, index);
    cell.text.clear();
    cell.icon = QIcon();
    cell.features &= ~QStyleOptionViewItem::HasDecoration;
    m_view->style()->drawControl(QStyle::CE_ItemViewItem, &cell, painter, m_view);
    painter->save();
    const int names = m_model.columnOf("name");
    if (index.column() == names) {
        const QFontMetrics metrics(cell.font), small(smallFont(cell.font));
        paintMarginMark(painter, option, index,
                        m_model.isLeaf(index)
                            ? linesOf(cell.rect, metrics.height(), small.height()).first
                            : cell.rect);
        painter->setClipRect(cell.rect, Qt::IntersectClip);
        paintNames(*painter, cell, index);
    } else {
        paintFigures(*painter, cell, index);
        if (freeBesideNumber(index) > 0) {
            // The view draws the ground of each cell by itself: so does each cell its part of a
            // name.
            const QModelIndex name = index.siblingAtColumn(names);
            painter->setClipRect(cell.rect, Qt::IntersectClip);
            cell.rect = m_view->visualRect(name);
            paintNames(*painter, cell, name);
        }
    }
    painter->restore();
}

QSize TwoLineRows::sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    const QFontMetrics metrics(option.font), small(smallFont(option.font));
    if (index.column() == m_model.columnOf("name"))
        return {metrics.horizontalAdvance(index.data().toString()) + gap(m_view),
                metrics.height() + small.height() + theme::em(m_view, kAround)};
    const int figures = ratioWidth(small) + gap(m_view) + zerosWidth(small);
    return {std::max({figures, metrics.horizontalAdvance(text(index, "stored_bytes")),
                      m_model.isLeaf(index) ? 0 : small.horizontalAdvance(text(index, "form"))}) +
                gap(m_view),
            1};
}

} // namespace kernscope::ui

#include "moc_two_line_rows.cpp"
