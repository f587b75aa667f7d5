// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/codebook_pair_model.h"

#include "core/report/difference_formats.h"
#include "widgets/common/table_text.h"
#include "widgets/compare/compare_row.h"

#include <array>
#include <limits>

namespace kernscope::ui {

namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

/// A sign beside the word, so that a column of them is read at a glance.
constexpr std::array<const char *, kEntryChanges> kChangeGlyphs{
    "=", "\u21C5", "\u2260", "\u22CF", "\u22CE", "\u2715", "\u25CB", "+"};
constexpr std::array<const char *, kEntryChanges> kWords{
    QT_TRANSLATE_NOOP("kernscope::ui::CodebookPairModel", "same"),
    QT_TRANSLATE_NOOP("kernscope::ui::CodebookPairModel", "moved"),
    QT_TRANSLATE_NOOP("kernscope::ui::CodebookPairModel", "changed"),
    QT_TRANSLATE_NOOP("kernscope::ui::CodebookPairModel", "split"),
    QT_TRANSLATE_NOOP("kernscope::ui::CodebookPairModel", "merged"),
    QT_TRANSLATE_NOOP("kernscope::ui::CodebookPairModel", "dropped"),
    QT_TRANSLATE_NOOP("kernscope::ui::CodebookPairModel", "unused"),
    QT_TRANSLATE_NOOP("kernscope::ui::CodebookPairModel", "added")};

double entryNumber(std::uint64_t book, std::uint64_t code, std::uint64_t entries)
{
    return code == EntryMatch::kNone ? kNoNumber : static_cast<double>(book * entries + code);
}

double firstLane(const std::vector<float> &lanes)
{
    return lanes.empty() ? kNoNumber : static_cast<double>(lanes.front());
}

} // namespace

void CodebookPairModel::setMatch(CodebookMatchPtr match)
{
    beginRows();
    m_match = std::move(match);
    endRows();
}

int CodebookPairModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : SectionCount;
}

QVariant CodebookPairModel::data(const QModelIndex &index, int role) const
{
    if (index.isValid() && index.column() == Change && role == Qt::TextAlignmentRole)
        return QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    if (index.isValid() && role == Qt::ToolTipRole && index.column() == EntryB &&
        index.row() < rowCount())
        return PlacesModel::data(index, Qt::DisplayRole);
    return PlacesModel::data(index, role);
}

QVariant CodebookPairModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation == Qt::Horizontal && section == Change && role == Qt::TextAlignmentRole)
        return QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    return PlacesModel::headerData(section, orientation, role);
}

std::size_t CodebookPairModel::count() const
{
    return m_match ? m_match->entries.size() : 0;
}

std::optional<std::uint64_t> CodebookPairModel::element(std::size_t item) const
{
    return m_match->entries[item].element;
}

double CodebookPairModel::number(std::size_t item, int column) const
{
    const EntryMatch &entry = m_match->entries[item];
    const bool inA = !entry.a.empty(), inB = !entry.b.empty();
    switch (column) {
    case EntryA: return entryNumber(entry.bookA, entry.codeA, m_match->entriesA);
    case ValueA: return firstLane(entry.a);
    case UsesA: return inA ? static_cast<double>(entry.usesA) : kNoNumber;
    case Change: return static_cast<double>(entry.change);
    case EntryB: return entryNumber(entry.bookB, entry.codeB, m_match->entriesB);
    case ValueB: return firstLane(entry.b);
    case UsesB: return inB ? static_cast<double>(entry.usesB) : kNoNumber;
    default: return entry.distance().value_or(kNoNumber);
    }
}

QString CodebookPairModel::text(std::size_t item, int column) const
{
    const EntryMatch &entry = m_match->entries[item];
    const report::EntryTexts texts = report::entryTexts(*m_match, entry);
    const bool inA = !entry.a.empty(), inB = !entry.b.empty();
    switch (column) {
    case EntryA: return fromUtf8(texts.a);
    case ValueA: return fromUtf8(texts.valueA);
    case UsesA: return inA ? groupedNumber(entry.usesA) : QString();
    case Change: {
        const auto at = static_cast<std::size_t>(entry.change);
        return QString::fromUtf8(kChangeGlyphs[at]) + QLatin1Char(' ') + tr(kWords[at]);
    }
    case EntryB: return fromUtf8(texts.b);
    case ValueB: return fromUtf8(texts.valueB);
    case UsesB: return inB ? groupedNumber(entry.usesB) : QString();
    default: return entry.distance() ? shortNumber(*entry.distance()) : QString();
    }
}

/// Entries of several codebooks, values of several lanes and what a split entry became are lists.
QString CodebookPairModel::plain(std::size_t item, int column) const
{
    switch (column) {
    case UsesA:
    case UsesB:
    case Delta: return PlacesModel::plain(item, column);
    case Change: return tr(kWords[static_cast<std::size_t>(m_match->entries[item].change)]);
    default: return text(item, column);
    }
}

PlacesModel::Column CodebookPairModel::column(int section) const
{
    static constexpr std::array<Column, SectionCount> kColumns{{
        {QT_TRANSLATE_NOOP("kernscope::ui::PlacesModel", "Entry of A"),
         QT_TRANSLATE_NOOP("kernscope::ui::PlacesModel",
                           "Number of the entry in A; of several codebooks codebook:number.")},
        {QT_TRANSLATE_NOOP("kernscope::ui::PlacesModel", "Value in A"),
         QT_TRANSLATE_NOOP("kernscope::ui::PlacesModel", "What the entry stands for in A.")},
        {QT_TRANSLATE_NOOP("kernscope::ui::PlacesModel", "Elements"),
         QT_TRANSLATE_NOOP("kernscope::ui::PlacesModel", "Elements of A that take the entry.")},
        {QT_TRANSLATE_NOOP("kernscope::ui::PlacesModel", "What happened"),
         QT_TRANSLATE_NOOP("kernscope::ui::PlacesModel",
                           "Same, moved (another number), changed (another value), split, merged, "
                           "dropped, unused or added: told by the elements, not by the values.")},
        {QT_TRANSLATE_NOOP("kernscope::ui::PlacesModel", "Entry of B"),
         QT_TRANSLATE_NOOP("kernscope::ui::PlacesModel",
                           "The entry of B that most of the elements take; of a split one all of "
                           "them, with their elements.")},
        {QT_TRANSLATE_NOOP("kernscope::ui::PlacesModel", "Value in B"),
         QT_TRANSLATE_NOOP("kernscope::ui::PlacesModel", "What that entry stands for.")},
        {QT_TRANSLATE_NOOP("kernscope::ui::PlacesModel", "Elements"),
         QT_TRANSLATE_NOOP("kernscope::ui::PlacesModel", "Elements of B that take that entry.")},
        {QT_TRANSLATE_NOOP("kernscope::ui::PlacesModel", "|\u0394|"),
         QT_TRANSLATE_NOOP("kernscope::ui::PlacesModel",
                           "Largest difference between the values of both entries.")},
    }};
    return kColumns[static_cast<std::size_t>(section)];
}

} // namespace kernscope::ui
