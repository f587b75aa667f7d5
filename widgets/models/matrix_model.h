// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/build_matrix.h"
#include "widgets/models/row_table_model.h"

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
class MatrixModel final : public RowTableModel
{
    Q_OBJECT

public:
    explicit MatrixModel(QObject *parent = nullptr) : RowTableModel({}, {}, parent) {}

    void setMatrix(BuildMatrixPtr matrix);
    const BuildMatrixPtr &matrix() const { return m_matrix; }
    /// `chip`: of BuildMatrix::chips, for the outcome.
    void setFigure(MatrixFigure figure, std::size_t chip);
    MatrixFigure figure() const { return m_figure; }

    /// Weight of the base in a shown row, and the way back (-1: none).
    std::size_t weightAt(int row) const;
    int rowOfWeight(std::size_t weight) const;

    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

protected:
    std::size_t rowTotal() const override { return m_matrix ? m_matrix->rows.size() : 0; }
    report::Value valueOf(std::size_t row, std::size_t column) const override;
    std::string originOf(std::size_t row, std::size_t column) const override;
    report::SortValue orderOf(std::size_t row, std::size_t column) const override;
    QVariant lookOf(std::size_t row, int column, int role) const override;

private:
    void show(BuildMatrixPtr matrix, MatrixFigure figure, std::size_t chip);
    const report::MatrixCell &cell(std::size_t row, std::size_t column) const;
    bool isText() const;    ///< the figure, which else is a number
    double largest() const; ///< finite value of all cells

    BuildMatrixPtr m_matrix;
    MatrixFigure m_figure = MatrixFigure::RelativeRmse;
    mutable std::optional<double> m_largest; ///< found when it is asked for
    std::size_t m_chip = 0;
};

} // namespace kernscope::ui
