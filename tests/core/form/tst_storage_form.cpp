// SPDX-License-Identifier: GPL-3.0-or-later
// Storage forms: the steps of an encoding, their text, their figures, and what is told apart.
// The facts of the steps of a form: a row for each, and what is found by them.
#include "core/form/form_steps.h"
#include "tests/test_program.h"

using codec::Encoding;
using codec::Operand;
using codec::PartRole;

Q_DECLARE_METATYPE(Encoding)

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

/// An operand whose bytes lie in a file.
Operand placed(PartRole role, std::uint64_t offset)
{
    OperandPlace place;
    place.file = 0;
    place.dataOffset = FileOffset(offset);
    place.bytes = ByteCount(16);
    return operandAt(role, ElementType::Uint8, {16}, std::move(place));
}

/// A mask, codes that another operation makes out of a codebook, scales and offsets.
Encoding placedEncoding()
{
    Encoding codes;
    codes.payload = placed(PartRole::Indices, 2);
    codes.palette = codec::Palette{placed(PartRole::Lut, 3), {1}, 16, 1, 0};
    Encoding encoding;
    encoding.mask = placed(PartRole::Mask, 1);
    encoding.payload = made(codes);
    encoding.scaling = codec::Scaling{};
    encoding.scaling->scale = placed(PartRole::Scale, 4);
    encoding.scaling->offset = placed(PartRole::Offset, 5);
    return encoding;
}

/// Roles of the operands, and offsets of those that have a place.
std::string operandsText(const OperandList &operands)
{
    std::string text;
    for (const Operand &operand : operands) {
        text += (text.empty() ? "" : " ") + std::string(codec::partRoleName(operand.role));
        if (operand.place)
            text += "@" + std::to_string(operand.place->dataOffset.value);
    }
    return text;
}

} // namespace

class TestStorageForm : public QObject
{
    Q_OBJECT

private slots:
    void texts_data()
    {
        const auto row = addColumns<Encoding, FormNode, QByteArray>();
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
        const auto [encoding, elements, expected] = fetched<Encoding, FormNode, QByteArray>();
        const StorageForm form(encoding);
        QCOMPARE(QByteArray::fromStdString(formText(form)), QByteArray(QTest::currentDataTag()));
        QCOMPARE(elementsNode(*form.encoding()), elements);
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
        QVERIFY(!form.has(FormNode::ActivationTable));
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
        QCOMPARE(formText(StorageForm()), "unknown");
        QVERIFY(StorageForm().has(FormNode::Unknown));
        QCOMPARE(formText(StorageForm::unsound(FormNode::Dense, ElementType::Bf16)), "dense-bf16");
        QCOMPARE(formText(StorageForm::unsound(FormNode::Microscaled, ElementType::Fp4E2M1)),
                 "mxfp4");
        const auto table = StorageForm::activationTable(stored(ElementType::Fp16));
        QCOMPARE(formText(table), "activation-table");
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
        QCOMPARE(formText(StorageForm(palette, FormWords::Network)), "palette");
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
        QCOMPARE(form.palette()->entries, 16U);
        QVERIFY(!form.scaling());
        QCOMPARE(form.vectorAxis(), 0U);
        Encoding vectors = looked(ElementType::Uint4, 16, ElementType::Fp16);
        vectors.palette->vector = 2;
        vectors.palette->vectorAxis = 1;
        QCOMPARE(StorageForm(vectors).vectorAxis(), 1U);
        QCOMPARE(figures(vectors), "index_bits=4 codebooks=2 entries=16 vector=2 vector_axis=1");
        Encoding coded = masked(stored(ElementType::Fp16));
        coded.payload = made(affine(stored(ElementType::Int8)));
        QCOMPARE(StorageForm(coded).storedType(), ElementType::Int8);
        QCOMPARE(&storingEncoding(coded),
                 std::get<std::shared_ptr<const Encoding>>(coded.payload).get());
    }

    /// The list holds the leaves of the tree themselves: nothing is described twice.
    void operands()
    {
        const StorageForm form(placedEncoding());
        QCOMPARE(operandsText(form.operands()), "mask@1 indices@2 lut@3 scale@4 offset@5");
        QCOMPARE(&form.operands()[0], &*form.encoding()->mask);
        QCOMPARE(form.operand(PartRole::Scale), codec::storedOperand(form.scaling()->scale));
        QVERIFY(!form.operand(PartRole::Data));
        // Edits name the operands of the weight's own encoding, or the only that makes its codes.
        QVERIFY(codec::ownOperand(*form.encoding(), PartRole::Offset));
        QCOMPARE(codec::ownOperand(*form.encoding(), PartRole::Lut), &form.operands()[2]);
        QVERIFY(!codec::ownOperand(*form.encoding(), PartRole::Data));
        Encoding twice = affine(stored(ElementType::Int8));
        twice.scaling->scale = made(affine(stored(ElementType::Int8)));
        QCOMPARE(codec::ownOperand(twice, PartRole::Data), codec::storedOperand(twice.payload));
        twice.payload = made(affine(stored(ElementType::Int8)));
        QVERIFY(!codec::ownOperand(twice, PartRole::Data)); // one of two
        OperandList kept;
        QVERIFY(kept.empty());
        kept = StorageForm(placedEncoding()).operands();
        QCOMPARE(kept.size(), 5U);
        QCOMPARE(kept.front().place->bytes.value, 16U);
    }

    void operandsOfUnsoundWeights()
    {
        Encoding encoding = placedEncoding();
        encoding.scaling->offset = Operand{PartRole::Offset, ElementType::Uint8, {16}, {}};
        StorageForm form(encoding);
        QCOMPARE(form.operands().size(), 5U);
        form.dropEncoding();
        QVERIFY(!form.encoding());
        QCOMPARE(operandsText(form.operands()), "mask@1 indices@2 lut@3 scale@4");
        const auto known =
            StorageForm::unsound(FormNode::Sparse, ElementType::Fp16, {placed(PartRole::Mask, 7)});
        QVERIFY(known.isSparse());
        QCOMPARE(operandsText(known.operands()), "mask@7");
        QVERIFY(StorageForm().operands().empty());
    }

    /// The decoder's copy gets bytes; the form that others hold stays as it is.
    void changedOperands()
    {
        const std::array<std::byte, 16> bytes{};
        const Encoding encoding = placedEncoding();
        const Encoding bound =
            codec::withOperands(encoding, [&bytes](Operand &operand) { operand.bytes = bytes; });
        for (const Operand *operand : codec::operandsOf(bound))
            QCOMPARE(operand->bytes.size(), bytes.size());
        for (const Operand *operand : codec::operandsOf(encoding))
            QVERIFY(operand->bytes.empty());

        StorageForm form(encoding);
        const StorageForm before = form;
        const auto move = [](Operand &operand) {
            OperandPlace place = *operand.place;
            place.dataOffset = FileOffset(place.dataOffset.value + 10);
            operand.place = std::make_shared<const OperandPlace>(std::move(place));
        };
        form.changeOperands(move);
        QCOMPARE(operandsText(form.operands()), "mask@11 indices@12 lut@13 scale@14 offset@15");
        QCOMPARE(operandsText(before.operands()), "mask@1 indices@2 lut@3 scale@4 offset@5");
        form.dropEncoding();
        form.changeOperands(move);
        QCOMPARE(operandsText(form.operands()), "mask@21 indices@22 lut@23 scale@24 offset@25");
    }

    void declaredAndRead()
    {
        const Operand stored = placed(PartRole::Mask, 0);
        QCOMPARE(stored.declaredType(), ElementType::Uint8);
        QVERIFY(!stored.place->declared);
        const Operand bits = readAs(stored, ElementType::Uint1, {4, 32});
        QCOMPARE(bits.type, ElementType::Uint1);
        QCOMPARE(bits.shape, (Shape{4, 32}));
        QCOMPARE(bits.declaredType(), ElementType::Uint8);
        QCOMPARE(bits.declaredShape(), Shape{16});
        QCOMPARE(bits.place->bytes, stored.place->bytes);
        QVERIFY(readAs(stored, ElementType::Uint8, {16}).place == stored.place);
        const Operand memory{PartRole::Mask, ElementType::Uint8, {16}, {}};
        QCOMPARE(readAs(memory, ElementType::Uint1, {128}).declaredType(), ElementType::Uint1);
    }

    void places()
    {
        const auto range = [](std::uint64_t first, std::uint64_t bytes) {
            return ByteRange{FileOffset(first), ByteCount(bytes)};
        };
        OperandPlace whole;
        whole.file = 0;
        whole.dataOffset = FileOffset(64);
        whole.bytes = ByteCount(16);
        QCOMPARE(whole.range(), range(64, 16));
        QVERIFY(whole.holds(range(64, 16)) && !whole.holds(range(63, 2)) &&
                !whole.holds(range(79, 2)));
        OperandPlace pieces;
        pieces.file = 0;
        pieces.dataOffset = FileOffset(32);
        pieces.pieces = {range(32, 8), range(80, 8)};
        pieces.copies = {range(200, 8)};
        pieces.bytes = ByteCount(16);
        QCOMPARE(pieces.range(), range(32, 56));
        QVERIFY(pieces.holds(range(80, 8)) && pieces.holds(range(200, 4)) &&
                !pieces.holds(range(40, 1)));
        QVERIFY(!pieces.overlaps(whole) && !whole.overlaps(pieces)); // it lies between the pieces
        whole.bytes = ByteCount(17);
        QVERIFY(pieces.overlaps(whole) && whole.overlaps(pieces));
        whole.file = 1;
        QVERIFY(!pieces.overlaps(whole));
        QVERIFY(OperandPlace().isLiteral() && !OperandPlace().overlaps(OperandPlace()));
    }

    void everyStepHasItsRow()
    {
        std::set<std::string_view> words;
        std::set<unsigned> ranks, tintRanks;
        for (const StepFacts &facts : allStepFacts()) {
            QCOMPARE(&stepFacts(facts.node), &facts);
            QVERIFY(!facts.word.empty());
            QVERIFY(words.insert(facts.word).second);
            QVERIFY(tintRanks.insert(facts.tintRank).second);
            if (facts.elementsRank)
                QVERIFY(ranks.insert(*facts.elementsRank).second);
            QCOMPARE(facts.elements == ElementSource::Codebook, facts.kind == StepKind::Codebook);
        }
        QCOMPARE(allStepFacts().back().node, FormNode::Unknown);
    }

    void operationsName()
    {
        constexpr std::array<std::pair<std::string_view, FormNode>, 7> kNames{{
            {"constexpr_affine_dequantize", FormNode::Affine},
            {"constexpr_blockwise_shift_scale", FormNode::Blockwise},
            {"constexpr_lut_to_dense", FormNode::Palette},
            {"constexpr_sparse_to_dense", FormNode::Sparse},
            // Of a mask with coded values, what the values are.
            {"constexpr_lut_to_sparse", FormNode::Palette},
            {"constexpr_sparse_blockwise_shift_scale", FormNode::Blockwise},
            {"constexpr_blockwise_of_later", FormNode::Blockwise},
        }};
        for (const auto &[name, node] : kNames)
            QCOMPARE(nodeOfOperation(name), std::optional(node));
        QVERIFY(!nodeOfOperation("const"));
        QVERIFY(!nodeOfOperation("constexpr_cast"));
    }

    void wordsForPeople()
    {
        QCOMPARE(formWords("lut"), "palette");
        QCOMPARE(formWords("sparse+lut"), "sparse+palette");
        QCOMPARE(formWords("lut+lut"), "palette+palette");
        for (const char *same : {"dense-fp16", "palette", "palette-slices", "affine", "unknown"})
            QCOMPARE(formWords(same), same);
    }

    void colours()
    {
        const auto tintOf = [](FormNode node) {
            return formTint(StorageForm::unsound(node, ElementType::Fp16));
        };
        QCOMPARE(tintOf(FormNode::Sparse), FormTint::Mask);
        QCOMPARE(tintOf(FormNode::Affine), FormTint::Data);
        QCOMPARE(tintOf(FormNode::Dense), FormTint::Plain);
        QCOMPARE(tintOf(FormNode::Unknown), FormTint::Indices);
        // Of slices in an unknown order only the mask and the codebook are told apart.
        const auto slices = [](FormNode node) {
            codec::Encoding bytes;
            bytes.payload = codec::Operand();
            return formTint(StorageForm::slices(node, std::move(bytes)));
        };
        QCOMPARE(slices(FormNode::Palette), FormTint::Codebook);
        QCOMPARE(slices(FormNode::Affine), FormTint::Indices);
    }
};

KERNSCOPE_TEST(TestStorageForm, NoApplication)
#include "tst_storage_form.moc"
