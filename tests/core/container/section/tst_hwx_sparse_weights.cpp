// SPDX-License-Identifier: GPL-3.0-or-later
// Sparse weights of hardware containers, and weights that lie in copies: real ones by their bytes,
// and SYNTHETIC ones (made here, named as such) for shapes that no published file has.
#include "core/base/overlaid_file.h"
#include "core/bundle/statistics.h"
#include "core/codec/edit/editor.h"
#include "core/patch/patch.h"
#include "made_kernels.h"
#include "tests/core/container/section/order_check.h"
#include "tests/test_program.h"

using namespace kernscope;
using namespace kernscope::test;

class TestHwxSparseWeights : public QObject
{
    Q_OBJECT

private slots:
    void hasAMaskAsAnyWeight_data()
    {
        QTest::addColumn<bool>("h13");
        addRow("H13", true);
        addRow("H14", false);
    }

    void hasAMaskAsAnyWeight()
    {
        QFETCH(bool, h13);
        const auto made = sparseKernel(h13 ? lanes::SparseForm::H13 : lanes::SparseForm::H14);
        const BundlePtr bundle = VERIFIED(
            openKernel(h13 ? containerOf(made.kernel) : twoStreams(made.kernel, made.kernel)));
        const Weight &weight = bundle->weights().front();
        QCOMPARE(formText(weight.form), "sparse");
        QCOMPARE(weight.operands().size(), std::size_t(2));
        QCOMPARE(weight.operands()[0].role, codec::PartRole::Mask);
        QCOMPARE(weight.operands()[0].declaredShape(), weight.shape);
        QCOMPARE(weight.operands()[1].role, codec::PartRole::NonzeroData);
        const auto kept = static_cast<std::uint64_t>(
            std::count_if(made.weights.begin(), made.weights.end(), [](auto v) { return v != 0; }));
        QCOMPARE(weight.operands()[1].declaredShape(), Shape{kept});
        QCOMPARE(weight.storedBytes, weight.operands()[0].place->bytes);
        const auto decoder = VERIFIED(bundle->decoder(0));
        QVERIFY(halvesOf(*bundle, 0) == made.weights);
        QCOMPARE(decoder->payloadElements().value, kept);
        const auto &mask = decoder->encoding().mask;
        QVERIFY(mask && mask->order);
        std::uint64_t rank = 0;
        for (std::uint64_t i = 0; i < made.weights.size(); ++i) {
            const bool stored = made.weights[i] != 0;
            QCOMPARE(decoder->rank(i), rank);
            QCOMPARE(decoder->stored(i), stored);
            QCOMPARE(codec::operandCode(*mask, 1, i).value_or(2), std::int64_t(stored ? 1 : 0));
            rank += stored ? 1 : 0;
        }
        const auto density = VERIFIED(channelDensity(*bundle, 0));
        QCOMPARE(density->size(), std::size_t(96));
        QCOMPARE(density->front() + density->at(1) + density->at(2), std::uint64_t(10));
    }

    void showsSparseBiases()
    {
        const auto made = sparseKernel(lanes::SparseForm::H13);
        const BundlePtr bundle = openKernel(containerOf(made.kernel));
        QCOMPARE(bundle->weights().size(), std::size_t(2));
        const Weight &bias = bundle->weights()[1];
        QVERIFY(bias.name.ends_with(": bias"));
        QVERIFY(halvesOf(*bundle, 1) == made.bias);
        QCOMPARE(bias.operands().front().place->pieces.size(),
                 std::size_t(32)); // two planes a lane
        std::uint64_t rows = 0, covered = 0;
        for (const Section &section : bundle->sections()) {
            QCOMPARE(section.range.offset.value, covered);
            covered = section.range.end();
            if (section.weight == 1)
                rows += section.range.bytes.value;
        }
        QCOMPARE(rows, std::uint64_t(2 * 96));
        const auto edits =
            VERIFIED(planEdits(bundle, {*parseEdit(Edit::Kind::Set, bias.name + "[70]=0.5")}, 0));
        const auto edited = applyEdit(bundle, edits->front());
        auto expected = made.bias;
        expected[70] = 0x3800;
        QVERIFY(halvesOf(**edited, 1) == expected);
        QVERIFY(halvesOf(**edited, 0) == made.weights);
        for (const ByteRange &range : bundle->files().front().file->changedRanges())
            QVERIFY(bias.operands().front().place->holds(range));
    }

    void keepsSparseZeros()
    {
        MadeKernel kernel;
        kernel.geometry = {16, 4, 1, 1, 1, 1, false};
        kernel.sparse = true;
        const auto layout = *lanes::SliceLayout::make(kernel.geometry, lanes::Law::Dense);
        std::vector<std::uint16_t> weights(64, 0x3c00);
        weights[5] = 0;
        kernel.slices = *lanes::encodeSparse(lanes::SparseForm::H13, layout, weights, {});
        const BundlePtr bundle = openKernel(containerOf(kernel));
        const codec::Editor editor(*bundle->decoder(0));
        QCOMPARE(editor.setElement(5, 1, 0).error().code, "patch.sparse_zero");
        QCOMPARE(editor.setElement(6, 0, 0).error().code, "patch.sparse_zero");
        const auto plan = editor.setElement(6, 2, 0);
        QCOMPARE(plan->parts.size(), std::size_t(1));
        QCOMPARE(editor.keep(5, 1, 0).error().code, "patch.sparse_zero");
        QCOMPARE(editor.drop(6).error().code, "patch.sparse_zero");
        QVERIFY(editor.drop(5)->parts.empty());
        QCOMPARE(editor.keep(6, 2, 0)->parts.size(), std::size_t(1));
        using codec::PartRole;
        QCOMPARE(editor.setStored(PartRole::Mask, 5, 1).error().code, "patch.sparse_zero");
        QCOMPARE(editor.setStored(PartRole::Mask, 6, 0).error().code, "patch.sparse_zero");
        QVERIFY(editor.setStored(PartRole::Mask, 6, 1)->parts.empty());
        QCOMPARE(editor.setStored(PartRole::NonzeroData, 6, 0x4000)->parts.size(), std::size_t(1));
        QCOMPARE(editor.setStored(PartRole::NonzeroData, 5, 0x4000).error().code,
                 "patch.sparse_zero");
        // Edits of a bundle say what was there, wherever it lies.
        const std::string name = bundle->weights().front().name;
        const auto planned = VERIFIED(planEdits(
            bundle, {*parseEdit(Edit::Kind::SetStored, name + ":nonzero_data[6]=16384")}, 0));
        QCOMPARE(planned->front().oldText, "0x3c00");
        QCOMPARE(planned->front().newText, "0x4000");
        kernel.slices[3][3] = std::byte(0xff); // a mask that no single lane has
        const BundlePtr damaged = openKernel(containerOf(kernel));
        QCOMPARE(damaged->decoder(0).error().code, "lanes.sparse");
    }

    void patchesEveryCopy_data()
    {
        QTest::addColumn<bool>("sparse");
        addRow("dense", false);
        addRow("sparse", true);
    }

    void patchesEveryCopy()
    {
        QFETCH(bool, sparse);
        auto made = sparseKernel(lanes::SparseForm::H14);
        made.kernel.sparse = sparse;
        lanes::DealOptions options;
        options.cap = 4;
        const auto layout =
            *lanes::SliceLayout::make(made.kernel.geometry, lanes::Law::Dense, options);
        if (!sparse)
            made.kernel.slices = *lanes::encodeSlices(layout, made.weights, made.bias);
        const BundlePtr bundle = openKernel(twoStreams(made.kernel, made.kernel));
        QCOMPARE(bundle->weights().size(), std::size_t(2)); // with the biases
        const Weight &weight = bundle->weights().front();
        QCOMPARE(weight.consumers.size(), std::size_t(2));
        QVERIFY(halvesOf(*bundle, 0) == made.weights);
        QVERIFY(halvesOf(*bundle, 1) == made.bias);
        const auto edits =
            VERIFIED(planEdits(bundle,
                               {*parseEdit(Edit::Kind::Set, weight.name + "[90,4,0,0]=0.5"),
                                *parseEdit(Edit::Kind::Set, weight.name + ": bias[3]=0.25")},
                               0));
        BundlePtr edited = bundle;
        for (const AppliedEdit &edit : *edits)
            edited = *applyEdit(edited, edit);
        made.weights[90 * 5 + 4] = 0x3800;
        made.bias[3] = 0x3400;
        made.kernel.slices =
            sparse ? *lanes::encodeSparse(lanes::SparseForm::H14, layout, made.weights, made.bias)
                   : *lanes::encodeSlices(layout, made.weights, made.bias);
        const auto wanted = twoStreams(made.kernel, made.kernel);
        const auto now = edited->files().front().file->bytes();
        QVERIFY(std::equal(now.begin(), now.end(), wanted.begin(), wanted.end()));
    }

    void tellsHalvesFromCopies()
    {
        // The same name, sizes and shape, but other numbers: two engines that share the channels
        // out.
        const auto made = sparseKernel(lanes::SparseForm::H14);
        auto other = made;
        for (auto &value : other.weights)
            value = value == 0 ? std::uint16_t(0) : static_cast<std::uint16_t>(value + 1);
        lanes::DealOptions options;
        options.cap = 4;
        const auto layout =
            *lanes::SliceLayout::make(made.kernel.geometry, lanes::Law::Dense, options);
        other.kernel.slices =
            *lanes::encodeSparse(lanes::SparseForm::H14, layout, other.weights, other.bias);
        const BundlePtr bundle = openKernel(twoStreams(made.kernel, other.kernel));
        QCOMPARE(bundle->weights().size(), std::size_t(4));
        QVERIFY(halvesOf(*bundle, 0) == made.weights);
        QVERIFY(halvesOf(*bundle, 2) == other.weights);
        QVERIFY(bundle->weights()[0].name != bundle->weights()[2].name);
    }

    void knowsCopiesOfThreeStreams()
    {
        const auto bytes = test::syntheticH18g(true);
        const BundlePtr bundle = openKernel(bytes);
        QCOMPARE(bundle->weights().size(), std::size_t(1));
        const Weight &weight = bundle->weights().front();
        QCOMPARE(weight.consumers.size(), std::size_t(3));
        const OperandPlace &part = *weight.operands().front().place;
        QCOMPARE(part.pieces.size(), std::size_t(16));
        if (weight.form.isDense())
            QCOMPARE(part.copies.size(), std::size_t(32));
        // What is not published is not guessed at, in no copy.
        const Error edit = REFUSED(
            planEdits(bundle, {*parseEdit(Edit::Kind::Set, weight.name + "[0,0,0,0]=2")}, 0));
        QCOMPARE(edit.code, "patch.locked");
        // One engine's copy differs in one byte: three streams, two kernels.
        auto other = bytes;
        other[part.copies.front().offset.value] ^= std::byte(1);
        const BundlePtr changed = openKernel(other);
        QCOMPARE(changed->weights().size(), std::size_t(2));
        QCOMPARE(changed->weights()[0].consumers.size(), std::size_t(2));
    }

    void showsBytesOfDamagedSparse()
    {
        auto made = sparseKernel(lanes::SparseForm::H13);
        made.kernel.slices[2][8] =
            std::byte(0xff); // the low byte of a length word, behind four biases
        const BundlePtr bundle = openKernel(containerOf(made.kernel));
        QCOMPARE(formText(bundle->weights().front().form), "sparse-slices");
        QVERIFY(std::any_of(bundle->diagnostics().begin(), bundle->diagnostics().end(),
                            [](const Diagnostic &row) { return row.error.code == "hwx.slices"; }));
    }
};

KERNSCOPE_TEST(TestHwxSparseWeights, kernscope::test::NoApplication)
#include "tst_hwx_sparse_weights.moc"
