// SPDX-License-Identifier: GPL-3.0-or-later
// Storage forms: the steps of an encoding, their text, their figures, and what is told apart.
#include "core/form/storage_form.h"

#include <QTest>

#include <functional>

using namespace kernscope;
using codec::Encoding;
using codec::Operand;
using codec::PartRole;

namespace {

Encoding stored(ElementType type, PartRole role = PartRole::Data)
{
    Encoding encoding;
    encoding.type = type;
    encoding.shape = {4, 8};
    encoding.payload = Operand{role, type, {4, 8}, {}};
    return encoding;
}

Encoding looked(ElementType indices, std::uint64_t entries, ElementType entryType)
{
    Encoding encoding = stored(indices, PartRole::Indices);
    encoding.type = entryType;
    codec::Palette palette;
    palette.lut = Operand{PartRole::Lut, entryType, {2, 1, entries, 1}, {}};
    palette.grid = {2, 1};
    palette.entries = entries;
    encoding.palette = std::move(palette);
    return encoding;
}

Encoding scaled(Encoding encoding, codec::Scaling::Kind kind, ElementType scale = ElementType::Fp16)
{
    codec::Scaling scaling;
    scaling.kind = kind;
    scaling.scale = Operand{PartRole::Scale, scale, {4, 2}, {}};
    encoding.scaling = std::move(scaling);
    return encoding;
}

Encoding blocks(Encoding encoding, ElementType scale = ElementType::Fp16)
{
    return scaled(std::move(encoding), codec::Scaling::Kind::Blockwise, scale);
}

Encoding affine(Encoding encoding)
{
    return scaled(std::move(encoding), codec::Scaling::Kind::Affine);
}

Encoding masked(Encoding encoding)
{
    encoding.mask = Operand{PartRole::Mask, ElementType::Uint1, {4, 8}, {}};
    return encoding;
}

/// A payload, codebook or scale that another operation makes.
std::shared_ptr<const Encoding> made(Encoding encoding)
{
    return std::make_shared<const Encoding>(std::move(encoding));
}

std::string figures(const Encoding &encoding)
{
    std::string text;
    for (const auto &[key, value] : formFigures(encoding)) {
        text += (text.empty() ? "" : " ") + key + "=";
        if (const auto *number = std::get_if<std::uint64_t>(&value))
            text += std::to_string(*number);
        else
            text += shapeText(std::get<std::vector<std::uint64_t>>(value));
    }
    return text;
}

} // namespace

Q_DECLARE_METATYPE(Encoding)

class TestStorageForm : public QObject
{
    Q_OBJECT

private slots:
    void texts_data()
    {
        QTest::addColumn<Encoding>("encoding");
        QTest::addColumn<int>("elements");
        QTest::addColumn<QByteArray>("expected");
        const auto row = [](const char *text, const Encoding &encoding, FormNode elements,
                            const char *said) {
            QTest::newRow(text) << encoding << int(elements) << QByteArray(said);
        };
        const Encoding palette = looked(ElementType::Uint4, 16, ElementType::Fp16);
        row("dense-fp16", stored(ElementType::Fp16), FormNode::Dense, "");
        row("dense-uint3", stored(ElementType::Uint3), FormNode::Dense, "");
        row("affine", affine(stored(ElementType::Int8)), FormNode::Affine, "data_bits=8 scales=8");
        row("lut", palette, FormNode::Palette, "index_bits=4 codebooks=2 entries=16 vector=1");
        row("sparse", masked(stored(ElementType::Fp16)), FormNode::Dense, "");
        row("blockwise", blocks(stored(ElementType::Int4)), FormNode::Blockwise,
            "data_bits=4 scales=8 block=[1, 4]");
        row("mxfp8", blocks(stored(ElementType::Fp8E4M3Fn), ElementType::Fp8E8M0),
            FormNode::Microscaled, "data_bits=8 scales=8 block=[1, 4]");
        row("mxfp4", blocks(stored(ElementType::Fp4E2M1), ElementType::Fp8E8M0),
            FormNode::Microscaled, "data_bits=4 scales=8 block=[1, 4]");
        row("sparse+lut", masked(palette), FormNode::Palette,
            "index_bits=4 codebooks=2 entries=16 vector=1");
        row("sparse+blockwise", masked(blocks(stored(ElementType::Int8))), FormNode::Blockwise,
            "data_bits=8 scales=8 block=[1, 4]");
        row("blockwise+lut", blocks(looked(ElementType::Uint4, 16, ElementType::Int8)),
            FormNode::Palette,
            "index_bits=4 codebooks=2 entries=16 vector=1 data_bits=8 scales=8 block=[1, 4]");
        row("lut+affine", affine(palette), FormNode::Palette,
            "index_bits=4 codebooks=2 entries=16 vector=1 data_bits=16 scales=8");

        Encoding outer = palette;
        outer.palette->lut = made(blocks(stored(ElementType::Int8)));
        row("lut+blockwise", outer, FormNode::Palette,
            "index_bits=4 codebooks=2 entries=16 vector=1 data_bits=8 scales=8 block=[1, 4]");
        Encoding coded = masked(stored(ElementType::Fp16));
        coded.payload = made(affine(stored(ElementType::Int8)));
        row("sparse+affine", coded, FormNode::Affine, "data_bits=8 scales=8");
        // What the inner operation says comes first, and a constant of its own says nothing.
        Encoding twice = blocks(stored(ElementType::Fp16));
        twice.payload = made(blocks(stored(ElementType::Int4)));
        twice.scaling->scale = made(stored(ElementType::Fp16));
        row("blockwise+blockwise", twice, FormNode::Blockwise, "data_bits=4 scales=8 block=[1, 4]");
    }

    void texts()
    {
        QFETCH(Encoding, encoding);
        QFETCH(int, elements);
        QFETCH(QByteArray, expected);
        const StorageForm form(encoding);
        QCOMPARE(QByteArray::fromStdString(formText(form)), QByteArray(QTest::currentDataTag()));
        QCOMPARE(int(elementsNode(*form.encoding())), elements);
        QCOMPARE(QByteArray::fromStdString(figures(*form.encoding())), expected);
        std::vector<FormNode> nodes;
        for (const FormStep &step : formSteps(*form.encoding())) {
            nodes.push_back(step.node);
            QCOMPARE(step.nested, step.encoding != form.encoding().get());
        }
        QCOMPARE(nodes, form.nodes());
        for (const FormNode node : nodes)
            QVERIFY(form.has(node));
        QVERIFY(!form.has(FormNode::Unknown));
        QVERIFY(!form.isActivationTable());
        QVERIFY(form == StorageForm(encoding));
        // The steps stay when the weight turns out to be unsound.
        StorageForm unsound = form;
        unsound.dropEncoding();
        QVERIFY(!unsound.encoding() && !unsound.palette() && !unsound.scaling());
        QCOMPARE(formText(unsound), formText(form));
        QVERIFY(unsound == form);
    }

    void formsWithoutSteps()
    {
        QCOMPARE(formText(StorageForm()), std::string("unknown"));
        QVERIFY(StorageForm().isUnknown());
        QCOMPARE(formText(StorageForm::unsound(FormNode::Dense, ElementType::Bf16)),
                 std::string("dense-bf16"));
        QCOMPARE(formText(StorageForm::unsound(FormNode::Microscaled, ElementType::Fp4E2M1)),
                 std::string("mxfp4"));
        const auto table = StorageForm::activationTable(stored(ElementType::Fp16));
        QCOMPARE(formText(table), std::string("activation-table"));
        QVERIFY(table.encoding() && !table.isDense());
        const Encoding bytes = stored(ElementType::Uint8);
        const std::pair<FormNode, const char *> names[] = {{FormNode::Dense, "fp16-slices"},
                                                           {FormNode::Affine, "int8-slices"},
                                                           {FormNode::Palette, "palette-slices"},
                                                           {FormNode::Sparse, "sparse-slices"}};
        for (const auto &[node, text] : names) {
            const auto slices = StorageForm::slices(node, bytes);
            QCOMPARE(formText(slices), std::string(text));
            QVERIFY(slices.isSlices() && slices.has(node));
            QVERIFY(!(slices == StorageForm::unsound(node, ElementType::Uint8)));
        }
        const Encoding palette = looked(ElementType::Uint4, 16, ElementType::Fp32);
        QCOMPARE(formText(StorageForm(palette, FormWords::Network)), std::string("palette"));
    }

    /// Equal are forms with equal text, whatever their widths and extents.
    void comparison()
    {
        const auto four = looked(ElementType::Uint4, 16, ElementType::Fp16);
        const auto eight = looked(ElementType::Uint8, 256, ElementType::Fp16);
        QVERIFY(StorageForm(four) == StorageForm(eight));
        QVERIFY(!(StorageForm(four) == StorageForm(four, FormWords::Network)));
        QVERIFY(!(StorageForm(four) == StorageForm(masked(four))));
        QVERIFY(
            !(StorageForm(stored(ElementType::Fp16)) == StorageForm(stored(ElementType::Fp32))));
        QVERIFY(StorageForm(affine(stored(ElementType::Int8))) ==
                StorageForm(affine(stored(ElementType::Uint8))));
    }

    void steps()
    {
        StorageForm form(looked(ElementType::Uint4, 16, ElementType::Fp16));
        QCOMPARE(form.storedType(), ElementType::Uint4);
        QCOMPARE(form.palette()->entries, std::uint64_t(16));
        QVERIFY(!form.scaling());
        QCOMPARE(form.vectorAxis(), std::uint64_t(0));
        Encoding vectors = looked(ElementType::Uint4, 16, ElementType::Fp16);
        vectors.palette->vector = 2;
        vectors.palette->vectorAxis = 1;
        QCOMPARE(StorageForm(vectors).vectorAxis(), std::uint64_t(1));
        QCOMPARE(figures(vectors),
                 std::string("index_bits=4 codebooks=2 entries=16 vector=2 vector_axis=1"));
        Encoding coded = masked(stored(ElementType::Fp16));
        coded.payload = made(affine(stored(ElementType::Int8)));
        QCOMPARE(StorageForm(coded).storedType(), ElementType::Int8);
        QCOMPARE(&storingEncoding(coded),
                 std::get<std::shared_ptr<const Encoding>>(coded.payload).get());
    }
};

QTEST_APPLESS_MAIN(TestStorageForm)
#include "tst_storage_form.moc"
