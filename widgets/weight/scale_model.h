// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/weight_detail.h"
#include "widgets/common/window_columns.h"

#include <QAbstractTableModel>

#include <optional>
#include <vector>

namespace kernscope::ui {

/// A row a scale: where along the weight, its value, its zero point. Editable while unlocked.
class ScaleModel final : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column : int { PlaceColumn, ScaleColumn, ZeroColumn, ExponentColumn, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;

    void setScales(ScaleData data);
    const ScaleData &content() const { return m_data; }
    void setEditable(bool editable) { m_editable = editable; }
    /// The scale and the zero point that a row shows.
    quint64 scaleAt(int row) const
    {
        return m_data.scales.size() == 1 ? 0 : static_cast<quint64>(row);
    }
    auto zeroAt(int row) const { return m_data.zeroPlace(static_cast<std::size_t>(row)); }

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    bool setData(const QModelIndex &index, const QVariant &value, int role) override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;
    Qt::ItemFlags flags(const QModelIndex &index) const override;

Q_SIGNALS:
    void scaleEdited(quint64 scale, double value);
    void zeroEdited(quint64 zero, qint64 code);

private:
    WindowColumns<report::ScaleRow> m_columns{report::scaleTable()};
    ScaleData m_data;
    bool m_editable = false;
};

} // namespace kernscope::ui
