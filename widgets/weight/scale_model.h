// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/progress.h"
#include "core/bundle/bundle.h"

#include <QAbstractTableModel>

#include <optional>
#include <vector>

namespace kernscope::ui {

/// The scales of an affine, blockwise or microscaled weight and their zero points, as values.
struct ScaleData {
    std::vector<double> scales;
    std::vector<double> zeros;       ///< as many, or one for all, or none: the zero point is 0
    bool zeroPoints = false;         ///< the second operand is a zero point; else an offset
    Shape shape;                     ///< of the scales
    std::optional<std::size_t> axis; ///< of the weight, that a list of scales runs along

    /// Whether the weight has scales that are stored as numbers of their own.
    static bool has(const Weight &weight);
    /// On any thread, under a BundleReadLock. Errors: "task.cancelled", "scale.none".
    static Result<ScaleData> read(const Bundle &bundle, std::size_t weight, Progress &progress);
    /// The zero point or offset that goes with a scale.
    std::optional<double> zeroOf(std::size_t scale) const;
    /// "3", or "3, 0, 1" where the scales have several axes of more than one element.
    QString placeOf(std::size_t scale) const;
};

/// A row a scale: where along the weight, its value, its zero point. Editable while unlocked.
class ScaleModel final : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column : int { PlaceColumn, ScaleColumn, ZeroColumn, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;

    void setScales(ScaleData data);
    const ScaleData &content() const { return m_data; }
    void setEditable(bool editable) { m_editable = editable; }

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
    ScaleData m_data;
    bool m_editable = false;
};

} // namespace kernscope::ui
