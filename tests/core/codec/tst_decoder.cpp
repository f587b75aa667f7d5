// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/decode/decoder.h"
#include "core/numeric/bitpack.h"
#include "sample.h"
#include "tests/test_program.h"

using namespace kernscope;
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
    return std::mt19937_64(20240607u + static_cast<unsigned>(index));
}

} // namespace

class TestDecoder : public QObject
{
    Q_OBJECT

private:
    static void formRows()
    {
        QTest::addColumn<int>("index");
        const std::vector<Form> forms = allForms();
        for (int i = 0; i < static_cast<int>(forms.size()); ++i)
            kernscope::test::addRow(forms[static_cast<std::size_t>(i)].name.c_str(), i);
    }

private slots:
    void valuesAreTheFormulas_data() { formRows(); }

    void valuesAreTheFormulas()
    {
        QFETCH(int, index);
        const Form form = allForms()[static_cast<std::size_t>(index)];
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
                const auto value = static_cast<float>(referenceValue(sample.encoding, i));
                if (!sameHalf(halves[i], half) || !sameFloat(floats[i], value))
                    QFAIL(qPrintable(u"%1 element %2: %3 (%4), should be %5 (%6)"_s
                                         .arg(QString::fromStdString(sample.text))
                                         .arg(i)
                                         .arg(halves[i], 4, 16)
                                         .arg(static_cast<double>(floats[i]))
                                         .arg(half, 4, 16)
                                         .arg(static_cast<double>(value))));
            }
            QVERIFY(!hasErrors(decoder->verify())); // random scales may well overflow: a warning
        }
    }

    void anyRangeIsASlice_data() { formRows(); }

    void anyRangeIsASlice()
    {
        QFETCH(int, index);
        const Form form = allForms()[static_cast<std::size_t>(index)];
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
        const Form form = allForms()[static_cast<std::size_t>(index)];
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
                    count += static_cast<std::uint64_t>(
                        referenceCode(encoding.mask->bytes, ElementType::Uint1, i));
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
                const std::uint64_t at = (place.codebook * encoding.palette->entries +
                                          static_cast<std::uint64_t>(codes[i])) *
                                             form.vector +
                                         place.lane;
                QVERIFY(sameFloat(values[at], static_cast<float>(referenceValue(encoding, i))));
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
            count += static_cast<std::uint64_t>(referenceCode(mask, ElementType::Uint1, i));
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
                               static_cast<std::uint64_t>(codes[i])];
            }
            QCOMPARE(counts, expected);
        }
    }

    void vectorsAreTheirEntries_data()
    {
        kernscope::test::addColumns<unsigned, unsigned>();
        for (const unsigned bits : {1u, 2u, 3u, 4u, 6u, 8u}) {
            for (const unsigned vector : {2u, 3u, 4u, 5u, 8u})
                QTest::addRow("%u bits, vectors of %u", bits, vector) << bits << vector;
        }
    }

    /// Runs long enough for every kernel, from any element on, against a lookup of each element.
    void vectorsAreTheirEntries()
    {
        const auto [bits, vector] = kernscope::test::fetched<unsigned, unsigned>();
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
};

KERNSCOPE_TEST(TestDecoder, kernscope::test::NoApplication)
#include "tst_decoder.moc"
