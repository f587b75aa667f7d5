// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/matrix_model.h"

#include "widgets/models/words.h"

#include <QColor>
#include <QGuiApplication>
#include <QSet>

#include <cmath>

namespace kernscope::ui {

namespace {

constexpr int kMostTint = 110; ///< alpha behind a text, of 255

/// The declared figures, in the order of MatrixFigure; the outcome is the last, of one chip.
const WindowColumns<report::MatrixCell> &matrixColumns()
{
    static const WindowColumns<report::MatrixCell> kColumns(report::matrixTable);
    return kColumns;
}

} // namespace

QString matrixFigureTitle(MatrixFigure figure)
{
    return figure == MatrixFigure::Outcome
               ? MatrixModel::tr("Outcome on a chip")
               : matrixColumns().header(static_cast<int>(figure), Qt::DisplayRole).toString();
}

/// Names of files without what comes after their last dot, where they still differ then.
static QStringList withoutEndings(const QStringList &names)
{
    QStringList bare;
    for (const QString &name : names) {
        const auto dot = name.lastIndexOf(QLatin1Char('.'));
        bare << (dot > 0 ? name.left(dot) : name);
    }
    const QSet<QString> different(bare.begin(), bare.end());
    return different.size() == names.size() ? bare : names;
}

void MatrixModel::setMatrix(BuildMatrixPtr matrix)
{
    show(std::move(matrix), m_figure, m_chip);
}

void MatrixModel::setFigure(MatrixFigure figure, std::size_t chip)
{
    show(m_matrix, figure, chip);
}

void MatrixModel::show(BuildMatrixPtr matrix, MatrixFigure figure, std::size_t chip)
{
    replaceRows(false, [&] {
        m_largest.reset();
        m_matrix = std::move(matrix);
        m_figure = figure;
        m_chip = m_matrix && chip < m_matrix->chips.size() ? chip : 0;
        std::vector<report::ColumnFacts> columns;
        QStringList names;
        if (m_matrix) {
            report::ColumnFacts weight, build;
            weight.key = weight.title = "weight";
            weight.explanation = "Name of the weight in the base";
            build.key = "build";
            build.align =
                isText() ? report::TextTable::Align::Left : report::TextTable::Align::Right;
            columns.assign(m_matrix->builds.size() + 1, build);
            columns.front() = weight;
            for (const std::string &name : m_matrix->builds)
                names << fromUtf8(name);
            names = QStringList(QString()) + shortNames(withoutEndings(names));
        }
        setColumns(std::move(columns), {names.begin(), names.end()});
    });
}

std::size_t MatrixModel::weightAt(int row) const
{
    return row >= 0 && row < rowCount() ? m_matrix->rows[sourceRow(row)].weight : kNoIndex;
}

int MatrixModel::rowOfWeight(std::size_t weight) const
{
    for (std::size_t row = 0; row < rowTotal(); ++row) {
        if (m_matrix->rows[row].weight == weight)
            return rowOf(row);
    }
    return -1;
}

const report::MatrixCell &MatrixModel::cell(std::size_t row, std::size_t column) const
{
    return m_matrix->rows[row].cells[column - 1];
}

bool MatrixModel::isText() const
{
    return m_figure == MatrixFigure::Verdict || m_figure == MatrixFigure::Outcome;
}

report::Value MatrixModel::valueOf(std::size_t row, std::size_t column) const
{
    if (column == 0)
        return report::View(m_matrix->rows[row].name);
    const report::MatrixCell &one = cell(row, column);
    if (m_figure == MatrixFigure::Verdict || one.weight == kNoIndex)
        return one.verdict;
    if (m_figure != MatrixFigure::Outcome)
        return matrixColumns().value(static_cast<int>(m_figure), one);
    if (m_chip >= one.outcomes.size())
        return report::Unknown();
    return outcomeLabel(one.outcomes[m_chip]).toStdString();
}

std::string MatrixModel::originOf(std::size_t row, std::size_t column) const
{
    return column == 0 ? std::string() : cell(row, column).verdict;
}

/// A weight that a build does not have says so in place of a number: it stays last.
report::SortValue MatrixModel::orderOf(std::size_t row, std::size_t column) const
{
    const bool none = column > 0 && !isText() && cell(row, column).weight == kNoIndex;
    return none ? report::SortValue() : RowTableModel::orderOf(row, column);
}

QVariant MatrixModel::lookOf(std::size_t row, int column, int role) const
{
    const auto place = static_cast<std::size_t>(column);
    if (column == 0 || (role != CopyRole && role != Qt::BackgroundRole))
        return {};
    const report::MatrixCell &one = cell(row, place);
    if (role == CopyRole) { // for other programs: a number or none, and names of outcomes
        if (one.weight == kNoIndex)
            return isText() ? QVariant() : QVariant(QString());
        return m_figure == MatrixFigure::Outcome && m_chip < one.outcomes.size()
                   ? QVariant(fromUtf8(decision::outcomeName(one.outcomes[m_chip])))
                   : QVariant();
    }
    if (m_figure != MatrixFigure::RelativeRmse)
        return {};
    const report::SortValue order = orderOf(row, place);
    const auto *value = std::get_if<double>(&order);
    const double share = value && largest() > 0 ? std::min(1.0, *value / largest()) : 0;
    QColor tint = theme::color(Token::DiffMore, theme::isDark(QGuiApplication::palette()));
    tint.setAlpha(static_cast<int>(kMostTint * (std::isfinite(share) ? share : 1)));
    return tint;
}

double MatrixModel::largest() const
{
    if (!m_largest) {
        m_largest = 0;
        for (std::size_t row = 0; row < rowTotal(); ++row) {
            for (std::size_t column = 1; column <= m_matrix->builds.size(); ++column) {
                const report::SortValue order = orderOf(row, column);
                const auto *value = std::get_if<double>(&order);
                if (value && std::isfinite(*value))
                    m_largest = std::max(*m_largest, *value);
            }
        }
    }
    return *m_largest;
}

QVariant MatrixModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (role != Qt::ToolTipRole || section < 1 || section >= columnCount())
        return RowTableModel::headerData(section, orientation, role);
    return tr("%1 in %2")
        .arg(matrixFigureTitle(m_figure),
             fromUtf8(m_matrix->builds[static_cast<std::size_t>(section - 1)]));
}

} // namespace kernscope::ui

#include "moc_matrix_model.cpp"
