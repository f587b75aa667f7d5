// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/byte_models.h"

#include "core/base/overlaid_file.h"
#include "core/base/quantity.h"
#include "core/bundle/bundle.h"
#include "core/numeric/npy.h"
#include "core/report/byte_table.h"
#include "widgets/models/row_table_model.h"
#include "widgets/models/table_text.h"
#include "widgets/models/theme.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

namespace kernscope::ui {

namespace {

constexpr std::size_t kPerLine = 16;

void appendHex(QString &text, std::byte byte)
{
    constexpr auto kDigits = "0123456789abcdef";
    const auto value = std::to_integer<unsigned>(byte);
    text += QLatin1Char(kDigits[value >> 4]);
    text += QLatin1Char(kDigits[value & 15]);
}

QString plainHex(std::span<const std::byte> bytes)
{
    QString text;
    text.reserve(static_cast<qsizetype>(3 * bytes.size()));
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        if (i > 0)
            text += i % kPerLine == 0 ? u'\n' : u' ';
        appendHex(text, bytes[i]);
    }
    return text;
}

QString cArray(std::span<const std::byte> bytes)
{
    QString text = QStringLiteral("const unsigned char bytes[%1] = {").arg(bytes.size());
    text.reserve(static_cast<qsizetype>(6 * bytes.size() + 64));
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        text += i % kPerLine == 0 ? QStringLiteral("\n    0x") : QStringLiteral(" 0x");
        appendHex(text, bytes[i]);
        text += u',';
    }
    return text + QStringLiteral("\n};");
}

QString pythonBytes(std::span<const std::byte> bytes)
{
    QString text = QStringLiteral("b'");
    text.reserve(static_cast<qsizetype>(4 * bytes.size() + 3));
    for (const std::byte byte : bytes) {
        text += QStringLiteral("\\x");
        appendHex(text, byte);
    }
    return text + u'\'';
}

QString numpyArray(std::span<const std::byte> bytes, ElementType type)
{
    QString dtype = fromUtf8(numpyTypeName(type));
    if (dtype.isEmpty() || bytes.size() % (bitWidth(type) / 8) != 0)
        dtype = QStringLiteral("u1");
    QString hex;
    hex.reserve(static_cast<qsizetype>(2 * bytes.size()));
    for (const std::byte byte : bytes)
        appendHex(hex, byte);
    return QStringLiteral("np.frombuffer(bytes.fromhex('%1'), dtype='%2')").arg(hex, dtype);
}

} // namespace

QString bytesAsText(std::span<const std::byte> bytes, CopyFormat format, ElementType type)
{
    switch (format) {
    case CopyFormat::Hex: return plainHex(bytes);
    case CopyFormat::CArray: return cArray(bytes);
    case CopyFormat::PythonBytes: return pythonBytes(bytes);
    case CopyFormat::NumPy: return numpyArray(bytes, type);
    }
    return {};
}

std::optional<std::uint64_t> parseOffset(const QString &text, std::uint64_t cursor,
                                         std::uint64_t size)
{
    QString digits = text.trimmed().toLower();
    // Groups of three digits; a comma elsewhere is no part of an offset.
    static const QRegularExpression groups(QStringLiteral("^[+-]?[0-9]{1,3}([, ][0-9]{3})+$"));
    if (groups.match(digits).hasMatch())
        digits.remove(u',').remove(u' ');
    digits.remove(u'_');
    if (digits == QStringLiteral("end"))
        return size == 0 ? std::nullopt : std::optional(size - 1);
    const bool forward = digits.startsWith(u'+'), back = digits.startsWith(u'-');
    if (forward || back)
        digits.remove(0, 1);
    int base = 10;
    if (digits.startsWith(QStringLiteral("0x"))) {
        digits.remove(0, 2);
        base = 16;
    } else if (digits.endsWith(u'h')) {
        digits.chop(1);
        base = 16;
    }
    bool sound = !digits.isEmpty() && !digits.startsWith(u'+') && !digits.startsWith(u'-');
    const std::uint64_t number = sound ? digits.toULongLong(&sound, base) : 0;
    if (!sound || (back && number > cursor))
        return std::nullopt;
    const auto at = back      ? std::optional(cursor - number)
                    : forward ? checkedAdd(cursor, number)
                              : std::optional(number);
    return at && *at < size ? at : std::nullopt;
}

SectionModel::SectionModel(QObject *parent)
    : RowTableModel(report::sectionTable().facts(), report::sectionTable().windowOrder, parent)
{
}

void SectionModel::setBundle(BundlePtr bundle)
{
    const bool sameRows = m_bundle && bundle &&
                          m_bundle->sections().size() == bundle->sections().size() &&
                          m_bundle->files().size() == bundle->files().size();
    replaceRows(sameRows, [&] { m_bundle = std::move(bundle); });
}

std::size_t SectionModel::rowTotal() const
{
    // Rows of a table view are ints; no real file comes near.
    constexpr auto kMost = static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max());
    return m_bundle ? std::min(m_bundle->sections().size(), kMost) : 0;
}

report::Value SectionModel::valueOf(std::size_t row, std::size_t declared) const
{
    return report::sectionTable().columns[declared].value(
        {m_bundle.get(), &m_bundle->sections()[row]});
}

QVariant SectionModel::lookOf(std::size_t row, int column, int role) const
{
    const Section &section = m_bundle->sections()[row];
    const std::string_view key = keyOf(column);
    if (role == Qt::ToolTipRole)
        return describeSection(*m_bundle, row);
    if (role == Qt::DisplayRole && key == "kind")
        return theme::sectionKindLabel(section.kind);
    if (role != Qt::DecorationRole)
        return {};
    if (key == "kind")
        return kindIcon(section.kind);
    if (key == "name" && m_bundle->files()[section.file].file->changed(section.range))
        return glyphIcon(theme::glyph(Token::MarkChanged), Token::MarkChanged);
    return {};
}

std::size_t SectionModel::sectionAt(int row) const
{
    return row >= 0 && row < rowCount() ? sourceRow(row) : kNoIndex;
}

QString describeSection(const Bundle &bundle, std::size_t at)
{
    const Section &section = bundle.sections()[at];
    const BundleFile &file = bundle.files()[section.file];
    QStringList lines{fromUtf8(bundle.nameOf(section))};
    const std::uint64_t last = section.range.end() - (section.range.bytes.value > 0 ? 1 : 0);
    lines +=
        SectionModel::tr("%1: %2 to %3, %4 bytes of %5")
            .arg(theme::sectionKindLabel(section.kind), hexNumber(section.range.offset.value),
                 hexNumber(last), groupedNumber(section.range.bytes.value), fromUtf8(file.path));
    if (const std::string_view owner = bundle.ownerOf(section); !owner.empty())
        lines += SectionModel::tr("Weight: %1").arg(fromUtf8(owner));
    if (file.file->changed(section.range))
        lines += SectionModel::tr("%1 Changed since the file was last saved.")
                     .arg(theme::glyph(Token::MarkChanged));
    return lines.join(u'\n');
}

ByteSectionModel::ByteSectionModel(QObject *parent)
    : QAbstractTableModel(parent), m_columns(report::alignedSectionTable())
{
}

void ByteSectionModel::setBytes(AlignedBytesPtr bytes)
{
    beginResetModel();
    m_bytes = std::move(bytes);
    m_differences = nullptr;
    m_order = sorted();
    endResetModel();
}

void ByteSectionModel::setDifferences(std::shared_ptr<const ByteDifferences> differences)
{
    m_differences = std::move(differences);
    if (m_sortColumn >= Changed)
        sort(m_sortColumn, m_sortOrder);
    if (rowCount() > 0)
        Q_EMIT dataChanged(index(0, Changed), index(rowCount() - 1, State));
}

std::size_t ByteSectionModel::sectionAt(int row) const
{
    return row >= 0 && row < rowCount() ? m_order[static_cast<std::size_t>(row)] : kNoIndex;
}

int ByteSectionModel::rowOfSection(std::size_t section) const
{
    const auto at = std::find(m_order.begin(), m_order.end(), section);
    return at == m_order.end() ? -1 : static_cast<int>(at - m_order.begin());
}

int ByteSectionModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_order.size());
}

int ByteSectionModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

report::AlignedSectionFacts ByteSectionModel::facts(std::size_t section) const
{
    return {&m_bytes->alignment.sections()[section],
            m_differences ? &m_differences->tallyOf(section) : nullptr};
}

QVariant ByteSectionModel::data(const QModelIndex &index, int role) const
{
    const std::size_t section = sectionAt(index.row());
    if (!index.isValid() || section == kNoIndex)
        return {};
    const report::AlignedSectionFacts row = facts(section);
    if (role == Qt::ToolTipRole)
        return fromUtf8(row.section->name);
    return role == SortRole ? m_columns.sortData(index.column(), row)
                            : m_columns.cell(index.column(), row, role);
}

QVariant ByteSectionModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return QAbstractTableModel::headerData(section, orientation, role);
    return m_columns.header(section, role);
}

std::vector<std::size_t> ByteSectionModel::sorted() const
{
    std::vector<std::size_t> order(m_bytes ? m_bytes->alignment.sections().size() : 0);
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (m_sortColumn < 0)
        return order;
    const bool ascending = m_sortOrder == Qt::AscendingOrder;
    const bool isNumber = m_columns.facts(m_sortColumn).number();
    std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) {
        const QVariant a = m_columns.sortData(m_sortColumn, facts(x));
        const QVariant b = m_columns.sortData(m_sortColumn, facts(y));
        if (!isNumber) {
            const int by = QString::localeAwareCompare(a.toString(), b.toString());
            return ascending ? by < 0 : by > 0;
        }
        if (!a.isValid() || !b.isValid())
            return a.isValid() && !b.isValid(); // what has no number stays last
        return ascending ? a.toULongLong() < b.toULongLong() : b.toULongLong() < a.toULongLong();
    });
    return order;
}

void ByteSectionModel::sort(int column, Qt::SortOrder order)
{
    m_sortColumn = column;
    m_sortOrder = order;
    Q_EMIT layoutAboutToBeChanged({}, QAbstractItemModel::VerticalSortHint);
    const std::vector<std::size_t> before = std::exchange(m_order, sorted());
    const QModelIndexList from = persistentIndexList();
    changePersistentIndexList(from, movedCells(*this, from, before, m_order));
    Q_EMIT layoutChanged({}, QAbstractItemModel::VerticalSortHint);
}

InspectorModel::InspectorModel(QObject *parent)
    : RowTableModel(report::readingTable().facts(), {}, parent)
{
    m_rows = report::readingRows({});
    chooseRows();
}

void InspectorModel::setBytes(std::span<const std::byte> bytes)
{
    replaceRows(true, [&] { m_rows = report::readingRows(bytes); });
}

report::Value InspectorModel::valueOf(std::size_t row, std::size_t declared) const
{
    return report::readingTable().columns[declared].value(m_rows[row]);
}

QVariant InspectorModel::lookOf(std::size_t row, int column, int role) const
{
    const bool big = keyOf(column) == "big_endian";
    if (!big && keyOf(column) != "little_endian")
        return {};
    const ByteReading &reading = big ? m_rows[row].big : m_rows[row].little;
    const QString text = fromUtf8(reading.value);
    switch (role) {
    case Qt::DisplayRole: return text.isEmpty() ? QStringLiteral("\u2013") : text;
    case Qt::AccessibleTextRole: return QStringLiteral("%1: %2").arg(fromUtf8(reading.name), text);
    case Qt::ToolTipRole: {
        const QString meaning =
            QCoreApplication::translate("kernscope::Column", std::string(reading.meaning).c_str());
        const QString order = big ? tr("%1, big-endian, beginning at the cursor")
                                  : tr("%1, little-endian, beginning at the cursor");
        return QStringLiteral("%1: %2").arg(reading.ordered ? order.arg(meaning) : meaning, text);
    }
    default: return {};
    }
}

} // namespace kernscope::ui

#include "moc_byte_models.cpp"
