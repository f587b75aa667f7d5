// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/compare_model.h"

#include "widgets/common/outcome_words.h"
#include "widgets/common/table_text.h"

#include <QCoreApplication>
#include <QMimeData>

#include <algorithm>
#include <utility>

namespace kernscope::ui {

namespace {

/// A row on its way to another one: where it comes from, and its stable number.
const QString kRowMime = QStringLiteral("application/x-kernscope-pair-row");

/// What the data of a drag begins with: this program and this model, for rows of another one are
/// other rows.
QByteArray dragOrigin(const CompareModel &model)
{
    return QByteArray::number(QCoreApplication::applicationPid()) + ' ' +
           QByteArray::number(qulonglong(reinterpret_cast<quintptr>(&model))) + ' ';
}

CompareColumn columnOf(int section)
{
    return static_cast<CompareColumn>(section);
}

QString nameTip(const CompareRow &row)
{
    QString tip = row.name;
    if (!row.nameB.isEmpty())
        tip += QStringLiteral("\n") + CompareModel::tr("in B: %1").arg(row.nameB);
    const Shape &shape = row.onA() ? row.shapeA : row.shapeB;
    return tip + QStringLiteral("\n") + QString::fromStdString(shapeText(shape));
}

} // namespace

CompareModel::CompareModel(QObject *parent) : QAbstractTableModel(parent) {}

bool CompareModel::samePairs(const std::vector<CompareRow> &rows) const
{
    const auto same = [](const CompareRow &x, const CompareRow &y) {
        return x.pair.a == y.pair.a && x.pair.b == y.pair.b && x.name == y.name &&
               x.nameB == y.nameB;
    };
    return !rows.empty() &&
           std::equal(rows.begin(), rows.end(), m_rows.begin(), m_rows.end(), same);
}

void CompareModel::setLimits(const ValueLimits &limits)
{
    m_limits = limits;
    for (CompareRow &row : m_rows)
        row.limits = limits;
    if (!m_order.empty())
        Q_EMIT dataChanged(index(0, static_cast<int>(CompareColumn::Limits)),
                           index(rowCount() - 1, static_cast<int>(CompareColumn::Limits)));
    updateOrder();
}

void CompareModel::setRows(std::vector<CompareRow> rows)
{
    for (CompareRow &row : rows)
        row.limits = m_limits;
    if (samePairs(rows)) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (rows[i].state == CompareState::Compared && !m_rows[i].word.isEmpty())
                rows[i].word = m_rows[i].word; // until the verdict is told anew
            rows[i].outcomeA = m_rows[i].outcomeA;
            rows[i].outcomeB = m_rows[i].outcomeB;
        }
        m_rows = std::move(rows);
        if (!m_order.empty())
            Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, kCompareColumns - 1));
        return;
    }
    beginResetModel();
    m_shortNames.clear();
    m_rows = std::move(rows);
    applyFilter();
    endResetModel();
}

void CompareModel::setPair(std::size_t row, const WeightPair &pair, CompareState state,
                           const QString &word, const QString &changes)
{
    if (row >= m_rows.size())
        return;
    m_rows[row].pair = pair;
    m_rows[row].state = state;
    m_rows[row].word = word;
    m_rows[row].changes = changes;
    const int shown = m_shown[row];
    if (shown >= 0)
        Q_EMIT dataChanged(index(shown, 0), index(shown, kCompareColumns - 1));
}

void CompareModel::setOutcomes(const ComparisonOutcome *outcome, const target::Target &chip)
{
    const auto of = [&](const DecisionTable &table, std::size_t weight) {
        const std::size_t column = table.columnOf(chip);
        return column == kNoIndex || weight >= table.rows()
                   ? std::nullopt
                   : std::optional(table.verdict(weight, column).outcome);
    };
    for (CompareRow &row : m_rows) {
        row.outcomeA = outcome ? of(outcome->before, row.pair.a) : std::nullopt;
        row.outcomeB = outcome ? of(outcome->after, row.pair.b) : std::nullopt;
    }
    m_chipTitle = fromUtf8(chip.name);
    const int column = static_cast<int>(CompareColumn::Outcome);
    Q_EMIT headerDataChanged(Qt::Horizontal, column, column);
    if (!m_order.empty())
        Q_EMIT dataChanged(index(0, column), index(rowCount() - 1, column));
    updateOrder();
}

void CompareModel::setStopped(bool stopped)
{
    const CompareState from = stopped ? CompareState::Waiting : CompareState::Stopped;
    const CompareState to = stopped ? CompareState::Stopped : CompareState::Waiting;
    for (CompareRow &row : m_rows) {
        if (row.state == from)
            row.state = to;
    }
    if (!m_order.empty())
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, kCompareColumns - 1));
}

void CompareModel::setFilterText(const QString &text)
{
    m_filter = TextFilter(text);
    updateOrder();
}

void CompareModel::setDifferencesOnly(bool only)
{
    m_differencesOnly = only;
    updateOrder();
}

std::size_t CompareModel::rowAt(int shown) const
{
    return shown >= 0 && shown < rowCount() ? m_order[static_cast<std::size_t>(shown)] : kNoIndex;
}

int CompareModel::shownRow(std::size_t row) const
{
    return row < m_shown.size() ? m_shown[row] : -1;
}

std::size_t CompareModel::rowOfA(std::size_t index) const
{
    const auto at = std::find_if(m_rows.begin(), m_rows.end(), [index](const CompareRow &row) {
        return row.onA() && row.pair.a == index;
    });
    return at == m_rows.end() ? kNoIndex : static_cast<std::size_t>(at - m_rows.begin());
}

std::size_t CompareModel::rowOfB(std::size_t index) const
{
    const auto at = std::find_if(m_rows.begin(), m_rows.end(), [index](const CompareRow &row) {
        return row.onB() && row.pair.b == index;
    });
    return at == m_rows.end() ? kNoIndex : static_cast<std::size_t>(at - m_rows.begin());
}

std::size_t CompareModel::rowOfNames(const QString &nameA, const QString &nameB) const
{
    const auto at = std::find_if(m_rows.begin(), m_rows.end(), [&](const CompareRow &row) {
        return row.onA() ? row.name == nameA && row.nameB == nameB
                         : nameA.isEmpty() && row.name == nameB;
    });
    return at == m_rows.end() ? kNoIndex : static_cast<std::size_t>(at - m_rows.begin());
}

int CompareModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_order.size());
}

int CompareModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : kCompareColumns;
}

QVariant CompareModel::data(const QModelIndex &index, int role) const
{
    const std::size_t number = rowAt(index.row());
    if (!index.isValid() || number == kNoIndex)
        return {};
    const CompareRow &row = m_rows[number];
    const CompareColumn column = columnOf(index.column());
    switch (role) {
    case Qt::DisplayRole: return compareCellText(row, column);
    case kShortNameRole:
        if (column != CompareColumn::Weight)
            return {};
        return m_shortNames.of(
            number, m_rows.size(),
            [&](std::size_t at) { return compareCellText(m_rows[at], CompareColumn::Weight); },
            [&](std::size_t at) { return m_rows[at].function; });
    case Qt::TextAlignmentRole:
        return QVariant(isNumberColumn(column) ? Qt::AlignRight | Qt::AlignVCenter
                                               : Qt::AlignLeft | Qt::AlignVCenter);
    case Qt::ToolTipRole:
        if (column == CompareColumn::Weight)
            return nameTip(row);
        if (column == CompareColumn::Verdict)
            return verdictSentence(row);
        if (column == CompareColumn::Limits && row.holds())
            return limitsText(row);
        if (column == CompareColumn::Outcome && row.outcomeA && row.outcomeB)
            return tr("A: %1, B: %2").arg(outcomeLabel(*row.outcomeA), outcomeLabel(*row.outcomeB));
        if (column == CompareColumn::Changes && !compareCellPlain(row, column).isEmpty())
            return compareCellPlain(row, column);
        if (column == CompareColumn::Pairing && !row.reason.isEmpty())
            return row.reason;
        return compareColumnHelp(column);
    case SortRole: {
        const auto key = compareCellNumber(row, column);
        return key ? QVariant(*key) : QVariant(compareCellPlain(row, column));
    }
    case CopyRole: return compareCellPlain(row, column);
    default: return {};
    }
}

QVariant CompareModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= kCompareColumns)
        return QAbstractTableModel::headerData(section, orientation, role);
    const CompareColumn column = columnOf(section);
    switch (role) {
    case Qt::DisplayRole:
        return column == CompareColumn::Outcome && !m_chipTitle.isEmpty()
                   ? m_chipTitle
                   : compareColumnTitle(column);
    case Qt::ToolTipRole: return compareColumnHelp(column);
    case Qt::InitialSortOrderRole: // of figures the largest first
        return static_cast<int>(isNumberColumn(column) ? Qt::DescendingOrder : Qt::AscendingOrder);
    case Qt::TextAlignmentRole:
        return QVariant(isNumberColumn(column) ? Qt::AlignRight | Qt::AlignVCenter
                                               : Qt::AlignLeft | Qt::AlignVCenter);
    default: return {};
    }
}

Qt::ItemFlags CompareModel::flags(const QModelIndex &index) const
{
    const Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    return index.isValid() ? flags | Qt::ItemIsDragEnabled | Qt::ItemIsDropEnabled : flags;
}

QStringList CompareModel::mimeTypes() const
{
    return {kRowMime};
}

QMimeData *CompareModel::mimeData(const QModelIndexList &indexes) const
{
    const auto otherRow = [&](const QModelIndex &cell) {
        return cell.row() != indexes.front().row();
    };
    if (indexes.isEmpty() || std::any_of(indexes.begin(), indexes.end(), otherRow))
        return nullptr; // it is not clear which one of several is meant
    auto *data = new QMimeData;
    data->setData(kRowMime,
                  dragOrigin(*this) + QByteArray::number(qulonglong(rowAt(indexes.front().row()))));
    return data;
}

/// The row of this very model that is dragged; none where the data is of another one, or of another
/// program.
std::optional<std::size_t> CompareModel::draggedRow(const QMimeData *data) const
{
    const QByteArray origin = dragOrigin(*this);
    const QByteArray text = data ? data->data(kRowMime) : QByteArray();
    bool whole = false;
    const qulonglong row =
        text.startsWith(origin) ? text.mid(origin.size()).toULongLong(&whole) : 0;
    if (!whole || row >= m_rows.size())
        return std::nullopt;
    return static_cast<std::size_t>(row);
}

bool CompareModel::canDropMimeData(const QMimeData *data, Qt::DropAction, int, int,
                                   const QModelIndex &parent) const
{
    return parent.isValid() && draggedRow(data).has_value();
}

bool CompareModel::dropMimeData(const QMimeData *data, Qt::DropAction action, int row, int column,
                                const QModelIndex &parent)
{
    if (!canDropMimeData(data, action, row, column, parent))
        return false;
    const std::size_t dragged = *draggedRow(data), onto = rowAt(parent.row());
    if (onto < m_rows.size() && dragged != onto)
        Q_EMIT rowDropped(dragged, onto);
    return false; // no row goes anywhere
}

} // namespace kernscope::ui

#include "moc_compare_model.cpp"
