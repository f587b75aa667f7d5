// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/program/program_view.h"

#include "widgets/common/design.h"
#include "widgets/common/fixed_font.h"
#include "widgets/common/theme.h"
#include "widgets/program/program_model.h"

#include <QApplication>
#include <QHeaderView>
#include <QMouseEvent>
#include <QPainter>

namespace kernscope::ui {

namespace {

const ProgramModel *programOf(const QModelIndex &index)
{
    return qobject_cast<const ProgramModel *>(index.model());
}

} // namespace

QColor ProgramRowDelegate::color(ProgramSpan::Kind kind, const QPalette &palette)
{
    const bool dark = theme::isDark(palette);
    switch (kind) {
    case ProgramSpan::Kind::Keyword:
        return dark ? QColor(0xC9, 0xA6, 0xE8) : QColor(0x6B, 0x2F, 0x8F);
    case ProgramSpan::Kind::Weight:
        return dark ? QColor(0xEB, 0xB2, 0x33) : QColor(0x7A, 0x54, 0x00);
    case ProgramSpan::Kind::Value: return design::accent(palette);
    case ProgramSpan::Kind::Literal:
        return dark ? QColor(0x6F, 0xCF, 0xB2) : QColor(0x00, 0x66, 0x4B);
    case ProgramSpan::Kind::Faint: return palette.color(QPalette::PlaceholderText);
    case ProgramSpan::Kind::Plain:
    case ProgramSpan::Kind::Name: break;
    }
    return palette.color(QPalette::Text);
}

int ProgramRowDelegate::numberWidth(const QFontMetrics &metrics)
{
    return metrics.horizontalAdvance(QStringLiteral("00000 "));
}

void ProgramRowDelegate::paint(QPainter *painter, const QStyleOptionViewItem &option,
                               const QModelIndex &index) const
{
    QStyleOptionViewItem cell = option;
    initStyleOption(&cell, index);
    cell.text.clear();
    const QStyle *style = cell.widget ? cell.widget->style() : QApplication::style();
    style->drawControl(QStyle::CE_ItemViewItem, &cell, painter, cell.widget);
    const ProgramModel *model = programOf(index);
    if (!model)
        return;
    painter->save();
    painter->setClipRect(cell.rect);
    const QFontMetrics &metrics = cell.fontMetrics;
    const int line =
        cell.rect.top() + (cell.rect.height() - metrics.height()) / 2 + metrics.ascent();
    const int wide = numberWidth(metrics), blank = metrics.horizontalAdvance(QLatin1Char(' '));
    int x = cell.rect.left();
    painter->setFont(cell.font);
    painter->setPen(cell.palette.color(QPalette::PlaceholderText));
    const QString number = model->numberText(index);
    painter->drawText(x + wide - blank - metrics.horizontalAdvance(number), line, number);
    x += wide;
    QFont font = cell.font;
    for (const ProgramSpan &span : model->spans(index)) {
        if (x > cell.rect.right())
            break;
        font.setUnderline(span.isLink());
        font.setBold(span.kind == ProgramSpan::Kind::Name);
        painter->setFont(font);
        painter->setPen(color(span.kind, cell.palette));
        painter->drawText(x, line, span.text);
        x += QFontMetrics(font).horizontalAdvance(span.text);
    }
    painter->restore();
}

QSize ProgramRowDelegate::sizeHint(const QStyleOptionViewItem &option,
                                   const QModelIndex &index) const
{
    QStyleOptionViewItem cell = option;
    initStyleOption(&cell, index);
    return {numberWidth(cell.fontMetrics) + cell.fontMetrics.horizontalAdvance(cell.text) +
                theme::em(cell.widget, 2),
            cell.fontMetrics.height() + 2};
}

std::optional<ProgramSpan> ProgramRowDelegate::linkAt(const QFontMetrics &metrics,
                                                      const QRect &rect, const QModelIndex &index,
                                                      int x)
{
    const ProgramModel *model = programOf(index);
    int from = rect.left() + numberWidth(metrics);
    if (!model || x < from)
        return std::nullopt;
    for (const ProgramSpan &span : model->spans(index)) {
        // The font is one of fixed pitch: bold is as wide.
        const int to = from + metrics.horizontalAdvance(span.text);
        if (x < to)
            return span.isLink() ? std::optional(span) : std::nullopt;
        from = to;
    }
    return std::nullopt;
}

ProgramView::ProgramView(QWidget *parent) : QTreeView(parent)
{
    setFont(fixedFont());
    setHeaderHidden(true);
    setUniformRowHeights(true);
    setEditTriggers(NoEditTriggers);
    setSelectionMode(ExtendedSelection);
    setIndentation(theme::em(this, 1.0));
    setItemDelegate(new ProgramRowDelegate(this));
    setHorizontalScrollMode(ScrollPerPixel);
    setContextMenuPolicy(Qt::ActionsContextMenu);
    setExpandsOnDoubleClick(false);
    header()->setStretchLastSection(false);
    header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    // Of the rows in sight: a program may have many thousand.
    header()->setResizeContentsPrecision(0);
    viewport()->setMouseTracking(true);
}

std::optional<ProgramSpan> ProgramView::linkAt(const QPoint &position) const
{
    const QModelIndex index = indexAt(position);
    return index.isValid()
               ? ProgramRowDelegate::linkAt(fontMetrics(), visualRect(index), index, position.x())
               : std::nullopt;
}

void ProgramView::unfoldAll()
{
    const auto *program = qobject_cast<const ProgramModel *>(model());
    if (!program || !program->tree())
        return;
    scheduleDelayedItemsLayout(); // one layout for all of them
    const ProgramTree &tree = *program->tree();
    for (std::size_t row = 0; row < tree.rows(); ++row) {
        if (tree.node(row).children > 0)
            expand(program->indexOf(row));
    }
    executeDelayedItemsLayout();
}

void ProgramView::mouseMoveEvent(QMouseEvent *event)
{
    QTreeView::mouseMoveEvent(event);
    viewport()->setCursor(linkAt(event->pos()) ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

void ProgramView::mouseReleaseEvent(QMouseEvent *event)
{
    QTreeView::mouseReleaseEvent(event);
    if (event->button() != Qt::LeftButton || event->modifiers() != Qt::NoModifier)
        return;
    if (const auto link = linkAt(event->pos()))
        Q_EMIT linkFollowed(*link);
}

} // namespace kernscope::ui

#include "moc_program_view.cpp"
