// SPDX-License-Identifier: GPL-3.0-or-later
#include "blob_bytes.h"
#include "rewrite.h"

#include "core/container/milblob/milblob.h"
#include "tests/test_program.h"

using namespace kernscope;
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

/// Files that lie. Every fault names its place; the other records stay readable.
class TestMilblobFaults : public QObject
{
    Q_OBJECT

private slots:
    void records_data()
    {
        test::addColumns<quint64, int, quint64, int, QByteArray, quint64, QByteArray>();
        const auto row = [](const char *name, quint64 meta, int at, quint64 value, int size,
                            const char *code, quint64 offset, const char *found) {
            test::addRow(name, meta, at, value, size, QByteArray(code), offset, QByteArray(found));
        };
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
            test::fetched<quint64, int, quint64, int, QByteArray, quint64, QByteArray>();
        Bytes file = sample();
        poke(file, static_cast<std::size_t>(at), value, static_cast<std::size_t>(size));
        const Error record =
            REFUSED(milblob::readRecord(file, FileOffset(meta), "weights/weight.bin"));
        QCOMPARE(QByteArray::fromStdString(record.code), code);
        QCOMPARE(record.offset.value().value, offset);
        QCOMPARE(QByteArray::fromStdString(record.found), found);
        QVERIFY(!record.expected.empty());
        QVERIFY(!record.message.empty());
        QCOMPARE(QByteArray::fromStdString(record.file), QByteArray("weights/weight.bin"));
    }

    void walks_data()
    {
        test::addColumns<int, quint64, int, QByteArray, int>();
        const auto row = [](const char *name, int at, quint64 value, int size, const char *codes,
                            int records) {
            test::addRow(name, at, value, size, QByteArray(codes), records);
        };
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
            test::fetched<int, quint64, int, QByteArray, int>();
        Bytes file = sample();
        poke(file, static_cast<std::size_t>(at), value, static_cast<std::size_t>(size));
        const auto blob = milblob::readBlobFile(file, "w");
        QCOMPARE(placedCodes(blob.diagnostics), codes);
        QCOMPARE(blob.records.size(), static_cast<std::size_t>(records));
    }

    void everyLength()
    {
        const Bytes file = sample();
        for (std::size_t length = 0; length < file.size(); ++length) {
            const auto part = std::span(file).first(length);
            const auto blob = milblob::readBlobFile(part, "w");
            QCOMPARE(blob.usable, length >= 64);
            // the filler between two records can be cut and nothing is missing but the next record
            QVERIFY2(!blob.diagnostics.empty(), QByteArray::number(qsizetype(length)).constData());
            for (const auto &record : blob.records)
                QVERIFY(fitsInside(record.payload(), ByteCount(length)));
        }
    }

    void randomDamage()
    {
        QRandomGenerator random(4711);
        const Bytes whole = sample();
        for (int round = 0; round < 20000; ++round) {
            Bytes file = whole;
            for (int i = random.bounded(1, 6); i > 0; --i) {
                // mostly into the records, and mostly with numbers that hurt
                const auto record = static_cast<std::size_t>(random.bounded(6)) * 64;
                const auto field = static_cast<std::size_t>(random.bounded(4)) * 8;
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
        QCOMPARE(placedCodes(blob.diagnostics).left(13), QByteArray("w:blob.limit@"));
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

KERNSCOPE_TEST(TestMilblobFaults, kernscope::test::NoApplication)
#include "tst_milblob_faults.moc"
