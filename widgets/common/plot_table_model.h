// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QStringList>
#include <QVariant>

namespace kernscope::ui {

/// The numbers that a plot shows, point by point. The plot implements it; the model knows no plot.
class PlotNumbers
{
public:
    virtual ~PlotNumbers() = default;
    virtual int pointCount() const = 0;
    virtual QString pointText(int point) const = 0; ///< what a screen reader reads
    virtual QStringList columns() const = 0;
    virtual QVariant cell(int point, int column) const = 0;
};

/// The numbers of a plot as a table: what a screen reader reads and what goes into a CSV file.
class PlotTableModel final : public QAbstractTableModel
{
    Q_OBJECT

public:
    explicit PlotTableModel(const PlotNumbers &plot, QObject *parent = nullptr);

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;

    /// To be called around every change of the plot's data.
    void beginChange() { beginResetModel(); }
    void endChange();

private:
    const PlotNumbers &m_plot;
    int m_rows = 0, m_columns = 0;
};

} // namespace kernscope::ui
