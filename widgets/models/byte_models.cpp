// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/byte_models.h"

#include "core/base/overlaid_file.h"
#include "core/numeric/npy.h"
#include "widgets/models/theme.h"

#include <QCoreApplication>

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
    QString digits = withoutGroups(text.trimmed().toLower());
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

ByteSectionModel::ByteSectionModel(QObject *parent) : RowTable(report::alignedSectionTable, parent)
{
    setLook([](const report::AlignedSectionFacts &row, std::string_view, int role) {
        return role == Qt::ToolTipRole ? QVariant(fromUtf8(row.section->name)) : QVariant();
    });
}

void ByteSectionModel::setBytes(AlignedBytesPtr bytes)
{
    setRows({}); // before what they point into goes
    m_bytes = std::move(bytes);
    m_differences = nullptr;
    showRows();
}

void ByteSectionModel::setDifferences(std::shared_ptr<const ByteDifferences> differences)
{
    m_differences = std::move(differences);
    showRows();
    chooseAgain();
}

void ByteSectionModel::showRows()
{
    std::vector<report::AlignedSectionFacts> rows;
    for (std::size_t i = 0; m_bytes && i < m_bytes->alignment.sections().size(); ++i)
        rows.push_back({&m_bytes->alignment.sections()[i],
                        m_differences ? &m_differences->tallyOf(i) : nullptr});
    replaceRows(rows.size() == this->rows().size(), [&] { held() = std::move(rows); });
}

InspectorModel::InspectorModel(QObject *parent) : DeclaredTable(report::readingTable, parent)
{
    m_rows = report::readingRows({});
    chooseRows();
}

void InspectorModel::setBytes(std::span<const std::byte> bytes)
{
    replaceRows(true, [&] { m_rows = report::readingRows(bytes); });
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
