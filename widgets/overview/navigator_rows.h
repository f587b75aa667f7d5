// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/qt_fwd.h"
#include "widgets/models/session.h"
#include "widgets/models/task_manager.h"

#include <QHeaderView>
#include <QStringList>
#include <QStyledItemDelegate>

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

    /// Pixels of the name's line in that row.
    int nameRoom(const QModelIndex &name) const;

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

/// The header of the navigator. Where rows have two lines (TwoLineRows) it has two as well: below
/// the titles of the two columns on view stand those of the figures in the second line. A click on
/// any of them sorts by it.
class NavigatorHeader final : public QHeaderView
{
    Q_OBJECT

public:
    NavigatorHeader(const BundleTreeModel &model, QWidget *parent);

    void setTwoLines(bool two);
    bool twoLines() const { return m_two; }
    /// Where the title of a column stands, in the viewport; empty: it is not on view.
    QRect titleRect(int column) const;

protected:
    void paintSection(QPainter *painter, const QRect &rect, int logicalIndex) const override;
    void initStyleOptionForIndex(QStyleOptionHeader *option, int logicalIndex) const override;
    QSize sectionSizeFromContents(int logicalIndex) const override;
    bool viewportEvent(QEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;

private:
    /// The column of a title in the second line; -1 where there is none.
    int secondLineAt(const QPoint &pos) const;
    QString titleOf(int column) const;
    void sortBy(int column);

    const BundleTreeModel &m_model;
    bool m_two = false;
    int m_pressed = -1;
};

/// The short names of the open bundle's weights, which the docks share. One a session. Those of
/// many weights are made by a task: until then they are whole.
class WeightNames final : public QObject
{
    Q_OBJECT

public:
    /// How many weights have their short names made within a frame.
    static constexpr std::size_t kMostAtOnce = 2000;

    static WeightNames &of(Session &session);

    /// By weight, as its function tells it apart: for views that show the functions. Empty where
    /// they are still being made.
    const QStringList &namesInFunctions() const { return m_inFunctions; }
    /// The short name, or the whole one until it is known; with its function where weights of
    /// several functions have the same name.
    QString nameOf(std::size_t weight) const;
    bool working() const { return m_task.running(); }

Q_SIGNALS:
    void namesChanged();

private:
    explicit WeightNames(Session &session);
    void rebuild();

    Session &m_session;
    QStringList m_names, m_inFunctions;
    Job m_task{m_session.tasks()};
};

} // namespace kernscope::ui
