// SPDX-License-Identifier: GPL-3.0-or-later
#include "blob_bytes.h"
#include "rewrite.h"

#include "core/container/milblob/milblob.h"
#include "tests/test_program.h"

using namespace kernscope;
using namespace blobtest;

/// What sound files say, and that they are written back as they were.
class TestMilblob : public QObject
{
    Q_OBJECT

private slots:
    void codes_data()
    {
        test::addColumns<int, QByteArray>();
        const char *names[] = {"fp16",   "fp32",  "uint8",  "int8",      "bf16",   "int16",
                               "uint16", "int4",  "uint1",  "uint2",     "uint4",  "uint3",
                               "uint6",  "int32", "uint32", "fp8e4m3fn", "fp8e5m2"};
        int code = 0;
        for (const char *name : names)
            test::addRow(name, ++code, QByteArray(name));
    }

    void codes()
    {
        const auto [code, name] = test::fetched<int, QByteArray>();
        const auto type = milblob::elementTypeFromCode(static_cast<std::uint32_t>(code));
        QCOMPARE(QByteArray::fromStdString(std::string(elementTypeName(type))), name);
        QCOMPARE(milblob::codeOf(type), static_cast<std::uint32_t>(code));
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
        QCOMPARE(hexOf(all.first(8)), QByteArray("0200000002000000"));
        QCOMPARE(hexOf(all.subspan(64, 32)),
                 QByteArray("efbeadde0b000000020000000000000080000000000000000000000000000000"));
        QCOMPARE(hexOf(all.subspan(128, 2)), QByteArray("0110"));
        QCOMPARE(hexOf(all.subspan(256, 4)), QByteArray("0000003c"));

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
        test::addColumns<QByteArray, QByteArray, int, int>();
        // resources/formats/forms.md b and e
        test::addRow("mask of 10", QByteArray("uint1"), QByteArray("9201"), 6, 10);
        test::addRow("uint2", QByteArray("uint2"), QByteArray("6c03"), 6, 5);
        test::addRow("uint3", QByteArray("uint3"), QByteArray("d1581f"), 0, 8);
        test::addRow("uint3, 5 bits over", QByteArray("uint3"), QByteArray("d100"), 1, 5);
        test::addRow("int4", QByteArray("int4"), QByteArray("780f"), 4, 3);
        test::addRow("uint6", QByteArray("uint6"), QByteArray("8130fc"), 0, 4);
        test::addRow("uint6 of one", QByteArray("uint6"), QByteArray("01"), 2, 1);
        test::addRow("whole bytes ignore padding", QByteArray("fp16"), QByteArray("003c"), 7, 1);
        test::addRow("fp32", QByteArray("fp32"), QByteArray("0000803f0000803f"), 0, 2);
        test::addRow("empty", QByteArray("fp16"), QByteArray(), 0, 0);
        test::addRow("empty mask", QByteArray("uint1"), QByteArray(), 0, 0);
    }

    void elementCounts()
    {
        const auto [name, payload, padding, elements] =
            test::fetched<QByteArray, QByteArray, int, int>();
        milblob::Writer writer;
        writer.add(elementTypeFromName(name.toStdString()), hex(payload.constData()),
                   static_cast<std::uint64_t>(padding));
        const auto record = VERIFIED(milblob::readRecord(writer.finish(), FileOffset(64), "w"));
        QCOMPARE(record->elements.value, static_cast<std::uint64_t>(elements));
        QCOMPARE(record->paddingBits, static_cast<std::uint64_t>(padding));
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
                Bytes payload(static_cast<std::size_t>(
                    packedBytes(ElementCount(elements), type).value().value));
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
            QCOMPARE(blob.records.size(), static_cast<std::size_t>(records));
            for (std::size_t i = 0; i < blob.records.size(); ++i) {
                const auto &record = blob.records[i];
                QCOMPARE(record.metaOffset.value, places[i]);
                const auto payload =
                    std::span(file).subspan(static_cast<std::size_t>(record.dataOffset.value),
                                            static_cast<std::size_t>(record.bytes.value));
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
};

KERNSCOPE_TEST(TestMilblob, kernscope::test::NoApplication)
#include "tst_milblob.moc"
