// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/byte_text.h"

#include "core/base/quantity.h"
#include "core/numeric/npy.h"
#include "widgets/models/table_text.h"

#include <QRegularExpression>

#include <string>

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

} // namespace kernscope::ui
