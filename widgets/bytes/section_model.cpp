// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/bytes/section_model.h"

#include "widgets/common/icons.h"
#include "widgets/common/table_text.h"
#include "widgets/common/text_filter.h"
#include "widgets/common/theme.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace kernscope::ui {

SectionModel::SectionModel(QObject *parent) : ChosenRowsModel(parent) {}

void SectionModel::setBundle(BundlePtr bundle)
{
    const bool sameRows = m_bundle && bundle &&
                          m_bundle->sections().size() == bundle->sections().size() &&
                          m_bundle->files().size() == bundle->files().size();
    if (sameRows) {
        m_bundle = std::move(bundle);
        if (rowCount() > 0)
            Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
        return;
    }
    beginResetModel();
    m_bundle = std::move(bundle);
    chooseRows();
    endResetModel();
}

void SectionModel::chooseRows()
{
    m_rows.clear();
    if (m_bundle) {
        const auto &sections = m_bundle->sections();
        // Rows of a table view are ints; no real file comes near.
        const auto most = static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max());
        const std::size_t count = std::min(sections.size(), most);
        const TextFilter words(filter());
        if (words.empty()) {
            m_rows.resize(count);
            std::iota(m_rows.begin(), m_rows.end(), 0u);
        } else {
            for (std::size_t i = 0; i < count; ++i) {
                const Section &s = sections[i];
                if (words.passes(
                        {s.name, sectionKindName(s.kind), s.owner, m_bundle->files()[s.file].path}))
                    m_rows.push_back(static_cast<std::uint32_t>(i));
            }
        }
    }
    orderRows();
    indexRows();
}

void SectionModel::orderRows()
{
    if (!m_bundle)
        return;
    const auto &sections = m_bundle->sections();
    const auto order = [this, &sections](auto lessThan) {
        const bool descending = sortOrder() == Qt::DescendingOrder;
        std::stable_sort(m_rows.begin(), m_rows.end(), [&](std::uint32_t a, std::uint32_t b) {
            return descending ? lessThan(sections[b], sections[a])
                              : lessThan(sections[a], sections[b]);
        });
    };
    std::sort(m_rows.begin(), m_rows.end());
    switch (sortColumn()) {
    case Name: order([](const Section &a, const Section &b) { return a.name < b.name; }); break;
    case Kind: order([](const Section &a, const Section &b) { return a.kind < b.kind; }); break;
    case File: order([](const Section &a, const Section &b) { return a.file < b.file; }); break;
    case Offset:
        order([](const Section &a, const Section &b) { return a.range.offset < b.range.offset; });
        break;
    case Bytes:
        order([](const Section &a, const Section &b) { return a.range.bytes < b.range.bytes; });
        break;
    case Owner: order([](const Section &a, const Section &b) { return a.owner < b.owner; }); break;
    default: break;
    }
}

void SectionModel::indexRows()
{
    m_rowOf.assign(m_bundle ? m_bundle->sections().size() : 0, -1);
    for (std::size_t row = 0; row < m_rows.size(); ++row)
        m_rowOf[m_rows[row]] = static_cast<std::int32_t>(row);
}

void SectionModel::sort(int column, Qt::SortOrder order)
{
    Q_EMIT layoutAboutToBeChanged({}, QAbstractItemModel::VerticalSortHint);
    const QModelIndexList before = persistentIndexList();
    std::vector<std::size_t> sections;
    sections.reserve(static_cast<std::size_t>(before.size()));
    for (const QModelIndex &at : before)
        sections.push_back(sectionAt(at.row()));
    setOrder(column, order);
    orderRows();
    indexRows();
    for (qsizetype i = 0; i < before.size(); ++i) {
        const std::size_t section = sections[static_cast<std::size_t>(i)];
        changePersistentIndex(before[i], index(rowOf(section), before[i].column()));
    }
    Q_EMIT layoutChanged({}, QAbstractItemModel::VerticalSortHint);
}

std::size_t SectionModel::sectionAt(int row) const
{
    return row >= 0 && static_cast<std::size_t>(row) < m_rows.size()
               ? m_rows[static_cast<std::size_t>(row)]
               : kNoIndex;
}

int SectionModel::rowOf(std::size_t section) const
{
    return section < m_rowOf.size() ? m_rowOf[section] : -1;
}

int SectionModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int SectionModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

bool SectionModel::changed(const Section &section) const
{
    return m_bundle->files()[section.file].file->changed(section.range);
}

QVariant SectionModel::textOf(const Section &section, int column) const
{
    switch (column) {
    case Name: return fromUtf8(section.name);
    case Kind: return theme::sectionKindLabel(section.kind);
    case File: return fromUtf8(m_bundle->files()[section.file].path);
    case Offset: return hexNumber(section.range.offset.value, 8);
    case Bytes: return groupedNumber(section.range.bytes.value);
    case Owner: return fromUtf8(section.owner);
    default: return {};
    }
}

QVariant SectionModel::data(const QModelIndex &at, int role) const
{
    const std::size_t number = at.isValid() ? sectionAt(at.row()) : kNoIndex;
    if (number == kNoIndex)
        return {};
    const Section &section = m_bundle->sections()[number];
    const int column = at.column();
    const bool isNumber = column == Offset || column == Bytes;
    switch (role) {
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(
            Qt::Alignment((isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter));
    case Qt::ToolTipRole: return describeSection(*m_bundle, number);
    case Qt::DecorationRole:
        if (column == Kind)
            return kindIcon(section.kind);
        if (column == Name && changed(section))
            return glyphIcon(theme::glyph(Token::MarkChanged), Token::MarkChanged);
        return {};
    case SortRole:
        if (column == Offset)
            return static_cast<qulonglong>(section.range.offset.value);
        if (column == Bytes)
            return static_cast<qulonglong>(section.range.bytes.value);
        return textOf(section, column);
    case CopyRole:
        if (column == Bytes)
            return QString::number(static_cast<qulonglong>(section.range.bytes.value));
        return textOf(section, column);
    case Qt::DisplayRole: return textOf(section, column);
    default: return {};
    }
}

QVariant SectionModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole) {
        const bool number = section == Offset || section == Bytes;
        return QVariant::fromValue(
            Qt::Alignment((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter));
    }
    const auto header = [section]() -> HeaderText {
        switch (section) {
        case Name: return {tr("Section"), tr("What the bytes are")};
        case Kind: return {tr("Kind"), tr("What the bytes are for")};
        case File: return {tr("File"), tr("File of the bundle that holds the section")};
        case Offset: return {tr("Offset"), tr("First byte, counted from the start of the file")};
        case Bytes: return {tr("Bytes"), tr("Length of the section in bytes")};
        case Owner: return {tr("Weight"), tr("Weight that the section belongs to")};
        default: return {};
        }
    }();
    return header.data(role);
}

QString describeSection(const Bundle &bundle, std::size_t at)
{
    const Section &section = bundle.sections()[at];
    const BundleFile &file = bundle.files()[section.file];
    QStringList lines{fromUtf8(section.name)};
    const std::uint64_t last = section.range.end() - (section.range.bytes.value > 0 ? 1 : 0);
    lines +=
        SectionModel::tr("%1: %2 to %3, %4 bytes of %5")
            .arg(theme::sectionKindLabel(section.kind), hexNumber(section.range.offset.value),
                 hexNumber(last), groupedNumber(section.range.bytes.value), fromUtf8(file.path));
    if (!section.owner.empty())
        lines += SectionModel::tr("Weight: %1").arg(fromUtf8(section.owner));
    if (file.file->changed(section.range))
        lines += SectionModel::tr("%1 Changed since the file was last saved.")
                     .arg(theme::glyph(Token::MarkChanged));
    return lines.join(u'\n');
}

} // namespace kernscope::ui
