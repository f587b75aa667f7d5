// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHeaderView>

namespace kernscope::ui {

class BundleTreeModel;

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

} // namespace kernscope::ui
