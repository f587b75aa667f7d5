// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/matrix_model.h"

#include "widgets/models/row_table_model.h"
#include "widgets/models/words.h"

#include <QCollator>
#include <QColor>
#include <QGuiApplication>
#include <QPalette>
#include <QSet>

#include <cmath>
#include <numeric>

namespace kernscope::ui {

namespace {

constexpr int kMostTint = 110; ///< alpha behind a text, of 255

/// The declared figures, in the order of MatrixFigure; the outcome is the last, of one chip.
const WindowColumns<report::MatrixCell> &matrixColumns()
{
    static const WindowColumns<report::MatrixCell> kColumns(report::matrixTable());
    return kColumns;
}

report::Value matrixValue(const report::MatrixCell &cell, MatrixFigure figure)
{
    return cell.weight == kNoIndex ? report::Value(report::Unknown())
                                   : matrixColumns().value(static_cast<int>(figure), cell);
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
    beginResetModel();
    m_largest.reset();
    m_matrix = std::move(matrix);
    if (m_matrix && m_chip >= m_matrix->chips.size())
        m_chip = 0;
    m_short.clear();
    m_names.clear();
    for (const std::string &name : m_matrix ? m_matrix->builds : std::vector<std::string>())
        m_names << fromUtf8(name);
    m_names = shortNames(withoutEndings(m_names));
    m_order = wanted();
    endResetModel();
}

void MatrixModel::setFigure(MatrixFigure figure, std::size_t chip)
{
    beginResetModel();
    m_largest.reset();
    m_figure = figure;
    m_chip = m_matrix && chip >= m_matrix->chips.size() ? 0 : chip;
    m_order = wanted();
    endResetModel();
}

std::size_t MatrixModel::weightAt(int row) const
{
    return row >= 0 && row < rowCount()
               ? m_matrix->rows[m_order[static_cast<std::size_t>(row)]].weight
               : kNoIndex;
}

int MatrixModel::rowOfWeight(std::size_t weight) const
{
    const auto at = std::ranges::find_if(
        m_order, [&](std::size_t row) { return m_matrix->rows[row].weight == weight; });
    return at == m_order.end() ? -1 : static_cast<int>(at - m_order.begin());
}

int MatrixModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_order.size());
}

int MatrixModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() || !m_matrix ? 0 : static_cast<int>(m_matrix->builds.size()) + 1;
}

const report::MatrixCell &MatrixModel::cell(std::size_t row, int column) const
{
    return m_matrix->rows[row].cells[static_cast<std::size_t>(column) - 1];
}

bool MatrixModel::isText(int column) const
{
    return column == 0 || m_figure == MatrixFigure::Verdict || m_figure == MatrixFigure::Outcome;
}

std::optional<double> MatrixModel::number(std::size_t row, int column) const
{
    const report::SortValue order = report::sortValue(matrixValue(cell(row, column), m_figure));
    if (const auto *whole = std::get_if<std::uint64_t>(&order))
        return static_cast<double>(*whole);
    const auto *real = std::get_if<double>(&order);
    return real != nullptr ? std::optional(*real) : std::nullopt;
}

QString MatrixModel::text(std::size_t row, int column) const
{
    if (column == 0)
        return fromUtf8(m_matrix->rows[row].name);
    const report::MatrixCell &one = cell(row, column);
    if (m_figure == MatrixFigure::Verdict || one.weight == kNoIndex)
        return fromUtf8(one.verdict);
    if (m_figure == MatrixFigure::Outcome)
        return m_chip < one.outcomes.size() ? outcomeLabel(one.outcomes[m_chip])
                                            : QStringLiteral("\u2013");
    return cellText(matrixValue(one, m_figure));
}

/// For other programs: numbers without separators, units and signs; empty where there is none.
QString MatrixModel::plainText(std::size_t row, int column) const
{
    if (!isText(column))
        return QString::fromStdString(report::plainText(matrixValue(cell(row, column), m_figure)));
    if (column > 0 && m_figure == MatrixFigure::Outcome) {
        const report::MatrixCell &one = cell(row, column);
        if (one.weight != kNoIndex)
            return m_chip < one.outcomes.size()
                       ? fromUtf8(decision::outcomeName(one.outcomes[m_chip]))
                       : QString();
    }
    return text(row, column);
}

QVariant MatrixModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount() || index.column() >= columnCount())
        return {};
    const std::size_t row = m_order[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole: return text(row, index.column());
    case kShortNameRole:
        return index.column() > 0 ? QString()
                                  : m_short.of(row, m_matrix->rows.size(),
                                               [this](std::size_t i) { return text(i, 0); });
    case Qt::TextAlignmentRole:
        return QVariant(isText(index.column()) ? Qt::AlignLeft | Qt::AlignVCenter
                                               : Qt::AlignRight | Qt::AlignVCenter);
    case Qt::ToolTipRole:
        return index.column() == 0 ? text(row, 0) : fromUtf8(cell(row, index.column()).verdict);
    case SortRole:
        if (!isText(index.column())) {
            const auto value = number(row, index.column());
            return value ? QVariant(*value) : QVariant();
        }
        return text(row, index.column());
    case CopyRole: return plainText(row, index.column());
    case Qt::BackgroundRole: {
        if (m_figure != MatrixFigure::RelativeRmse || index.column() == 0)
            return {};
        const auto value = number(row, index.column());
        const double share = value && largest() > 0 ? std::min(1.0, *value / largest()) : 0;
        QColor tint = theme::color(Token::DiffMore, theme::isDark(QGuiApplication::palette()));
        tint.setAlpha(static_cast<int>(kMostTint * (std::isfinite(share) ? share : 1)));
        return tint;
    }
    default: return {};
    }
}

double MatrixModel::largest() const
{
    if (!m_largest) {
        m_largest = 0;
        for (std::size_t row = 0; row < m_matrix->rows.size(); ++row) {
            for (int column = 1; column < columnCount(); ++column) {
                const auto value = number(row, column);
                if (value && std::isfinite(*value))
                    m_largest = std::max(*m_largest, *value);
            }
        }
    }
    return *m_largest;
}

QVariant MatrixModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return QAbstractTableModel::headerData(section, orientation, role);
    const bool weight = section == 0;
    switch (role) {
    case Qt::DisplayRole: return weight ? tr("Weight") : m_names[section - 1];
    case Qt::ToolTipRole:
        return weight ? tr("Name of the weight in the base.")
                      : tr("%1 in %2")
                            .arg(matrixFigureTitle(m_figure),
                                 fromUtf8(m_matrix->builds[static_cast<std::size_t>(section - 1)]));
    case Qt::InitialSortOrderRole: // of figures the largest first
        return static_cast<int>(isText(section) ? Qt::AscendingOrder : Qt::DescendingOrder);
    case Qt::TextAlignmentRole:
        return QVariant(isText(section) ? Qt::AlignLeft | Qt::AlignVCenter
                                        : Qt::AlignRight | Qt::AlignVCenter);
    default: return {};
    }
}

std::vector<std::size_t> MatrixModel::wanted() const
{
    std::vector<std::size_t> order(m_matrix ? m_matrix->rows.size() : 0);
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (m_sortColumn < 0 || m_sortColumn >= columnCount())
        return order;
    const bool ascending = m_sortOrder == Qt::AscendingOrder;
    QCollator collator;
    collator.setNumericMode(true);
    std::ranges::stable_sort(order, [&](std::size_t x, std::size_t y) {
        if (isText(m_sortColumn)) {
            const int less = collator.compare(text(x, m_sortColumn), text(y, m_sortColumn));
            return ascending ? less < 0 : less > 0;
        }
        const auto a = number(x, m_sortColumn), b = number(y, m_sortColumn);
        if (!a || !b)
            return a.has_value() && !b; // what has no number stays last
        return ascending ? *a < *b : *b < *a;
    });
    return order;
}

void MatrixModel::sort(int column, Qt::SortOrder order)
{
    m_sortColumn = column;
    m_sortOrder = order;
    Q_EMIT layoutAboutToBeChanged({}, QAbstractItemModel::VerticalSortHint);
    const std::vector<std::size_t> before = std::exchange(m_order, wanted());
    const QModelIndexList from = persistentIndexList();
    changePersistentIndexList(from, movedCells(*this, from, before, m_order));
    Q_EMIT layoutChanged({}, QAbstractItemModel::VerticalSortHint);
}

} // namespace kernscope::ui

#include "moc_matrix_model.cpp"
