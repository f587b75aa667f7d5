// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/compare_model.h"

#include "widgets/models/words.h"

#include <QMimeData>

#include <cmath>

namespace kernscope::ui {

namespace {

QString countSentence(const ValueDifference &values)
{
    QString text = Words::tr("%1 equal, %2 changed, %3 zeroed, %4 revived of %5 elements")
                       .arg(groupedNumber(values.equal), groupedNumber(values.changed),
                            groupedNumber(values.zeroed), groupedNumber(values.revived),
                            groupedNumber(values.elements()));
    if (values.nonfiniteA + values.nonfiniteB > 0)
        text += Words::tr("; not finite: %1 in A, %2 in B")
                    .arg(groupedNumber(values.nonfiniteA), groupedNumber(values.nonfiniteB));
    return text;
}

QString shapeWord(const Shape &shape)
{
    return fromUtf8(shapeText(shape));
}

/// "holds", "max_abs 0.0742 (0.01)", "only in A".
QString limitsText(const report::PairRow &row, const ValueLimits &limits)
{
    if (*row.holds)
        return Words::tr("holds");
    if (!row.pair.values)
        return fromUtf8(row.verdict);
    QStringList texts;
    for (const LimitFault &fault : exceededLimits(*row.pair.values, limits)) {
        const auto figure = [](const LimitFigure &value) {
            const auto *number = std::get_if<double>(&value);
            return number != nullptr && std::isfinite(*number) ? QString::number(*number, 'g', 4)
                                                               : fromUtf8(limitFigureText(value));
        };
        texts << Words::tr("%1 %2 (%3)")
                     .arg(fromUtf8(fault.limit), figure(fault.found), figure(fault.allowed));
    }
    return texts.join(QStringLiteral("; "));
}

} // namespace

const WindowColumns<report::PairRow> &pairColumns()
{
    static const WindowColumns<report::PairRow> kColumns(report::pairTable);
    return kColumns;
}

QString pairCellText(const report::PairRow &row, int column)
{
    const report::ColumnFacts &facts = pairColumns().facts(column);
    const report::Value value = pairColumns().value(column, row);
    if (facts.key == "verdict")
        return verdictGlyph(row) + u' ' + fromUtf8(row.verdict);
    if (facts.key == "outcome" && row.outcomeB)
        return outcomeLabel(*row.outcomeB);
    if (facts.key == "limits" && row.holds)
        return (*row.holds ? QStringLiteral("\u2713 ") : QStringLiteral("\u2717 ")) +
               fromUtf8(row.limits);
    const bool comes = row.state == report::PairState::Waiting && facts.number() &&
                       std::holds_alternative<report::Unknown>(value);
    return comes ? QStringLiteral("\u2026") : cellText(value, facts.unknown);
}

bool differs(const report::PairRow &row)
{
    return row.waits() || row.severity().kind != PairSeverity::Kind::Identical;
}

bool severalFunctions(const std::vector<report::PairRow> &rows)
{
    return std::ranges::any_of(rows, [&rows](const report::PairRow &row) {
        return row.function != rows.front().function;
    });
}

void setPairWords(report::PairRow &row, const ValueLimits &limits)
{
    switch (row.state) {
    case report::PairState::Waiting: row.verdict = Words::tr("comparing").toStdString(); break;
    case report::PairState::Stopped: row.verdict = Words::tr("not compared").toStdString(); break;
    case report::PairState::OneSided:
        row.verdict = (row.onA() ? Words::tr("only in A") : Words::tr("only in B")).toStdString();
        break;
    case report::PairState::Compared:
    case report::PairState::NoValues: break;
    }
    row.holds.reset();
    row.limits.clear();
    if (!limits.any() || row.waits())
        return;
    row.holds = row.pair.values && exceededLimits(*row.pair.values, limits).empty();
    row.limits = limitsText(row, limits).toStdString();
}

QString verdictGlyph(const report::PairRow &row)
{
    if (row.onA() && row.onB() && row.waits())
        return row.state == report::PairState::Waiting ? QStringLiteral("\u2026")
                                                       : QStringLiteral("\u25CB");
    switch (row.severity().kind) {
    case PairSeverity::Kind::NotComparable:
        return row.pair.unreadable() || row.pair.shapeEqual ? QStringLiteral("\u2715")
                                                            : QStringLiteral("\u25A1");
    case PairSeverity::Kind::OneSided:
        return row.onA() ? QStringLiteral("\u25C0") : QStringLiteral("\u25B6");
    case PairSeverity::Kind::NotFinite: return QStringLiteral("\u221E");
    case PairSeverity::Kind::Differs: break;
    case PairSeverity::Kind::Unknown: return QStringLiteral("\u25CB");
    case PairSeverity::Kind::SameValues: return QStringLiteral("\u2248");
    case PairSeverity::Kind::Identical: return QStringLiteral("=");
    }
    const ValueDifference &values = *row.pair.values;
    if (values.changed == 0 && values.revived == 0)
        return QStringLiteral("\u25D0"); // pruned, and no more
    if (values.relativeRmse > kSimilarRmse || values.revived > 0)
        return QStringLiteral("\u2260");
    return values.zeroed > 0 ? QStringLiteral("\u25D1") : QStringLiteral("~");
}

QString verdictSentence(const report::PairRow &row)
{
    if (!row.onA() || !row.onB())
        return row.onA() ? Words::tr("No weight of B was found to be this one.")
                         : Words::tr("No weight of A was found to be this one.");
    if (row.waits())
        return row.state == report::PairState::Waiting
                   ? Words::tr("The values are still being compared.")
                   : Words::tr("The comparison was cancelled before it came to this weight.");
    if (row.pair.unreadable())
        return row.pair.fault ? fromUtf8(describe(*row.pair.fault))
                              : Words::tr("The weight could not be read.");
    if (row.pair.values)
        return row.severity().kind == PairSeverity::Kind::Identical
                   ? Words::tr("The same layout and the same stored bytes.")
                   : countSentence(*row.pair.values);
    const QString text =
        row.pair.reshaped ? Words::tr("A is %1, B is %2: the same values in the same order.")
        : row.pair.rule   ? Words::tr("A is %1, B is %2: the axes stand in another order.")
                          : Words::tr("A is %1, B is %2: values cannot be set side by side.");
    return text.arg(shapeWord(row.shapeA), shapeWord(row.shapeB));
}

QString shortNumber(double number)
{
    if (number == 0.0 || !std::isfinite(number))
        return QString::number(number, 'g', 4);
    const double magnitude = std::abs(number);
    if (magnitude >= 1e-4 && magnitude < 1e5) {
        const int before = static_cast<int>(std::floor(std::log10(magnitude)));
        return QString::number(number, 'f', std::clamp(3 - before, 0, 7));
    }
    return QString::number(number, 'e', 2);
}

void ChannelModel::setPlaces(const WorstPlacesPtr &places)
{
    setRows(places ? places->worstChannels : std::vector<ChannelDifference>());
}

std::optional<std::uint64_t> ChannelModel::elementAt(int row) const
{
    return row >= 0 && row < rowCount() ? std::optional(rowAt(row).worst) : std::nullopt;
}

int ChannelModel::rowOfChannel(std::uint64_t channel) const
{
    const auto *at = findBy(rows(), &ChannelDifference::channel, channel);
    return !at ? -1 : rowOf(static_cast<std::size_t>(at - rows().data()));
}

void ElementModel::setPlaces(const WorstPlacesPtr &places, const Shape &shape, ElementType type)
{
    setRows(places ? report::elementRows(*places, shape, type)
                   : std::vector<report::ElementFacts>());
}

std::optional<std::uint64_t> ElementModel::elementAt(int row) const
{
    return row >= 0 && row < rowCount() ? std::optional(rowAt(row).pair.element) : std::nullopt;
}

int ElementModel::rowOfElement(std::uint64_t element) const
{
    const auto at = std::ranges::find_if(
        rows(), [element](const report::ElementFacts &row) { return row.pair.element == element; });
    return at == rows().end() ? -1 : rowOf(static_cast<std::size_t>(at - rows().begin()));
}

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

} // namespace

CompareModel::CompareModel(QObject *parent) : RowTable(report::pairTable, parent) {}

bool CompareModel::samePairs(const std::vector<Row> &rows) const
{
    const auto same = [](const Row &x, const Row &y) {
        return x.pair.a == y.pair.a && x.pair.b == y.pair.b && x.nameA == y.nameA &&
               x.nameB == y.nameB;
    };
    return !rows.empty() && std::ranges::equal(rows, this->rows(), same);
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
    const Row &searched = rows()[row];
    return searched.nameB + ' ' +
           (searched.outcomeB ? outcomeWord(*searched.outcomeB).toStdString() : std::string());
}

void CompareModel::orderShown(std::vector<std::uint32_t> &shown) const
{
    if (!ordersBySeverity())
        return RowTable::orderShown(shown);
    const std::vector<std::uint32_t> before = shown;
    std::vector<PairSeverity> severities;
    for (const std::uint32_t row : before)
        severities.push_back(rows()[row].severity());
    const auto order = kernscope::worstFirst(severities);
    for (std::size_t i = 0; i < order.size(); ++i)
        shown[i] = before[order[i]];
}

std::size_t CompareModel::rowAt(int shown) const
{
    return shown >= 0 && shown < rowCount() ? sourceRow(shown) : kNoIndex;
}

std::size_t CompareModel::rowOfNames(const std::string &nameA, const std::string &nameB) const
{
    // A weight that has lost its partner is still the one that was looked for.
    const auto other = [](const std::string &a, const std::string &b) {
        return a == b ? std::string() : b;
    };
    const auto at = std::ranges::find_if(rows(), [&](const Row &row) {
        return row.nameA == nameA && other(row.nameA, row.nameB) == other(nameA, nameB);
    });
    return at == rows().end() ? kNoIndex : static_cast<std::size_t>(at - rows().begin());
}

QVariant CompareModel::lookOf(std::size_t number, int column, int role) const
{
    const Row &row = rows()[number];
    const std::string_view key = keyOf(column);
    switch (role) {
    case Qt::DisplayRole: return pairCellText(row, column);
    case CopyRole:
        return key == "outcome" && row.outcomeB ? QVariant(outcomeWord(*row.outcomeB)) : QVariant();
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
    if (indexes.isEmpty() || std::ranges::any_of(indexes, otherRow))
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
