// SPDX-License-Identifier: GPL-3.0-or-later
// Weights of hardware containers: real ones by their bytes, and SYNTHETIC ones (made here, named as
// such) for shapes that no published file has.
#include "core/bundle/bundle.h"
#include "core/bundle/section_weight.h"
#include "core/bundle/statistics.h"
#include "core/codec/editor.h"
#include "core/codec/lanes/sparse.h"
#include "core/patch/patch.h"
#include "synthetic.h"
#include "tests/core/section/order_check.h"

#include <QFile>
#include <QtTest>

using namespace kernscope;

namespace {

BundlePtr openReal(const QString &name)
{
    const QString data = qEnvironmentVariable(
        "KERNSCOPE_DATA", QStringLiteral(KERNSCOPE_SOURCE_DIR "/../shared/data"));
    const QString path = data + QStringLiteral("/real/hwx/") + name;
    if (!QFile::exists(path))
        return nullptr;
    auto bundle = Bundle::open(path.toStdString());
    return bundle ? *bundle : nullptr;
}

std::vector<std::uint16_t> halvesOf(const Bundle &bundle, std::size_t weight)
{
    const auto decoder = bundle.decoder(weight);
    if (!decoder)
        return {};
    std::vector<std::uint16_t> halves(decoder->elements().value);
    decoder->decodeHalf(0, halves);
    return halves;
}

std::vector<std::uint16_t> numbered(std::uint64_t count, std::uint16_t from)
{
    std::vector<std::uint16_t> values(count);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<std::uint16_t>(from + i);
    return values;
}

struct MadeKernel {
    lanes::Geometry geometry;
    std::uint32_t lanesLog2 = 0;
    bool sparse = false;
    std::vector<lanes::Slice> slices;
};

/// A synthetic H13 container of one task that loads these slices, end to end.
test::Bytes container(const MadeKernel &kernel)
{
    using namespace kernscope::test;
    const lanes::Geometry &g = kernel.geometry;
    Bytes content;
    Words dma(62, 0), task(10);
    dma[0] = 0x40;
    const auto engines = static_cast<std::uint32_t>(kernel.slices.size());
    for (std::uint32_t i = 0; i < 16; ++i) {
        dma[2 + i] = i < engines ? 0x81 : 0x80;
        dma[18 + i] = i < engines ? static_cast<std::uint32_t>(content.size()) : 0;
        dma[34 + i] = i < engines ? static_cast<std::uint32_t>(kernel.slices[i].size()) : 0x40U;
        if (i < engines)
            content.insert(content.end(), kernel.slices[i].begin(), kernel.slices[i].end());
    }
    task[0] = 0x02000000;
    task[8] = 4U | 1U << 5 | 6U << 12 | 1U << 17;
    task[9] = 1U | 1U << 5;
    putFull(task, 0x1f800, dma);
    Words common(16, 0);
    common[0] = common[5] = 16U << 16 | 16U;
    common[1] = 1;
    common[2] = 0x22;
    common[3] = static_cast<std::uint32_t>(g.inputs * g.groups);
    common[4] = static_cast<std::uint32_t>(g.outputs);
    common[7] = 0x5000a000U | static_cast<std::uint32_t>(g.width) |
                static_cast<std::uint32_t>(g.height) << 5 | kernel.lanesLog2 << 10;
    common[9] = static_cast<std::uint32_t>(g.groups);
    putFull(task, 0x00000, common);
    putFull(task, 0x13800, Words(28, 0));
    putFull(task, 0x04800, Words(18, 0));
    putFull(task, 0x08800, Words(4, 0));
    putFull(task, 0x0c800,
            {0x82U | (kernel.sparse ? 0x100U : 0U), g.bias ? 0x101c10U : 0x101c00U, 0, 0, 0x3c00});
    putFull(task, 0x17800, Words(7, 0));
    ContainerMaker maker(4);
    const auto code = maker.segment(
        "__TEXT", 4,
        {{"__text", 0x28, bytesOfWords(task), 0, 14, {}}, {"__const", 0x26, content, 0, 6, {}}});
    maker.program7({code[0], code[1]}, code[0], static_cast<std::uint32_t>(task.size()), 1, false);
    maker.banner("SYNTHETIC", "h13");
    std::uint64_t at = code[1];
    for (std::uint32_t i = 0; i < engines; ++i) {
        maker.symbol(syntheticHash() + "_ne_" + std::to_string(i), 0x0f, 2, 2, at);
        at += kernel.slices[i].size();
    }
    return maker.finish();
}

BundlePtr openMade(const test::Bytes &bytes, const char *name = "made.hwx")
{
    OpenOptions options;
    options.memory = {{name, bytes}};
    auto bundle = Bundle::open(name, options);
    return bundle ? *bundle : nullptr;
}

} // namespace

class TestHwxWeights : public QObject
{
    Q_OBJECT

private slots:
    void readsRealWeights();
    void readsRealBias();
    void readsTheGemm();
    void namesTheActivationTable();
    void patchesOnlyCoefficients();
    void decodesMadeKernels_data();
    void decodesMadeKernels();
    void keepsSparseZeros();
    void showsBytesWhereTheSizeDoesNotFit();
    void becomesASection();
};

void TestHwxWeights::readsRealWeights()
{
    const BundlePtr bundle = openReal(QStringLiteral("conv-ff52f832dc.hwx"));
    if (!bundle)
        QSKIP("The real containers are not here (KERNSCOPE_DATA)");
    QCOMPARE(bundle->weights().size(), std::size_t(1));
    const Weight &weight = bundle->weights().front();
    QCOMPARE(weight.shape, (Shape{3, 3, 1, 1}));
    QCOMPARE(weight.form, std::string("dense-fp16"));
    QCOMPARE(halvesOf(*bundle, 0), numbered(9, 0));
    QCOMPARE(weight.parts.front().pieces.size(), std::size_t(3));
    QCOMPARE(weight.storedBytes.value, std::uint64_t(18));
    const auto statistics = computeStatistics(*bundle, 0, {});
    QCOMPARE(statistics->zeros, std::uint64_t(1));
    std::uint64_t covered = 0, coefficients = 0;
    for (const Section &section : bundle->sections()) {
        QCOMPARE(section.range.offset.value, covered);
        covered = section.range.end();
        if (section.weight == 0 && section.kind == SectionKind::Data)
            coefficients += section.range.bytes.value;
    }
    QCOMPARE(covered, bundle->totalBytes().value);
    QCOMPARE(coefficients, std::uint64_t(18));
}

void TestHwxWeights::readsRealBias()
{
    const BundlePtr bundle = openReal(QStringLiteral("model.hwx.golden-f459291c15.hwx"));
    if (!bundle)
        QSKIP("The real containers are not here (KERNSCOPE_DATA)");
    QCOMPARE(bundle->weights().size(), std::size_t(2));
    QCOMPARE(bundle->weights()[0].shape, (Shape{2, 3, 1, 1}));
    QCOMPARE(halvesOf(*bundle, 0), std::vector<std::uint16_t>(6, 0x4200));
    QCOMPARE(halvesOf(*bundle, 1), std::vector<std::uint16_t>(2, 0x3c00));
}

void TestHwxWeights::readsTheGemm()
{
    const BundlePtr bundle = openReal(QStringLiteral("gemm-aae2e35208.hwx"));
    if (!bundle)
        QSKIP("The real containers are not here (KERNSCOPE_DATA)");
    QCOMPARE(bundle->weights().front().shape, (Shape{512, 512, 1, 1}));
    QCOMPARE(bundle->weights().front().parts.front().bytes.value, std::uint64_t(524288));
    QCOMPARE(halvesOf(*bundle, 0).size(), std::size_t(262144));
}

void TestHwxWeights::namesTheActivationTable()
{
    const BundlePtr bundle = openReal(QStringLiteral("sigmoid-451e944648.hwx"));
    if (!bundle)
        QSKIP("The real containers are not here (KERNSCOPE_DATA)");
    QCOMPARE(bundle->weights().size(), std::size_t(1));
    QCOMPARE(bundle->weights().front().form, std::string("activation-table"));
    QCOMPARE(bundle->weights().front().shape, (Shape{43}));
    const auto edit = codec::Editor(*bundle->decoder(0)).setElement(5, 0.25, 0);
    QCOMPARE(edit.error().code, std::string("patch.locked"));
}

void TestHwxWeights::patchesOnlyCoefficients()
{
    const BundlePtr bundle = openReal(QStringLiteral("conv-ff52f832dc.hwx"));
    if (!bundle)
        QSKIP("The real containers are not here (KERNSCOPE_DATA)");
    const std::string fill = bundle->weights().front().name + "[:,:,:,:]=0.5";
    const auto edits = planEdits(bundle, {*parseEdit(Edit::Kind::Fill, fill)}, 0);
    QVERIFY2(edits.has_value(), edits ? "" : describe(edits.error()).c_str());
    const auto edited = applyEdit(bundle, edits->front());
    QVERIFY(edited.has_value());
    QCOMPARE(halvesOf(**edited, 0), std::vector<std::uint16_t>(9, 0x3800));
    for (const ByteRange &range : bundle->files().front().file->changedRanges())
        QVERIFY(bundle->weights().front().parts.front().holds(range));
    QVERIFY(revertEdit(*edited, edits->front()).has_value());
    QVERIFY(!bundle->modified());
}

void TestHwxWeights::decodesMadeKernels_data()
{
    QTest::addColumn<QList<qulonglong>>("shape"); // O, I of a group, H, W, groups
    QTest::addColumn<unsigned>("lanesLog2");
    QTest::addColumn<bool>("bias");
    QTest::addColumn<bool>("sparse");
    QTest::newRow("3x3, 64 channels") << QList<qulonglong>{64, 5, 3, 3, 1} << 2U << false << false;
    QTest::newRow("with bias") << QList<qulonglong>{96, 4, 1, 3, 1} << 2U << true << false;
    QTest::newRow("grouped") << QList<qulonglong>{128, 2, 3, 3, 4} << 1U << true << false;
    QTest::newRow("depthwise") << QList<qulonglong>{48, 1, 3, 3, 48} << 0U << true << false;
    QTest::newRow("sparse") << QList<qulonglong>{64, 9, 1, 1, 1} << 2U << true << true;
}

void TestHwxWeights::decodesMadeKernels()
{
    QFETCH(QList<qulonglong>, shape);
    QFETCH(unsigned, lanesLog2);
    QFETCH(bool, bias);
    QFETCH(bool, sparse);
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
    kernel.slices = sparse ? *lanes::encodeSparse(lanes::SparseForm::H13, layout, weights, biases)
                           : *lanes::encodeSlices(layout, weights, biases);
    const BundlePtr bundle = openMade(container(kernel));
    QVERIFY(bundle);
    QVERIFY(!bundle->weights().empty());
    QCOMPARE(bundle->weights().front().form, std::string(sparse ? "sparse" : "dense-fp16"));
    const auto decoder = bundle->decoder(0);
    QVERIFY2(decoder.has_value(), decoder ? "" : describe(decoder.error()).c_str());
    QVERIFY(halvesOf(*bundle, 0) == weights);
    QCOMPARE(QString::fromStdString(test::orderFault(*bundle)), QString());
    if (bias && !sparse)
        QVERIFY(halvesOf(*bundle, 1) == biases);
    std::uint64_t covered = 0;
    for (const Section &section : bundle->sections()) {
        QCOMPARE(section.range.offset.value, covered);
        covered = section.range.end();
    }
}

void TestHwxWeights::keepsSparseZeros()
{
    MadeKernel kernel;
    kernel.geometry = {16, 4, 1, 1, 1, 1, false};
    kernel.sparse = true;
    const auto layout = *lanes::SliceLayout::make(kernel.geometry, lanes::Law::Dense);
    std::vector<std::uint16_t> weights(64, 0x3c00);
    weights[5] = 0;
    kernel.slices = *lanes::encodeSparse(lanes::SparseForm::H13, layout, weights, {});
    const BundlePtr bundle = openMade(container(kernel));
    const codec::Editor editor(*bundle->decoder(0));
    QCOMPARE(editor.setElement(5, 1, 0).error().code, std::string("patch.sparse_zero"));
    QCOMPARE(editor.setElement(6, 0, 0).error().code, std::string("patch.sparse_zero"));
    const auto plan = editor.setElement(6, 2, 0);
    QCOMPARE(plan->parts.size(), std::size_t(1));
    kernel.slices[3][3] = std::byte(0xff); // a mask that no single lane has
    const BundlePtr damaged = openMade(container(kernel));
    QCOMPARE(damaged->decoder(0).error().code, std::string("lanes.sparse"));
}

void TestHwxWeights::showsBytesWhereTheSizeDoesNotFit()
{
    MadeKernel kernel;
    kernel.geometry = {16, 40, 1, 3, 3, 1, false};
    kernel.slices.assign(16, lanes::Slice(64));
    const BundlePtr bundle = openMade(container(kernel));
    QCOMPARE(bundle->weights().front().form, std::string("fp16-slices"));
    QCOMPARE(halvesOf(*bundle, 0).size(), std::size_t(1024));
    const auto edit = codec::Editor(*bundle->decoder(0)).setElement(0, 1, 0);
    QCOMPARE(edit.error().code, std::string("patch.locked"));
    QVERIFY(std::any_of(bundle->diagnostics().begin(), bundle->diagnostics().end(),
                        [](const Diagnostic &row) { return row.error.code == "hwx.slices"; }));
    QVERIFY(openMade(test::syntheticH14()) && openMade(test::syntheticH16()) &&
            openMade(test::syntheticH18()) && openMade(test::syntheticH18g()));
}

void TestHwxWeights::becomesASection()
{
    MadeKernel kernel;
    kernel.geometry = {64, 3, 1, 3, 3, 1, true};
    kernel.lanesLog2 = 2;
    const auto layout = *lanes::SliceLayout::make(kernel.geometry, lanes::Law::Dense);
    const auto weights = numbered(layout.elements(), 0x3000);
    kernel.slices = *lanes::encodeSlices(layout, weights, numbered(64, 1));
    const BundlePtr bundle = openMade(container(kernel));
    const auto decoder = *bundle->decoder(0);
    const auto build = sectionWeight(*bundle, 0, decoder);
    QVERIFY(build.has_value());
    QCOMPARE(build->bias, numbered(64, 1));
    section::BuildTarget target;
    target.name = "H13";
    const auto bytes = section::buildSection(target, {*build});
    QVERIFY(bytes.has_value());
    const BundlePtr section = openMade(*bytes, "made.ksec");
    QVERIFY(halvesOf(*section, 0) == weights);
    QVERIFY(halvesOf(*section, 1) == numbered(64, 1));
    QCOMPARE(section->weights().front().shape, bundle->weights().front().shape);
}

QTEST_APPLESS_MAIN(TestHwxWeights)
#include "tst_hwx_weights.moc"
