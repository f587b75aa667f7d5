// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/program/program_spans.h"

#include <QPalette>
#include <QStyledItemDelegate>

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

} // namespace kernscope::ui
