// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/numeric/bitpack.h"
#include "tests/test_program.h"

namespace {

std::vector<std::byte> bytes(const char *text)
{
    const QByteArray raw = QByteArray::fromHex(text);
    const auto *data = reinterpret_cast<const std::byte *>(raw.constData());
    return {data, data + raw.size()};
}

std::vector<std::byte> randomBytes(std::size_t count, std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    std::vector<std::byte> result(count);
    for (std::byte &byte : result)
        byte = static_cast<std::byte>(random());
    return result;
}

unsigned bitOf(const std::vector<std::byte> &stream, std::uint64_t t)
{
    return std::to_integer<unsigned>(stream[t / 8]) >> (t % 8) & 1u;
}

void widthRows()
{
    QTest::addColumn<unsigned>("width");
    for (const unsigned width : {1u, 2u, 3u, 4u, 6u, 8u})
        QTest::addRow("%u bits", width) << width;
}

} // namespace

class TestBitpack : public QObject
{
    Q_OBJECT

private slots:
    void workedBytes_data()
    {
        const auto row = addColumns<unsigned, QByteArray, QList<int>>();
        // resources/formats/forms.md.
        row("uint3", 3u, "D1581F", QList<int>{1, 2, 3, 4, 5, 6, 7, 0});
        row("uint6", 6u, "8130FC", QList<int>{1, 2, 3, 63});
        row("uint2", 2u, "6C03", QList<int>{0, 3, 2, 1, 3});
        row("uint4", 4u, "0110", QList<int>{1, 0, 0, 1});
        row("uint1", 1u, "9201", QList<int>{0, 1, 0, 0, 1, 0, 0, 1, 1, 0});
    }

    void workedBytes()
    {
        const auto [width, stream, codes] = fetched<unsigned, QByteArray, QList<int>>();
        const auto packed = bytes(stream.constData());
        std::vector<std::uint8_t> found(std::size_t(codes.size()));
        unpackCodes(packed, width, 0, found);
        QCOMPARE(QList<int>(found.begin(), found.end()), codes);
        std::vector<std::byte> again(packed.size());
        packCodes(found, width, 0, again);
        QCOMPARE(again, packed);
    }

    void unpackAnywhere_data() { widthRows(); }

    void unpackAnywhere()
    {
        QFETCH(unsigned, width);
        constexpr std::uint64_t kCodes = 700;
        const auto stream = randomBytes((kCodes * width + 7) / 8, width);
        for (std::uint64_t first = 0; first < 40; ++first) {
            for (std::uint64_t count :
                 {0u, 1u, 2u, 5u, 8u, 15u, 16u, 31u, 64u, 127u, 130u, 300u, 660u}) {
                std::vector<std::uint8_t> out(count + 2, 0xaa);
                unpackCodes(stream, width, first, std::span(out).subspan(1, count));
                QCOMPARE(out.front(), 0xaa);
                QCOMPARE(out.back(), 0xaa);
                for (std::uint64_t i = 0; i < count; ++i) {
                    unsigned code = 0;
                    for (unsigned b = 0; b < width; ++b)
                        code |= bitOf(stream, (first + i) * width + b) << b;
                    QCOMPARE(out[i + 1], code);
                    QCOMPARE(unpackCode(stream, width, first + i), code);
                }
            }
        }
        // Up to the very last code of a stream that has not a byte to spare.
        for (std::uint64_t count = 0; count < 200; ++count) {
            const std::vector<std::byte> tight(
                stream.begin(), stream.begin() + std::ptrdiff_t((count * width + 7) / 8));
            std::vector<std::uint8_t> out(count);
            unpackCodes(tight, width, 0, out);
            for (std::uint64_t i = 0; i < count; ++i)
                QCOMPARE(out[i], unpackCode(tight, width, i));
        }
    }

    void packKeepsTheRest_data() { widthRows(); }

    void packKeepsTheRest()
    {
        QFETCH(unsigned, width);
        std::mt19937_64 random(width);
        for (int round = 0; round < 400; ++round) {
            const std::uint64_t codes = 1 + random() % 90;
            const auto before = randomBytes((codes * width + 7) / 8 + 2, random());
            const std::uint64_t first = random() % codes;
            std::vector<std::uint8_t> values(random() % (codes - first + 1));
            for (std::uint8_t &value : values)
                value = std::uint8_t(random());
            auto after = before;
            packCodes(values, width, first, after);
            for (std::uint64_t t = 0; t < before.size() * 8; ++t) {
                const std::uint64_t code = t / width;
                if (code >= first && code < first + values.size())
                    QCOMPARE(bitOf(after, t), values[code - first] >> (t % width) & 1u);
                else
                    QCOMPARE(bitOf(after, t), bitOf(before, t));
            }
        }
    }

    void nibbles()
    {
        const auto stream = bytes("780F");
        std::vector<std::int8_t> out(3);
        unpackInt4(stream, 0, out);
        QCOMPARE(out, (std::vector<std::int8_t>{-8, 7, -1}));
        const auto all = bytes("1032547698BADCFE");
        std::vector<std::int8_t> wide(15);
        unpackInt4(all, 1, wide);
        for (int i = 0; i < 15; ++i)
            QCOMPARE(wide[std::size_t(i)], i + 1 < 8 ? i + 1 : i + 1 - 16);
    }

    void countAnywhere()
    {
        const auto stream = randomBytes(300, 8);
        std::mt19937_64 random(9);
        for (int round = 0; round < 3000; ++round) {
            const std::uint64_t first = random() % 2400;
            const std::uint64_t count = random() % (2401 - first);
            std::uint64_t expected = 0;
            for (std::uint64_t t = first; t < first + count; ++t)
                expected += bitOf(stream, t);
            QCOMPARE(countBits(stream, first, count), expected);
        }
    }
};

KERNSCOPE_TEST(TestBitpack, NoApplication)
#include "tst_bitpack.moc"
