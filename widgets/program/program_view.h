// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/program/program_spans.h"

#include <QPalette>
#include <QStyledItemDelegate>
#include <QTreeView>

#include <optional>

namespace kernscope::ui {

/// Draws a row of a program: its number faint, each part in its colour, links underlined.
class ProgramRowDelegate final : public QStyledItemDelegate
{
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter *painter, const QStyleOptionViewItem &option,
               const QModelIndex &index) const override;
    QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override;

    /// Of a kind of text; with a contrast of 4.5 and more on the palette's Base.
    static QColor color(ProgramSpan::Kind kind, const QPalette &palette);
    /// The link at `x` of a row whose cell is `rect`; nothing beside the links.
    static std::optional<ProgramSpan> linkAt(const QFontMetrics &metrics, const QRect &rect,
                                             const QModelIndex &index, int x);

private:
    static int numberWidth(const QFontMetrics &metrics);
};

/// The program as text that folds. Links are followed by a click; Enter on a row lists its links.
class ProgramView final : public QTreeView
{
    Q_OBJECT

public:
    explicit ProgramView(QWidget *parent = nullptr);

    std::optional<ProgramSpan> linkAt(const QPoint &position) const;
    /// Unfolds the rows that hold others. QTreeView::expandAll() keeps a note of every row besides:
    /// of 65,000 ten megabytes.
    void unfoldAll();

Q_SIGNALS:
    void linkFollowed(const kernscope::ui::ProgramSpan &link);

protected:
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
};

} // namespace kernscope::ui
