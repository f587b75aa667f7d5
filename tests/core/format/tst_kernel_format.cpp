// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/milblob/milblob.h"
#include "core/format/legality.h"
#include "core/format/record_fields.h"
#include "core/format/table_rows.h"
#include "tests/test_program.h"

using namespace kernscope::format;

namespace {

QByteArray bytesOf(std::string_view text)
{
    return QByteArray(text.data(), qsizetype(text.size()));
}

} // namespace

class TestKernelFormat : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// Each byte of a record has one name, with a source.
    void fieldsOfRecordsCoverThem_data()
    {
        const auto row = addColumns<quint64>();
        row("blob header", 64);
        row("blob record", 64);
        row("espresso header", 8);
        row("espresso entry", 16);
        row("section header", 64);
        row("section unit", quint64(0x80));
        row("section entry", 32);
        row("anec header", quint64(0x28));
        row("anec shape", 48);
    }
    void fieldsOfRecordsCoverThem()
    {
        const auto [bytes] = fetched<quint64>();
        const auto fields = recordFields("stored_fields", QTest::currentDataTag());
        for (std::uint64_t at = 0; at < bytes; ++at)
            QCOMPARE(std::ranges::count_if(
                         fields, [at](const RecordField &field) { return field.contains(at); }),
                     1);
        QVERIFY(fieldHolding(fields, bytes) == nullptr);
        for (const RecordField &field : fields) {
            QVERIFY(!field.name.empty() && !field.source.empty());
            if (field.type != ElementType::Unknown)
                QCOMPARE(std::uint64_t(bitWidth(field.type)), 8 * field.bytes);
        }
        QVERIFY(recordFields("stored_fields", "no such record").empty());
        QVERIFY(recordFields("no_such_table", "blob header").empty());
    }
    /// The names stand where the reader reads.
    void namesStandWhereTheReaderReads()
    {
        const auto fields = recordFields("stored_fields", "blob record");
        const auto name = [&fields](std::uint64_t at) { return fieldHolding(fields, at)->name; };
        QCOMPARE(name(milblob::kSentinelAt), "sentinel");
        QCOMPARE(name(milblob::kCodeAt), "element type");
        QCOMPARE(name(milblob::kBytesAt), "payload bytes");
        QCOMPARE(name(milblob::kDataOffsetAt), "payload offset");
        QCOMPARE(name(milblob::kPaddingBitsAt), "padding bits");
        const auto placed = VERIFIED(
            placedField("stored_fields", "blob record", 128, FileOffset(128 + 20), "record"));
        QCOMPARE(placed->name, "record: payload offset (uint64)");
        QCOMPARE(placed->bytes, (ByteRange{FileOffset(128 + 16), ByteCount(8)}));
        QVERIFY(!placedField("stored_fields", "blob record", 128, FileOffset(4), "x"));
    }
    void coversEveryCode()
    {
        for (std::uint32_t code = 1; code <= 31; ++code) {
            const KernelFormatRow *row = find(KernelFormat(code));
            QVERIFY2(row, qPrintable(QString::number(code)));
            QVERIFY(!row->source.empty());
            QCOMPARE(row->kind == KernelFormatKind::Palette, isPaletteFormat(row->format));
            QCOMPARE(row->kind == KernelFormatKind::Unity, unityFormats().has(row->format.value));
        }
        QVERIFY(!find(KernelFormat(0)));
        QVERIFY(!isPaletteFormat(KernelFormat(6)) && isPaletteFormat(KernelFormat(27)));
        QVERIFY(!unityFormats().has(31));
    }

    void helpersOfTable25_1_data()
    {
        const auto row = addColumns<quint32, int, int, QByteArray, qlonglong, int>();
        row("int8", 1U, 8, -1, "int8", -1LL, 2);
        row("fp16", 4U, 16, -1, "fp16", -1LL, 5);
        row("p4i8", 10U, 4, 1, "int8", 16LL, 2);
        row("p4f16: 32 bytes", 20U, 4, 4, "fp16", 32LL, 5);
        row("p8f16: 512 bytes", 22U, 8, 4, "fp16", 512LL, 5);
        row("p6e4m3", 27U, 6, 5, "e4m3", 64LL, 16);
        row("unityu8", 29U, -1, -1, "uint8", -1LL, 3);
        row("int4", 31U, 4, -1, "int4", -1LL, 23);
    }
    void helpersOfTable25_1()
    {
        const auto [code, bits, entryFormat, underlying, lutBytes, typeNumber] =
            fetched<quint32, int, int, QByteArray, qlonglong, int>();
        const KernelFormat f(code);
        QCOMPARE(bitDepth(f) ? int(*bitDepth(f)) : -1, bits);
        QCOMPARE(paletteEntryFormat(f) ? int(paletteEntryFormat(f)->value) : -1, entryFormat);
        QCOMPARE(bytesOf(find(f)->underlying), underlying);
        QCOMPARE(paletteLutBytes(f, 1) ? qlonglong(paletteLutBytes(f, 1)->value) : -1LL, lutBytes);
        QCOMPARE(format::typeNumber(f) ? int(format::typeNumber(f)->value) : -1, typeNumber);
    }

    void codeSets_data()
    {
        QTest::addColumn<QList<int>>("codes");
        addRow("native", QList<int>{1, 2, 4, 5, 6});
        addRow("dma", QList<int>{4, 5, 6, 7, 8, 9, 10, 11, 13});
        addRow("unity", QList<int>{28, 29, 30});
    }
    void codeSets()
    {
        QFETCH(QList<int>, codes);
        const QByteArray which = QTest::currentDataTag();
        const CodeSet &set = which == "native" ? nativeKernelFormats()
                             : which == "dma"  ? dmaConvertibleToFp16()
                                               : unityFormats();
        QVERIFY(!set.source.empty() && !set.guard.empty());
        QList<int> found;
        for (std::uint32_t code = 0; code < 100; ++code) {
            if (set.has(code))
                found << int(code);
        }
        QCOMPARE(found, codes);
    }

    void refusesUnknownAndOverflowing()
    {
        QCOMPARE(bitDepth(KernelFormat(99)).error().code, "format.kernel");
        QCOMPARE(paletteEntryFormat(KernelFormat(4)).error().code, "format.palette");
        QCOMPARE(paletteLutBytes(KernelFormat(22), UINT64_MAX / 2).error().code, "format.overflow");
        QCOMPARE(paletteLutBytes(KernelFormat(20), 3, 2)->value, 192U);
    }

    void blobTypesAreThoseOfTheReader()
    {
        QCOMPARE(blobTypes().size(), 17U);
        for (const CatalogueRow &row : blobTypes()) {
            const ElementType type = milblob::elementTypeFromCode(row.code);
            QCOMPARE(elementTypeName(type), std::string_view(row.name));
            QCOMPARE(bitWidth(type), *row.bits);
        }
    }

    void catalogues()
    {
        QCOMPARE(elementCatalogue().size(), 23U);
        QCOMPARE(find(TypeNumber(5))->name, "fp16");
        QCOMPARE(find(TensorFormat(12))->name, "e4m3");
        QCOMPARE(find(SerializationType(3))->name, "fp16");
        QCOMPARE(serializationTypes().size(), 11U);
        QVERIFY(!find(TensorFormat(5)));
    }

    void legality_data()
    {
        using K = FormRequest::Kind;
        const auto row = addColumns<FormRequest, QByteArray>();
        FormRequest four;
        four.kind = K::Palette;
        four.indexBits = 4;
        row("4 bits on version 5", four, {});
        FormRequest r = four;
        r.indexBits = 5;
        row("5 bits", r, "index width");
        r.indexBits = 2;
        row("2 bits", r, "narrow index width");
        r.indexBits = 6;
        row("6 bits on version 5", r, "odd index width");
        r.descriptorVersion = 11;
        row("6 bits on version 11", r, {});
        r = four;
        r.vectorSize = 3;
        row("vectors of 3", r, "vector size");
        r.vectorSize = 5;
        row("vectors of 5", r, {});
        r.vectorSize = 64;
        row("vectors of 64", r, "vector size");
        r = four;
        r.codebooks = 2;
        row("two codebooks on version 5", r, "codebooks");
        r = four;
        r.entries = "int8";
        r.indexBits = 8;
        row("256 int8 entries", r, "quantised palette");
        r = four;
        r.entries = "e4m3";
        row("E4M3 before its encoder", r, "E4M3 encoder");
        r.descriptorVersion = 20;
        r.e4m3Capability = false;
        row("E4M3 without the byte", r, "E4M3 capability");
        r.e4m3Capability = true;
        row("E4M3 with the byte", r, {});
        FormRequest affine;
        affine.kind = K::Affine;
        affine.entries = "int8";
        affine.zeroPoint = true;
        row("asymmetric on version 5", affine, "symmetric");
        affine.descriptorVersion = 7;
        row("asymmetric on version 7", affine, {});
    }
    void legality()
    {
        const auto [request, refusedBy] = fetched<FormRequest, QByteArray>();
        const Legality answer = checkLegality(request);
        const LegalityRule *refusal = answer.refusal();
        QCOMPARE(refusal ? bytesOf(refusal->name) : QByteArray(), refusedBy);
        QCOMPARE(answer.legal(), refusedBy.isEmpty());
        for (const LegalityRule &rule : answer.rules)
            QVERIFY(!rule.required.empty() && !rule.found.empty() && !rule.source.empty());
    }

    void legalityOfARow_data()
    {
        const auto row = addColumns<quint32, FormatUse, QByteArray>();
        row("fp16 on version 5", 4U, FormatUse{}, {});
        row("int8 on version 5", 1U, FormatUse{}, {});
        row("p4f16 on version 5", 20U, FormatUse{}, {});
        row("p8f16 on version 5", 22U, FormatUse{}, {});
        row("unity on version 5", 30U, FormatUse{}, {});
        row("int16 is not native", 3U, FormatUse{}, "native format");
        row("int4 is not native", 31U, FormatUse{}, "native format");
        row("e4m3 on version 5", 5U, FormatUse{}, "descriptor version");
        FormatUse use;
        use.zeroPoint = true;
        row("int8 with zero points", 1U, use, "symmetric");
        row("p4i8 with zero points", 10U, use, "symmetric");
        row("fp16 has none", 4U, use, {});
        row("p4f16 has none", 20U, use, {});
        use.descriptorVersion = 20;
        use.e4m3Capability = true;
        row("int8 with zero points later", 1U, use, {});
        row("e4m3 with zero points", 5U, use, "E4M3 zero point");
        use.zeroPoint = false;
        row("e4m3 with the byte", 5U, use, {});
        use.packedSparsePalette = true;
        row("packed indices later", 20U, use, {});
        use.descriptorVersion = 5;
        row("packed indices on version 5", 20U, use, "sparse index packing");
    }
    void legalityOfARow()
    {
        const auto [code, use, refusedBy] = fetched<quint32, FormatUse, QByteArray>();
        const Legality answer = checkKernelFormat(*find(KernelFormat(code)), use);
        QVERIFY(!answer.rules.empty());
        const LegalityRule *refusal = answer.refusal();
        QCOMPARE(refusal ? bytesOf(refusal->name) : QByteArray(), refusedBy);
    }

    /// Chapter 36 has E4M3 palettes of 8 bits, chapter 25 no quantised palette of 256 entries.
    void wideE4m3PaletteIsContested()
    {
        FormRequest request;
        request.kind = FormRequest::Kind::Palette;
        request.descriptorVersion = 20;
        request.indexBits = 8;
        request.entries = "e4m3";
        request.e4m3Capability = true;
        const Legality answer = checkLegality(request);
        const LegalityRule *refusal = VERIFIED(answer.refusal());
        QCOMPARE(refusal->name, "quantised palette");
        QCOMPARE(refusal->confidence, Confidence::Contested);
    }

    /// Listing 25.1; what is absent has an empty tuple.
    void printsUnits()
    {
        KernelUnit unit;
        unit.type = 7;
        unit.offset = 5'000'000'000ULL;
        unit.sections[KernelUnit::Lut] = UnitSection{TypeNumber(8), 0, 16, 1, 86};
        unit.sections[KernelUnit::Pal] = UnitSection{TypeNumber(8), 20, 4, 2, 64};
        unit.sections[KernelUnit::Weights] = UnitSection{TypeNumber(9), 0, 4, 1000, 500};
        const QByteArray text = bytesOf(printKernelUnit(unit)).simplified();
        QVERIFY(text.startsWith("t7 = s5000000000 lut: (8, 16, 86) ;"));
        QVERIFY(text.contains("pal: (20, 4, 2, 64) ;"));
        QVERIFY(text.contains("ocgs: () ;"));
        QVERIFY(text.contains("weights: (9, 4, 1000, 500) ;"));
    }

    void parsesQuotedCells()
    {
        const auto table =
            VERIFIED(CsvTable::parse("a,b\n\"x, y\",\"he said \"\"no\"\"\"\n,\n", "t"));
        QCOMPARE(table->rows(), 2U);
        QCOMPARE(table->cell(0, "a"), std::string_view("x, y"));
        QCOMPARE(table->cell(0, "b"), std::string_view("he said \"no\""));
        QCOMPARE(table->cell(1, "b"), std::string_view());
    }

    void refusesRaggedRows()
    {
        const Error table = REFUSED(CsvTable::parse("a,b\n1\n", "t"));
        QCOMPARE(table.code, "csv.columns");
        QCOMPARE(table.offset->value, 2U);
    }

    void parsesNumbers_data()
    {
        const auto row = addColumns<QByteArray, bool, qint64>();
        row("decimal", "12", true, 12);
        row("hex", "0x48f", true, qint64(0x48f));
        row("negative", "-3", true, qint64(-3));
        row("empty", "", false, 0);
        row("blank tail", "1 ", false, 0);
        row("two signs", "--1", false, 0);
        row("too large", "99999999999999999999", false, 0);
    }
    void parsesNumbers()
    {
        const auto [text, valid, value] = fetched<QByteArray, bool, qint64>();
        const auto parsed = parseInteger(std::string_view(text.constData(), size_t(text.size())));
        QCOMPARE(parsed.has_value(), valid);
        if (valid)
            QCOMPARE(qint64(*parsed), value);
    }

    void embedsTheTables()
    {
        const auto table = VERIFIED(tables::load("kernel_formats"));
        QVERIFY(table->column("source") && table->column("confidence"));
        QCOMPARE(table->cell(0, "code"), std::string_view("1"));
    }

    /// Of what sources disagree on, one reading is followed, and another stands beside it.
    void everyTopicFollowsOneReading()
    {
        std::map<std::string, std::pair<int, int>> topics;
        for (const format::Reading &reading : format::readings()) {
            ++topics[reading.topic].first;
            topics[reading.topic].second += reading.taken ? 1 : 0;
            QVERIFY(!reading.text.empty() && !reading.source.empty());
        }
        QVERIFY(topics.size() >= 9);
        for (const auto &[topic, counts] : topics)
            QVERIFY2(counts.first >= 2 && counts.second == 1, topic.c_str());
        QVERIFY(format::readingsOf("no_such_topic").empty());
        QCOMPARE(format::readingsAbout("tquant").size(), 8U);
        for (const char *topic : {"format_codes", "int8_large_batch", "tquant_offset",
                                  "tquant_chain", "blocks_on_the_engine", "palette_channel_scale",
                                  "palette2_on_the_m1", "e4m3_on_the_m5"})
            QVERIFY2(format::readingsOf(topic).size() >= 2, topic);
        // What is quoted stands in a source as it is; what is not is said in other words.
        QVERIFY(format::engineNotes("fp8").size() >= 6 && format::engineNotes("none").empty());
        QCOMPARE(format::fp8Formats().size(), 2U);
        QCOMPARE(format::fp8Formats()[0].largest, 448U);
    }

    void namesAnUnknownTable()
    {
        const Error table = REFUSED(tables::load("no_such_table"));
        QCOMPARE(table.code, "table.name");
    }
};

KERNSCOPE_TEST(TestKernelFormat, QCoreApplication)
#include "tst_kernel_format.moc"
