// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QString>

namespace kernscope::ui {

/// A table whose rows are a choice, in an order, from what it holds: by the words of a filter box
/// and by a column.
class ChosenRowsModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    using QAbstractTableModel::QAbstractTableModel;

    /// Keeps rows in which every word occurs; the subclass says in which of their texts.
    void setFilter(const QString &words);
    const QString &filter() const { return m_filter; }

    void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

protected:
    /// Chooses the rows anew, by filter() and the wanted order.
    virtual void chooseRows() = 0;
    /// The same, with a reset of the model around it.
    void chooseAnew();

    int sortColumn() const { return m_sortColumn; } ///< -1: in the order that it holds them
    Qt::SortOrder sortOrder() const { return m_sortOrder; }
    /// False where that is the order already.
    bool setOrder(int column, Qt::SortOrder order);

private:
    QString m_filter;
    int m_sortColumn = -1;
    Qt::SortOrder m_sortOrder = Qt::AscendingOrder;
};

} // namespace kernscope::ui
