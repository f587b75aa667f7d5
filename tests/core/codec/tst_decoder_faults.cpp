// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/decode/decoder.h"
#include "core/codec/edit/editor.h"
#include "faults.h"
#include "sample.h"
#include "tests/test_program.h"

using namespace kernscope;
using namespace kernscope::codec;
using namespace kernscope::codec::test;

class TestDecoderFaults : public QObject
{
    Q_OBJECT

private:
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

private slots:
    void dense() { check(codec::test::dense(), kDenseFaults); }
    void palette() { check(codec::test::palette(), kPaletteFaults); }
    void sparse() { check(codec::test::sparse(), kSparseFaults); }
    void blockwise() { check(codec::test::blockwise(), kBlockwiseFaults); }
    void affine() { check(codec::test::affine(), kAffineFaults); }

    void deepNesting()
    {
        auto inner = std::make_shared<Encoding>(codec::test::dense());
        for (int i = 0; i < 100; ++i) {
            auto outer = std::make_shared<Encoding>(codec::test::dense());
            outer->payload = std::shared_ptr<const Encoding>(inner);
            inner = outer;
        }
        const Error decoder = REFUSED(Decoder::make(*inner));
        QCOMPARE(decoder.code, "codec.shape");
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
        QCOMPARE(diagnostics.size(), std::size_t{1});
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
        QCOMPARE(diagnostics.size(), std::size_t{1});
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
        QCOMPARE(diagnostics.size(), std::size_t{1});
        QCOMPARE(diagnostics[0].severity, Severity::Warning);
        QCOMPARE(diagnostics[0].error.code, "codec.mask_tail");
        QCOMPARE(decoder->rank(21), std::uint64_t{6});
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
        QCOMPARE(diagnostics.size(), std::size_t{1});
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
        QCOMPARE(counts.size(), std::size_t{32});
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
};

KERNSCOPE_TEST(TestDecoderFaults, kernscope::test::NoApplication)
#include "tst_decoder_faults.moc"
