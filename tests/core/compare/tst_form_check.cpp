// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/decode/decoder.h"
#include "core/compare/form_check.h"
#include "diff_sample.h"
#include "tests/test_program.h"

namespace {

/// fp16 values of a tensor of 4 by 8, read as "w".
BundlePtr matrix(const Bytes &values)
{
    MadeBundle made;
    made.layer("w", "[4, 8]", values);
    return *made.open();
}

/// The same shape behind a mask of these bytes.
BundlePtr masked(const char *mask, const Bytes &kept)
{
    MadeBundle made;
    const std::string bits = made.blob(ElementType::Uint1, "[4, 8]", hex(mask));
    const std::string values =
        made.blob(ElementType::Fp16, fmt::format("[{}]", kept.size() / 2), kept);
    made.form("w", "[4, 8]", "sparse_to_dense", {{"mask", bits}, {"nonzero_data", values}});
    return *made.open();
}

Bytes repeated(float value, std::size_t count)
{
    return halves(count, [&](std::size_t) { return value; });
}

} // namespace

/// How a form keeps the values that it was given: masks, palettes, codes and scales.
class TestFormCheck : public QObject
{
    Q_OBJECT

private slots:
    void maskPattern()
    {
        // Two of every four along axis 1, in every row; one value is changed, none appears.
        const BundlePtr a = matrix(repeated(1, 32));
        Bytes kept = repeated(1, 16);
        const Bytes other = halves({2});
        std::ranges::copy(other, kept.begin());
        const BundlePtr b = masked("33 33 33 33", kept);
        const Difference difference = whole(a, b);
        const auto check = checkForm(*a, *b, difference.weights[0]);
        QVERIFY(check && check->mask && !check->palette && !check->codes);
        const MaskCheck &mask = *check->mask;
        QCOMPARE(mask.kept, 16U);
        QCOMPARE(mask.keptChanged, 1U);
        QCOMPARE(mask.droppedNonzero, 16U);
        QCOMPARE(mask.leastZeros, 4U);
        QCOMPARE(mask.mostZeros, 4U);
        Texts patterns;
        for (const MaskCheck::Pattern &pattern : mask.patterns)
            patterns.push_back(
                fmt::format("{}:{} axis {}", pattern.keep, pattern.of, pattern.axis));
        QCOMPARE(patterns, (Texts{"2:4 axis 1", "4:8 axis 1"}));
        // Columns are dropped whole.
        QVERIFY(!mask.structuredOutputs && mask.structuredInputs);
    }

    void maskOfWholeChannels()
    {
        const BundlePtr a = matrix(repeated(1, 32));
        const BundlePtr b = masked("ff 00 ff 00", repeated(1, 16));
        const auto check = checkForm(*a, *b, whole(a, b).weights[0]);
        QVERIFY(check->mask->structuredOutputs && !check->mask->structuredInputs);
        QCOMPARE(check->mask->leastZeros, 0U);
        QCOMPARE(check->mask->mostZeros, 8U);
        QCOMPARE(check->mask->keptChanged, 0U);
        const BundlePtr ragged = masked("ff 01 ff 00", repeated(1, 17));
        const auto other = checkForm(*a, *ragged, whole(a, ragged).weights[0]);
        QVERIFY(!other->mask->structuredOutputs && !other->mask->structuredInputs);
    }

    /// Each value of A against all entries, in plain arithmetic.
    void nearestEntries()
    {
        const BundlePtr a = *sampleBundle("dense-fp16").open(), b = *sampleBundle("lut4").open();
        const Difference difference = whole(a, b);
        const auto check = checkForm(*a, *b, difference.weights[0]);
        QVERIFY(check && check->palette);
        const auto from = decoded(*a, "w"), to = decoded(*b, "w");
        const auto decoder = *b->decoder(0);
        std::uint64_t wrong = 0;
        for (std::size_t i = 0; i < from.size(); ++i) {
            float nearest = std::numeric_limits<float>::infinity();
            for (const float entry : decoder.codebookValues())
                nearest = std::min(nearest, std::abs(entry - from[i]));
            wrong += std::abs(to[i] - from[i]) > nearest;
        }
        QCOMPARE(check->palette->examined, std::uint64_t(from.size()));
        QCOMPARE(check->palette->notNearest, wrong);
        QCOMPARE(check->palette->entries, 16U);
        // A palette of vectors has no nearest entry for one element.
        for (const SampleForm &form : sampleForms()) {
            if (form.vector == 1)
                continue;
            const BundlePtr vectors = *sampleBundle(form.name).open();
            const auto none = checkForm(*a, *vectors, whole(a, vectors).weights[0]);
            QVERIFY(!none->palette && !none->notExamined.empty());
        }
    }

    /// 100 and -100 in steps of 0.5 are beyond the codes; 3.25 lies between two, 20 takes a far.
    void clippedCodes()
    {
        MadeBundle made;
        const std::string codes = made.blob(ElementType::Int8, "[6]", hex("7f 80 06 08 02 00"));
        made.form(
            "w", "[6]", "blockwise_shift_scale",
            {{"data", codes}, {"scale", made.blob(ElementType::Fp16, "[1]", halves({0.5f}))}});
        const BundlePtr b = *made.open();
        QVERIFY2(b->diagnostics().empty(),
                 b->diagnostics().empty() ? "" : b->diagnostics()[0].error.message.c_str());
        const BundlePtr a = *denseBundle(halves({100, -100, 3.25f, 20, 1, 0})).open();
        const auto check = checkForm(*a, *b, whole(a, b).weights[0]);
        QVERIFY(check && check->codes);
        QCOMPARE(check->codes->examined, 6U);
        QCOMPARE(check->codes->clipped, 2U);
        QCOMPARE(check->codes->notNearest, 3U);
        QCOMPARE(check->codes->codes, 256U);
        QCOMPARE(check->codes->usedCodes, 6U);
    }

    /// One scale for each of two channels: the first fits its codes, the second is 0.5 where values
    /// are codes times 0.6. Rounded to fp16, the best one is 0.6 to eleven bits.
    void bestScales()
    {
        MadeBundle made;
        const std::string codes =
            made.blob(ElementType::Int8, "[2, 4]", hex("01 fe 03 fc 01 02 03 fb"));
        made.form("w", "[2, 4]", "blockwise_shift_scale",
                  {{"data", codes},
                   {"scale", made.blob(ElementType::Fp16, "[2, 1]", halves({0.25f, 0.5f}))}});
        const BundlePtr b = *made.open();
        QVERIFY(b->diagnostics().empty());
        MadeBundle dense;
        dense.layer("w", "[2, 4]", halves({0.25f, -0.5f, 0.75f, -1.0f, 0.6f, 1.2f, 1.8f, -3.0f}));
        const BundlePtr a = *dense.open();
        const auto check = checkForm(*a, *b, whole(a, b).weights[0]);
        QVERIFY(check && check->scales);
        QCOMPARE(check->scales->scales, 2U);
        QCOMPARE(check->scales->notBest, 1U);
        QCOMPARE(check->scales->worst, 1U);
        QCOMPARE(check->scales->worstStored, 0.5);
        QVERIFY(std::abs(check->scales->worstBest - 0.6) < 0.0005);
        // By plain arithmetic: 0.1 times 1, 2, 3 and -5.
        QVERIFY(std::abs(check->scales->rmseStored - std::sqrt(0.39 / 8)) < 1e-3);
        QVERIFY(check->scales->rmseBest < 1e-3);
        // What is stored exactly needs no other scale.
        const auto exact = checkForm(*b, *b, whole(b, b).weights[0]);
        QCOMPARE(exact->scales->notBest, 0U);
        QCOMPARE(exact->scales->rmseStored, 0.0);
        // A palette has none.
        const BundlePtr palette = *sampleBundle("lut4").open();
        const BundlePtr from = *sampleBundle("dense-fp16").open();
        QVERIFY(!checkForm(*from, *palette, whole(from, palette).weights[0])->scales);
    }
};

KERNSCOPE_TEST(TestFormCheck, QCoreApplication)
#include "tst_form_check.moc"
