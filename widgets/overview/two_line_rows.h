// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyledItemDelegate>

class QFontMetrics;
class QTreeView;

namespace kernscope::ui {

class BundleTreeModel;

/// Rows of the navigator where one line has no room for all figures. The first line is the name and
/// the stored bytes; the second, smaller and faint, the form, the ratio and the zeros. Two columns
/// are on view: the name with the form below it, and the bytes with both figures below them. A name
/// also takes what the number beside it leaves free. Groups have one line in the middle of a row as
/// high as the others: many rows of one height are not measured one by one.
class TwoLineRows final : public QStyledItemDelegate
{
    Q_OBJECT

public:
    TwoLineRows(const BundleTreeModel &model, QTreeView *view);

    /// Pixels that a ratio and a share of zeros take, beside each other at the right edge; the
    /// header places its words by them.
    static int zerosWidth(const QFontMetrics &small);
    static int ratioWidth(const QFontMetrics &small);
    /// Between two figures, and between a figure and an edge.
    static int gap(const QWidget *widget);
    static QFont smallFont(const QFont &base);

    /// Pixels of the name's line in that row, and what the whole name needs.
    int nameRoom(const QModelIndex &name) const;
    int wholeNameWidth(const QModelIndex &name) const;

    void paint(QPainter *painter, const QStyleOptionViewItem &option,
               const QModelIndex &index) const override;
    QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override;

private:
    QString text(const QModelIndex &row, const char *key) const;
    /// What the number in the column of bytes leaves free at its left.
    int freeBesideNumber(const QModelIndex &index) const;
    void paintNames(QPainter &painter, const QStyleOptionViewItem &cell,
                    const QModelIndex &index) const;
    void paintFigures(QPainter &painter, const QStyleOptionViewItem &cell,
                      const QModelIndex &index) const;

    const BundleTreeModel &m_model;
    QTreeView *m_view;
};

} // namespace kernscope::ui
