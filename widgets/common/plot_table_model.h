// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>

namespace kernscope::ui {

class PlotWidget;

/// The numbers of a plot as a table: what a screen reader reads and what goes into a CSV file.
class PlotTableModel final : public QAbstractTableModel
{
    Q_OBJECT

public:
    explicit PlotTableModel(const PlotWidget &plot, QObject *parent = nullptr);

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;

    /// To be called around every change of the plot's data.
    void beginChange() { beginResetModel(); }
    void endChange();

private:
    const PlotWidget &m_plot;
    int m_rows = 0, m_columns = 0;
};

} // namespace kernscope::ui
