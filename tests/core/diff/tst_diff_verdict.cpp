// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/pattern.h"
#include "core/diff/build_verdict.h"
#include "core/diff/form_check.h"
#include "core/diff/worst_places.h"
#include "diff_sample.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace kernscope;
using namespace kernscope::test;

namespace {

Difference compare(const BundlePtr &a, const BundlePtr &b)
{
    return *compareBundles(*a, *b, withValues());
}

std::vector<std::string> faultsOf(const BundlePtr &a, const BundlePtr &b, const DiffLimits &limits)
{
    std::vector<std::string> text;
    for (const LimitFault &fault : checkLimits(*a, *b, compare(a, b), limits))
        text.push_back(fault.weight + " " + fault.limit + " " + limitFigureText(fault.found));
    return text;
}

using Texts = std::vector<std::string>;

/// fp16 values of a tensor of 4 by 8, read as "w".
BundlePtr matrix(const Bytes &values)
{
    MadeBundle made;
    made.constant("tensor<fp16, [4, 8]>", "w", made.blob(ElementType::Fp16, "[4, 8]", values));
    made.consume("w");
    return *made.open();
}

/// The same shape behind a mask of these bytes.
BundlePtr masked(const char *mask, const Bytes &kept)
{
    MadeBundle made;
    const std::string bits = made.blob(ElementType::Uint1, "[4, 8]", hex(mask));
    const std::string values =
        made.blob(ElementType::Fp16, fmt::format("[{}]", kept.size() / 2), kept);
    made.line(fmt::format("tensor<fp16, [4, 8]> w = constexpr_sparse_to_dense(mask = {}, "
                          "nonzero_data = {})[name = string(\"w\")]",
                          bits, values));
    made.consume("w");
    return *made.open();
}

/// kOtherTen under another name, read by the operation that reads "w".
BundlePtr namedOther()
{
    MadeBundle made;
    made.constant("tensor<fp16, [10]>", "other", made.blob(ElementType::Fp16, "[10]", kOtherTen));
    made.consume("other");
    return *made.open();
}

Bytes repeated(float value, std::size_t count)
{
    Bytes bytes;
    for (std::size_t i = 0; i < count; ++i) {
        const Bytes one = halves({value});
        bytes.insert(bytes.end(), one.begin(), one.end());
    }
    return bytes;
}

} // namespace

/// What a comparison comes to: limits, totals, counterexamples, and how forms keep values.
class TestDiffVerdict : public QObject
{
    Q_OBJECT

private slots:
    void patterns_data();
    void patterns();
    void notFinite();
    void unlimited();
    void rulesOfAddresses();
    void faithful();
    void worstOfAll();
    void outcomes();
    void maskPattern();
    void maskOfWholeChannels();
    void nearestEntries();
    void clippedCodes();
    void bestScales();
    void places();
    void worstPlaces();
};

void TestDiffVerdict::patterns_data()
{
    QTest::addColumn<QByteArray>("pattern");
    QTest::addColumn<QByteArray>("name");
    QTest::addColumn<bool>("matches");
    int number = 0;
    const auto row = [&number](const char *pattern, const char *name, bool matches) {
        QTest::addRow("%d %s", number++, pattern)
            << QByteArray(pattern) << QByteArray(name) << matches;
    };
    row("*", "", true);
    row("?", "", false);
    row("w", "w", true);
    row("w", "w2", false);
    row("*bias*", "conv1_bias_0", true);
    row("*bias", "conv1_bias_0", false);
    row("conv?_*", "conv1_w", true);
    row("conv?_*", "conv12_w", false);
    row("*a*b*c", "xaxbxbxc", true);
    row("*a*b*c", "xaxbxbx", false);
    row("**", "anything", true);
    row("conv[12]_*", "conv2_w", true);
    row("conv[!12]_*", "conv2_w", false);
    row("w[0]", "w[0]", true);
}

void TestDiffVerdict::patterns()
{
    QFETCH(const QByteArray, pattern);
    QFETCH(const QByteArray, name);
    QFETCH(const bool, matches);
    QCOMPARE(matchesPattern(pattern.toStdString(), name.toStdString()), matches);
}

/// What is not finite on one side only keeps no limit, however wide.
void TestDiffVerdict::notFinite()
{
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const BundlePtr a = *denseBundle(halves({1, 2})).open();
    const BundlePtr b = *denseBundle(halves({1, kInfinity})).open();
    DiffLimits limits;
    limits.values.maxAbs = 1e30;
    limits.values.minCosine = -1;
    QCOMPARE(faultsOf(a, b, limits), (Texts{"w max_abs not finite", "w min_cosine not finite"}));
    QVERIFY(faultsOf(b, b, limits).empty());
    // What appears where there was zero has no ratio.
    limits = {};
    limits.values.maxRel = 1e30;
    QCOMPARE(faultsOf(*denseBundle(halves({0, 2})).open(), a, limits),
             (Texts{"w max_rel infinite"}));
}

void TestDiffVerdict::unlimited()
{
    const BundlePtr a = *denseBundle(kTen).open(), b = *denseBundle(kOtherTen).open();
    QVERIFY(faultsOf(a, a, {}).empty());
    QCOMPARE(faultsOf(a, b, {}), (Texts{" identical different"}));
    DiffLimits program;
    program.sameProgram = true;
    QVERIFY(!program.concernsWeights() && faultsOf(a, b, program).empty());
    QCOMPARE(faultsOf(a, *denseBundle(kTwelve).open(),
                      [] {
                          DiffLimits limits;
                          limits.values.maxAbs = 100;
                          return limits;
                      }()),
             (Texts{"w shape [12]"}));
}

void TestDiffVerdict::rulesOfAddresses()
{
    const BundlePtr a = *denseBundle(kTen).open(), b = *denseBundle(kOtherTen).open();
    const auto limits = parseRules("[[weight]]\nmatch = \"main/w\"\nmax-abs = 1\n"
                                   "[[weight]]\nmatch = \"x*\"\nmax-abs = 0\n",
                                   "rules.toml");
    QVERIFY(limits);
    QVERIFY(faultsOf(a, b, *limits).empty());
    // A pair goes by either of its names.
    const BundlePtr renamed = namedOther();
    const auto ofB = parseRules("[[weight]]\nmatch = \"other\"\nmax-abs = 1\n", "rules.toml");
    QVERIFY(faultsOf(a, renamed, *ofB).empty());
    QVERIFY(unusedRules(*a, *renamed, *ofB).empty());
    QCOMPARE(unusedRules(*a, *b, *ofB), (Texts{"other"}));
    const auto strict = parseRules("max-abs = 0.5\nmin-snr = 100\n", "rules.toml");
    QCOMPARE(faultsOf(a, b, *strict).size(), std::size_t(2));
    QVERIFY(!parseRules("max-abs = 1e999", "rules.toml"));
    QVERIFY(!parseRules(std::string("max-abs = 1\n\0", 13), "rules.toml"));
}

void TestDiffVerdict::faithful()
{
    const BundlePtr half = *sampleBundle("dense-fp16").open();
    const BundlePtr wide = *sampleBundle("dense-fp32").open();
    const auto of = [](const BundlePtr &a, const BundlePtr &b, bool values) {
        DiffOptions options;
        options.values = values;
        return buildVerdict(*a, *b, *compareBundles(*a, *b, options));
    };
    QCOMPARE(of(half, wide, true).faithful, std::optional(true));
    QCOMPARE(of(half, wide, false).faithful, std::optional<bool>());
    QCOMPARE(of(half, half, false).faithful, std::optional(true));
    const BundlePtr a = *denseBundle(kTen).open(), b = *denseBundle(kOtherTen).open();
    const BuildVerdict verdict = of(a, b, true);
    QCOMPARE(verdict.faithful, std::optional(false));
    QCOMPARE(verdict.counterexample->element, std::uint64_t(0));
    QCOMPARE(faithfulText(*a, compare(a, b), verdict),
             std::string("not bit-faithful to A apart from fp16 rounding: w[0] is 1 in A, 2 in "
                         "B"));
    QCOMPARE(of(a, *denseBundle(kTwelve).open(), true).faithful, std::optional(false));
}

void TestDiffVerdict::worstOfAll()
{
    const BundlePtr a = *denseBundle(kTen).open(), b = *denseBundle(kOtherTen).open();
    const BuildVerdict verdict = buildVerdict(*a, *b, compare(a, b));
    Texts found;
    for (const WorstFigure &worst : verdict.worst)
        found.push_back(worst.measure + " " + limitFigureText(worst.value));
    QCOMPARE(found.size(), std::size_t(5));
    QCOMPARE(found[0], std::string("max_abs 1"));
    QCOMPARE(found[1], std::string("max_rel 1"));
    QCOMPARE(found[2], std::string("max_ulp 1024"));
    QVERIFY(buildVerdict(*a, *b, *compareBundles(*a, *b, {})).worst.empty());
}

/// As the one assessment has them: every weight counts once on every chip.
void TestDiffVerdict::outcomes()
{
    const BundlePtr a = *sampleBundle("dense-fp16").open(), b = *sampleBundle("lut4").open();
    const BuildVerdict verdict = buildVerdict(*a, *b, compare(a, b));
    QCOMPARE(verdict.chips.size(), target::targets().size());
    for (const ChipOutcome &chip : verdict.chips) {
        const BuildOutcome &outcome = chip.after;
        QCOMPARE(outcome.streams + outcome.folds + outcome.dense + outcome.rejected +
                     outcome.unknown,
                 b->weights().size());
        QCOMPARE(chip.before.dense + chip.before.rejected + chip.before.unknown,
                 a->weights().size());
    }
    QCOMPARE(*verdict.storedA, a->totals().storedBytes.value);
    QCOMPARE(*verdict.storedRatio, double(*verdict.storedB) / double(*verdict.storedA));
}

void TestDiffVerdict::maskPattern()
{
    // Two of every four along axis 1, in every row; one value is changed, none appears.
    const BundlePtr a = matrix(repeated(1, 32));
    Bytes kept = repeated(1, 16);
    const Bytes other = halves({2});
    std::copy(other.begin(), other.end(), kept.begin());
    const BundlePtr b = masked("33 33 33 33", kept);
    const Difference difference = compare(a, b);
    const auto check = checkForm(*a, *b, difference.weights[0]);
    QVERIFY(check && check->mask && !check->palette && !check->codes);
    const MaskCheck &mask = *check->mask;
    QCOMPARE(mask.kept, std::uint64_t(16));
    QCOMPARE(mask.keptChanged, std::uint64_t(1));
    QCOMPARE(mask.droppedNonzero, std::uint64_t(16));
    QCOMPARE(mask.leastZeros, std::uint64_t(4));
    QCOMPARE(mask.mostZeros, std::uint64_t(4));
    Texts patterns;
    for (const MaskCheck::Pattern &pattern : mask.patterns)
        patterns.push_back(fmt::format("{}:{} axis {}", pattern.keep, pattern.of, pattern.axis));
    QCOMPARE(patterns, (Texts{"2:4 axis 1", "4:8 axis 1"}));
    // Columns are dropped whole.
    QVERIFY(!mask.structuredOutputs && mask.structuredInputs);
}

void TestDiffVerdict::maskOfWholeChannels()
{
    const BundlePtr a = matrix(repeated(1, 32));
    const BundlePtr b = masked("ff 00 ff 00", repeated(1, 16));
    const auto check = checkForm(*a, *b, compare(a, b).weights[0]);
    QVERIFY(check->mask->structuredOutputs && !check->mask->structuredInputs);
    QCOMPARE(check->mask->leastZeros, std::uint64_t(0));
    QCOMPARE(check->mask->mostZeros, std::uint64_t(8));
    QCOMPARE(check->mask->keptChanged, std::uint64_t(0));
    const BundlePtr ragged = masked("ff 01 ff 00", repeated(1, 17));
    const auto other = checkForm(*a, *ragged, compare(a, ragged).weights[0]);
    QVERIFY(!other->mask->structuredOutputs && !other->mask->structuredInputs);
}

/// Each value of A against all entries, in plain arithmetic.
void TestDiffVerdict::nearestEntries()
{
    const BundlePtr a = *sampleBundle("dense-fp16").open(), b = *sampleBundle("lut4").open();
    const Difference difference = compare(a, b);
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
    QCOMPARE(check->palette->entries, std::uint64_t(16));
    // A palette of vectors has no nearest entry for one element.
    for (const SampleForm &form : sampleForms()) {
        if (form.vector == 1)
            continue;
        const BundlePtr vectors = *sampleBundle(form.name).open();
        const auto none = checkForm(*a, *vectors, compare(a, vectors).weights[0]);
        QVERIFY(!none->palette && !none->notExamined.empty());
    }
}

/// 100 and -100 in steps of 0.5 are beyond the codes; 3.25 lies between two, 20 takes a far one.
void TestDiffVerdict::clippedCodes()
{
    MadeBundle made;
    const std::string codes = made.blob(ElementType::Int8, "[6]", hex("7f 80 06 08 02 00"));
    made.line(fmt::format("tensor<fp16, [6]> w = constexpr_blockwise_shift_scale(data = {}, scale "
                          "= {})[name = string(\"w\")]",
                          codes, made.blob(ElementType::Fp16, "[1]", halves({0.5f}))));
    made.consume("w");
    const BundlePtr b = *made.open();
    QVERIFY2(b->diagnostics().empty(),
             b->diagnostics().empty() ? "" : b->diagnostics()[0].error.message.c_str());
    const BundlePtr a = *denseBundle(halves({100, -100, 3.25f, 20, 1, 0})).open();
    const auto check = checkForm(*a, *b, compare(a, b).weights[0]);
    QVERIFY(check && check->codes);
    QCOMPARE(check->codes->examined, std::uint64_t(6));
    QCOMPARE(check->codes->clipped, std::uint64_t(2));
    QCOMPARE(check->codes->notNearest, std::uint64_t(3));
    QCOMPARE(check->codes->codes, std::uint64_t(256));
    QCOMPARE(check->codes->usedCodes, std::uint64_t(6));
}

/// One scale for each of two channels: the first fits its codes, the second is 0.5 where values are
/// codes times 0.6. Rounded to fp16, the best one is 0.6 to eleven bits.
void TestDiffVerdict::bestScales()
{
    MadeBundle made;
    const std::string codes =
        made.blob(ElementType::Int8, "[2, 4]", hex("01 fe 03 fc 01 02 03 fb"));
    made.line(
        fmt::format("tensor<fp16, [2, 4]> w = constexpr_blockwise_shift_scale(data = {}, scale "
                    "= {})[name = string(\"w\")]",
                    codes, made.blob(ElementType::Fp16, "[2, 1]", halves({0.25f, 0.5f}))));
    made.consume("w");
    const BundlePtr b = *made.open();
    QVERIFY(b->diagnostics().empty());
    MadeBundle dense;
    dense.constant("tensor<fp16, [2, 4]>", "w",
                   dense.blob(ElementType::Fp16, "[2, 4]",
                              halves({0.25f, -0.5f, 0.75f, -1.0f, 0.6f, 1.2f, 1.8f, -3.0f})));
    dense.consume("w");
    const BundlePtr a = *dense.open();
    const auto check = checkForm(*a, *b, compare(a, b).weights[0]);
    QVERIFY(check && check->scales);
    QCOMPARE(check->scales->scales, std::uint64_t(2));
    QCOMPARE(check->scales->notBest, std::uint64_t(1));
    QCOMPARE(check->scales->worst, std::uint64_t(1));
    QCOMPARE(check->scales->worstStored, 0.5);
    QVERIFY(std::abs(check->scales->worstBest - 0.6) < 0.0005);
    // By plain arithmetic: 0.1 times 1, 2, 3 and -5.
    QVERIFY(std::abs(check->scales->rmseStored - std::sqrt(0.39 / 8)) < 1e-3);
    QVERIFY(check->scales->rmseBest < 1e-3);
    // What is stored exactly needs no other scale.
    const auto exact = checkForm(*b, *b, compare(b, b).weights[0]);
    QCOMPARE(exact->scales->notBest, std::uint64_t(0));
    QCOMPARE(exact->scales->rmseStored, 0.0);
    // A palette has none.
    const BundlePtr palette = *sampleBundle("lut4").open();
    const BundlePtr from = *sampleBundle("dense-fp16").open();
    QVERIFY(!checkForm(*from, *palette, compare(from, palette).weights[0])->scales);
}

void TestDiffVerdict::places()
{
    QCOMPARE(elementPlace({2, 3, 4}, 23), (std::vector<std::uint64_t>{1, 2, 3}));
    QCOMPARE(elementPlace({}, 0), std::vector<std::uint64_t>{});
}

/// Against a plain sort of all distances, for fewer and for more than there are.
void TestDiffVerdict::worstPlaces()
{
    const BundlePtr a = *sampleBundle("dense-fp16").open(), b = *sampleBundle("lut4").open();
    const auto from = decoded(*a, "w"), to = decoded(*b, "w");
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < from.size(); ++i) {
        if (from[i] != to[i])
            order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) {
        return std::abs(from[x] - to[x]) > std::abs(from[y] - to[y]);
    });
    for (const std::size_t most : {std::size_t(0), std::size_t(5), std::size_t(1000)}) {
        const auto worst = findWorstPlaces(*a, 0, *b, 0, {most, most});
        QVERIFY(worst);
        QCOMPARE(worst->worstElements.size(), std::min(most, order.size()));
        for (std::size_t i = 0; i < worst->worstElements.size(); ++i)
            QCOMPARE(std::size_t(worst->worstElements[i].element), order[i]);
        QCOMPARE(worst->channels, std::uint64_t(8));
        std::uint64_t different = 0;
        for (const ChannelDifference &channel : worst->worstChannels) {
            QCOMPARE(channel.elements, std::uint64_t(8));
            different += channel.different;
            QCOMPARE(channel.changed + channel.zeroed + channel.revived, channel.different);
        }
        if (most >= 8)
            QCOMPARE(different, std::uint64_t(order.size()));
    }
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    const BundlePtr c = *denseBundle(halves({1, kNan, 3})).open();
    const BundlePtr d = *denseBundle(halves({9, 2, 3})).open();
    const auto wild = findWorstPlaces(*c, 0, *d, 0, {9, 9});
    QCOMPARE(wild->worstElements.size(), std::size_t(2));
    QCOMPARE(wild->worstElements[0].element, std::uint64_t(1));
    QVERIFY(std::isinf(wild->worstChannels[0].maxAbs));
    QVERIFY(findWorstPlaces(*c, 0, *c, 0, {9, 9})->worstElements.empty());
}

QTEST_GUILESS_MAIN(TestDiffVerdict)
#include "tst_diff_verdict.moc"
