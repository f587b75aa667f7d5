// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/format/activation_table.h"

#include <QAbstractTableModel>

#include <optional>

namespace kernscope::ui {

/// The 43 entries of an activation table: a row each, named as the layout in force names them.
class ActivationModel final : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column : int { Entry, Field, Bits, Value, Known, ColumnCount };

    explicit ActivationModel(QObject *parent = nullptr) : QAbstractTableModel(parent) {}

    void setTable(std::optional<format::ActivationTable> table);

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    const format::ActivationField *fieldOf(std::size_t entry) const;
    QVariant text(const QModelIndex &index) const;

    std::optional<format::ActivationTable> m_table;
};

} // namespace kernscope::ui
