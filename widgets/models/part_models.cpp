// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/part_models.h"

#include "widgets/models/words.h"

#include <QGuiApplication>

#include <cmath>

namespace kernscope::ui {

namespace {

constexpr std::uint64_t kMaxLanes = 64; ///< columns of values at most

} // namespace

CodebookModel::CodebookModel(QObject *parent)
    : RowTableModel({}, {}, parent),
      m_columns(report::bookEntryTable, {"entry", "code", "values", "uses", "share", "note"})
{
}

void CodebookModel::setData(CodebookData data)
{
    replaceRows(false, [&] {
        m_data = std::move(data);
        m_codebook = m_codebook < m_data.codebooks ? m_codebook : 0;
        m_lanes = static_cast<int>(std::clamp<std::uint64_t>(m_data.vector, 1, kMaxLanes));
        measureRange();
        findDuplicates();
        std::vector<report::ColumnFacts> columns;
        std::vector<QString> titles;
        for (int column = 0; column < m_columns.count() && m_data.entries > 0; ++column) {
            const int times = column == FirstValueColumn ? m_lanes : 1;
            for (int lane = 0; lane < times; ++lane) {
                columns.push_back(m_columns.facts(column));
                columns.back().unknown = "\u2026"; // still counted
                titles.push_back(times > 1 ? tr("Lane %1").arg(lane) : QString());
            }
        }
        setColumns(std::move(columns), std::move(titles));
    });
}

/// The magnitude that gets the full colour: the picture's, which 99.5 % of the elements that are
/// not zero stay below. One outlier would leave all other entries without a colour.
void CodebookModel::measureRange()
{
    constexpr double kShare = 0.995;
    std::vector<std::pair<double, std::uint64_t>> magnitudes; // with how many elements have it
    std::uint64_t elements = 0;
    const std::size_t vector = static_cast<std::size_t>(std::max<std::uint64_t>(m_data.vector, 1));
    for (std::size_t i = 0; i < m_data.values.size(); ++i) {
        const double magnitude = std::abs(static_cast<double>(m_data.values[i]));
        if (!std::isfinite(magnitude) || magnitude == 0)
            continue;
        const std::size_t entry = i / vector;
        magnitudes.emplace_back(magnitude,
                                entry < m_data.uses.size() ? m_data.uses[entry] : std::uint64_t(1));
        elements += magnitudes.back().second;
    }
    std::sort(magnitudes.begin(), magnitudes.end());
    std::uint64_t below = 0;
    m_range = magnitudes.empty() ? 1 : magnitudes.back().first;
    for (const auto &[magnitude, count] : magnitudes) {
        below += count;
        if (static_cast<double>(below) > kShare * static_cast<double>(elements)) {
            m_range = magnitude;
            break;
        }
    }
}

void CodebookModel::setUses(std::vector<std::uint64_t> uses)
{
    if (uses.size() != m_data.codebooks * m_data.entries || m_data.entries == 0)
        return;
    replaceRows(true, [&] {
        m_data.uses = std::move(uses);
        measureRange();
        findDuplicates();
    });
    reorder();
}

void CodebookModel::setCodebook(std::uint64_t codebook)
{
    if (codebook >= m_data.codebooks || codebook == m_codebook)
        return;
    replaceRows(false, [&] {
        m_codebook = codebook;
        findDuplicates();
    });
}

void CodebookModel::findDuplicates()
{
    m_duplicateOf = m_data.duplicates(m_codebook);
    m_total = 0;
    for (std::uint64_t entry = 0; entry < m_data.entries; ++entry)
        m_total += uses(static_cast<int>(entry)).value_or(0);
}

std::size_t CodebookModel::at(int entry, int lane) const
{
    return m_data.at(m_codebook, static_cast<std::uint64_t>(entry)) +
           static_cast<std::size_t>(lane);
}

double CodebookModel::value(int entry, int lane) const
{
    return static_cast<double>(m_data.values[at(entry, lane)]);
}

std::optional<std::uint64_t> CodebookModel::uses(int entry) const
{
    if (m_data.uses.empty())
        return std::nullopt;
    return m_data.uses[static_cast<std::size_t>(m_codebook * m_data.entries +
                                                static_cast<std::uint64_t>(entry))];
}

std::optional<int> CodebookModel::duplicateOf(int entry) const
{
    const std::size_t first = m_duplicateOf[static_cast<std::size_t>(entry)];
    return first == kNoIndex ? std::nullopt : std::optional(static_cast<int>(first));
}

bool CodebookModel::changed(int entry, int lane) const
{
    return !m_data.changed.empty() && m_data.changed[at(entry, lane)];
}

QString CodebookModel::note(int row) const
{
    QStringList notes;
    if (const auto first = duplicateOf(row))
        notes.append(tr("\u2261 duplicate of %1").arg(*first));
    if (uses(row) == 0u)
        notes.append(tr("\u2205 never used"));
    for (int lane = 0; lane < m_lanes; ++lane) {
        if (changed(row, lane)) {
            notes.append(tr("\u25CF changed"));
            break;
        }
    }
    return notes.join(QStringLiteral(", "));
}

report::Value CodebookModel::valueOf(std::size_t entry, std::size_t column) const
{
    const int place = static_cast<int>(column), row = static_cast<int>(entry);
    if (isValue(place))
        return report::Real(value(row, place - FirstValueColumn));
    const std::string_view key =
        m_columns.key(place < FirstValueColumn ? place : place - m_lanes + 1);
    if (key == "note")
        return note(row).toStdString();
    return m_columns.value(m_columns.indexOf(key), {&m_data, m_codebook, entry, kNoIndex, m_total});
}

std::string CodebookModel::originOf(std::size_t entry, std::size_t column) const
{
    const int place = static_cast<int>(column), row = static_cast<int>(entry);
    const double shown = value(row, isValue(place) ? place - FirstValueColumn : 0);
    return tr("Entry %1, code %2: %3 %4")
        .arg(QString::number(entry), cellText(valueOf(entry, CodeColumn)),
             isValue(place) ? QString::number(shown, 'g', 9) : valueText(shown), note(row))
        .trimmed()
        .toStdString();
}

report::SortValue CodebookModel::orderOf(std::size_t entry, std::size_t column) const
{
    return column == CodeColumn ? report::SortValue(std::uint64_t{entry})
                                : RowTableModel::orderOf(entry, column);
}

QVariant CodebookModel::lookOf(std::size_t entry, int column, int role) const
{
    if (!isValue(column))
        return {};
    const int row = static_cast<int>(entry), lane = column - FirstValueColumn;
    const bool dark = theme::isDark(QGuiApplication::palette());
    switch (role) {
    case Qt::DisplayRole: return valueText(value(row, lane));
    case Qt::EditRole:
    case CopyRole: return QString::number(value(row, lane), 'g', 9);
    case kNumberRole: return false;
    case Qt::DecorationRole:
        return swatchIcon(
            theme::diverging(std::clamp(value(row, lane) / m_range, -1.0, 1.0), dark));
    case Qt::ForegroundRole:
        return changed(row, lane) ? QVariant(theme::color(Token::MarkChanged, dark)) : QVariant();
    default: return {};
    }
}

bool CodebookModel::setData(const QModelIndex &index, const QVariant &value, int role)
{
    const auto wanted = typedNumber(value.toString());
    if (role != Qt::EditRole || !m_editable || !wanted || !index.isValid() ||
        !isValue(index.column()))
        return false;
    Q_EMIT editRequested(m_codebook, static_cast<quint64>(sourceRow(index.row())),
                         static_cast<quint64>(index.column() - FirstValueColumn), *wanted);
    return true;
}

QVariant CodebookModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (role == Qt::ToolTipRole && isValue(section) && section < columnCount())
        return tr("The value that the entry stands for, stored as %1.")
            .arg(fromUtf8(elementTypeName(m_data.type)));
    return RowTableModel::headerData(section, orientation, role);
}

Qt::ItemFlags CodebookModel::flags(const QModelIndex &index) const
{
    const Qt::ItemFlags flags = RowTableModel::flags(index);
    return m_editable && index.isValid() && isValue(index.column()) ? flags | Qt::ItemIsEditable
                                                                    : flags;
}

void ScaleModel::setScales(ScaleData data)
{
    // The same scales after an edit: what is chosen stays chosen.
    const bool same = !data.scales.empty() && data.rows() == m_data.rows();
    replaceRows(same, [&] { m_data = std::move(data); });
    const bool offsets = !m_data.zeros.empty() && !m_data.zeroPoints;
    setTitle(keyOf(ZeroColumn), offsets ? tr("Offset") : QString());
}

/// Whole numbers to edit: the text of a cell has fewer digits.
QVariant ScaleModel::lookOf(std::size_t row, int column, int role) const
{
    if (role == kNumberRole)
        return column == ZeroColumn;
    if (column == ScaleColumn && (role == Qt::EditRole || role == Qt::ToolTipRole))
        return QString::number(m_data.scaleOf(row), 'g', 17);
    return role == Qt::EditRole ? data(index(static_cast<int>(row), column), CopyRole) : QVariant();
}

bool ScaleModel::setData(const QModelIndex &at, const QVariant &value, int role)
{
    if (role != Qt::EditRole || !(flags(at) & Qt::ItemIsEditable))
        return false;
    if (at.column() == ScaleColumn) {
        const auto wanted = typedNumber(value.toString());
        if (wanted)
            Q_EMIT scaleEdited(scaleAt(at.row()), *wanted);
        return wanted.has_value();
    }
    const auto code = typedInteger(value.toString());
    const auto zero = zeroAt(at.row());
    if (code && zero)
        Q_EMIT zeroEdited(*zero, *code);
    return code && zero;
}

Qt::ItemFlags ScaleModel::flags(const QModelIndex &at) const
{
    Qt::ItemFlags flags = DeclaredTable::flags(at);
    const bool zero = at.column() == ZeroColumn && at.isValid() &&
                      m_data.zeroOf(static_cast<std::size_t>(at.row())).has_value();
    if (m_editable && (at.column() == ScaleColumn || zero))
        flags |= Qt::ItemIsEditable;
    return flags;
}

} // namespace kernscope::ui

#include "moc_part_models.cpp"
