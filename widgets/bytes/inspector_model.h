// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/bytes/byte_text.h"

#include <QAbstractTableModel>

#include <span>

namespace kernscope::ui {

/// The bytes under the cursor in every reading, a row each: name and value.
class InspectorModel final : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column : int { Name, Value, ColumnCount };

    explicit InspectorModel(QObject *parent = nullptr);

    /// Up to eight bytes, from the cursor on. Rows stay where they are.
    void setBytes(std::span<const std::byte> bytes);
    /// The highest byte of a number comes first; takes effect with the next setBytes().
    void setBigEndian(bool big) { m_big = big; }
    bool bigEndian() const { return m_big; }

    /// Characters of the longest value that the reading in that row can have.
    int longestValue(int row) const { return m_rows[static_cast<std::size_t>(row)].longest; }

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<InspectedValue> m_rows;
    bool m_big = false;
};

} // namespace kernscope::ui
