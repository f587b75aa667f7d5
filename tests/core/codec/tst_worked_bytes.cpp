// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/decode/decoder.h"
#include "tests/test_program.h"

using namespace kernscope;
using namespace kernscope::codec;

namespace {

std::vector<std::byte> hex(const char *text)
{
    const QByteArray raw = QByteArray::fromHex(text);
    const auto *data = reinterpret_cast<const std::byte *>(raw.constData());
    return {data, data + raw.size()};
}

} // namespace

/// The worked bytes of resources/formats/forms.md.
class TestWorkedBytes : public QObject
{
    Q_OBJECT

private:
    static QByteArray decoded(const Encoding &encoding)
    {
        const auto decoder = Decoder::make(encoding);
        if (!decoder)
            return QByteArray::fromStdString(describe(decoder.error()));
        std::vector<std::uint16_t> halves(decoder->elements().value);
        decoder->decodeHalf(0, halves);
        return QByteArray(reinterpret_cast<const char *>(halves.data()),
                          static_cast<qsizetype>(2 * halves.size()))
            .toHex(' ')
            .toUpper();
    }

private slots:
    void palette()
    {
        const auto indices = hex("01 10");
        std::vector<std::byte> lut(32);
        lut[3] = std::byte{0x3c};
        Encoding encoding;
        encoding.shape = {4};
        Palette palette;
        palette.grid = {1};
        palette.entries = 16;
        palette.lut = Operand{PartRole::Lut, ElementType::Fp16, {1, 16, 1}, lut};
        encoding.palette = palette;
        encoding.payload = Operand{PartRole::Indices, ElementType::Uint4, {4}, indices};
        QCOMPARE(decoded(encoding), QByteArray("00 3C 00 00 00 00 00 3C"));
        // iOS 16: the same two bytes as uint8, lut of rank 1.
        encoding.payload = Operand{PartRole::Indices, ElementType::Uint8, {2}, indices};
        std::get<Operand>(encoding.palette->lut).shape = {16};
        encoding.palette->grid.clear();
        QCOMPARE(decoded(encoding), QByteArray("00 3C 00 00 00 00 00 3C"));
    }

    void sparse()
    {
        const auto mask = hex("92 01");
        const auto values = hex("00 3E 00 C0 00 34 00 42");
        Encoding encoding;
        encoding.shape = {10};
        encoding.mask = Operand{PartRole::Mask, ElementType::Uint1, {10}, mask};
        encoding.payload = Operand{PartRole::NonzeroData, ElementType::Fp16, {4}, values};
        QCOMPARE(decoded(encoding),
                 QByteArray("00 00 00 3E 00 00 00 00 00 C0 00 00 00 00 00 34 00 42 00 00"));
    }

    void affine()
    {
        const auto q = hex("82 80 78 00 FF 0A");
        const auto scale = hex("00 38 00 34");
        const auto zero = hex("80 0A");
        Encoding encoding;
        encoding.shape = {2, 3};
        encoding.payload = Operand{PartRole::Data, ElementType::Uint8, {2, 3}, q};
        Scaling scaling;
        scaling.scale = Operand{PartRole::Scale, ElementType::Fp16, {2}, scale};
        scaling.offset = Operand{PartRole::ZeroPoint, ElementType::Uint8, {2}, zero};
        encoding.scaling = scaling;
        QCOMPARE(decoded(encoding), QByteArray("00 3C 00 00 00 C4 00 C1 A8 53 00 00"));
    }

    void affineRounding()
    {
        const auto q = hex("25");
        const auto scale = hex("66 2E");
        const auto zero = hex("FB");
        Encoding encoding;
        encoding.shape = {1};
        encoding.payload = Operand{PartRole::Data, ElementType::Int8, {1}, q};
        Scaling scaling;
        scaling.scale = Operand{PartRole::Scale, ElementType::Fp16, {}, scale};
        scaling.offset = Operand{PartRole::ZeroPoint, ElementType::Int8, {}, zero};
        encoding.scaling = scaling;
        QCOMPARE(decoded(encoding), QByteArray("33 44"));
    }

    void blockwise()
    {
        const auto data = hex("E1 C3 A5 87");
        const auto scale = hex("00 38 00 40 00 3C 00 34");
        Encoding encoding;
        encoding.shape = {2, 4};
        encoding.payload = Operand{PartRole::Data, ElementType::Int4, {2, 4}, data};
        Scaling scaling;
        scaling.kind = Scaling::Kind::Blockwise;
        scaling.scale = Operand{PartRole::Scale, ElementType::Fp16, {2, 2}, scale};
        encoding.scaling = scaling;
        QCOMPARE(decoded(encoding), QByteArray("00 38 00 BC 00 46 00 C8 00 45 00 C6 00 3F 00 C0"));
    }
};

KERNSCOPE_TEST(TestWorkedBytes, kernscope::test::NoApplication)
#include "tst_worked_bytes.moc"
