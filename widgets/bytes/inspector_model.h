// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/byte_table.h"
#include "widgets/common/row_table_model.h"

#include <cstddef>
#include <span>
#include <vector>

namespace kernscope::ui {

/// The bytes under the cursor in every reading, a row each, as the command `bytes` prints them: the
/// columns of report::readingTable(), the value in the byte order that the view has chosen.
class InspectorModel final : public RowTableModel
{
    Q_OBJECT

public:
    explicit InspectorModel(QObject *parent = nullptr);

    /// Up to eight bytes, from the cursor on. Rows stay where they are.
    void setBytes(std::span<const std::byte> bytes);
    /// The highest byte of a number comes first.
    void setBigEndian(bool big) { m_big = big; }
    int nameColumn() const { return columnOf("name"); }
    int valueColumn() const { return columnOf(m_big ? "big_endian" : "little_endian"); }
    QString name(int row) const { return index(row, nameColumn()).data().toString(); }
    QString value(int row) const { return index(row, valueColumn()).data().toString(); }

    /// Characters of the longest value that the reading in that row can have.
    int longestValue(int row) const { return m_rows[sourceRow(row)].little.longest; }

protected:
    std::size_t rowTotal() const override { return m_rows.size(); }
    report::Value valueOf(std::size_t row, std::size_t declared) const override;
    std::string originOf(std::size_t, std::size_t) const override { return {}; }
    QVariant lookOf(std::size_t row, int column, int role) const override;

private:
    std::vector<report::ReadingFacts> m_rows;
    bool m_big = false;
};

} // namespace kernscope::ui
