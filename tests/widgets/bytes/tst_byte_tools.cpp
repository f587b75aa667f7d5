// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/sample_bundles.h"
#include "widgets/bytes/hex_find_bar.h"
#include "widgets/bytes/hex_rows.h"
#include "widgets/models/byte_models.h"

using namespace kernscope::ui;

namespace {

search::BytePattern patternOf(const QByteArray &bytes)
{
    return *search::textPattern(std::string_view(bytes.constData(), std::size_t(bytes.size())));
}

} // namespace

class TestByteTools : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void rowScrollIsMonotoneAndReachesTheEnd_data()
    {
        QTest::addColumn<quint64>("rows");
        addRow("one", quint64(1));
        addRow("few", quint64(1000));
        addRow("2^30 and one more page", (quint64(1) << 30) + 41);
        addRow("2^31", quint64(1) << 31);
        addRow("2^40", quint64(1) << 40);
        addRow("2^60", quint64(1) << 60);
    }

    void rowScrollIsMonotoneAndReachesTheEnd()
    {
        QFETCH(quint64, rows);
        const RowScroll scroll(rows, 40);
        QCOMPARE(scroll.valueOf(0), 0);
        QCOMPARE(scroll.valueOf(scroll.lastTop()), scroll.maximum());
        QCOMPARE(scroll.rowOf(0), 0U);
        QCOMPARE(scroll.rowOf(scroll.maximum()), scroll.lastTop());
        std::uint64_t before = 0;
        for (int i = 0; i <= 1000; ++i) {
            const int value = int(qint64(scroll.maximum()) * i / 1000);
            const std::uint64_t row = scroll.rowOf(value);
            QVERIFY(row >= before && row <= scroll.lastTop());
            QVERIFY(std::abs(scroll.valueOf(row) - value) <= 1);
            before = row;
        }
        if (!scroll.scaled())
            QCOMPARE(scroll.rowOf(scroll.valueOf(scroll.lastTop() / 3)), scroll.lastTop() / 3);
    }

    void layoutFindsEveryCell_data() { addEach<int>({8, 16, 32}); }

    void layoutFindsEveryCell()
    {
        const auto [bytes] = fetched<int>();
        const HexLayout layout(QFontMetricsF(QFont()), bytes, quint64(1) << 40);
        QVERIFY(layout.offsetDigits() >= 11);
        double end = 0;
        for (const bool text : {false, true}) {
            for (int column = 0; column < bytes; ++column) {
                const QRectF cell = text ? layout.textCell(column, 0) : layout.hexCell(column, 0);
                QVERIFY(cell.left() >= end - 1e-9);
                end = cell.right();
                const auto hit = layout.exactHitAt(cell.center().x());
                QVERIFY(hit && hit->column == column && hit->text == text);
            }
        }
        QVERIFY(layout.width() >= end);
        QVERIFY(!layout.exactHitAt(0));
        QCOMPARE(layout.hitAt(1e9).column, bytes - 1);
        QCOMPARE(layout.hitAt(-5).column, 0);
    }

    void bytesBecomeText()
    {
        std::vector<std::byte> bytes;
        for (int i = 0; i < 18; ++i)
            bytes.push_back(static_cast<std::byte>(i * 16 + i % 16));
        const std::span four = std::span(bytes).first(4);
        QCOMPARE(bytesAsText(four, CopyFormat::Hex), u"00 11 22 33"_s);
        QVERIFY(bytesAsText(bytes, CopyFormat::Hex).contains(u"ff\n00"_s));
        QCOMPARE(bytesAsText(four, CopyFormat::CArray),
                 u"const unsigned char bytes[4] = {\n    0x00, 0x11, 0x22, 0x33,\n};"_s);
        QCOMPARE(bytesAsText(four, CopyFormat::PythonBytes), u"b'\\x00\\x11\\x22\\x33'"_s);
        QCOMPARE(bytesAsText(four, CopyFormat::NumPy, ElementType::Fp16),
                 u"np.frombuffer(bytes.fromhex('00112233'), dtype='<f2')"_s);
        QCOMPARE(bytesAsText(four.first(3), CopyFormat::NumPy, ElementType::Fp16),
                 u"np.frombuffer(bytes.fromhex('001122'), dtype='u1')"_s);
        QCOMPARE(bytesAsText(four, CopyFormat::NumPy, ElementType::Uint4),
                 u"np.frombuffer(bytes.fromhex('00112233'), dtype='u1')"_s);
    }

    void offsetsParse_data()
    {
        // offset: -1: refused
        const auto row = addColumns<QString, qint64>();
        // Of a file of 1,000 bytes with the cursor at 100.
        row("0x40", 64);
        row("40h", 64);
        row(" 64 ", 64);
        row("0X3E7", 999);
        row("+16", 116);
        row("+0x10", 116);
        row("-100", 0);
        row("-101", -1);
        row("end", 999);
        row("9_9", 99);
        row("1,000", -1);
        row("999", 999);
        row("1000", -1);
        row("", -1);
        row("x", -1);
        row("--1", -1);
        row("0x", -1);
        row("99999999999999999999", -1);
        row("+18446744073709551615", -1);
    }

    void offsetsParse()
    {
        const auto [text, offset] = fetched<QString, qint64>();
        const auto parsed = parseOffset(text, 100, 1000);
        QCOMPARE(parsed ? qint64(*parsed) : -1, offset);
    }

    void patternsParse_data()
    {
        // bytes: empty: refused
        const auto row = addColumns<QString, QByteArray>();
        row("spaced", "EF be ad DE", "\xef\xbe\xad\xde");
        row("joined", "efbe", "\xef\xbe");
        row("prefixed", "0x01, 0x7f", "\x01\x7f");
        row("odd", "123", QByteArray());
        row("none", QString(), QByteArray());
        row("words", "zz", QByteArray());
        row("sign", "+1", QByteArray());
        row("wildcards", "ef ??", QByteArray());
    }

    void patternsParse()
    {
        const auto [text, bytes] = fetched<QString, QByteArray>();
        const auto pattern = parseHexPattern(text);
        QCOMPARE(pattern.has_value(), !bytes.isEmpty());
        if (pattern) {
            QCOMPARE(QByteArray(reinterpret_cast<const char *>(pattern->value.data()),
                                qsizetype(pattern->size())),
                     bytes);
        }
    }

    void searchAgreesWithNaive()
    {
        QRandomGenerator random(7);
        for (int round = 0; round < 300; ++round) {
            std::vector<std::byte> bytes(1 + random.bounded(200u));
            for (std::byte &byte : bytes)
                byte = static_cast<std::byte>(random.bounded(3));
            QByteArray wanted(1 + random.bounded(4), 0);
            for (char &byte : wanted)
                byte = char(random.bounded(3));
            const search::BytePattern pattern = patternOf(wanted);
            const std::uint64_t from = random.bounded(quint32(bytes.size() + 2));
            std::vector<std::uint64_t> places;
            for (std::size_t i = 0; i + pattern.size() <= bytes.size(); ++i) {
                if (std::equal(pattern.value.begin(), pattern.value.end(),
                               bytes.begin() + static_cast<long>(i)))
                    places.push_back(i);
            }
            Progress forward, back;
            const auto next = findBytes(bytes, pattern, from, true, forward);
            const auto previous = findBytes(bytes, pattern, from, false, back);
            QCOMPARE(next.has_value(), !places.empty());
            QCOMPARE(previous.has_value(), !places.empty());
            if (places.empty())
                continue;
            const auto at = std::lower_bound(places.begin(), places.end(), from);
            QCOMPARE(*next, at == places.end() ? places.front() : *at);
            QCOMPARE(*previous, at == places.begin() ? places.back() : *std::prev(at));
        }
    }

    void searchAcrossBlocks()
    {
        // The only place lies across the edge of two blocks of 4 MiB.
        std::vector<std::byte> bytes(9u << 20);
        const std::size_t at = (4u << 20) - 2;
        for (std::size_t i = 0; i < 4; ++i)
            bytes[at + i] = static_cast<std::byte>(0xa0 + i);
        const search::BytePattern pattern = patternOf("\xa0\xa1\xa2\xa3");
        for (const bool forward : {true, false}) {
            Progress progress;
            const auto found =
                VERIFIED(findBytes(bytes, pattern, forward ? 0 : bytes.size(), forward, progress));
            QCOMPARE(*found, at);
        }
        // From a block's end a backward search reports the place nearest to it.
        bytes[8u << 20] = std::byte{0xa0};
        Progress progress;
        const auto single = findBytes(bytes, patternOf("\xa0"), bytes.size(), false, progress);
        QCOMPARE(single.value_or(0), std::uint64_t{8u << 20});
    }

    void searchStopsWhenCancelled()
    {
        const std::vector<std::byte> bytes(64u << 20);
        Progress progress;
        progress.cancel();
        QVERIFY(!findBytes(bytes, patternOf("\1\2"), 0, true, progress));
        QVERIFY(progress.fraction() < 0.5);
    }

    void fieldsAreNamed()
    {
        const BundlePtr bundle = blobBundle(2, 100);
        const auto text = [&](std::uint64_t offset) {
            return fromUtf8(fieldAt(*bundle, 0, FileOffset(offset)).text);
        };
        for (const auto &[offset, holds] : {std::pair(0u, u"number of records"_s),
                                            {4, u"storage version"_s},
                                            {63, u"reserved"_s},
                                            {64, u"sentinel"_s},
                                            {64 + 16, u"payload offset"_s},
                                            {128 + 12, u"element 12"_s},
                                            {128 + 12, u"+0xc"_s}})
            QVERIFY2(text(offset).contains(holds), qPrintable(text(offset)));
        QVERIFY(text(128 + 101).startsWith(u"padding"_s));
        QVERIFY(text(1u << 30).isEmpty());
        const ByteField offset = fieldAt(*bundle, 0, FileOffset(64 + 20));
        QCOMPARE(offset.bytes, (ByteRange{FileOffset(64 + 16), ByteCount(8)}));
    }

    void elementsAndBytesAgree_data() { addBuilds(); }

    void elementsAndBytesAgree()
    {
        QFETCH(QString, build);
        const BundlePtr bundle = openSample(build.toStdString());
        QRandomGenerator random(3);
        for (std::size_t i = 0; i < bundle->weights().size(); ++i) {
            const Weight &weight = bundle->weights()[i];
            const auto some = quint32(std::min<std::uint64_t>(weight.elements.value, 64));
            for (quint32 n = 0; n < some; ++n) {
                const std::uint64_t element = random.bounded(quint64(weight.elements.value));
                const auto place = placeOfElement(*bundle, i, element);
                if (!place)
                    continue;
                const ByteField field = fieldAt(*bundle, place->file, place->bytes.offset);
                QCOMPARE(field.weight, i);
                if (weight.has(codec::PartRole::Mask)) {
                    // A kept element has its own value, one left out its bit of the mask.
                    const auto decoder = VERIFIED(bundle->decoder(i));
                    const auto kind = bundle->sections()[field.section].kind;
                    QCOMPARE(kind == SectionKind::Mask, !decoder->stored(element));
                    if (decoder->stored(element)) {
                        QCOMPARE(field.stored.value(), decoder->rank(element));
                        continue;
                    }
                }
                QVERIFY(field.element);
                // The byte may begin with an element or two before the one that was asked for.
                QVERIFY(*field.element <= element && element - *field.element < 8);
            }
            QVERIFY(!placeOfElement(*bundle, i, weight.elements.value));
        }
    }
};

KERNSCOPE_TEST(TestByteTools, QApplication)
#include "tst_byte_tools.moc"
