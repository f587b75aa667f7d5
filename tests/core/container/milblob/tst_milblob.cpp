// SPDX-License-Identifier: GPL-3.0-or-later
#include "blob_bytes.h"
#include "rewrite.h"

#include "core/container/milblob/milblob.h"

using namespace blobtest;

namespace {

/// Three records: 32 bytes of uint4 at 64, 16 of fp16 at 192, 10 bits of uint1 at 320.
Bytes sample()
{
    milblob::Writer writer;
    writer.add(ElementType::Uint4, Bytes(32, std::byte{0x21}), 0);
    writer.add(ElementType::Fp16, Bytes(32, std::byte{0x3C}), 0);
    writer.add(ElementType::Uint1, hex("9201"), 6);
    return writer.finish();
}

QByteArray placedCodes(const Diagnostics &diagnostics)
{
    QByteArrayList codes;
    for (const Diagnostic &d : diagnostics) {
        codes << QByteArray::fromStdString(
            std::string(severityName(d.severity)).substr(0, 1) + ":" + d.error.code + "@" +
            std::to_string(d.error.offset.value_or(FileOffset(0)).value));
    }
    return codes.join(' ');
}

constexpr quint64 kTop = ~quint64(0);

} // namespace

/// What sound files say, and that they are written back as they were.
/// Files that lie. Every fault names its place; the other records stay readable.
class TestMilblob : public QObject
{
    Q_OBJECT

private slots:
    void codes_data()
    {
        addColumns<int, QByteArray>();
        const char *names[] = {"fp16",   "fp32",  "uint8",  "int8",      "bf16",   "int16",
                               "uint16", "int4",  "uint1",  "uint2",     "uint4",  "uint3",
                               "uint6",  "int32", "uint32", "fp8e4m3fn", "fp8e5m2"};
        int code = 0;
        for (const char *name : names)
            addRow(name, ++code, QByteArray(name));
    }

    void codes()
    {
        const auto [code, name] = fetched<int, QByteArray>();
        const auto type = milblob::elementTypeFromCode(std::uint32_t(code));
        QCOMPARE(QByteArray::fromStdString(std::string(elementTypeName(type))), name);
        QCOMPARE(milblob::codeOf(type), std::uint32_t(code));
        QCOMPARE(milblob::elementTypeFromCode(0), ElementType::Unknown);
        QCOMPARE(milblob::elementTypeFromCode(18), ElementType::Unknown);
        QCOMPARE(milblob::codeOf(ElementType::Bool), 0U);
    }

    /// resources/formats/forms.md a: an int4 palette.
    void workedBytes()
    {
        milblob::Writer writer;
        Bytes book(32);
        book[2] = std::byte{0x00};
        book[3] = std::byte{0x3C};
        QCOMPARE(writer.add(ElementType::Uint4, hex("0110"), 0).value, 64U);
        QCOMPARE(writer.add(ElementType::Fp16, book, 0).value, 192U);
        const Bytes file = writer.finish();
        QCOMPARE(file.size(), 288U);
        const std::span<const std::byte> all(file);
        QCOMPARE(hexOf(all.first(8)), "0200000002000000"_ba);
        QCOMPARE(hexOf(all.subspan(64, 32)),
                 "efbeadde0b000000020000000000000080000000000000000000000000000000"_ba);
        QCOMPARE(hexOf(all.subspan(128, 2)), "0110"_ba);
        QCOMPARE(hexOf(all.subspan(256, 4)), "0000003c"_ba);

        const auto blob = milblob::readBlobFile(file, "w");
        QVERIFY(blob.usable);
        QVERIFY(blob.diagnostics.empty());
        QCOMPARE(blob.records.size(), 2U);
        QCOMPARE(blob.records[0].type, ElementType::Uint4);
        QCOMPARE(blob.records[0].elements.value, 4U);
        QCOMPARE(blob.records[1].dataOffset.value, 256U);
        QCOMPARE(blob.records[1].elements.value, 16U);
    }

    void elementCounts_data()
    {
        const auto row = addColumns<QByteArray, QByteArray, int, int>();
        // resources/formats/forms.md b and e
        row("mask of 10", "uint1", "9201", 6, 10);
        row("uint2", "uint2", "6c03", 6, 5);
        row("uint3", "uint3", "d1581f", 0, 8);
        row("uint3, 5 bits over", "uint3", "d100", 1, 5);
        row("int4", "int4", "780f", 4, 3);
        row("uint6", "uint6", "8130fc", 0, 4);
        row("uint6 of one", "uint6", "01", 2, 1);
        row("whole bytes ignore padding", "fp16", "003c", 7, 1);
        row("fp32", "fp32", "0000803f0000803f", 0, 2);
        row("empty", "fp16", {}, 0, 0);
        row("empty mask", "uint1", {}, 0, 0);
    }

    void elementCounts()
    {
        const auto [name, payload, padding, elements] = fetched<QByteArray, QByteArray, int, int>();
        milblob::Writer writer;
        writer.add(elementTypeFromName(name.toStdString()), hex(payload.constData()),
                   std::uint64_t(padding));
        const auto record = VERIFIED(milblob::readRecord(writer.finish(), FileOffset(64), "w"));
        QCOMPARE(record->elements.value, std::uint64_t(elements));
        QCOMPARE(record->paddingBits, std::uint64_t(padding));
    }

    void junkOfOldWritersIsKept()
    {
        milblob::Writer::Options options;
        options.headerReserved.fill(std::byte{0x5A});
        milblob::Writer writer(options);
        const Bytes reserved(32, std::byte{0xC3});
        writer.add(ElementType::Fp16, hex("003c"), 0xFFFFFFFFFFFFFFF7, reserved);
        writer.add(ElementType::Int8, hex("0102030405"), 66, reserved);
        const Bytes file = writer.finish();
        const auto blob = milblob::readBlobFile(file, "w");
        QVERIFY(blob.diagnostics.empty());
        QCOMPARE(blob.records.size(), 2U);
        QCOMPARE(hexOf(milblob::reencode(file, "w").value()), hexOf(file));
    }

    void fillerAndGapsAreKept()
    {
        milblob::Writer writer;
        writer.add(ElementType::Int8, hex("010203"), 0);
        writer.fill(hex("eeeeee"));
        writer.add(ElementType::Int8, hex("0405"), 0, {}, Bytes(64, std::byte{0x77}));
        writer.add(ElementType::Int8, hex("06"), 0);
        writer.fill(Bytes(70));
        const Bytes file = writer.finish();
        const auto blob = milblob::readBlobFile(file, "w");
        QCOMPARE(blob.records.size(), 3U);
        QCOMPARE(blob.records[1].dataOffset.value, blob.records[1].metaOffset.value + 128);
        QCOMPARE(blob.diagnostics.size(), 1U); // more behind the last record than filler
        QCOMPARE(blob.diagnostics[0].error.code, "blob.trailing");
        QCOMPARE(blob.diagnostics[0].severity, Severity::Note);
        QCOMPARE(hexOf(milblob::reencode(file, "w").value()), hexOf(file));
    }

    void dataOffsetIsWhatCounts()
    {
        milblob::Writer writer;
        writer.add(ElementType::Int8, hex("0102"), 0);
        Bytes file = writer.finish();
        file.resize(file.size() + 200);
        poke(file, 64 + milblob::kDataOffsetAt, 256, 8);
        const auto record = VERIFIED(milblob::readRecord(file, FileOffset(64), "w"));
        QCOMPARE(record->dataOffset.value, 256U);
    }

    void randomFilesComeBack()
    {
        QRandomGenerator random(20260731);
        for (int round = 0; round < 50; ++round) {
            milblob::Writer writer;
            std::vector<std::uint64_t> places;
            std::vector<Bytes> payloads;
            const int records = random.bounded(20);
            for (int i = 0; i < records; ++i) {
                const auto type = milblob::elementTypeFromCode(1 + random.bounded(17U));
                const unsigned width = bitWidth(type);
                const std::uint64_t elements = random.bounded(300U);
                Bytes payload(std::size_t(packedBytes(ElementCount(elements), type).value().value));
                for (std::byte &b : payload)
                    b = static_cast<std::byte>(random.bounded(256));
                const std::uint64_t padding =
                    width < 8 ? payload.size() * 8 - elements * width : random.generate64();
                places.push_back(writer.add(type, payload, padding).value);
                payloads.push_back(std::move(payload));
            }
            const Bytes file = writer.finish();
            const auto blob = milblob::readBlobFile(file, "w");
            QVERIFY(blob.diagnostics.empty());
            QCOMPARE(blob.records.size(), std::size_t(records));
            for (std::size_t i = 0; i < blob.records.size(); ++i) {
                const auto &record = blob.records[i];
                QCOMPARE(record.metaOffset.value, places[i]);
                const auto payload = std::span(file).subspan(std::size_t(record.dataOffset.value),
                                                             std::size_t(record.bytes.value));
                QCOMPARE(hexOf(payload), hexOf(payloads[i]));
            }
            QVERIFY(milblob::reencode(file, "w").value() == file);
        }
    }

    void emptyFile()
    {
        const Bytes file = milblob::Writer().finish();
        QCOMPARE(file.size(), 64U);
        const auto blob = milblob::readBlobFile(file, "w");
        QVERIFY(blob.usable);
        QVERIFY(blob.records.empty());
        QVERIFY(blob.diagnostics.empty());
    }

    void records_data()
    {
        const auto row = addColumns<quint64, int, quint64, int, QByteArray, quint64, QByteArray>();
        row("header", 0, 0, 3, 4, "blob.offset", 0, "0");
        row("unaligned", 72, 0, 3, 4, "blob.offset", 72, "72");
        row("behind the file", 4096, 0, 3, 4, "blob.offset", 4096, "4096");
        row("top of 64 bits", kTop - 63, 0, 3, 4, "blob.offset", kTop - 63, "18446744073709551552");
        row("top, unaligned", kTop, 0, 3, 4, "blob.offset", kTop, "18446744073709551615");
        row("no record", 128, 0, 3, 4, "blob.sentinel", 128, "0x21212121");
        row("sentinel", 64, 64, 0xDEADBEE0, 4, "blob.sentinel", 64, "0xDEADBEE0");
        row("dtype 0", 64, 68, 0, 4, "blob.dtype", 68, "0");
        row("dtype 18", 64, 68, 18, 4, "blob.dtype", 68, "18");
        row("dtype 99", 64, 68, 99, 4, "blob.dtype", 68, "99");
        row("size past the end", 320, 328, 3, 8, "blob.range", 328, "3");
        row("size near 2^64", 320, 328, kTop - 63, 8, "blob.range", 328, "18446744073709551552");
        row("size 2^64 - 1", 192, 200, kTop, 8, "blob.range", 200, "18446744073709551615");
        row("data offset past the end", 320, 336, 5504, 8, "blob.range", 336, "5504");
        row("data offset 2^64 - 1", 320, 336, kTop, 8, "blob.range", 336, "18446744073709551615");
        row("padding 9", 64, 88, 9, 8, "blob.padding", 88, "9");
        row("padding 8", 320, 344, 8, 8, "blob.padding", 344, "8");
        row("padding not of nibbles", 64, 88, 2, 8, "blob.padding", 88, "2");
        row("padding 2^64 - 4", 64, 88, kTop - 3, 8, "blob.padding", 88, "18446744073709551612");
        row("half an element", 192, 200, 31, 8, "blob.size", 200, "31");
    }

    void records()
    {
        const auto [meta, at, value, size, code, offset, found] =
            fetched<quint64, int, quint64, int, QByteArray, quint64, QByteArray>();
        Bytes file = sample();
        poke(file, std::size_t(at), value, std::size_t(size));
        const Error record =
            REFUSED(milblob::readRecord(file, FileOffset(meta), "weights/weight.bin"));
        QCOMPARE(QByteArray::fromStdString(record.code), code);
        QCOMPARE(record.offset.value().value, offset);
        QCOMPARE(QByteArray::fromStdString(record.found), found);
        QVERIFY(!record.expected.empty());
        QVERIFY(!record.message.empty());
        QCOMPARE(QByteArray::fromStdString(record.file), "weights/weight.bin"_ba);
    }

    void walks_data()
    {
        const auto row = addColumns<int, quint64, int, QByteArray, int>();
        row("sound", 0, 3, 4, "", 3);
        row("count 0", 0, 0, 4, "w:blob.count@0", 3);
        row("count 2", 0, 2, 4, "w:blob.count@0", 3);
        row("count 2^32 - 1", 0, 0xFFFFFFFF, 4, "w:blob.count@0", 3);
        row("version 1", 4, 1, 4, "e:blob.version@4", 0);
        row("version 3", 4, 3, 4, "e:blob.version@4", 0);
        row("first sentinel", 64, 0, 4, "e:blob.sentinel@64", 2);
        row("last sentinel", 320, 0, 4, "e:blob.sentinel@320", 2);
        row("dtype", 196, 99, 4, "e:blob.dtype@196", 2);
        row("size past the end", 328, 400, 8, "e:blob.range@328", 2);
        row("size wraps", 200, kTop - 63, 8, "e:blob.range@200", 2);
        row("size too short", 72, 8, 8, "", 3); // the next record is still where it was
        row("data offset past the end", 336, 5504, 8, "e:blob.range@336", 2);
        row("padding", 88, 9, 8, "e:blob.padding@88", 2);
        row("payload on its own metadata", 80, 64, 8, "w:blob.overlap@64", 3);
        row("payload on another one", 336, 128, 8, "w:blob.overlap@128", 3);
        row("payload on the header", 336, 0, 8, "w:blob.overlap@0", 3);
        row("payload inside another", 208, 136, 8, "w:blob.overlap@136", 3);
        row("payload on other metadata", 336, 192, 8, "w:blob.overlap@192", 3);
    }

    void walks()
    {
        const auto [at, value, size, codes, records] =
            fetched<int, quint64, int, QByteArray, int>();
        Bytes file = sample();
        poke(file, std::size_t(at), value, std::size_t(size));
        const auto blob = milblob::readBlobFile(file, "w");
        QCOMPARE(placedCodes(blob.diagnostics), codes);
        QCOMPARE(blob.records.size(), std::size_t(records));
    }

    void randomDamage()
    {
        QRandomGenerator random(4711);
        const Bytes whole = sample();
        for (int round = 0; round < 20000; ++round) {
            Bytes file = whole;
            for (int i = random.bounded(1, 6); i > 0; --i) {
                // mostly into the records, and mostly with numbers that hurt
                const auto record = std::size_t(random.bounded(6)) * 64;
                const auto field = std::size_t(random.bounded(4)) * 8;
                const quint64 values[] = {
                    0, 64, 128, 320, kTop, kTop - 63, random.generate64() % 512};
                if (record + field + 8 <= file.size())
                    poke(file, record + field, values[random.bounded(7)], 8);
            }
            const auto blob = milblob::readBlobFile(file, "w");
            QVERIFY(blob.records.size() <= file.size() / 64);
            for (std::size_t i = 0; i < blob.records.size(); ++i) {
                QVERIFY(fitsInside(blob.records[i].payload(), ByteCount(file.size())));
                QVERIFY(i == 0 || blob.records[i - 1].metaOffset < blob.records[i].metaOffset);
            }
            const auto again = milblob::reencode(file, "w");
            QVERIFY(!again || *again == file);
        }
    }

    void millionsOfEmptyRecords()
    {
        constexpr std::size_t kRecords = (std::size_t(1) << 20) + 3;
        Bytes file(64 * (kRecords + 1));
        poke(file, 0, 0xFFFFFFFF, 4);
        poke(file, 4, 2, 4);
        for (std::size_t i = 1; i <= kRecords; ++i) {
            poke(file, i * 64, milblob::kSentinel, 4);
            poke(file, i * 64 + 4, 1, 4);
            poke(file, i * 64 + 16, i * 64 + 64, 8);
        }
        const auto blob = milblob::readBlobFile(file, "w");
        QCOMPARE(placedCodes(blob.diagnostics).left(13), "w:blob.limit@"_ba);
        QCOMPARE(blob.records.size(), std::size_t(1) << 20);
    }

    void reencodeRefusesWhatItCannotKeep()
    {
        Bytes overlapping = sample();
        poke(overlapping, 336, 128, 8);
        QCOMPARE(milblob::reencode(overlapping, "w").error().code, "blob.overlap");
        Bytes broken = sample();
        poke(broken, 64, 0, 4);
        QCOMPARE(milblob::reencode(broken, "w").error().code, "blob.sentinel");
        QCOMPARE(milblob::reencode(Bytes(), "w").error().code, "blob.header");
        Bytes wrongCount = sample();
        poke(wrongCount, 0, 77, 4);
        QVERIFY(milblob::reencode(wrongCount, "w").value() == wrongCount);
    }
};

KERNSCOPE_TEST(TestMilblob, NoApplication)
#include "tst_milblob.moc"
