// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diff/byte_ranges.h"
#include "core/diff/diff.h"
#include "core/numeric/half.h"
#include "core/patch/patch.h"
#include "sample_bundles.h"

#include <cmath>
#include <cstring>
#include <random>

#include <QTest>

#include <fmt/format.h>

using namespace kernscope;
using namespace kernscope::test;

namespace {

DiffOptions withValues(double tolerance = 0)
{
    DiffOptions options;
    options.values = true;
    options.tolerance = tolerance;
    return options;
}

/// One weight "w" of these fp16 values, read by an operation of that name.
MadeBundle denseBundle(const Bytes &values, const std::string &name = "w")
{
    MadeBundle made;
    const std::string shape = fmt::format("[{}]", values.size() / 2);
    made.constant("tensor<fp16, " + shape + ">", name, made.blob(ElementType::Fp16, shape, values));
    made.consume(name);
    return made;
}

ValueDifference compared(const Bytes &a, const Bytes &b, double tolerance = 0)
{
    const BundlePtr from = *denseBundle(a).open(), to = *denseBundle(b).open();
    return *compareValues(*from, 0, *to, 0, tolerance);
}

/// Names of A and B of every pair, with the reason: "w=w (consumer)".
std::vector<std::string> pairsText(const Bundle &a, const Bundle &b)
{
    std::vector<std::size_t> onlyA, onlyB;
    std::vector<std::string> text;
    for (const WeightPair &pair : pairWeights(a, b, onlyA, onlyB))
        text.push_back(fmt::format("{}={} ({})", a.weights()[pair.a].name, b.weights()[pair.b].name,
                                   pairingName(pair.pairing)));
    for (const std::size_t i : onlyA)
        text.push_back("A " + a.weights()[i].name);
    for (const std::size_t i : onlyB)
        text.push_back("B " + b.weights()[i].name);
    return text;
}

/// Weights of the given names; each read by a linear op of the name beside it, or by none.
struct Named {
    std::string weight, op;
    Bytes values;
};

BundlePtr namedBundle(const std::vector<Named> &weights)
{
    MadeBundle made;
    for (const Named &named : weights) {
        const std::string shape = fmt::format("[{}]", named.values.size() / 2);
        made.constant("tensor<fp16, " + shape + ">", named.weight,
                      made.blob(ElementType::Fp16, shape, named.values));
        made.line(fmt::format("tensor<fp16, [1]> {0} = linear(weight = {1}, x = x)[name = "
                              "string(\"{0}\")]",
                              named.op, named.weight));
    }
    return *made.open();
}

const Bytes kTen = halves({1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
const Bytes kOtherTen = halves({2, 2, 3, 4, 5, 6, 7, 8, 9, 11});
const Bytes kTwelve = halves({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});

} // namespace

class TestDiff : public QObject
{
    Q_OBJECT

private slots:
    void ulpDistances_data();
    void ulpDistances();
    void ulpDistanceIsTheStepsBetween();
    void baseNames_data();
    void baseNames();
    void byteRanges();
    void byteRangesCut();
    void values_data();
    void values();
    void figuresAgainstTheFormulas();
    void swapSymmetry();
    void selfIsIdentical_data();
    void selfIsIdentical();
    void patchedElementIsOneChange_data();
    void patchedElementIsOneChange();
    void pairing();
    void pairingOfSharedParameter();
    void pairingOfBareWeightFiles();
    void filesOfBothKinds();
    void verdicts();
    void unsoundWeights();
    void differentShapes();
    void cancelled();
};

void TestDiff::ulpDistances_data()
{
    QTest::addColumn<int>("a");
    QTest::addColumn<int>("b");
    QTest::addColumn<int>("distance");
    QTest::newRow("zeros") << 0x0000 << 0x8000 << 0;
    QTest::newRow("about zero") << 0x0001 << 0x8001 << 2;
    QTest::newRow("neighbours") << 0x3c00 << 0x3c01 << 1;
    QTest::newRow("across an exponent") << 0x3bff << 0x3c00 << 1;
    QTest::newRow("subnormal to normal") << 0x03ff << 0x0400 << 1;
    QTest::newRow("farthest") << 0x7bff << 0xfbff << 2 * 0x7bff;
    QTest::newRow("infinity") << 0x7bff << 0x7c00 << 1;
}

void TestDiff::ulpDistances()
{
    QFETCH(const int, a);
    QFETCH(const int, b);
    QFETCH(const int, distance);
    const auto of = [](int x, int y) {
        return static_cast<int>(
            ulpDistance(static_cast<std::uint16_t>(x), static_cast<std::uint16_t>(y)));
    };
    QCOMPARE(of(a, b), distance);
    QCOMPARE(of(b, a), distance);
}

void TestDiff::ulpDistanceIsTheStepsBetween()
{
    // All finite numbers in order: each is one step from the next.
    std::vector<std::uint16_t> ordered;
    for (int code = 0x7bff; code > 0; --code)
        ordered.push_back(static_cast<std::uint16_t>(code | 0x8000));
    for (int code = 0; code <= 0x7bff; ++code)
        ordered.push_back(static_cast<std::uint16_t>(code));
    for (std::size_t i = 1; i < ordered.size(); ++i) {
        QVERIFY(halfToFloat(ordered[i - 1]) < halfToFloat(ordered[i]));
        QCOMPARE(ulpDistance(ordered[i - 1], ordered[i]), 1u);
    }
    QCOMPARE(ulpDistance(ordered.front(), ordered.back()),
             static_cast<std::uint32_t>(ordered.size() - 1));
}

void TestDiff::baseNames_data()
{
    QTest::addColumn<QByteArray>("name");
    QTest::addColumn<QByteArray>("base");
    const auto row = [](const char *name, const char *base) {
        QTest::newRow(name) << QByteArray(name) << QByteArray(base);
    };
    row("w", "w");
    row("w_quantized", "w");
    row("w_palettized_sparsified", "w");
    row("w_sparsified_palettized_quantized", "w");
    row("w_quantized_2", "w_quantized_2");
    row("_quantized", "_quantized");
    row("quantized", "quantized");
    row("", "");
}

void TestDiff::baseNames()
{
    QFETCH(const QByteArray, name);
    QFETCH(const QByteArray, base);
    QCOMPARE(QByteArray::fromStdString(baseName(name.toStdString())), base);
}

/// Against the plain loop, over runs of every length and place.
void TestDiff::byteRanges()
{
    std::mt19937 random(17);
    for (int round = 0; round < 300; ++round) {
        Bytes a(random() % 3000), b;
        for (std::byte &byte : a)
            byte = static_cast<std::byte>(random() % 3);
        b = a;
        b.resize(std::max<std::size_t>(1, a.size() + random() % 3) - 1);
        for (std::size_t n = random() % 20; n > 0 && !b.empty(); --n) {
            const std::size_t at = random() % b.size();
            for (std::size_t i = at; i < std::min(b.size(), at + random() % 40); ++i)
                b[i] = static_cast<std::byte>(random() % 3);
        }
        std::vector<ByteRange> expected;
        for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
            if (i < std::min(a.size(), b.size()) && a[i] == b[i])
                continue;
            if (!expected.empty() && expected.back().end() == i)
                ++expected.back().bytes.value;
            else
                expected.push_back({FileOffset(i), ByteCount(1)});
        }
        const auto found = diff::findDifferentBytes(a, b, 100000, nullptr);
        QVERIFY(found && !found->cut);
        QVERIFY(found->ranges == expected);
        QVERIFY(diff::findDifferentBytes(b, a, 100000, nullptr)->ranges == expected);
        QCOMPARE(*diff::sameBytes(a, b, nullptr), expected.empty());
    }
    // Across the blocks of one mebibyte.
    Bytes a(std::size_t{3} << 20), b = a;
    std::fill_n(b.begin() + (1 << 20) - 5, 10, std::byte{1});
    const auto found = diff::findDifferentBytes(a, b, 10, nullptr);
    QCOMPARE(found->ranges.size(), std::size_t{1});
    QCOMPARE(found->ranges[0].bytes.value, std::uint64_t{10});
}

void TestDiff::byteRangesCut()
{
    const Bytes a(1000);
    Bytes b = a;
    for (std::size_t i = 0; i < b.size(); i += 4)
        b[i] = std::byte{1};
    const auto found = diff::findDifferentBytes(a, b, 10, nullptr);
    QVERIFY(found->cut);
    QCOMPARE(found->ranges.size(), std::size_t{10});
    QCOMPARE(found->ranges.back().end(), std::uint64_t{1000});
}

void TestDiff::values_data()
{
    QTest::addColumn<QByteArray>("a");
    QTest::addColumn<QByteArray>("b");
    QTest::addColumn<QList<int>>("counts"); // equal, changed, zeroed, revived
    QTest::addColumn<int>("maxUlp");
    QTest::addColumn<int>("lastBin");
    const auto row = [](const char *name, const char *a, const char *b, QList<int> counts,
                        int maxUlp, int lastBin) {
        QTest::newRow(name) << QByteArray(a) << QByteArray(b) << counts << maxUlp << lastBin;
    };
    row("equal", "003c0040", "003c0040", {2, 0, 0, 0}, 0, 0);
    row("one step", "003c0040", "013c0040", {1, 1, 0, 0}, 1, 0);
    row("zeroed", "003c0040", "00000040", {1, 0, 1, 0}, 0x3c00, 0);
    row("to minus zero", "003c0040", "00800040", {1, 0, 1, 0}, 0x3c00, 0);
    row("revived", "00000040", "003c0040", {1, 0, 0, 1}, 0x3c00, 0);
    row("both zeros", "00000040", "00800040", {2, 0, 0, 0}, 0, 0);
    row("NaN for NaN", "007e0040", "01fe0040", {2, 0, 0, 0}, 0, 0);
    row("NaN for a number", "003c0040", "007e0040", {1, 1, 0, 0}, 0, 1);
    row("NaN for zero", "00000040", "007e0040", {1, 0, 0, 1}, 0, 1);
    row("infinity", "007c0040", "00fc0040", {1, 1, 0, 0}, 0xf800, 1);
}

void TestDiff::values()
{
    QFETCH(const QByteArray, a);
    QFETCH(const QByteArray, b);
    QFETCH(const QList<int>, counts);
    QFETCH(const int, maxUlp);
    QFETCH(const int, lastBin);
    const auto bytes = [](const QByteArray &text) { return hex(text.toStdString()); };
    const ValueDifference found = compared(bytes(a), bytes(b));
    const QList<int> foundCounts{static_cast<int>(found.equal), static_cast<int>(found.changed),
                                 static_cast<int>(found.zeroed), static_cast<int>(found.revived)};
    QCOMPARE(foundCounts, counts);
    QCOMPARE(static_cast<int>(found.maxUlp), maxUlp);
    QCOMPARE(static_cast<int>(found.ulpHistogram.back()), lastBin);
    QCOMPARE(found.elements(), std::uint64_t{2});
    QCOMPARE(found.identical(), counts[0] == 2);
    if (found.identical())
        QCOMPARE(found.cosine, 1.0);
}

/// Random numbers of every kind, infinities and NaN among them, against the plain formulas.
void TestDiff::figuresAgainstTheFormulas()
{
    std::mt19937 random(23);
    for (const std::size_t count : {1u, 7u, 8u, 9u, 1000u, 40000u}) {
        Bytes a(count * 2), b;
        for (std::byte &byte : a)
            byte = static_cast<std::byte>(random());
        b = a;
        for (std::size_t i = 0; i < count; i += 3)
            b[2 * i + random() % 2] = static_cast<std::byte>(random());
        double sum = 0, square = 0, aa = 0, bb = 0, ab = 0, largest = 0;
        std::uint64_t finite = 0, beyond = 0, histogram = 0;
        for (std::size_t i = 0; i < count; ++i) {
            std::uint16_t codeA = 0, codeB = 0;
            std::memcpy(&codeA, &a[2 * i], 2);
            std::memcpy(&codeB, &b[2 * i], 2);
            const double x = static_cast<double>(halfToFloat(codeA));
            const double y = static_cast<double>(halfToFloat(codeB));
            histogram += ulpDistance(codeA, codeB) == 0 || (std::isnan(x) && std::isnan(y));
            if (!std::isfinite(x) || !std::isfinite(y)) {
                beyond += x != y && !(std::isnan(x) && std::isnan(y));
                continue;
            }
            ++finite;
            const double d = std::abs(x - y);
            sum += d;
            square += d * d;
            aa += x * x;
            bb += y * y;
            ab += x * y;
            largest = std::max(largest, d);
            beyond += d > 0.25;
        }
        const ValueDifference found = compared(a, b, 0.25);
        const auto n = static_cast<double>(std::max<std::uint64_t>(1, finite));
        QVERIFY(std::abs(found.meanAbs - sum / n) <= 1e-12 * (1 + sum / n));
        QVERIFY(std::abs(found.rmse - std::sqrt(square / n)) <= 1e-9 * (1 + found.rmse));
        QCOMPARE(found.maxAbs, largest);
        QCOMPARE(found.beyondTolerance, beyond);
        QCOMPARE(found.ulpHistogram[0], histogram);
        QCOMPARE(found.elements(), static_cast<std::uint64_t>(count));
        if (aa > 0 && bb > 0)
            QVERIFY(std::abs(found.cosine - ab / std::sqrt(aa * bb)) < 1e-12);
        std::uint64_t total = 0;
        for (const std::uint64_t bin : found.ulpHistogram)
            total += bin;
        QCOMPARE(total, static_cast<std::uint64_t>(count));
    }
}

void TestDiff::swapSymmetry()
{
    std::mt19937 random(31);
    Bytes a(2000), b(2000);
    for (std::size_t i = 0; i < a.size(); ++i) {
        a[i] = static_cast<std::byte>(random() % 4 == 0 ? 0 : random() & 0x3f);
        b[i] = static_cast<std::byte>(random() % 4 == 0 ? 0 : random() & 0x3f);
    }
    const ValueDifference ab = compared(a, b), ba = compared(b, a);
    QCOMPARE(ab.equal, ba.equal);
    QCOMPARE(ab.changed, ba.changed);
    QCOMPARE(ab.zeroed, ba.revived);
    QCOMPARE(ab.revived, ba.zeroed);
    QCOMPARE(ab.maxAbs, ba.maxAbs);
    QCOMPARE(ab.rmse, ba.rmse);
    QCOMPARE(ab.cosine, ba.cosine);
    QVERIFY(ab.ulpHistogram == ba.ulpHistogram);
}

void TestDiff::selfIsIdentical_data()
{
    QTest::addColumn<QByteArray>("form");
    for (const SampleForm &form : sampleForms())
        QTest::newRow(form.name.c_str()) << QByteArray::fromStdString(form.name);
}

void TestDiff::selfIsIdentical()
{
    QFETCH(const QByteArray, form);
    const BundlePtr a = *sampleBundle(form.toStdString()).open();
    const BundlePtr b = *sampleBundle(form.toStdString()).open();
    for (const BundlePtr &other : {a, b}) { // the very same files as well
        const auto difference = compareBundles(*a, *other, withValues());
        QVERIFY(difference);
        QVERIFY(difference->identical && difference->program.equal);
        QCOMPARE(difference->weights.size(), std::size_t{2});
        QVERIFY(difference->onlyA.empty() && difference->onlyB.empty());
        for (const WeightPair &pair : difference->weights) {
            QVERIFY(pair.layoutEqual && pair.storedEqual && pair.values->identical());
            QCOMPARE(pair.storedRatio, 1.0);
            QCOMPARE(verdict(pair, *a, *other), std::string("identical"));
        }
        for (const FileDifference &file : difference->files)
            QVERIFY(file.equal && file.ranges.empty());
    }
}

void TestDiff::patchedElementIsOneChange_data()
{
    selfIsIdentical_data();
}

void TestDiff::patchedElementIsOneChange()
{
    QFETCH(const QByteArray, form);
    const BundlePtr a = *sampleBundle(form.toStdString()).open();
    const BundlePtr fresh = *sampleBundle(form.toStdString()).open();
    const auto before = decoded(*a, "w");
    // Another held value for the first element that can have one.
    Result<std::vector<AppliedEdit>> planned;
    for (std::size_t i = 0; i < before.size(); ++i) {
        for (const float value : before) {
            if (before[i] == 0.0f || value == 0.0f || value == before[i])
                continue;
            Edit edit = *parseEdit(Edit::Kind::Set, fmt::format("w[{}]={}", i, value));
            planned = planEdits(fresh, {edit}, 0.0);
            if (planned && !planned->front().bytes.empty())
                break;
        }
        if (planned && !planned->empty() && !planned->front().bytes.empty())
            break;
    }
    if (!planned || planned->empty())
        return; // vectors whose lanes allow no other entry
    const BundlePtr b = *applyEdit(fresh, planned->front());
    const auto difference = compareBundles(*a, *b, withValues());
    QVERIFY(!difference->identical);
    const WeightPair &pair = difference->weights[0];
    QVERIFY(pair.layoutEqual && !pair.storedEqual);
    QCOMPARE(pair.values->changed, std::uint64_t{1});
    QCOMPARE(pair.values->equal, static_cast<std::uint64_t>(before.size() - 1));
    QCOMPARE(verdict(pair, *a, *b), std::string("1 value differs"));
    QCOMPARE(verdict(difference->weights[1], *a, *b), std::string("identical"));
    std::uint64_t bytes = 0;
    for (const FileDifference &file : difference->files) {
        for (const ByteRange &range : file.ranges)
            bytes += range.bytes.value;
    }
    std::uint64_t planBytes = 0;
    for (const FileEdit &edit : planned->front().bytes)
        planBytes += edit.after.size();
    QCOMPARE(bytes, planBytes);
}

void TestDiff::pairing()
{
    const BundlePtr a = namedBundle({{"by_consumer", "op1", kTen},
                                     {"by_name", "op2", kTen},
                                     {"suffix_quantized", "op3", kTen},
                                     {"content", "op4", kOtherTen},
                                     {"shape", "op5", kTwelve},
                                     {"gone", "op6", halves({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})}});
    auto other = kTwelve;
    other[0] ^= std::byte{1};
    const BundlePtr b = namedBundle({{"elsewhere", "op9", other},
                                     {"renamed", "op8", kOtherTen},
                                     {"suffix_palettized_sparsified", "op7", kTen},
                                     {"by_name", "op10", kTen},
                                     {"other_name", "op1", kTen}});
    const std::vector<std::string> expected{"by_consumer=other_name (consumer)",
                                            "by_name=by_name (name)",
                                            "suffix_quantized=suffix_palettized_sparsified (name)",
                                            "content=renamed (content)",
                                            "shape=elsewhere (shape)",
                                            "A gone"};
    QCOMPARE(pairsText(*a, *b), expected);
    const auto back = pairsText(*b, *a);
    QCOMPARE(back.size(), expected.size());
    QCOMPARE(back.back(), std::string("B gone"));
    // Several of one shape: in their order.
    auto third = kTwelve;
    third[2] ^= std::byte{1};
    const BundlePtr c = namedBundle({{"m", "o1", kTwelve}, {"n", "o2", other}});
    const BundlePtr d = namedBundle({{"p", "o3", third}, {"q", "o4", third}});
    const std::vector<std::string> byPlace{"m=p (position)", "n=q (position)"};
    QCOMPARE(pairsText(*c, *d), byPlace);
}

/// Two weights of one parameter, and one weight of two consumers.
void TestDiff::pairingOfSharedParameter()
{
    const auto build = [](const char *first, const char *second, const char *use) {
        MadeBundle made;
        for (const char *name : {first, second})
            made.constant("tensor<fp16, [10]>", name, made.blob(ElementType::Fp16, "[10]", kTen));
        made.line(fmt::format("tensor<fp16, [20]> c = concat(values = ({}, {}))[name = "
                              "string(\"c\")]",
                              first, second));
        made.line(fmt::format("tensor<fp16, [1]> {0} = linear(weight = {1}, x = x)[name = "
                              "string(\"{0}\")]",
                              use, first));
        return *made.open();
    };
    const auto same = pairsText(*build("u", "v", "l"), *build("v", "u", "k"));
    const std::vector<std::string> byName{"u=u (consumer)", "v=v (consumer)"};
    QCOMPARE(same, byName);
    const auto renamed = pairsText(*build("u", "v", "l"), *build("x1", "x2", "l"));
    const std::vector<std::string> byPlace{"u=x1 (consumer)", "v=x2 (consumer)"};
    QCOMPARE(renamed, byPlace);
}

/// Names made of offsets only pair places that hold as much.
void TestDiff::pairingOfBareWeightFiles()
{
    const auto bare = [](const Bytes &first, const Bytes &second) {
        milblob::Writer writer;
        writer.add(ElementType::Fp16, first, 0);
        writer.add(ElementType::Fp16, second, 0);
        OpenOptions options;
        options.memory = {{"weight.bin", writer.finish()}};
        return *Bundle::open("weight.bin", options);
    };
    const auto same = pairsText(*bare(kTen, kTwelve), *bare(kOtherTen, kTwelve));
    QCOMPARE(same.size(), std::size_t{2});
    QVERIFY(same[0].ends_with("(name)") && same[1].ends_with("(name)"));
    const auto moved = pairsText(*bare(kTen, kTwelve), *bare(kTwelve, kTen));
    const std::vector<std::string> byContent{"blob@0x40=blob@0xc0 (content)",
                                             "blob@0xc0=blob@0x40 (content)"};
    QCOMPARE(moved, byContent);
}

/// Files of the same part in different kinds of bundle, and files that only one has.
void TestDiff::filesOfBothKinds()
{
    OpenOptions options = denseBundle(kTen).options();
    options.memory.push_back({"extra.txt", hex("41")});
    const BundlePtr a = *Bundle::open("a.mlmodelc", options);
    const BundlePtr b = *denseBundle(kTen).open();
    const auto difference = compareBundles(*a, *b, {});
    QVERIFY(!difference->identical);
    QCOMPARE(difference->files.size(), std::size_t{4});
    for (const FileDifference &file : difference->files) {
        QCOMPARE(file.equal, file.path != "extra.txt");
        QCOMPARE(file.bytesB.has_value(), file.path != "extra.txt");
    }
    QVERIFY(!difference->weights[0].values);
    // A bare weight file against the one in a bundle.
    OpenOptions lone;
    lone.memory = {{"other.bin", denseBundle(kTen).weights()}};
    const BundlePtr bare = *Bundle::open("other.bin", lone);
    const auto mixed = compareBundles(*bare, *b, withValues());
    QVERIFY(!mixed->identical);
    QVERIFY(mixed->files[0].equal);
    QCOMPARE(mixed->weights.size(), std::size_t{1});
    QVERIFY(mixed->weights[0].values->identical());
}

void TestDiff::verdicts()
{
    const auto word = [](const BundlePtr &a, const BundlePtr &b) {
        const auto difference = compareBundles(*a, *b, withValues());
        return verdict(difference->weights[0], *a, *b);
    };
    // Of one layout, few changes are counted.
    Bytes some = kTen;
    some[0] ^= std::byte{1};
    some[4] ^= std::byte{1};
    QCOMPARE(word(*denseBundle(kTen).open(), *denseBundle(some).open()),
             std::string("2 values differ"));
    // fp32 against fp16 of the same numbers: other bytes, same values.
    const BundlePtr half = *sampleBundle("dense-fp16").open();
    QCOMPARE(word(half, *sampleBundle("dense-fp32").open()), std::string("same values"));
    // A scaled form approximates within its largest scale.
    QCOMPARE(word(half, *sampleBundle("affine").open()), std::string("within one step"));
    QCOMPARE(word(half, *sampleBundle("blockwise-int8").open()), std::string("within one step"));
    // Without the values, what the bytes say.
    const BundlePtr lut = *sampleBundle("lut4").open();
    const auto plain = compareBundles(*half, *lut, {});
    QCOMPARE(verdict(plain->weights[0], *half, *lut), std::string("forms differ"));
    // Pruned: what is kept is exact.
    Bytes pruned = kTen;
    std::fill_n(pruned.begin(), 4, std::byte{0});
    const BundlePtr full = *denseBundle(kTen).open();
    MadeBundle sparse;
    const std::string mask = sparse.blob(ElementType::Uint1, "[10]", hex("fc 03"), 6);
    sparse.line(fmt::format(
        "tensor<fp16, [10]> w = constexpr_sparse_to_dense(mask = {}, nonzero_data = "
        "{})[name = string(\"w\")]",
        mask, sparse.blob(ElementType::Fp16, "[8]", halves({3, 4, 5, 6, 7, 8, 9, 10}))));
    sparse.consume("w");
    QCOMPARE(word(full, *sparse.open()), std::string("kept values exact"));
    QCOMPARE(word(*denseBundle(pruned).open(), *sparse.open()), std::string("same values"));
}

void TestDiff::unsoundWeights()
{
    MadeBundle bad;
    bad.constant("tensor<fp16, [10]>", "w", MadeBundle::blobAt("fp16", "[10]", 640));
    bad.consume("w");
    const BundlePtr a = *denseBundle(kTen).open(), b = *bad.open();
    const auto difference = compareBundles(*a, *b, withValues());
    QVERIFY(difference);
    QCOMPARE(difference->weights.size(), std::size_t{1});
    QVERIFY(difference->weights[0].fault);
    QCOMPARE(verdict(difference->weights[0], *a, *b), std::string("cannot be compared"));
}

void TestDiff::differentShapes()
{
    const BundlePtr a = *denseBundle(kTen).open(), b = *denseBundle(kTwelve).open();
    const auto difference = compareBundles(*a, *b, withValues());
    QCOMPARE(difference->weights.size(), std::size_t{1});
    QVERIFY(!difference->weights[0].shapeEqual && !difference->weights[0].values);
    QCOMPARE(verdict(difference->weights[0], *a, *b), std::string("shapes differ"));
    const auto values = compareValues(*a, 0, *b, 0, 0.0);
    QVERIFY(!values);
    QCOMPARE(values.error().code, std::string("diff.shape"));
}

void TestDiff::cancelled()
{
    const BundlePtr a = *sampleBundle("lut4").open(), b = *sampleBundle("lut4").open();
    Progress progress;
    progress.cancel();
    const auto difference = compareBundles(*a, *b, withValues(), &progress);
    QVERIFY(!difference);
    QCOMPARE(difference.error().code, std::string("task.cancelled"));
    Progress whole;
    QVERIFY(compareBundles(*a, *b, withValues(), &whole));
    QCOMPARE(whole.fraction(), 1.0);
}

QTEST_APPLESS_MAIN(TestDiff)
#include "tst_diff.moc"
