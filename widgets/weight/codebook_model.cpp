// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/weight/codebook_model.h"

#include "core/base/error_builder.h"
#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"
#include "widgets/weight/weight_words.h"

#include <QGuiApplication>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <span>

namespace kernscope::ui {

namespace {

Error codebookFault(const char *message)
{
    return ErrorBuilder("codec.codebook").field("lut").message(message);
}

constexpr std::uint64_t kMaxLanes = 64; ///< columns of values at most

/// Whether each value of a codebook differs from the disk; empty where none does.
std::vector<bool> changedValues(const Bundle &bundle, const codec::Operand &lut, std::size_t count)
{
    const OperandPlace &stored = *lut.place;
    std::vector<bool> changed(count);
    bool any = false;
    const std::uint64_t width = bitWidth(lut.type);
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t first = i * width / 8, last = ((i + 1) * width - 1) / 8;
        if (!stored.isLiteral()) {
            std::uint64_t place = 8 * stored.dataOffset.value + i * width;
            if (lut.order && i < lut.order->elements())
                lut.order->positions(i, std::span(&place, 1));
            changed[i] = bundle.files()[stored.file].file->changed(
                {FileOffset(place / 8), ByteCount((place + width + 7) / 8 - place / 8)});
        } else if (stored.literal && bundle.programFile() != kNoIndex) {
            const auto &spans = stored.literal->elementSpans;
            const OverlaidFile &program = *bundle.files()[bundle.programFile()].file;
            if (stored.literal->packedSpan && !spans.empty())
                changed[i] = program.changed(
                    {FileOffset(spans[0].offset + first), ByteCount(last - first + 1)});
            else if (i < spans.size())
                changed[i] =
                    program.changed({FileOffset(spans[i].offset), ByteCount(spans[i].length)});
        }
        any = any || changed[i];
    }
    return any ? changed : std::vector<bool>();
}

} // namespace

Result<CodebookData> CodebookData::read(const Bundle &bundle, std::size_t weight,
                                        const codec::Decoder &decoder)
{
    const codec::Operand *lut = bundle.weights()[weight].operand(codec::PartRole::Lut);
    const auto values = decoder.codebookValues();
    if (!lut || lut->shape.empty() || values.empty())
        return tl::unexpected(codebookFault("The weight has no codebook that can be read."));
    CodebookData data;
    const std::size_t rank = lut->shape.size();
    data.vector = rank == 1 ? 1 : lut->shape[rank - 1];
    data.entries = rank == 1 ? lut->shape[0] : lut->shape[rank - 2];
    // Codebooks of a weight section have no axis for the vector.
    const codec::Palette *palette = bundle.weights()[weight].form.palette();
    if (palette && palette->entries != 0) {
        data.vector = std::max<std::uint64_t>(palette->vector, 1);
        data.entries = palette->entries;
    }
    const auto one = checkedMultiply(data.entries, data.vector);
    if (!one || *one == 0 || values.size() % *one != 0)
        return tl::unexpected(codebookFault("The extents of the codebook do not agree."));
    data.codebooks = values.size() / *one;
    data.values.assign(values.begin(), values.end());
    data.type = lut->type;
    data.indexBits =
        static_cast<unsigned>(std::bit_width(std::max<std::uint64_t>(data.entries, 2) - 1));
    data.changed = changedValues(bundle, *lut, data.values.size());
    return data;
}

CodebookModel::CodebookModel(QObject *parent) : QAbstractTableModel(parent) {}

void CodebookModel::setData(CodebookData data)
{
    beginResetModel();
    m_data = std::move(data);
    m_codebook = m_codebook < m_data.codebooks ? m_codebook : 0;
    m_rows = static_cast<int>(m_data.entries);
    m_lanes = static_cast<int>(std::clamp<std::uint64_t>(m_data.vector, 1, kMaxLanes));
    m_largest = 0;
    for (const float value : m_data.values) {
        if (std::isfinite(value))
            m_largest = std::max(m_largest, std::abs(static_cast<double>(value)));
    }
    findDuplicates();
    endResetModel();
}

void CodebookModel::setUses(std::vector<std::uint64_t> uses)
{
    if (uses.size() != m_data.codebooks * m_data.entries || m_rows == 0)
        return;
    m_data.uses = std::move(uses);
    findDuplicates();
    Q_EMIT dataChanged(index(0, usesColumn()), index(m_rows - 1, noteColumn()));
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
    m_duplicateOf.assign(static_cast<std::size_t>(m_rows), -1);
    m_total = 0;
    std::map<std::vector<std::uint32_t>, int> first;
    for (int row = 0; row < m_rows; ++row) {
        std::vector<std::uint32_t> bits;
        for (std::uint64_t lane = 0; lane < m_data.vector; ++lane)
            bits.push_back(std::bit_cast<std::uint32_t>(
                m_data.values[at(row, 0) + static_cast<std::size_t>(lane)]));
        const auto [place, fresh] = first.emplace(std::move(bits), row);
        if (!fresh)
            m_duplicateOf[static_cast<std::size_t>(row)] = place->second;
        m_total += uses(row).value_or(0);
    }
}

std::size_t CodebookModel::at(int entry, int lane) const
{
    return static_cast<std::size_t>(
        (m_codebook * m_data.entries + static_cast<std::uint64_t>(entry)) * m_data.vector +
        static_cast<std::uint64_t>(lane));
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
    const int first = m_duplicateOf[static_cast<std::size_t>(entry)];
    return first < 0 ? std::nullopt : std::optional(first);
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
    const double scale = m_largest > 0 ? m_largest : 1;
    return theme::diverging(value(row, column - FirstValueColumn) / scale,
                            theme::isDark(QGuiApplication::palette()));
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
    bool isNumber = false;
    const double wanted = value.toDouble(&isNumber);
    if (role != Qt::EditRole || !m_editable || !isNumber || !index.isValid() ||
        !isValue(index.column()))
        return false;
    Q_EMIT editRequested(m_codebook, static_cast<quint64>(index.row()),
                         static_cast<quint64>(index.column() - FirstValueColumn), wanted);
    return true;
}

QVariant CodebookModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant((section == noteColumn() ? Qt::AlignLeft : Qt::AlignRight) |
                        Qt::AlignVCenter);
    const bool words = role == Qt::ToolTipRole;
    if (!words && role != Qt::DisplayRole)
        return {};
    if (section == IndexColumn)
        return words ? tr("Number of the entry in its codebook.") : tr("Entry");
    if (section == CodeColumn)
        return words ? tr("The bits of an index that means this entry.") : tr("Code");
    if (section == usesColumn())
        return words ? tr("Stored indices that mean this entry.") : tr("Uses");
    if (section == shareColumn())
        return words ? tr("Uses over all uses of this codebook.") : tr("Share");
    if (section == noteColumn())
        return words ? tr("Duplicates, entries that nothing uses, changes not saved yet.")
                     : tr("Note");
    if (words)
        return tr("The value that the entry stands for, stored as %1.")
            .arg(fromUtf8(elementTypeName(m_data.type)));
    return m_lanes == 1 ? tr("Value") : tr("Lane %1").arg(section - FirstValueColumn);
}

Qt::ItemFlags CodebookModel::flags(const QModelIndex &index) const
{
    if (!index.isValid())
        return Qt::NoItemFlags;
    const Qt::ItemFlags shown = Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemNeverHasChildren;
    return m_editable && isValue(index.column()) ? shown | Qt::ItemIsEditable : shown;
}

} // namespace kernscope::ui
