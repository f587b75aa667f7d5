// SPDX-License-Identifier: GPL-3.0-or-later
// Core AI packages beside one another and beside programs of Core ML.
#include "core/compare/build_verdict.h"
#include "core/compare/compare.h"
#include "made_coreai.h"
#include "tests/test_program.h"

namespace {

constexpr std::size_t kRows = 12, kColumns = 20;

float valueAt(std::size_t row, std::size_t column)
{
    return static_cast<float>(row * kColumns + column) * 0.25f - 20;
}

Bytes matrixBytes(bool turned)
{
    Bytes bytes;
    for (std::size_t i = 0; i < kRows * kColumns; ++i) {
        const Bytes one =
            halves({turned ? valueAt(i % kRows, i / kRows) : valueAt(i / kColumns, i % kColumns)});
        bytes.insert(bytes.end(), one.begin(), one.end());
    }
    return bytes;
}

/// One product with a weight; `unused` further resources move it and change the keys.
MadeCoreAi network(bool blob)
{
    MadeCoreAi made;
    const Shape shape{kRows, kColumns};
    const auto weight = blob ? made.blob(shape, Elem::F16, matrixBytes(false))
                             : made.constant(shape, Elem::F16, matrixBytes(false));
    const auto x = made.operation("primitive.input_v1", {}, {1, kRows}, Elem::F16);
    made.output(
        {made.operation("broadcasting_batch_matmul_v1", {x, weight}, {1, kColumns}, Elem::F16)});
    return made;
}

} // namespace

class TestDiffCoreAi : public QObject
{
    Q_OBJECT

private slots:
    void sameContentInOtherBytes()
    {
        const BundlePtr a = network(true).open(), b = network(false).open();
        QVERIFY(a && b);
        const auto compared = VERIFIED(compareBundles(*a, *b, {.values = true}));
        const Difference &difference = *compared;
        QVERIFY(!difference.identical);
        QCOMPARE(difference.weights.size(), std::size_t(1));
        QVERIFY(difference.weights.front().values &&
                difference.weights.front().values->identical());
        const std::string text = faithfulText(*a, difference, buildVerdict(*a, *b, difference));
        QVERIFY2(text.find("program and values are the same") != text.npos, text.c_str());
    }

    void sameBytesInAnotherOrder()
    {
        const auto turned = [](std::initializer_list<int> axes) {
            MadeCoreAi made;
            const Shape shape{2, 6}, read{2, 3, 2};
            const auto codes = made.constant(shape, Elem::Ui2, byteRow({0xE4, 0x1B, 0x4E}));
            const auto books =
                made.constant({2, 1, 4, 1}, Elem::F16, halves({1, 2, 3, 4, 5, 6, 7, 8}));
            const auto axis = made.constant({}, Elem::Si16, byteRow({0, 0}), true);
            const auto value =
                made.operation("primitive.lut_to_dense_v1", {codes, books, axis}, shape, Elem::F16);
            const auto flat =
                made.operation("primitive.reshape_v2", {value, axis}, read, Elem::F16);
            made.output(
                {made.operation("primitive.cast_v1", {made.transposed(flat, axes, read, Elem::F16)},
                                read, Elem::F32)});
            return made.open();
        };
        const BundlePtr a = turned({2, 1, 0}), b = turned({2, 1, 0}), c = turned({0, 1, 2});
        QVERIFY(a && b && c);
        const auto same = VERIFIED(compareBundles(*a, *b, {.values = true}));
        const auto other = VERIFIED(compareBundles(*a, *c, {.values = true}));
        QVERIFY(same->weights.front().values && same->weights.front().values->identical());
        QVERIFY(other->weights.front().values && !other->weights.front().values->identical());
    }

    void findsTheTranspose()
    {
        const BundlePtr a = network(true).open();
        MadeBundle made;
        made.layer("kernel", "[20, 12]", matrixBytes(true));
        const auto b = Bundle::open("x.mlmodelc", made.options());
        QVERIFY(a && b);
        const auto compared = VERIFIED(compareBundles(*a, **b, {.values = true}));
        const Difference &difference = *compared;
        QCOMPARE(difference.weights.size(), std::size_t(1));
        const ComparedPair &pair = difference.weights.front();
        QVERIFY(pair.pairing == Pairing::Content);
        const auto changes = pairChanges(*a, **b, pair);
        QVERIFY(std::find(changes.begin(), changes.end(), "transposed") != changes.end());
    }
};

KERNSCOPE_TEST(TestDiffCoreAi, kernscope::test::NoApplication)
#include "tst_diff_coreai.moc"
