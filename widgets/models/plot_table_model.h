// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/row_table_model.h"

namespace kernscope::ui {

/// A column of a plot's numbers, by roles: its header, and its cell of a point.
struct PlotColumn {
    std::function<QVariant(int role)> header;
    std::function<QVariant(int point, int role)> cell;

    PlotColumn(std::function<QVariant(int)> head, std::function<QVariant(int, int)> cells)
        : header(std::move(head)), cell(std::move(cells))
    {
    }
    /// `value` gives the number, or the word, of a point.
    template <class Value>
    PlotColumn(const QString &title, Value value)
        : header([title](int role) { return role == Qt::DisplayRole ? title : QVariant(); }),
          cell([value](int point, int role) { return inRole(variantOf(value(point)), role); })
    {
    }

private:
    static QVariant inRole(const QVariant &value, int role);
    template <class T>
    static QVariant variantOf(const T &value)
    {
        if constexpr (std::is_same_v<T, std::uint64_t>)
            return static_cast<qulonglong>(value);
        else
            return value;
    }
};

/// The numbers that a plot shows, point by point. The plot is one; the model knows no plot.
class PlotNumbers
{
public:
    virtual ~PlotNumbers() = default;
    virtual int pointCount() const = 0;
    virtual QString pointText(int point) const = 0; ///< what a screen reader reads

    int columnCount() const { return static_cast<int>(m_columns.size()); }
    QVariant header(int column, int role) const { return at(column).header(role); }
    /// For the roles of text, alignment, order and copies.
    QVariant cellData(int point, int column, int role) const
    {
        return at(column).cell(point, role);
    }

protected:
    void setColumns(std::vector<PlotColumn> columns) { m_columns = std::move(columns); }
    /// The declared columns of the window; `rowOf` gives the row of a point.
    template <class Row, class RowOf>
    void setColumns(const report::TableOf<Row> &table, RowOf rowOf)
    {
        const auto declared = std::make_shared<const WindowColumns<Row>>(table);
        for (int column = 0; column < declared->count(); ++column)
            m_columns.emplace_back(
                [declared, column](int role) { return declared->header(column, role); },
                [declared, column, rowOf](int point, int role) {
                    return declared->cell(column, rowOf(point), role);
                });
    }

private:
    const PlotColumn &at(int column) const { return m_columns[static_cast<std::size_t>(column)]; }

    std::vector<PlotColumn> m_columns;
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
