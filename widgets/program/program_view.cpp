// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/program/program_view.h"

#include "widgets/common/fixed_font.h"
#include "widgets/common/theme.h"
#include "widgets/program/program_model.h"
#include "widgets/program/program_row_delegate.h"

#include <QApplication>
#include <QHeaderView>
#include <QMouseEvent>

namespace kernscope::ui {

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
