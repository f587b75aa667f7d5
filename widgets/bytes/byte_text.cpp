// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/bytes/byte_text.h"

#include "core/base/quantity.h"
#include "core/numeric/half.h"

#include <QCoreApplication>

#include <array>
#include <bit>
#include <functional>

namespace kernscope::ui {

namespace {

constexpr std::size_t kPerLine = 16;

struct ByteWords {
    Q_DECLARE_TR_FUNCTIONS(kernscope::ByteText)
};

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

/// NumPy's name of a type, or nothing where it has none.
QString numpyType(ElementType type)
{
    switch (type) {
    case ElementType::Fp16: return QStringLiteral("<f2");
    case ElementType::Fp32: return QStringLiteral("<f4");
    case ElementType::Fp64: return QStringLiteral("<f8");
    case ElementType::Int8: return QStringLiteral("i1");
    case ElementType::Int16: return QStringLiteral("<i2");
    case ElementType::Int32: return QStringLiteral("<i4");
    case ElementType::Int64: return QStringLiteral("<i8");
    case ElementType::Uint16: return QStringLiteral("<u2");
    case ElementType::Uint32: return QStringLiteral("<u4");
    case ElementType::Uint64: return QStringLiteral("<u8");
    default: return {};
    }
}

QString numpyArray(std::span<const std::byte> bytes, ElementType type)
{
    QString dtype = numpyType(type);
    if (dtype.isEmpty() || bytes.size() % (bitWidth(type) / 8) != 0)
        dtype = QStringLiteral("u1");
    QString hex;
    hex.reserve(static_cast<qsizetype>(2 * bytes.size()));
    for (const std::byte byte : bytes)
        appendHex(hex, byte);
    return QStringLiteral("np.frombuffer(bytes.fromhex('%1'), dtype='%2')").arg(hex, dtype);
}

/// Number of the first N bytes, the lowest first or the highest.
template <class T>
std::optional<T> load(std::span<const std::byte> bytes, bool big = false)
{
    if (bytes.size() < sizeof(T))
        return std::nullopt;
    T value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) {
        const std::size_t place = big ? sizeof(T) - 1 - i : i;
        value =
            static_cast<T>(value | (static_cast<T>(std::to_integer<T>(bytes[i])) << (8 * place)));
    }
    return value;
}

template <class Unsigned, class Signed = Unsigned>
QString integer(std::span<const std::byte> bytes, bool big = false)
{
    const auto bits = load<Unsigned>(bytes, big);
    if (!bits)
        return {};
    if constexpr (std::is_signed_v<Signed>)
        return QString::number(static_cast<qlonglong>(static_cast<Signed>(*bits)));
    else
        return QString::number(static_cast<qulonglong>(*bits));
}

QString real(float value, int digits)
{
    return QString::number(static_cast<double>(value), 'g', digits);
}

QString nibbles(std::span<const std::byte> bytes, bool isSigned)
{
    const auto byte = load<std::uint8_t>(bytes);
    if (!byte)
        return {};
    const auto extend = [isSigned](unsigned nibble) {
        return isSigned ? static_cast<int>(nibble ^ 8u) - 8 : static_cast<int>(nibble);
    };
    return QStringLiteral("%1, %2").arg(extend(*byte & 15u)).arg(extend(*byte >> 4));
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

namespace {

std::vector<InspectedValue> integerReadings(std::span<const std::byte> bytes, bool big,
                                            const std::function<QString(const QString &)> &wide)
{
    return {
        {QStringLiteral("u8"), integer<std::uint8_t>(bytes), ByteWords::tr("unsigned byte")},
        {QStringLiteral("i8"), integer<std::uint8_t, std::int8_t>(bytes),
         ByteWords::tr("signed byte")},
        {QStringLiteral("u16"), integer<std::uint16_t>(bytes, big),
         wide(ByteWords::tr("unsigned 16-bit integer"))},
        {QStringLiteral("i16"), integer<std::uint16_t, std::int16_t>(bytes, big),
         wide(ByteWords::tr("signed 16-bit integer"))},
        {QStringLiteral("u32"), integer<std::uint32_t>(bytes, big),
         wide(ByteWords::tr("unsigned 32-bit integer"))},
        {QStringLiteral("i32"), integer<std::uint32_t, std::int32_t>(bytes, big),
         wide(ByteWords::tr("signed 32-bit integer"))},
        {QStringLiteral("u64"), integer<std::uint64_t>(bytes, big),
         wide(ByteWords::tr("unsigned 64-bit integer"))},
        {QStringLiteral("i64"), integer<std::uint64_t, std::int64_t>(bytes, big),
         wide(ByteWords::tr("signed 64-bit integer"))},
    };
}

} // namespace

std::vector<InspectedValue> inspectBytes(std::span<const std::byte> bytes, bool big)
{
    const auto byte = load<std::uint8_t>(bytes);
    const auto half = load<std::uint16_t>(bytes, big);
    const auto word = load<std::uint32_t>(bytes, big);
    const auto twice = load<std::uint64_t>(bytes, big);
    const QString order = big ? ByteWords::tr("%1, big-endian, beginning at the cursor")
                              : ByteWords::tr("%1, little-endian, beginning at the cursor");
    const auto wide = [&order](const QString &what) { return order.arg(what); };
    std::vector<InspectedValue> rows = integerReadings(bytes, big, wide);
    rows.insert(rows.end(),
                {{QStringLiteral("fp16"), half ? real(halfToFloat(*half), 5) : QString(),
                  wide(ByteWords::tr("IEEE half precision"))},
                 {QStringLiteral("bf16"), half ? real(bfloat16ToFloat(*half), 4) : QString(),
                  wide(ByteWords::tr("bfloat16"))},
                 {QStringLiteral("fp32"), word ? real(std::bit_cast<float>(*word), 9) : QString(),
                  wide(ByteWords::tr("IEEE single precision"))},
                 {QStringLiteral("fp64"),
                  twice ? QString::number(std::bit_cast<double>(*twice), 'g', 12) : QString(),
                  wide(ByteWords::tr("IEEE double precision"))},
                 {QStringLiteral("e4m3"), byte ? real(e4m3ToFloat(*byte), 4) : QString(),
                  ByteWords::tr("fp8 E4M3FN: bias 7, no infinity")},
                 {QStringLiteral("e5m2"), byte ? real(e5m2ToFloat(*byte), 4) : QString(),
                  ByteWords::tr("fp8 E5M2: bias 15, with infinities")},
                 {QStringLiteral("int4"), nibbles(bytes, true),
                  ByteWords::tr("two signed nibbles, the low one first")},
                 {QStringLiteral("uint4"), nibbles(bytes, false),
                  ByteWords::tr("two unsigned nibbles, the low one first")},
                 {QStringLiteral("bits"),
                  byte ? QString::number(*byte, 2).rightJustified(8, u'0') : QString(),
                  ByteWords::tr("bits of the byte, the highest first; a mask reads them from the "
                                "right")}});
    return rows;
}

std::optional<std::uint64_t> parseOffset(const QString &text, std::uint64_t cursor,
                                         std::uint64_t size)
{
    QString digits = text.trimmed().toLower();
    digits.remove(u'_').remove(u',').remove(u' ');
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
