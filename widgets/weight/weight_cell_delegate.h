// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyledItemDelegate>

namespace kernscope::ui {

/// Draws a cell of the value grid: code at the left and faint, value at the right, changed cells
/// outlined with a glyph. Edits the value; every key is told, for the codec's live answer.
class WeightCellDelegate final : public QStyledItemDelegate
{
    Q_OBJECT

public:
    explicit WeightCellDelegate(QObject *parent = nullptr);

    void paint(QPainter *painter, const QStyleOptionViewItem &option,
               const QModelIndex &index) const override;
    QWidget *createEditor(QWidget *parent, const QStyleOptionViewItem &option,
                          const QModelIndex &index) const override;

Q_SIGNALS:
    void typed(const QModelIndex &index, const QString &text) const;
};

} // namespace kernscope::ui
