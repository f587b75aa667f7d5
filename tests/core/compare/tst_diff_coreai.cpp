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
