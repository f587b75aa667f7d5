// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QStringList>
#include <QVariant>

namespace kernscope::ui {

/// The numbers that a plot shows, point by point. The plot implements it; the model knows no plot.
/// A plot whose columns are declared implements columnCount(), header() and cellData(), any other
/// columns() and cell().
class PlotNumbers
{
public:
    virtual ~PlotNumbers() = default;
    virtual int pointCount() const = 0;
    virtual QString pointText(int point) const = 0; ///< what a screen reader reads
    virtual QStringList columns() const { return {}; }
    virtual QVariant cell(int, int) const { return {}; }

    virtual int columnCount() const { return static_cast<int>(columns().size()); }
    virtual QVariant header(int column, int role) const
    {
        return role == Qt::DisplayRole ? QVariant(columns().at(column)) : QVariant();
    }
    /// For the roles of text, alignment, order and copies.
    virtual QVariant cellData(int point, int column, int role) const;
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
