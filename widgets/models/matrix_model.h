// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/build_matrix.h"
#include "widgets/models/short_names.h"

#include <QAbstractTableModel>
#include <QStringList>

namespace kernscope::ui {

using BuildMatrixPtr = std::shared_ptr<const report::BuildMatrix>;

/// What a cell of the matrix of builds says.
enum class MatrixFigure : int {
    Bytes,
    Ratio,
    RelativeRmse,
    Snr,
    MaxAbs,
    Rmse,
    MaxUlp,
    Zeroed,
    Verdict,
    Outcome
};
inline constexpr int kMatrixFigures = 10;
QString matrixFigureTitle(MatrixFigure figure);

/// Weights down, builds across, one figure at choice. The ground of a relative error is the more
/// tinted the larger it is.
class MatrixModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    using QAbstractTableModel::QAbstractTableModel;

    void setMatrix(BuildMatrixPtr matrix);
    const BuildMatrixPtr &matrix() const { return m_matrix; }
    /// `chip`: of BuildMatrix::chips, for the outcome.
    void setFigure(MatrixFigure figure, std::size_t chip);
    MatrixFigure figure() const { return m_figure; }

    /// Weight of the base in a shown row, and the way back (-1: none).
    std::size_t weightAt(int row) const;
    int rowOfWeight(std::size_t weight) const;

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void sort(int column, Qt::SortOrder order) override;

private:
    const report::MatrixCell &cell(std::size_t row, int column) const;
    QString text(std::size_t row, int column) const;
    QString plainText(std::size_t row, int column) const;
    std::optional<double> number(std::size_t row, int column) const;
    bool isText(int column) const;
    std::vector<std::size_t> wanted() const;

    BuildMatrixPtr m_matrix;
    QStringList m_names;    ///< of the builds, as short as they differ
    ShortNameCache m_short; ///< of the weights
    double largest() const; ///< finite value of all cells

    MatrixFigure m_figure = MatrixFigure::RelativeRmse;
    mutable std::optional<double> m_largest; ///< found when it is asked for
    std::size_t m_chip = 0;
    std::vector<std::size_t> m_order; ///< shown row -> row
    int m_sortColumn = -1;
    Qt::SortOrder m_sortOrder = Qt::AscendingOrder;
};

} // namespace kernscope::ui
