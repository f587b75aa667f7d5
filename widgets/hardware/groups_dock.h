// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/dock.h"
#include "widgets/hardware/hardware_facts.h"

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

/// The output-channel groups of the chosen weight: records of a weight section, or the slices that
/// the engine cores of a hardware container load, as a table and as a map of cores and channels.
/// Choosing a group goes to its bytes.
class GroupsDock final : public Dock
{
    Q_OBJECT

public:
    explicit GroupsDock(Session &session, QWidget *parent = nullptr);

    GroupModel &model() { return *m_model; }
    QTableView &table() { return *m_table; }
    GroupMap &map() { return *m_map; }

protected:
    void refresh() override;
    void follow(const Place &place, QObject *origin) override;

private:
    void showWeight(std::size_t weight);
    QString needed() const;
    QString summaryOf(const Weight &weight, const std::vector<GroupRow> &rows) const;
    void pick(int row);
    void select(int row);

    std::size_t m_weight = kNoIndex;
    bool m_selecting = false;
    QLabel *m_summary = nullptr;
    GroupModel *m_model = nullptr;
    QTableView *m_table = nullptr;
    GroupMap *m_map = nullptr;
};

} // namespace kernscope::ui
