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
    : QAbstractTableModel(parent),
      m_columns(report::bookEntryTable(), {"entry", "code", "values", "uses", "share", "note"})
{
}

void CodebookModel::setData(CodebookData data)
{
    beginResetModel();
    m_data = std::move(data);
    m_codebook = m_codebook < m_data.codebooks ? m_codebook : 0;
    m_rows = static_cast<int>(m_data.entries);
    m_lanes = static_cast<int>(std::clamp<std::uint64_t>(m_data.vector, 1, kMaxLanes));
    measureRange();
    findDuplicates();
    endResetModel();
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
    if (uses.size() != m_data.codebooks * m_data.entries || m_rows == 0)
        return;
    m_data.uses = std::move(uses);
    measureRange();
    findDuplicates();
    Q_EMIT dataChanged(index(0, FirstValueColumn), index(m_rows - 1, noteColumn()));
}

void CodebookModel::setCodebook(std::uint64_t codebook)
{
    if (codebook >= m_data.codebooks || codebook == m_codebook)
        return;
    beginResetModel();
    m_codebook = codebook;
    findDuplicates();
    endResetModel();
}

void CodebookModel::findDuplicates()
{
    m_duplicateOf = m_data.duplicates(m_codebook);
    m_total = 0;
    for (int row = 0; row < m_rows; ++row)
        m_total += uses(row).value_or(0);
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

double CodebookModel::share(int entry) const
{
    return m_total == 0
               ? 0.0
               : static_cast<double>(uses(entry).value_or(0)) / static_cast<double>(m_total);
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

int CodebookModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : m_rows;
}

int CodebookModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() || m_rows == 0 ? 0 : noteColumn() + 1;
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

QString CodebookModel::text(int row, int column) const
{
    if (column == IndexColumn)
        return QString::number(row);
    if (column == CodeColumn)
        return QStringLiteral("%1").arg(row, static_cast<int>(m_data.indexBits), 2,
                                        QLatin1Char('0'));
    if (isValue(column))
        return valueText(value(row, column - FirstValueColumn));
    if (column == noteColumn())
        return note(row);
    if (!uses(row))
        return QStringLiteral("\u2026");
    return column == usesColumn() ? groupedNumber(*uses(row)) : percentText(share(row));
}

QVariant CodebookModel::number(int row, int column) const
{
    if (column == IndexColumn || column == CodeColumn)
        return row;
    if (isValue(column))
        return value(row, column - FirstValueColumn);
    if (column == usesColumn())
        return static_cast<qulonglong>(uses(row).value_or(0));
    return column == shareColumn() ? QVariant(share(row)) : QVariant(note(row));
}

QVariant CodebookModel::swatch(int row, int column) const
{
    if (!isValue(column))
        return {};
    const double share = std::clamp(value(row, column - FirstValueColumn) / m_range, -1.0, 1.0);
    return swatchIcon(theme::diverging(share, theme::isDark(QGuiApplication::palette())));
}

QVariant CodebookModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const int row = index.row(), column = index.column();
    switch (role) {
    case Qt::DisplayRole: return text(row, column);
    case Qt::EditRole:
    case CopyRole:
        return isValue(column)
                   ? QVariant(QString::number(value(row, column - FirstValueColumn), 'g', 9))
                   : number(row, column);
    case SortRole: return number(row, column);
    case kNumberRole: return isValue(column) ? QVariant(false) : QVariant();
    case Qt::DecorationRole: return swatch(row, column);
    case Qt::ToolTipRole:
        return tr("Entry %1, code %2: %3 %4")
            .arg(QString::number(row), text(row, CodeColumn),
                 isValue(column) ? QString::number(value(row, column - FirstValueColumn), 'g', 9)
                                 : valueText(value(row)),
                 note(row))
            .trimmed();
    case Qt::ForegroundRole:
        if (isValue(column) && changed(row, column - FirstValueColumn))
            return theme::color(Token::MarkChanged, theme::isDark(QGuiApplication::palette()));
        return {};
    case Qt::TextAlignmentRole:
        return QVariant((column == noteColumn() ? Qt::AlignLeft : Qt::AlignRight) |
                        Qt::AlignVCenter);
    default: return {};
    }
}

bool CodebookModel::setData(const QModelIndex &index, const QVariant &value, int role)
{
    const auto wanted = typedNumber(value.toString());
    if (role != Qt::EditRole || !m_editable || !wanted || !index.isValid() ||
        !isValue(index.column()))
        return false;
    Q_EMIT editRequested(m_codebook, static_cast<quint64>(index.row()),
                         static_cast<quint64>(index.column() - FirstValueColumn), *wanted);
    return true;
}

QVariant CodebookModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return {};
    if (!isValue(section))
        return m_columns.header(section < FirstValueColumn ? section : section - m_lanes + 1, role);
    if (role == Qt::ToolTipRole)
        return tr("The value that the entry stands for, stored as %1.")
            .arg(fromUtf8(elementTypeName(m_data.type)));
    if (role == Qt::DisplayRole && m_lanes > 1)
        return tr("Lane %1").arg(section - FirstValueColumn);
    return m_columns.header(FirstValueColumn, role);
}

Qt::ItemFlags CodebookModel::flags(const QModelIndex &index) const
{
    if (!index.isValid())
        return Qt::NoItemFlags;
    const Qt::ItemFlags shown = Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemNeverHasChildren;
    return m_editable && isValue(index.column()) ? shown | Qt::ItemIsEditable : shown;
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
