// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/compare_model.h"

#include "widgets/common/key_role.h"
#include "widgets/common/outcome_words.h"
#include "widgets/common/table_text.h"

#include <QCollator>
#include <QCoreApplication>
#include <QMimeData>

#include <algorithm>
#include <utility>

namespace kernscope::ui {

namespace {

using Row = report::PairRow;

/// A row on its way to another one: where it comes from, and its stable number.
const QString kRowMime = QStringLiteral("application/x-kernscope-pair-row");

/// What the data of a drag begins with: this program and this model, for rows of another one are
/// other rows.
QByteArray dragOrigin(const CompareModel &model)
{
    return QByteArray::number(QCoreApplication::applicationPid()) + ' ' +
           QByteArray::number(qulonglong(reinterpret_cast<quintptr>(&model))) + ' ';
}

QString nameTip(const Row &row)
{
    QString tip = fromUtf8(row.name());
    if (row.onA() && row.onB() && row.nameA != row.nameB)
        tip += QStringLiteral("\n") + CompareModel::tr("in B: %1").arg(fromUtf8(row.nameB));
    const Shape &shape = row.onA() ? row.shapeA : row.shapeB;
    return tip + QStringLiteral("\n") + QString::fromStdString(shapeText(shape));
}

/// Numbers by their size, texts as people sort them: "w2" before "w10"; and what has neither last,
/// in either direction.
class ByColumn
{
public:
    explicit ByColumn(bool ascending) : m_ascending(ascending) { m_collator.setNumericMode(true); }

    bool operator()(const report::SortValue &x, const report::SortValue &y) const
    {
        const bool hasX = !std::holds_alternative<std::monostate>(x),
                   hasY = !std::holds_alternative<std::monostate>(y);
        if (!hasX || !hasY)
            return hasX && !hasY;
        const auto *textX = std::get_if<std::string>(&x), *textY = std::get_if<std::string>(&y);
        if (textX != nullptr && textY != nullptr) {
            const int order = m_collator.compare(fromUtf8(*textX), fromUtf8(*textY));
            return m_ascending ? order < 0 : order > 0;
        }
        return m_ascending ? x < y : y < x;
    }

private:
    bool m_ascending;
    QCollator m_collator;
};

} // namespace

CompareModel::CompareModel(QObject *parent) : RowTable(report::pairTable(), parent) {}

bool CompareModel::samePairs(const std::vector<Row> &rows) const
{
    const auto same = [](const Row &x, const Row &y) {
        return x.pair.a == y.pair.a && x.pair.b == y.pair.b && x.nameA == y.nameA &&
               x.nameB == y.nameB;
    };
    return !rows.empty() &&
           std::equal(rows.begin(), rows.end(), this->rows().begin(), this->rows().end(), same);
}

void CompareModel::cellsChanged(int first, int last)
{
    if (rowCount() > 0)
        Q_EMIT dataChanged(index(0, first), index(rowCount() - 1, last));
}

void CompareModel::setLimits(const ValueLimits &limits)
{
    m_limits = limits;
    for (Row &row : held())
        setPairWords(row, limits);
    cellsChanged(columnOf("limits"), columnOf("limits"));
    updateOrder();
}

void CompareModel::setRows(std::vector<Row> rows)
{
    m_shortNames.clear();
    const bool same = samePairs(rows);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (same) {
            const Row &before = this->rows()[i];
            if (rows[i].state == report::PairState::Compared && before.state == rows[i].state)
                rows[i].verdict = before.verdict; // until the verdict is told anew
            rows[i].outcomeA = before.outcomeA;
            rows[i].outcomeB = before.outcomeB;
        }
        setPairWords(rows[i], m_limits);
    }
    replaceRows(same, [&] { held() = std::move(rows); });
}

void CompareModel::setPair(std::size_t row, Row found)
{
    if (row >= rows().size())
        return;
    found.outcomeA = rows()[row].outcomeA;
    found.outcomeB = rows()[row].outcomeB;
    setPairWords(found, m_limits);
    held()[row] = std::move(found);
    if (const int shown = rowOf(row); shown >= 0)
        Q_EMIT dataChanged(index(shown, 0), index(shown, columnCount() - 1));
}

void CompareModel::setOutcomes(const ComparisonOutcome *outcome, const target::Target &chip)
{
    const auto of = [&](const DecisionTable &table, std::size_t weight) {
        const std::size_t column = table.columnOf(chip);
        return column == kNoIndex || weight >= table.rows()
                   ? std::nullopt
                   : std::optional(table.verdict(weight, column).outcome);
    };
    for (Row &row : held()) {
        row.outcomeA = outcome ? of(outcome->before, row.pair.a) : std::nullopt;
        row.outcomeB = outcome ? of(outcome->after, row.pair.b) : std::nullopt;
    }
    setTitle("outcome", fromUtf8(chip.name));
    cellsChanged(columnOf("outcome"), columnOf("outcome"));
    updateOrder();
}

void CompareModel::setStopped(bool stopped)
{
    const auto from = stopped ? report::PairState::Waiting : report::PairState::Stopped;
    const auto to = stopped ? report::PairState::Stopped : report::PairState::Waiting;
    for (Row &row : held()) {
        if (row.state != from)
            continue;
        row.state = to;
        setPairWords(row, m_limits);
    }
    cellsChanged(0, columnCount() - 1);
}

void CompareModel::setDifferencesOnly(bool only)
{
    m_differencesOnly = only;
    updateOrder();
}

void CompareModel::setWorstFirst(bool worstFirst)
{
    m_worstFirst = worstFirst;
    updateOrder();
}

bool CompareModel::ordersBySeverity() const
{
    return m_worstFirst && sortColumn() < 0;
}

void CompareModel::arrange()
{
    if (ordersBySeverity())
        reorder();
}

bool CompareModel::admits(std::size_t row) const
{
    return !m_differencesOnly || differs(rows()[row]);
}

std::string CompareModel::alsoSearched(std::size_t row) const
{
    return rows()[row].nameB;
}

void CompareModel::orderShown(std::vector<std::uint32_t> &shown) const
{
    std::vector<std::uint32_t> before = shown;
    if (sortColumn() >= 0 && sortColumn() < columnCount()) {
        const std::size_t declared = declaredPlaces()[static_cast<std::size_t>(sortColumn())];
        std::vector<std::pair<report::SortValue, std::uint32_t>> keys;
        for (const std::uint32_t row : before)
            keys.emplace_back(orderOf(row, declared), row);
        const ByColumn less(sortOrder() == Qt::AscendingOrder);
        std::stable_sort(keys.begin(), keys.end(),
                         [&](const auto &x, const auto &y) { return less(x.first, y.first); });
        for (std::size_t i = 0; i < keys.size(); ++i)
            shown[i] = keys[i].second;
    } else if (m_worstFirst) {
        std::vector<PairSeverity> severities;
        for (const std::uint32_t row : before)
            severities.push_back(rows()[row].severity());
        const auto order = kernscope::worstFirst(severities);
        for (std::size_t i = 0; i < order.size(); ++i)
            shown[i] = before[order[i]];
    }
}

std::size_t CompareModel::rowAt(int shown) const
{
    return shown >= 0 && shown < rowCount() ? sourceRow(shown) : kNoIndex;
}

std::size_t CompareModel::rowWhere(const std::function<bool(const Row &)> &holds) const
{
    const auto at = std::find_if(rows().begin(), rows().end(), holds);
    return at == rows().end() ? kNoIndex : static_cast<std::size_t>(at - rows().begin());
}

std::size_t CompareModel::rowOfA(std::size_t index) const
{
    return rowWhere([index](const Row &row) { return row.onA() && row.pair.a == index; });
}

std::size_t CompareModel::rowOfB(std::size_t index) const
{
    return rowWhere([index](const Row &row) { return row.onB() && row.pair.b == index; });
}

std::size_t CompareModel::rowOfNames(const std::string &nameA, const std::string &nameB) const
{
    // A weight that has lost its partner is still the one that was looked for.
    const auto other = [](const std::string &a, const std::string &b) {
        return a == b ? std::string() : b;
    };
    return rowWhere([&](const Row &row) {
        return row.nameA == nameA && other(row.nameA, row.nameB) == other(nameA, nameB);
    });
}

QVariant CompareModel::lookOf(std::size_t number, int column, int role) const
{
    const Row &row = rows()[number];
    const std::string_view key = keyOf(column);
    switch (role) {
    case Qt::DisplayRole: return pairCellText(row, column);
    case kShortNameRole:
        if (key != "weight")
            return {};
        return m_shortNames.of(
            number, rows().size(), [&](std::size_t at) { return fromUtf8(rows()[at].name()); },
            [&](std::size_t at) { return fromUtf8(rows()[at].function); });
    case Qt::ToolTipRole:
        if (key == "weight")
            return nameTip(row);
        if (key == "verdict")
            return verdictSentence(row);
        if (key == "limits" && row.holds)
            return fromUtf8(row.limits);
        if (key == "outcome" && row.outcomeA && row.outcomeB)
            return tr("A: %1, B: %2").arg(outcomeLabel(*row.outcomeA), outcomeLabel(*row.outcomeB));
        if (key == "changes" && !row.changes.empty())
            return fromUtf8(row.changes);
        if (key == "paired_by" && !row.reason.empty())
            return fromUtf8(row.reason);
        return headerData(column, Qt::Horizontal, role);
    default: return {};
    }
}

QVariant CompareModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (role == Qt::InitialSortOrderRole && orientation == Qt::Horizontal && section >= 0 &&
        section < columnCount()) // of figures the largest first
        return static_cast<int>(pairColumns().facts(section).number() ? Qt::DescendingOrder
                                                                      : Qt::AscendingOrder);
    return RowTable::headerData(section, orientation, role);
}

Qt::ItemFlags CompareModel::flags(const QModelIndex &index) const
{
    const Qt::ItemFlags flags = RowTable::flags(index);
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
    if (!whole || row >= rows().size())
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
    if (onto < rows().size() && dragged != onto)
        Q_EMIT rowDropped(dragged, onto);
    return false; // no row goes anywhere
}

} // namespace kernscope::ui

#include "moc_compare_model.cpp"
