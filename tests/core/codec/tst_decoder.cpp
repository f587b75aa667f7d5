// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/edit/editor.h"
#include "core/numeric/bitpack.h"
#include "faults.h"
#include "sample.h"

using namespace kernscope::codec;
using namespace kernscope::codec::test;

namespace {

bool isNan(std::uint16_t half)
{
    return (half & 0x7fff) > 0x7c00;
}

bool sameHalf(std::uint16_t a, std::uint16_t b)
{
    return a == b || (isNan(a) && isNan(b));
}

bool sameFloat(float a, float b)
{
    return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b) ||
           (std::isnan(a) && std::isnan(b));
}

std::mt19937_64 seeded(int index)
{
    return std::mt19937_64(20240607u + unsigned(index));
}

std::vector<std::byte> hex(const char *text)
{
    const QByteArray raw = QByteArray::fromHex(text);
    const auto *data = reinterpret_cast<const std::byte *>(raw.constData());
    return {data, data + raw.size()};
}

} // namespace

/// The worked bytes of resources/formats/forms.md.
class TestDecoder : public QObject
{
    Q_OBJECT

private slots:
    void valuesAreTheFormulas_data() { formRows(); }

    void valuesAreTheFormulas()
    {
        QFETCH(int, index);
        const Form form = allForms()[std::size_t(index)];
        auto random = seeded(index);
        for (int round = 0; round < 6; ++round) {
            const Sample sample = makeSample(form, random);
            const auto decoder = Decoder::make(sample.encoding);
            QVERIFY2(decoder, qPrintable(QString::fromStdString(
                                  sample.text + (decoder ? "" : describe(decoder.error())))));
            QCOMPARE(decoder->elements().value, elementCount(sample.encoding.shape)->value);
            std::vector<std::uint16_t> halves(decoder->elements().value);
            std::vector<float> floats(decoder->elements().value);
            decoder->decodeHalf(0, halves);
            decoder->decodeFloat(0, floats);
            for (std::uint64_t i = 0; i < halves.size(); ++i) {
                const std::uint16_t half = referenceHalf(sample.encoding, i);
                const auto value = float(referenceValue(sample.encoding, i));
                if (!sameHalf(halves[i], half) || !sameFloat(floats[i], value))
                    QFAIL(qPrintable(u"%1 element %2: %3 (%4), should be %5 (%6)"_s
                                         .arg(QString::fromStdString(sample.text))
                                         .arg(i)
                                         .arg(halves[i], 4, 16)
                                         .arg(double(floats[i]))
                                         .arg(half, 4, 16)
                                         .arg(double(value))));
            }
            QVERIFY(!hasErrors(decoder->verify())); // random scales may well overflow: a warning
        }
    }

    void anyRangeIsASlice_data() { formRows(); }

    void anyRangeIsASlice()
    {
        QFETCH(int, index);
        const Form form = allForms()[std::size_t(index)];
        auto random = seeded(index);
        for (int round = 0; round < 8; ++round) {
            const Sample sample = makeSample(form, random);
            const auto decoder = VERIFIED(Decoder::make(sample.encoding));
            const std::uint64_t elements = decoder->elements().value;
            std::vector<std::uint16_t> halves(elements);
            std::vector<float> floats(elements);
            decoder->decodeHalf(0, halves);
            decoder->decodeFloat(0, floats);
            for (int i = 0; i < 40; ++i) {
                const std::uint64_t first = random() % (elements + 1);
                const std::uint64_t count = random() % (elements - first + 1);
                std::vector<std::uint16_t> half(count + 2, 0xabcd);
                std::vector<float> wide(count + 2, 7.0f);
                decoder->decodeHalf(first, std::span(half).subspan(1, count));
                decoder->decodeFloat(first, std::span(wide).subspan(1, count));
                QCOMPARE(half.front(), std::uint16_t{0xabcd});
                QCOMPARE(half.back(), std::uint16_t{0xabcd});
                for (std::uint64_t e = 0; e < count; ++e) {
                    QVERIFY(sameHalf(half[e + 1], halves[first + e]));
                    QVERIFY(sameFloat(wide[e + 1], floats[first + e]));
                }
            }
        }
    }

    void codesAndRanks_data() { formRows(); }

    void codesAndRanks()
    {
        QFETCH(int, index);
        const Form form = allForms()[std::size_t(index)];
        auto random = seeded(index);
        const Sample sample = makeSample(form, random);
        const Encoding &encoding = sample.encoding;
        const auto decoder = VERIFIED(Decoder::make(encoding));
        const std::uint64_t elements = decoder->elements().value;
        std::vector<std::int64_t> codes(elements);
        decoder->codes(0, codes);
        if (encoding.mask) {
            const std::uint64_t bits = elements / form.vector;
            std::uint64_t count = 0;
            for (std::uint64_t i = 0; i <= bits; ++i) {
                QCOMPARE(decoder->rank(i), count);
                if (i < bits)
                    count +=
                        std::uint64_t(referenceCode(encoding.mask->bytes, ElementType::Uint1, i));
            }
            QCOMPARE(decoder->payloadElements().value, count);
        }
        std::vector<std::uint16_t> halves(elements);
        decoder->decodeHalf(0, halves);
        for (std::uint64_t i = 0; i < elements; ++i) {
            QCOMPARE(decoder->stored(i), codes[i] != Decoder::kNotStored);
            if (!decoder->stored(i))
                QCOMPARE(halves[i], std::uint16_t{0});
        }
        if (!encoding.mask && !encoding.palette && !form.payloadCoded) {
            const auto &data = std::get<Operand>(encoding.payload);
            for (std::uint64_t i = 0; i < elements; ++i)
                QCOMPARE(codes[i], referenceCode(data.bytes, data.type, i));
        }
        if (encoding.palette && !encoding.scaling) {
            const auto values = decoder->codebookValues();
            for (std::uint64_t i = 0; i < elements; ++i) {
                if (codes[i] == Decoder::kNotStored)
                    continue;
                const auto place = decoder->codebookOf(i);
                const std::uint64_t at =
                    (place.codebook * encoding.palette->entries + std::uint64_t(codes[i])) *
                        form.vector +
                    place.lane;
                QVERIFY(sameFloat(values[at], float(referenceValue(encoding, i))));
            }
        }
    }

    void largeMaskRanks()
    {
        // Past several of the running totals, with an odd tail.
        std::mt19937_64 random(11);
        const std::uint64_t bits = 3 * 65024 + 517 * 3 + 5;
        const std::vector<std::byte> mask = randomBytes((bits + 7) / 8, random);
        Encoding encoding;
        encoding.shape = {bits};
        encoding.mask = Operand{PartRole::Mask, ElementType::Uint1, {bits}, mask};
        const std::uint64_t survivors = referenceRank(*encoding.mask, bits);
        const std::vector<std::byte> data = randomBytes(2 * survivors, random);
        encoding.payload = Operand{PartRole::NonzeroData, ElementType::Fp16, {survivors}, data};
        const auto decoder = VERIFIED(Decoder::make(encoding));
        std::uint64_t count = 0;
        for (std::uint64_t i = 0; i < bits; ++i) {
            if (i % 97 == 0 || i > bits - 20)
                QCOMPARE(decoder->rank(i), count);
            count += std::uint64_t(referenceCode(mask, ElementType::Uint1, i));
        }
        QCOMPARE(decoder->rank(bits), survivors);
    }

    void codebookUseCountsEveryIndex()
    {
        std::mt19937_64 random(5);
        for (const Form &form : allForms()) {
            if (form.bits == 0)
                continue;
            const Sample sample = makeSample(form, random);
            const auto decoder = VERIFIED(Decoder::make(sample.encoding));
            std::vector<std::int64_t> codes(decoder->elements().value);
            decoder->codes(0, codes);
            std::vector<std::uint64_t> expected;
            Progress progress;
            const auto counts = decoder->codebookUse(&progress);
            expected.resize(counts.size());
            for (std::uint64_t i = 0; i < codes.size(); ++i) {
                const auto place = decoder->codebookOf(i);
                if (codes[i] != Decoder::kNotStored && place.lane == 0)
                    ++expected[place.codebook * sample.encoding.palette->entries +
                               std::uint64_t(codes[i])];
            }
            QCOMPARE(counts, expected);
        }
    }

    void vectorsAreTheirEntries_data()
    {
        addColumns<unsigned, unsigned>();
        for (const unsigned bits : {1u, 2u, 3u, 4u, 6u, 8u}) {
            for (const unsigned vector : {2u, 3u, 4u, 5u, 8u})
                QTest::addRow("%u bits, vectors of %u", bits, vector) << bits << vector;
        }
    }

    /// Runs long enough for every kernel, from any element on, against a lookup of each element.
    void vectorsAreTheirEntries()
    {
        const auto [bits, vector] = fetched<unsigned, unsigned>();
        std::mt19937_64 random(bits * 16 + vector);
        const std::uint64_t books = 2, rows = 4, codes = 1301, entries = std::uint64_t{1} << bits;
        const auto indices = randomBytes(rows * codes * bits / 8 + 1, random);
        auto lut = randomBytes(2 * books * entries * vector, random);
        for (std::size_t i = 1; i < lut.size(); i += 2) // no NaN, of which there are many
            lut[i] &= std::byte{0xbf};
        Encoding encoding;
        encoding.shape = {rows, codes * vector};
        encoding.payload = Operand{PartRole::Indices,
                                   elementTypeFromName("uint" + std::to_string(bits)),
                                   {rows, codes},
                                   indices};
        Palette palette;
        palette.grid = {books, 1};
        palette.entries = entries;
        palette.vector = vector;
        palette.vectorAxis = 1;
        palette.lut = Operand{PartRole::Lut, ElementType::Fp16, {books, 1, entries, vector}, lut};
        encoding.palette = palette;
        const auto decoder = VERIFIED(Decoder::make(encoding));
        for (int round = 0; round < 20; ++round) {
            const std::uint64_t all = rows * codes * vector;
            const std::uint64_t first = round == 0 ? 0 : random() % all;
            std::vector<std::uint16_t> halves(round == 0 ? all : 1 + random() % (all - first));
            decoder->decodeHalf(first, halves);
            for (std::size_t i = 0; i < halves.size(); ++i) {
                const std::uint64_t index = (first + i) / vector;
                const std::uint64_t entry =
                    (index / (rows * codes / books)) * entries + unpackCode(indices, bits, index);
                std::uint16_t expected = 0;
                std::memcpy(&expected, lut.data() + 2 * (entry * vector + (first + i) % vector), 2);
                QCOMPARE(halves[i], expected);
            }
        }
    }

    void workedPalette()
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
        QCOMPARE(decoded(encoding), "00 3C 00 00 00 00 00 3C"_ba);
        // iOS 16: the same two bytes as uint8, lut of rank 1.
        encoding.payload = Operand{PartRole::Indices, ElementType::Uint8, {2}, indices};
        std::get<Operand>(encoding.palette->lut).shape = {16};
        encoding.palette->grid.clear();
        QCOMPARE(decoded(encoding), "00 3C 00 00 00 00 00 3C"_ba);
    }

    void workedSparse()
    {
        const auto mask = hex("92 01");
        const auto values = hex("00 3E 00 C0 00 34 00 42");
        Encoding encoding;
        encoding.shape = {10};
        encoding.mask = Operand{PartRole::Mask, ElementType::Uint1, {10}, mask};
        encoding.payload = Operand{PartRole::NonzeroData, ElementType::Fp16, {4}, values};
        QCOMPARE(decoded(encoding),
                 "00 00 00 3E 00 00 00 00 00 C0 00 00 00 00 00 34 00 42 00 00"_ba);
    }

    void workedAffine()
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
        QCOMPARE(decoded(encoding), "00 3C 00 00 00 C4 00 C1 A8 53 00 00"_ba);
    }

    void workedAffineRounding()
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
        QCOMPARE(decoded(encoding), "33 44"_ba);
    }

    void workedBlockwise()
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
        QCOMPARE(decoded(encoding), "00 38 00 BC 00 46 00 C8 00 45 00 C6 00 3F 00 C0"_ba);
    }

    void faultsOfDense() { check(codec::test::dense(), kDenseFaults); }
    void faultsOfPalette() { check(codec::test::palette(), kPaletteFaults); }
    void faultsOfSparse() { check(codec::test::sparse(), kSparseFaults); }
    void faultsOfBlockwise() { check(codec::test::blockwise(), kBlockwiseFaults); }
    void faultsOfAffine() { check(codec::test::affine(), kAffineFaults); }

    void deepNesting()
    {
        auto inner = std::make_shared<Encoding>(codec::test::dense());
        for (int i = 0; i < 100; ++i) {
            auto outer = std::make_shared<Encoding>(codec::test::dense());
            outer->payload = std::shared_ptr<const Encoding>(inner);
            inner = outer;
        }
        QCOMPARE(REFUSED(Decoder::make(*inner)).code, "codec.shape");
    }

    void tooFewSurvivors()
    {
        // 0x11 0x11 0x11 keeps elements 0, 4, 8, …, 20; the payload has values for four of them.
        Encoding encoding = codec::test::sparse();
        payload(encoding).shape = {4};
        const auto decoder = VERIFIED(Decoder::make(encoding));
        std::vector<std::uint16_t> halves(24);
        decoder->decodeHalf(0, halves);
        for (std::size_t i = 0; i < 24; ++i)
            QCOMPARE(halves[i], i % 4 == 0 && i < 16 ? std::uint16_t{0x1111} : std::uint16_t{0});
        // The same from within what is missing.
        std::vector<std::uint16_t> tail(6);
        decoder->decodeHalf(18, tail);
        QCOMPARE(tail, std::vector<std::uint16_t>(6));
        std::vector<std::int64_t> codes(24);
        decoder->codes(0, codes);
        QCOMPARE(codes[16], Decoder::kNotStored);
        const Diagnostics diagnostics = decoder->verify();
        QCOMPARE(diagnostics.size(), 1U);
        QCOMPARE(diagnostics[0].severity, Severity::Error);
        QCOMPARE(diagnostics[0].error.code, "codec.mask");
        QVERIFY(diagnostics[0].error.expected.starts_with("4 "));
        QVERIFY(diagnostics[0].error.found.starts_with("6 "));
        QCOMPARE(Editor(*decoder).keep(1, 1, 0).error().code, "codec.mask");
        QCOMPARE(Editor(*decoder).setElement(16, 1, 0).error().code, "patch.index");
    }

    void tooManySurvivors()
    {
        Encoding encoding = codec::test::sparse();
        payload(encoding).shape = {8};
        payload(encoding).bytes = std::span(kBytes).first(16);
        const auto decoder = VERIFIED(Decoder::make(encoding));
        const Diagnostics diagnostics = decoder->verify();
        QCOMPARE(diagnostics.size(), 1U);
        QCOMPARE(diagnostics[0].error.code, "codec.mask");
    }

    void maskTail()
    {
        Encoding encoding = codec::test::sparse();
        encoding.shape = encoding.mask->shape = {21};
        const std::vector<std::byte> mask{std::byte{0x11}, std::byte{0x11}, std::byte{0xf1}};
        encoding.mask->bytes = mask;
        const auto decoder = VERIFIED(Decoder::make(encoding));
        const Diagnostics diagnostics = decoder->verify();
        QCOMPARE(diagnostics.size(), 1U);
        QCOMPARE(diagnostics[0].severity, Severity::Warning);
        QCOMPARE(diagnostics[0].error.code, "codec.mask_tail");
        QCOMPARE(decoder->rank(21), 6U);
    }

    void nonFiniteScales()
    {
        std::vector<std::uint16_t> scales(8, 0x3c00);
        scales[3] = 0x7e00;
        scales[5] = 0x7c00;
        Encoding encoding = codec::test::blockwise();
        scale(encoding).bytes = std::as_bytes(std::span(scales));
        const auto decoder = VERIFIED(Decoder::make(encoding));
        const Diagnostics diagnostics = decoder->verify();
        QCOMPARE(diagnostics.size(), 1U);
        QCOMPARE(diagnostics[0].severity, Severity::Warning);
        QCOMPARE(diagnostics[0].error.code, "codec.scale_nonfinite");
        QCOMPARE(diagnostics[0].error.field, "scale");
        QVERIFY(diagnostics[0].error.found.starts_with("2 of 8"));
    }

    void emptyTensor()
    {
        for (Encoding encoding : {codec::test::dense(), codec::test::palette(),
                                  codec::test::sparse(), codec::test::blockwise()}) {
            encoding.shape = {0, 6};
            payload(encoding).shape = encoding.mask ? Shape{0} : encoding.shape;
            if (encoding.mask)
                encoding.mask->shape = encoding.shape;
            const auto decoder = VERIFIED(Decoder::make(encoding));
            decoder->decodeHalf(0, {});
            decoder->decodeFloat(0, {});
            QVERIFY(decoder->verify().empty());
            QCOMPARE(Editor(*decoder).setElement(0, 1, 0).error().code, "patch.index");
        }
    }

    void cancelled()
    {
        Progress progress;
        progress.cancel();
        Encoding encoding = codec::test::sparse();
        payload(encoding).shape = {4};
        const auto decoder = VERIFIED(Decoder::make(encoding));
        QVERIFY(decoder->verify(&progress).empty());
        const auto book = VERIFIED(Decoder::make(codec::test::palette()));
        const auto counts = book->codebookUse(&progress);
        QCOMPARE(counts.size(), 32U);
    }

    /// Extents, types and counts at random around sound weights: either refused or decoded.
    void randomOperandsNeverCrash()
    {
        std::mt19937_64 random(99);
        const std::vector<std::uint64_t> odd{0, 1, 2, 3, 7, 16, 255, 256, 4096, kHuge, UINT64_MAX};
        const std::vector<Form> forms = allForms();
        int made = 0;
        for (int round = 0; round < 20000; ++round) {
            Sample sample = makeSample(forms[random() % forms.size()], random);
            Encoding &e = sample.encoding;
            std::vector<std::uint64_t *> numbers;
            const auto add = [&](Shape &shape) {
                for (std::uint64_t &extent : shape)
                    numbers.push_back(&extent);
            };
            add(e.shape);
            if (auto *operand = std::get_if<Operand>(&e.payload))
                add(operand->shape);
            if (e.mask)
                add(e.mask->shape);
            if (e.palette) {
                add(e.palette->grid);
                for (std::uint64_t *n :
                     {&e.palette->entries, &e.palette->vector, &e.palette->vectorAxis})
                    numbers.push_back(n);
                if (auto *operand = std::get_if<Operand>(&e.palette->lut))
                    add(operand->shape);
            }
            if (e.scaling) {
                numbers.push_back(&e.scaling->axis);
                if (auto *operand = std::get_if<Operand>(&e.scaling->scale))
                    add(operand->shape);
            }
            for (int i = 0; i < 2 && !numbers.empty(); ++i)
                *numbers[random() % numbers.size()] = odd[random() % odd.size()];
            if (auto *operand = std::get_if<Operand>(&e.payload); operand && random() % 4 == 0)
                operand->bytes = operand->bytes.first(random() % (operand->bytes.size() + 1));
            const auto decoder = Decoder::make(e);
            if (!decoder)
                continue;
            ++made;
            const std::uint64_t count = std::min<std::uint64_t>(decoder->elements().value, 3000);
            std::vector<std::uint16_t> halves(count);
            std::vector<float> floats(count);
            std::vector<std::int64_t> codes(count);
            const std::uint64_t first = random() % (decoder->elements().value - count + 1);
            decoder->decodeHalf(first, halves);
            decoder->decodeFloat(first, floats);
            decoder->codes(first, codes);
            decoder->verify();
        }
        QVERIFY(made > 500);
    }

private:
    static void formRows()
    {
        QTest::addColumn<int>("index");
        const std::vector<Form> forms = allForms();
        for (int i = 0; i < int(forms.size()); ++i)
            addRow(forms[std::size_t(i)].name.c_str(), i);
    }

    static QByteArray decoded(const Encoding &encoding)
    {
        const auto decoder = Decoder::make(encoding);
        if (!decoder)
            return QByteArray::fromStdString(describe(decoder.error()));
        std::vector<std::uint16_t> halves(decoder->elements().value);
        decoder->decodeHalf(0, halves);
        return QByteArray(reinterpret_cast<const char *>(halves.data()),
                          qsizetype(2 * halves.size()))
            .toHex(' ')
            .toUpper();
    }

    template <std::size_t N>
    static void check(const Encoding &sound, const Fault (&faults)[N])
    {
        const auto good = VERIFIED(Decoder::make(sound));
        for (const Fault &fault : faults) {
            Encoding encoding = sound;
            fault.spoil(encoding);
            const auto decoder = Decoder::make(encoding);
            QVERIFY2(!decoder, fault.name);
            QVERIFY2(decoder.error().code == fault.code,
                     (std::string(fault.name) + ": " + decoder.error().code).c_str());
            QVERIFY2(decoder.error().field == fault.field,
                     (std::string(fault.name) + ": " + decoder.error().field).c_str());
            QVERIFY(!decoder.error().message.empty());
            QVERIFY(!decoder.error().expected.empty() && !decoder.error().found.empty());
        }
    }
};

KERNSCOPE_TEST(TestDecoder, NoApplication)
#include "tst_decoder.moc"
