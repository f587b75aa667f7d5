// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/hardware/group_model.h"

#include <QWidget>

namespace kernscope::ui {

/// A map of a weight section: a row a core, a cell a group, as wide as its channels; lanes are
/// drawn as stripes. Arrow keys move between groups.
class GroupMap final : public QWidget
{
    Q_OBJECT

public:
    explicit GroupMap(QWidget *parent = nullptr);

    void setRows(const std::vector<GroupRow> &rows);
    int current() const { return m_current; }
    void setCurrent(int row); ///< -1: none
    /// The cell of a row in the widget.
    QRectF cellOf(int row) const;
    int rowAt(QPointF place) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void picked(int row);

protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    bool event(QEvent *event) override;

private:
    QRectF area() const;

    std::vector<GroupRow> m_rows;
    std::vector<std::uint64_t> m_starts; ///< by record: lanes of the records before
    std::vector<std::uint64_t> m_widths; ///< by record: its most lanes
    std::uint64_t m_cores = 0, m_width = 0;
    int m_current = -1;
};

} // namespace kernscope::ui
