// SPDX-License-Identifier: GPL-3.0-or-later
// The same stored bytes are never decoded, wherever they lie, and only where they mean the same.
#include "core/codec/encode/encoder.h"
#include "core/container/section/builder.h"
#include "diff_sample.h"
#include "synthetic_kernels.h"
#include "tests/core/lanes/encode_slices.h"
#include "tests/data/data_folder.h"

namespace {

using Geometry = lanes::WeightExtents;

BundlePtr openBytes(const std::string &name, const Bytes &bytes)
{
    return Bundle::open(name, {.memory = {{name, bytes}}}).value_or(nullptr);
}

/// A section of the first weight of a sample of that form, behind `before` channels of another one.
BundlePtr sectionOf(FormNode form, std::uint64_t before, std::uint64_t mostLanes = 2)
{
    const BundlePtr sample = *sampleBundle("dense-fp16").open();
    const auto decoder = sample->decoder(0);
    const std::uint64_t outputs = 8, inputs = decoder->elements().value / outputs;
    section::BuildTarget target;
    target.name = "H13";
    target.cores = 4;
    std::vector<section::BuildWeight> weights;
    const std::vector<float> other(before + 1, 3.0F);
    const auto encoded = codec::encodeDense(other, {before + 1, 1, 1, 1}, ElementType::Fp16);
    const auto ahead = codec::Decoder::make(encoded->encoding());
    if (before > 0) {
        section::BuildWeight &one = weights.emplace_back();
        one.name = "ahead";
        one.decoder = &*ahead;
        one.geometry = {before + 1, 1, 1, 1, 1, 1, false};
    }
    section::BuildWeight &one = weights.emplace_back();
    one.name = "w";
    one.decoder = &*decoder;
    one.geometry = {outputs, inputs, 1, 1, 1, 1, false};
    one.mostLanes = mostLanes;
    one.form = form;
    const auto bytes = section::buildSection(target, weights);
    return bytes ? openBytes("w.ksec", *bytes) : nullptr;
}

std::uint64_t decodedOf(const BundlePtr &a, const BundlePtr &b, const std::string &name)
{
    for (const ComparedPair &pair : whole(a, b).weights) {
        if (a->weights()[pair.a].name == name && pair.values && pair.values->identical())
            return pair.values->decoded;
    }
    return UINT64_MAX;
}

} // namespace

class TestSameDecoding : public QObject
{
    Q_OBJECT

private slots:
    void sectionsElsewhere_data()
    {
        QTest::addColumn<int>("form");
        addRow("dense", int(FormNode::Dense));
        addRow("sparse", int(FormNode::Sparse));
    }

    /// Behind another weight every piece lies elsewhere in the file.
    void sectionsElsewhere()
    {
        QFETCH(const int, form);
        const BundlePtr alone = sectionOf(static_cast<FormNode>(form), 0);
        const BundlePtr behind = sectionOf(static_cast<FormNode>(form), 9);
        QVERIFY(alone && behind);
        QVERIFY(alone->weights().front().operands().front().place->dataOffset !=
                behind->weights().back().operands().front().place->dataOffset);
        QCOMPARE(decodedOf(alone, behind, "w"), 0U);
        QCOMPARE(decodedOf(behind, alone, "w"), 0U);
    }

    /// Equal numbers are the same bytes in any order: only decoding tells.
    void otherLanesAreDecoded()
    {
        const BundlePtr two = sectionOf(FormNode::Dense, 0, 2),
                        one = sectionOf(FormNode::Dense, 0, 1);
        QVERIFY(two && one);
        const auto &a = *two->weights().front().form.encoding();
        const auto &b = *one->weights().front().form.encoding();
        QVERIFY(diff::sameDecoding(a, a));
        QVERIFY(!diff::sameDecoding(a, b));
        QCOMPARE(decodedOf(two, one, "w"), 128U);
    }

    /// A container whose slices leave zeros out, with biases: two openings, and one with another
    /// number.
    void sparseSlices()
    {
        MadeKernel kernel;
        kernel.geometry = {16, 4, 1, 1, 1, 1, true};
        kernel.sparse = true;
        const auto layout = *lanes::SliceLayout::make(kernel.geometry, lanes::Law::Dense);
        std::vector<std::uint16_t> numbers(64, 0x3c00);
        numbers[5] = 0;
        const std::vector<std::uint16_t> bias(16, 0x4000);
        const auto made = [&] {
            kernel.slices = *lanes::encodeSparse(lanes::SparseForm::H13, layout, numbers, bias);
            return openBytes("x.hwx", containerOf(kernel));
        };
        const BundlePtr a = made(), b = made();
        QVERIFY(a && b && a->weights().front().form.isSparse() && a->weights().size() == 2);
        for (const ComparedPair &pair : whole(a, b).weights)
            QCOMPARE(pair.values->decoded, 0U);
        // One number more and one fewer in another row: the rows lie elsewhere.
        numbers[5] = 0x3c00;
        numbers[6] = 0;
        const BundlePtr c = made();
        const Difference apart = whole(a, c);
        QCOMPARE(apart.weights.front().values->zeroed, 1U);
        QCOMPARE(apart.weights.front().values->revived, 1U);
        QCOMPARE(apart.weights.back().values->decoded, 0U); // the biases
    }

    /// Two codebooks that are made of the same bytes, with their scales along another axis.
    void axesOfWhatMakesACodebook()
    {
        const auto made = [](std::uint64_t axis) {
            codec::Encoding book;
            book.shape = {2, 2};
            codec::Operand codes;
            codes.type = ElementType::Int8;
            codes.shape = {2, 2};
            book.payload = codes;
            codec::Scaling scaling;
            codec::Operand scale;
            scale.role = codec::PartRole::Scale;
            scale.type = ElementType::Fp16;
            scale.shape = {2};
            scaling.scale = scale;
            scaling.axis = axis;
            book.scaling = scaling;
            codec::Encoding weight;
            weight.shape = {4};
            codec::Operand indices;
            indices.role = codec::PartRole::Indices;
            indices.type = ElementType::Uint2;
            indices.shape = {4};
            weight.payload = indices;
            codec::Palette palette;
            palette.entries = 4;
            palette.lut = std::make_shared<const codec::Encoding>(std::move(book));
            weight.palette = palette;
            return weight;
        };
        QVERIFY(diff::sameDecoding(made(0), made(0)));
        QVERIFY(!diff::sameDecoding(made(0), made(1)));
    }

    /// Every real and made file, opened twice.
    void nothingOfDataIsDecoded()
    {
        KERNSCOPE_NEEDS(dataFolder());
        std::size_t seen = 0;
        for (const char *folder : {"bundles", "real/silero-vad", "real/hwx"}) {
            QDirIterator it(dataPath(QLatin1String(folder)), {u"*.mlmodelc"_s, u"*.hwx"_s},
                            QDir::Files | QDir::Dirs | QDir::NoDotAndDotDot);
            while (it.hasNext()) {
                const std::string path = QFile::encodeName(it.next()).toStdString();
                const auto a = Bundle::open(path), b = Bundle::open(path);
                QVERIFY(a && b);
                for (const ComparedPair &pair : whole(*a, *b).weights) {
                    if (!pair.values)
                        continue;
                    QVERIFY2(pair.values->decoded == 0,
                             ((*a)->name() + " " + (*a)->weights()[pair.a].name).c_str());
                    ++seen;
                }
            }
        }
        QVERIFY(seen > 100);
    }
};

KERNSCOPE_TEST(TestSameDecoding, QCoreApplication)
#include "tst_same_decoding.moc"
