// SPDX-License-Identifier: GPL-3.0-or-later
// Weights of hardware containers: real ones by their bytes, and SYNTHETIC ones (made here, named as
// such) for shapes that no published file has.
// Sparse weights of hardware containers, and weights that lie in copies: real ones by their bytes,
// and SYNTHETIC ones (made here, named as such) for shapes that no published file has.
#include "core/bundle/statistics.h"
#include "core/codec/edit/editor.h"
#include "core/compare/compare.h"
#include "core/patch/patch.h"
#include "core/plan/section_build.h"
#include "synthetic_kernels.h"
#include "tests/core/bundle/promises.h"
#include "tests/core/container/section/order_check.h"
#include "tests/core/lanes/encode_slices.h"
#include "tests/data/data_folder.h"

namespace {

std::vector<std::uint16_t> halvesOf(const Bundle &bundle, std::size_t weight)
{
    const auto decoder = bundle.decoder(weight);
    if (!decoder)
        return {};
    std::vector<std::uint16_t> halves(decoder->elements().value);
    decoder->decodeHalf(0, halves);
    return halves;
}

BundlePtr openKernel(const Bytes &bytes, const char *name = "made.hwx")
{
    return Bundle::open(name, {.memory = {{name, bytes}}}).value_or(nullptr);
}

BundlePtr openReal(const QString &name)
{
    const QString path = dataPath(u"real/hwx/"_s + name);
    if (!QFile::exists(path))
        return nullptr;
    return Bundle::open(path.toStdString()).value_or(nullptr);
}

} // namespace

class TestHwxWeights : public QObject
{
    Q_OBJECT

private slots:
    void readsRealWeights()
    {
        const BundlePtr bundle = openReal(u"conv-ff52f832dc.hwx"_s);
        if (!bundle)
            QSKIP("The real containers are not here (KERNSCOPE_DATA)");
        QCOMPARE(bundle->weights().size(), 1U);
        const Weight &weight = bundle->weights().front();
        QCOMPARE(weight.shape, (Shape{3, 3, 1, 1}));
        QCOMPARE(formText(weight.form), "dense-fp16");
        QCOMPARE(halvesOf(*bundle, 0), numbered(9, 0));
        QCOMPARE(weight.operands().front().place->pieces.size(), 3U);
        QCOMPARE(weight.storedBytes.value, 18U);
        const auto statistics = computeStatistics(*bundle, 0, {});
        QCOMPARE(statistics->zeros, 1U);
        QCOMPARE(sectionFault(*bundle), std::string());
        std::uint64_t coefficients = 0;
        for (const Section &section : bundle->sections()) {
            if (section.weight == 0 && section.kind == SectionKind::Data)
                coefficients += section.range.bytes.value;
        }
        QCOMPARE(coefficients, 18U);
    }

    void readsRealBias()
    {
        const BundlePtr bundle = openReal(u"model.hwx.golden-f459291c15.hwx"_s);
        if (!bundle)
            QSKIP("The real containers are not here (KERNSCOPE_DATA)");
        QCOMPARE(bundle->weights().size(), 2U);
        QCOMPARE(bundle->weights()[0].shape, (Shape{2, 3, 1, 1}));
        QCOMPARE(halvesOf(*bundle, 0), std::vector<std::uint16_t>(6, 0x4200));
        QCOMPARE(halvesOf(*bundle, 1), std::vector<std::uint16_t>(2, 0x3c00));
    }

    void readsTheGemm()
    {
        const BundlePtr bundle = openReal(u"gemm-aae2e35208.hwx"_s);
        if (!bundle)
            QSKIP("The real containers are not here (KERNSCOPE_DATA)");
        QCOMPARE(bundle->weights().front().shape, (Shape{512, 512, 1, 1}));
        QCOMPARE(bundle->weights().front().operands().front().place->bytes.value, 524288U);
        QCOMPARE(halvesOf(*bundle, 0).size(), 262144U);
    }

    void namesTheActivationTable()
    {
        const BundlePtr bundle = openReal(u"sigmoid-451e944648.hwx"_s);
        if (!bundle)
            QSKIP("The real containers are not here (KERNSCOPE_DATA)");
        QCOMPARE(bundle->weights().size(), 1U);
        QCOMPARE(formText(bundle->weights().front().form), "activation-table");
        QCOMPARE(bundle->weights().front().role, WeightRole::ActivationTable);
        QCOMPARE(bundle->weights().front().shape, (Shape{43}));
        const auto edit = codec::Editor(*bundle->decoder(0)).setElement(5, 0.25, 0);
        QCOMPARE(edit.error().code, "patch.locked");
    }

    void patchesOnlyCoefficients()
    {
        const BundlePtr bundle = openReal(u"conv-ff52f832dc.hwx"_s);
        if (!bundle)
            QSKIP("The real containers are not here (KERNSCOPE_DATA)");
        const std::string fill = bundle->weights().front().name + "[:,:,:,:]=0.5";
        const auto edits = VERIFIED(planEdits(bundle, {*parseEdit(Edit::Kind::Fill, fill)}, 0));
        const auto edited = VERIFIED(applyEdit(bundle, edits->front()));
        QCOMPARE(halvesOf(**edited, 0), std::vector<std::uint16_t>(9, 0x3800));
        for (const ByteRange &range : bundle->files().front().file->changedRanges())
            QVERIFY(bundle->weights().front().operands().front().place->holds(range));
        QVERIFY(revertEdit(*edited, edits->front()).has_value());
        QVERIFY(!bundle->modified());
    }

    void decodesMadeKernels_data()
    {
        // shape: O, I of a group, H, W, groups
        const auto row = addColumns<QList<qulonglong>, unsigned, bool, bool>();
        row("3x3, 64 channels", QList<qulonglong>{64, 5, 3, 3, 1}, 2U, false, false);
        row("with bias", QList<qulonglong>{96, 4, 1, 3, 1}, 2U, true, false);
        row("grouped", QList<qulonglong>{128, 2, 3, 3, 4}, 1U, true, false);
        row("depthwise", QList<qulonglong>{48, 1, 3, 3, 48}, 0U, true, false);
        row("sparse", QList<qulonglong>{64, 9, 1, 1, 1}, 2U, true, true);
    }

    void decodesMadeKernels()
    {
        const auto [shape, lanesLog2, bias, sparse] =
            fetched<QList<qulonglong>, unsigned, bool, bool>();
        MadeKernel kernel;
        kernel.geometry = {shape[0], shape[1], 1, shape[2], shape[3], shape[4], bias};
        kernel.lanesLog2 = lanesLog2;
        kernel.sparse = sparse;
        lanes::DealOptions options;
        options.cap = 1U << lanesLog2;
        const auto layout =
            *lanes::SliceLayout::make(kernel.geometry, lanes::lawOf(kernel.geometry), options);
        auto weights = numbered(layout.elements(), 0x3000);
        for (std::size_t i = 0; sparse && i < weights.size(); i += 3)
            weights[i] = 0;
        const auto biases = numbered(bias ? shape[0] : 0, 0x4000);
        kernel.slices = sparse
                            ? *lanes::encodeSparse(lanes::SparseForm::H13, layout, weights, biases)
                            : *lanes::encodeSlices(layout, weights, biases);
        const BundlePtr bundle = VERIFIED(openKernel(containerOf(kernel)));
        QVERIFY(!bundle->weights().empty());
        QCOMPARE(formText(bundle->weights().front().form),
                 std::string(sparse ? "sparse" : "dense-fp16"));
        const auto decoder = VERIFIED(bundle->decoder(0));
        QVERIFY(halvesOf(*bundle, 0) == weights);
        QCOMPARE(QString::fromStdString(orderFault(*bundle)), QString());
        QCOMPARE(bundle->weights().front().role, WeightRole::Weight);
        QCOMPARE(plan::biasOf(*bundle, 0), bias ? std::size_t(1) : kNoIndex);
        if (bias) {
            QVERIFY(halvesOf(*bundle, 1) == biases);
            QCOMPARE(bundle->weights()[1].role, WeightRole::Bias);
            QCOMPARE(bundle->weights()[1].beside, 0U);
            QCOMPARE(plan::biasOf(*bundle, 1), kNoIndex);
        }
        QCOMPARE(sectionFault(*bundle), std::string());
    }

    void survivesFlippedBytes()
    {
        const auto h14 = sparseKernel(lanes::SparseForm::H14).kernel;
        std::mt19937 random(11);
        std::size_t weights = 0, reported = 0;
        for (const Bytes &sound :
             {containerOf(sparseKernel(lanes::SparseForm::H13).kernel), twoStreams(h14, h14)}) {
            const BundlePtr whole = openKernel(sound);
            std::vector<ByteRange> places; // program and kernels: what makes weights of slices
            for (const Section &section : whole->sections()) {
                if (section.weight != kNoIndex || section.kind == SectionKind::Program)
                    places.push_back(section.range);
            }
            for (int i = 0; i < 400; ++i) {
                Bytes bytes = sound;
                for (int flip = 0; flip < 3; ++flip) {
                    const ByteRange place = places[random() % places.size()];
                    bytes[place.offset.value + random() % place.bytes.value] ^=
                        std::byte(random() % 256);
                }
                const BundlePtr bundle = VERIFIED(openKernel(bytes));
                const std::string broken = brokenPromise(*bundle);
                QVERIFY2(broken.empty(), broken.c_str());
                weights += bundle->weights().size();
                reported += bundle->diagnostics().empty() ? 0 : 1;
            }
        }
        // Weights were found, and damage was: otherwise the above would hold for want of a case.
        QVERIFY2(weights > 400 && reported > 20, qPrintable(u"%1 %2"_s.arg(weights).arg(reported)));
    }

    void showsBytesWhereTheSizeDoesNotFit()
    {
        MadeKernel kernel;
        kernel.geometry = {16, 40, 1, 3, 3, 1, false};
        kernel.slices.assign(16, lanes::Slice(64));
        const BundlePtr bundle = openKernel(containerOf(kernel));
        QCOMPARE(formText(bundle->weights().front().form), "fp16-slices");
        QCOMPARE(halvesOf(*bundle, 0).size(), 1024U);
        const auto edit = codec::Editor(*bundle->decoder(0)).setElement(0, 1, 0);
        QCOMPARE(edit.error().code, "patch.locked");
        QVERIFY(hasCode(bundle->diagnostics(), "hwx.slices"));
        QVERIFY(openKernel(syntheticH14()) && openKernel(syntheticH16()) &&
                openKernel(syntheticH18()) && openKernel(syntheticH18g()));
    }

    void becomesASection()
    {
        MadeKernel kernel;
        kernel.geometry = {64, 3, 1, 3, 3, 1, true};
        kernel.lanesLog2 = 2;
        const auto layout = *lanes::SliceLayout::make(kernel.geometry, lanes::Law::Dense);
        const auto weights = numbered(layout.elements(), 0x3000);
        kernel.slices = *lanes::encodeSlices(layout, weights, numbered(64, 1));
        const BundlePtr bundle = openKernel(containerOf(kernel));
        const auto decoder = *bundle->decoder(0);
        const auto build = VERIFIED(plan::sectionWeight(*bundle, 0, decoder));
        QCOMPARE(build->bias, numbered(64, 1));
        section::BuildTarget target;
        target.name = "H13";
        const auto bytes = VERIFIED(section::buildSection(target, {*build}));
        const BundlePtr section = openKernel(*bytes, "made.ksec");
        QVERIFY(halvesOf(*section, 0) == weights);
        QVERIFY(halvesOf(*section, 1) == numbered(64, 1));
        QCOMPARE(section->weights().front().shape, bundle->weights().front().shape);
        DiffOptions options;
        options.values = true;
        const auto same = VERIFIED(compareBundles(*bundle, *section, options));
        QCOMPARE(same->weights.size(), 2U);
        for (const ComparedPair &pair : same->weights)
            QCOMPARE(pair.values->equal, bundle->weights()[pair.a].elements.value);
        const std::string set = section->weights().front().name + "[60,2,1,1]=0.5";
        const auto edits = VERIFIED(planEdits(section, {*parseEdit(Edit::Kind::Set, set)}, 0));
        const auto changed = compareBundles(*bundle, **applyEdit(section, edits->front()), options);
        QCOMPARE(changed->weights.front().values->changed, 1U);
        QCOMPARE(changed->weights.back().values->changed, 0U);
    }

    void comparesPieceByPiece()
    {
        // Only the biases differ: the coefficients of the same file do not.
        for (const bool sparse : {false, true}) {
            auto made = sparseKernel(lanes::SparseForm::H13);
            auto other = made;
            ++other.bias[50];
            lanes::DealOptions deal;
            deal.cap = 4;
            const auto layout =
                *lanes::SliceLayout::make(made.kernel.geometry, lanes::Law::Dense, deal);
            for (auto *kernel : {&made, &other}) {
                kernel->kernel.sparse = sparse;
                kernel->kernel.slices =
                    sparse ? *lanes::encodeSparse(lanes::SparseForm::H13, layout, kernel->weights,
                                                  kernel->bias)
                           : *lanes::encodeSlices(layout, kernel->weights, kernel->bias);
            }
            const BundlePtr a = openKernel(containerOf(made.kernel)),
                            b = openKernel(containerOf(other.kernel));
            const auto difference = VERIFIED(compareBundles(*a, *b, {}));
            QCOMPARE(difference->weights.size(), 2U);
            QVERIFY(difference->weights[0].storedEqual);
            QVERIFY(!difference->weights[1].storedEqual);
        }
    }

    void hasAMaskAsAnyWeight_data() { addEach({"H13", "H14"}); }

    void hasAMaskAsAnyWeight()
    {
        const bool h13 = std::get<0>(fetched<QString>()) == u"H13"_s;
        const auto made = sparseKernel(h13 ? lanes::SparseForm::H13 : lanes::SparseForm::H14);
        const BundlePtr bundle = VERIFIED(
            openKernel(h13 ? containerOf(made.kernel) : twoStreams(made.kernel, made.kernel)));
        const Weight &weight = bundle->weights().front();
        QCOMPARE(formText(weight.form), "sparse");
        QCOMPARE(weight.operands().size(), 2U);
        QCOMPARE(weight.operands()[0].role, codec::PartRole::Mask);
        QCOMPARE(weight.operands()[0].declaredShape(), weight.shape);
        QCOMPARE(weight.operands()[1].role, codec::PartRole::NonzeroData);
        const auto kept =
            std::uint64_t(std::ranges::count_if(made.weights, [](auto v) { return v != 0; }));
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
        QCOMPARE(density->size(), 96U);
        QCOMPARE(density->front() + density->at(1) + density->at(2), 10U);
    }

    void showsSparseBiases()
    {
        const auto made = sparseKernel(lanes::SparseForm::H13);
        const BundlePtr bundle = openKernel(containerOf(made.kernel));
        QCOMPARE(bundle->weights().size(), 2U);
        const Weight &bias = bundle->weights()[1];
        QVERIFY(bias.name.ends_with(": bias"));
        QVERIFY(halvesOf(*bundle, 1) == made.bias);
        QCOMPARE(bias.operands().front().place->pieces.size(),
                 32U); // two planes a lane
        QCOMPARE(sectionFault(*bundle), std::string());
        std::uint64_t rows = 0;
        for (const Section &section : bundle->sections()) {
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
        QCOMPARE(plan->parts.size(), 1U);
        QCOMPARE(editor.keep(5, 1, 0).error().code, "patch.sparse_zero");
        QCOMPARE(editor.drop(6).error().code, "patch.sparse_zero");
        QVERIFY(editor.drop(5)->parts.empty());
        QCOMPARE(editor.keep(6, 2, 0)->parts.size(), 1U);
        using codec::PartRole;
        QCOMPARE(editor.setStored(PartRole::Mask, 5, 1).error().code, "patch.sparse_zero");
        QCOMPARE(editor.setStored(PartRole::Mask, 6, 0).error().code, "patch.sparse_zero");
        QVERIFY(editor.setStored(PartRole::Mask, 6, 1)->parts.empty());
        QCOMPARE(editor.setStored(PartRole::NonzeroData, 6, 0x4000)->parts.size(), 1U);
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

    void patchesEveryCopy_data() { addEach({"dense", "sparse"}); }

    void patchesEveryCopy()
    {
        const bool sparse = std::get<0>(fetched<QString>()) == u"sparse"_s;
        auto made = sparseKernel(lanes::SparseForm::H14);
        made.kernel.sparse = sparse;
        lanes::DealOptions options;
        options.cap = 4;
        const auto layout =
            *lanes::SliceLayout::make(made.kernel.geometry, lanes::Law::Dense, options);
        if (!sparse)
            made.kernel.slices = *lanes::encodeSlices(layout, made.weights, made.bias);
        const BundlePtr bundle = openKernel(twoStreams(made.kernel, made.kernel));
        QCOMPARE(bundle->weights().size(), 2U); // with the biases
        const Weight &weight = bundle->weights().front();
        QCOMPARE(weight.consumers.size(), 2U);
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
        QVERIFY(std::ranges::equal(now, wanted));
    }

    void tellsHalvesFromCopies()
    {
        // The same name, sizes and shape, other numbers: two engines that share the channels out.
        const auto made = sparseKernel(lanes::SparseForm::H14);
        auto other = made;
        for (auto &value : other.weights)
            value = value == 0 ? std::uint16_t(0) : std::uint16_t(value + 1);
        lanes::DealOptions options;
        options.cap = 4;
        const auto layout =
            *lanes::SliceLayout::make(made.kernel.geometry, lanes::Law::Dense, options);
        other.kernel.slices =
            *lanes::encodeSparse(lanes::SparseForm::H14, layout, other.weights, other.bias);
        const BundlePtr bundle = openKernel(twoStreams(made.kernel, other.kernel));
        QCOMPARE(bundle->weights().size(), 4U);
        QVERIFY(halvesOf(*bundle, 0) == made.weights);
        QVERIFY(halvesOf(*bundle, 2) == other.weights);
        QVERIFY(bundle->weights()[0].name != bundle->weights()[2].name);
    }

    void knowsCopiesOfThreeStreams()
    {
        const auto bytes = syntheticH18g(true);
        const BundlePtr bundle = openKernel(bytes);
        QCOMPARE(bundle->weights().size(), 1U);
        const Weight &weight = bundle->weights().front();
        QCOMPARE(weight.consumers.size(), 3U);
        const OperandPlace &part = *weight.operands().front().place;
        QCOMPARE(part.pieces.size(), 16U);
        if (weight.form.isDense())
            QCOMPARE(part.copies.size(), 32U);
        // What is not published is not guessed at, in no copy.
        QCOMPARE(REFUSED(planEdits(bundle,
                                   {*parseEdit(Edit::Kind::Set, weight.name + "[0,0,0,0]=2")}, 0))
                     .code,
                 "patch.locked");
        // One engine's copy differs in one byte: three streams, two kernels.
        auto other = bytes;
        other[part.copies.front().offset.value] ^= std::byte(1);
        const BundlePtr changed = openKernel(other);
        QCOMPARE(changed->weights().size(), 2U);
        QCOMPARE(changed->weights()[0].consumers.size(), 2U);
    }

    void showsBytesOfDamagedSparse()
    {
        auto made = sparseKernel(lanes::SparseForm::H13);
        made.kernel.slices[2][8] =
            std::byte(0xff); // the low byte of a length word, behind four biases
        const BundlePtr bundle = openKernel(containerOf(made.kernel));
        QCOMPARE(formText(bundle->weights().front().form), "sparse-slices");
        QVERIFY(hasCode(bundle->diagnostics(), "hwx.slices"));
    }
};

KERNSCOPE_TEST(TestHwxWeights, NoApplication)
#include "tst_hwx_weights.moc"
