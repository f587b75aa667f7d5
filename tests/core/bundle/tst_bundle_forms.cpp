// SPDX-License-Identifier: GPL-3.0-or-later
#include "made_bundle.h"

#include <QTest>

#include <functional>

#include <fmt/format.h>

using namespace kernscope;
using namespace kernscope::test;

namespace {

/// What one weight must come out as.
struct Expected {
    std::string form, sourceOp, roles, detail;
    std::uint64_t storedBytes = 0;
    std::vector<float> values;
};

struct FormCase {
    std::function<void(MadeBundle &)> make;
    Expected expected;
};

std::string rolesOf(const Weight &weight)
{
    std::string roles;
    for (const codec::Operand &operand : weight.operands())
        roles +=
            fmt::format("{}{}:{}{}{}", roles.empty() ? "" : " ", partRoleName(operand.role),
                        elementTypeName(operand.declaredType()), shapeText(operand.declaredShape()),
                        operand.place->isLiteral() ? "!" : "");
    return roles;
}

std::string detailOf(const Weight &weight)
{
    std::string text;
    for (const auto &[key, value] : weight.detail) {
        const auto *number = std::get_if<std::uint64_t>(&value);
        const auto *list = std::get_if<std::vector<std::uint64_t>>(&value);
        text += fmt::format("{}{}={}", text.empty() ? "" : " ", key,
                            number ? std::to_string(*number)
                            : list ? shapeText(*list)
                                   : std::get<std::string>(value));
    }
    return text;
}

void result(MadeBundle &made, std::string_view type, std::string_view shape, std::string_view op,
            std::string_view inputs, std::string_view attributes)
{
    made.line(fmt::format("tensor<{}, {}> w = {}({})[{}name = string(\"w_op\")]", type, shape, op,
                          inputs, attributes));
    made.consume("w");
}

const Bytes kBook = halves({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15});

// One function a form; the worked bytes are those of resources/formats/forms.md.

void dense(MadeBundle &made)
{
    made.constant("tensor<fp16, [2, 2]>", "w",
                  made.blob(ElementType::Fp16, "[2, 2]", halves({1, -2, 0.5F, 0})));
    made.consume("w");
}

void denseThroughCast(MadeBundle &made)
{
    made.constant("tensor<fp16, [2, 2]>", "c",
                  made.blob(ElementType::Fp16, "[2, 2]", halves({1, -2, 0.5F, 0})));
    result(made, "fp32", "[2, 2]", "constexpr_cast",
           "source_val = c, output_dtype = string(\"fp32\")", "");
}

void sparseBytes(MadeBundle &made)
{
    const auto mask = made.blob(ElementType::Uint8, "[2]", hex("92 01"));
    const auto values = made.blob(ElementType::Fp16, "[4]", hex("00 3E 00 C0 00 34 00 42"));
    result(made, "fp16", "[10]", "constexpr_sparse_to_dense", "",
           fmt::format("mask = {}, nonzero_data = {}, shape = tensor<uint32, [1]>([10]), ", mask,
                       values));
}

void sparseBits(MadeBundle &made)
{
    const auto mask = made.blob(ElementType::Uint1, "[2, 5]", hex("92 01"), 6);
    made.constant("tensor<uint1, [2, 5]>", "m", mask);
    const auto values = made.blob(ElementType::Fp16, "[4]", hex("00 3E 00 C0 00 34 00 42"));
    made.constant("tensor<fp16, [4]>", "v", values);
    result(made, "fp16", "[2, 5]", "constexpr_sparse_to_dense", "mask = m, nonzero_data = v", "");
}

void affineVector(MadeBundle &made)
{
    const auto data = made.blob(ElementType::Uint8, "[2, 3]", hex("82 80 78 00 FF 0A"));
    const auto zero = made.blob(ElementType::Uint8, "[2]", hex("80 0A"));
    const auto scale = made.blob(ElementType::Fp16, "[2]", hex("00 38 00 34"));
    result(made, "fp16", "[2, 3]", "constexpr_affine_dequantize", "",
           fmt::format("axis = int32(-2), quantized_data = {}, scale = {}, zero_point = {}, ", data,
                       scale, zero));
}

void affineScalar(MadeBundle &made)
{
    const auto data = made.blob(ElementType::Int8, "[2, 2]", hex("01 FF 7F 80"));
    result(made, "fp16", "[2, 2]", "constexpr_affine_dequantize", "",
           fmt::format("axis = int32(0), quantized_data = {}, scale = fp16(0x1p-1), "
                       "zero_point = int8(0), ",
                       data));
}

void blockwise(MadeBundle &made)
{
    const auto data = made.blob(ElementType::Int4, "[2, 4]", hex("E1 C3 A5 87"));
    const auto scale = made.blob(ElementType::Fp16, "[2, 2]", halves({0.5F, 2, 1, 0.25F}));
    result(made, "fp16", "[2, 4]", "constexpr_blockwise_shift_scale",
           fmt::format("data = {}, scale = {}", data, scale), "");
}

void blockwiseOffset(MadeBundle &made)
{
    const auto data = made.blob(ElementType::Uint4, "[2, 2]", hex("21 43"));
    const auto scale = made.blob(ElementType::Fp16, "[2, 1]", halves({1, 2}));
    const auto offset = made.blob(ElementType::Uint4, "[2, 1]", hex("41"));
    result(made, "fp16", "[2, 2]", "constexpr_blockwise_shift_scale",
           fmt::format("data = {}, offset = {}, scale = {}", data, offset, scale), "");
}

void paletteBytes(MadeBundle &made)
{
    const auto indices = made.blob(ElementType::Uint8, "[2]", hex("01 1F"));
    const auto lut = made.blob(ElementType::Fp16, "[16]", kBook);
    result(made, "fp16", "[3]", "constexpr_lut_to_dense", "",
           fmt::format("indices = {}, lut = {}, shape = tensor<uint32, [1]>([3]), ", indices, lut));
}

void paletteLiteral(MadeBundle &made)
{
    const auto indices = made.blob(ElementType::Uint1, "[2, 2]", hex("06"), 4);
    result(made, "fp16", "[2, 2]", "constexpr_lut_to_dense",
           fmt::format("indices = {}, lut = tensor<fp16, [2, 1, 2, 1]>([0x1p0, 0x1p1, 0x1p2, "
                       "0x1p3])",
                       indices),
           "");
}

void paletteVector(MadeBundle &made)
{
    const auto indices = made.blob(ElementType::Uint1, "[1, 2]", hex("02"), 6);
    const auto lut = made.blob(ElementType::Fp16, "[1, 1, 2, 2]", halves({1, 2, 3, 4}));
    result(made, "fp16", "[2, 2]", "constexpr_lut_to_dense",
           fmt::format("indices = {}, lut = {}, vector_axis = int32(-2)", indices, lut), "");
}

void sparsePalette(MadeBundle &made)
{
    made.constant("tensor<uint1, [2, 4]>", "m", made.blob(ElementType::Uint1, "[2, 4]", hex("05")));
    const auto indices = made.blob(ElementType::Uint4, "[2]", hex("F3"));
    const auto lut = made.blob(ElementType::Fp16, "[1, 1, 16, 1]", kBook);
    made.line(fmt::format("tensor<uint1, [2, 4]> om, tensor<fp16, [2]> ov = "
                          "constexpr_lut_to_sparse(indices_mask = m, indices_nonzero_data = {}, "
                          "lut = {})[name = string(\"pal\")]",
                          indices, lut));
    result(made, "fp16", "[2, 4]", "constexpr_sparse_to_dense", "mask = om, nonzero_data = ov", "");
}

void sparseBlockwise(MadeBundle &made)
{
    const auto mask = made.blob(ElementType::Uint1, "[2, 4]", hex("21"));
    const auto data = made.blob(ElementType::Int8, "[2]", hex("02 FE"));
    const auto scale = made.blob(ElementType::Fp16, "[2, 1]", halves({0.5F, 4}));
    made.line(fmt::format("tensor<uint1, [2, 4]> om, tensor<fp16, [2]> ov = "
                          "constexpr_sparse_blockwise_shift_scale(data_mask = {}, nonzero_data = "
                          "{}, scale = {})[name = string(\"deq\")]",
                          mask, data, scale));
    result(made, "fp16", "[2, 4]", "constexpr_sparse_to_dense",
           fmt::format("mask = {}, nonzero_data = ov", mask), "");
}

void sparseBlockwisePalette(MadeBundle &made)
{
    const auto mask = made.blob(ElementType::Uint1, "[2, 4]", hex("21"));
    const auto indices = made.blob(ElementType::Uint1, "[2]", hex("02"), 6);
    made.line(fmt::format("tensor<uint1, [2, 4]> am, tensor<int8, [2]> av = "
                          "constexpr_lut_to_sparse(indices_mask = {}, indices_nonzero_data = {}, "
                          "lut = tensor<int8, [1, 1, 2, 1]>([3, -3]))[name = string(\"a\")]",
                          mask, indices));
    const auto scale = made.blob(ElementType::Fp16, "[2, 1]", halves({0.5F, 4}));
    made.line(fmt::format("tensor<uint1, [2, 4]> bm, tensor<fp16, [2]> bv = "
                          "constexpr_sparse_blockwise_shift_scale(data_mask = am, nonzero_data = "
                          "av, scale = {})[name = string(\"b\")]",
                          scale));
    result(made, "fp16", "[2, 4]", "constexpr_sparse_to_dense", "mask = bm, nonzero_data = bv", "");
}

void blockwisePalette(MadeBundle &made)
{
    const auto indices = made.blob(ElementType::Uint1, "[2, 2]", hex("06"), 4);
    made.line(fmt::format("tensor<int8, [2, 2]> p = constexpr_lut_to_dense(indices = {}, lut = "
                          "tensor<int8, [1, 1, 2, 1]>([-4, 6]))[name = string(\"p\")]",
                          indices));
    const auto scale = made.blob(ElementType::Fp16, "[2, 1]", halves({0.5F, 2}));
    result(made, "fp16", "[2, 2]", "constexpr_blockwise_shift_scale",
           fmt::format("data = p, scale = {}", scale), "");
}

void paletteBlockwise(MadeBundle &made)
{
    made.line("tensor<fp16, [1, 1, 2, 1]> book = constexpr_blockwise_shift_scale(data = "
              "tensor<int8, [1, 1, 2, 1]>([-4, 6]), scale = tensor<fp16, [1, 1, 1, 1]>([0x1p-1]))"
              "[name = string(\"book\")]");
    const auto indices = made.blob(ElementType::Uint1, "[2, 2]", hex("06"), 4);
    result(made, "fp16", "[2, 2]", "constexpr_lut_to_dense",
           fmt::format("indices = {}, lut = book", indices), "");
}

/// A codebook of two entries that is looked up in another one.
void paletteOfPalette(MadeBundle &made)
{
    made.line("tensor<fp16, [1, 1, 2, 1]> book = constexpr_lut_to_dense(indices = tensor<uint1, "
              "[1, 1, 2, 1]>([1, 0]), lut = tensor<fp16, [1, 1, 1, 1, 2, 1]>([0x1.8p1, 0x1.4p2]))"
              "[name = string(\"book\")]");
    const auto indices = made.blob(ElementType::Uint1, "[2, 2]", hex("06"), 4);
    result(made, "fp16", "[2, 2]", "constexpr_lut_to_dense",
           fmt::format("indices = {}, lut = book", indices), "");
}

const std::string kLut16 = "index_bits=4 codebooks=1 entries=16 vector=1";

} // namespace

/// Every way to store a weight, as text and records give it: form, parts, bytes, figures, values.
class TestBundleForms : public QObject
{
    Q_OBJECT

private slots:
    void quantizedFolders();
    void forms_data();
    void forms();
    void sharedParts();
    void spansForEdits();
    void scaledTwice();
};

void TestBundleForms::forms_data()
{
    QTest::addColumn<FormCase>("form");
    const auto row = [](const char *name, void (*make)(MadeBundle &), Expected expected) {
        QTest::newRow(name) << FormCase{make, std::move(expected)};
    };
    row("dense", dense, {"dense-fp16", "const", "data:fp16[2, 2]", "", 8, {1, -2, 0.5F, 0}});
    row("cast", denseThroughCast,
        {"dense-fp16", "constexpr_cast", "data:fp16[2, 2]", "", 8, {1, -2, 0.5F, 0}});
    const std::vector<float> workedSparse{0, 1.5F, 0, 0, -2, 0, 0, 0.25F, 3, 0};
    row("sparse, bytes", sparseBytes,
        {"sparse", "constexpr_sparse_to_dense", "mask:uint8[2] nonzero_data:fp16[4]", "", 10,
         workedSparse});
    row("sparse, bits", sparseBits,
        {"sparse", "constexpr_sparse_to_dense", "mask:uint1[2, 5] nonzero_data:fp16[4]", "", 10,
         workedSparse});
    row("affine, vectors", affineVector,
        {"affine",
         "constexpr_affine_dequantize",
         "data:uint8[2, 3] scale:fp16[2] zero_point:uint8[2]",
         "data_bits=8 scales=2",
         12,
         {1, 0, -4, -2.5F, 61.25F, 0}});
    row("affine, scalars", affineScalar,
        {"affine",
         "constexpr_affine_dequantize",
         "data:int8[2, 2] scale:fp16[]! zero_point:int8[]!",
         "data_bits=8 scales=1",
         7,
         {0.5F, -0.5F, 63.5F, -64}});
    row("blockwise", blockwise,
        {"blockwise",
         "constexpr_blockwise_shift_scale",
         "data:int4[2, 4] scale:fp16[2, 2]",
         "data_bits=4 scales=4 block=[1, 2]",
         12,
         {0.5F, -1, 6, -8, 5, -6, 1.75F, -2}});
    row("blockwise, offset", blockwiseOffset,
        {"blockwise",
         "constexpr_blockwise_shift_scale",
         "data:uint4[2, 2] scale:fp16[2, 1] offset:uint4[2, 1]",
         "data_bits=4 scales=2 block=[1, 2]",
         7,
         {0, 1, -2, 0}});
    row("palette, bytes", paletteBytes,
        {"lut", "constexpr_lut_to_dense", "indices:uint8[2] lut:fp16[16]", kLut16, 34, {1, 0, 15}});
    row("palette, two literal books", paletteLiteral,
        {"lut",
         "constexpr_lut_to_dense",
         "indices:uint1[2, 2] lut:fp16[2, 1, 2, 1]!",
         "index_bits=1 codebooks=2 entries=2 vector=1",
         9,
         {1, 2, 8, 4}});
    row("palette, vectors", paletteVector,
        {"lut",
         "constexpr_lut_to_dense",
         "indices:uint1[1, 2] lut:fp16[1, 1, 2, 2]",
         "index_bits=1 codebooks=1 entries=2 vector=2 vector_axis=0",
         9,
         {1, 3, 2, 4}});
    row("sparse+lut", sparsePalette,
        {"sparse+lut",
         "constexpr_sparse_to_dense",
         "mask:uint1[2, 4] indices:uint4[2] lut:fp16[1, 1, 16, 1]",
         kLut16,
         34,
         {3, 0, 15, 0, 0, 0, 0, 0}});
    row("sparse+blockwise", sparseBlockwise,
        {"sparse+blockwise",
         "constexpr_sparse_to_dense",
         "mask:uint1[2, 4] nonzero_data:int8[2] scale:fp16[2, 1]",
         "data_bits=8 scales=2 block=[1, 4]",
         7,
         {1, 0, 0, 0, 0, -8, 0, 0}});
    row("sparse+blockwise+lut", sparseBlockwisePalette,
        {"sparse+blockwise+lut",
         "constexpr_sparse_to_dense",
         "mask:uint1[2, 4] indices:uint1[2] lut:int8[1, 1, 2, 1]! scale:fp16[2, 1]",
         "index_bits=1 codebooks=1 entries=2 vector=1 data_bits=8 scales=2 block=[1, 4]",
         8,
         {1.5F, 0, 0, 0, 0, -12, 0, 0}});
    row("blockwise+lut", blockwisePalette,
        {"blockwise+lut",
         "constexpr_blockwise_shift_scale",
         "indices:uint1[2, 2] lut:int8[1, 1, 2, 1]! scale:fp16[2, 1]",
         "index_bits=1 codebooks=1 entries=2 vector=1 data_bits=8 scales=2 block=[1, 2]",
         7,
         {-2, 3, 12, -8}});
    row("lut+blockwise", paletteBlockwise,
        {"lut+blockwise",
         "constexpr_lut_to_dense",
         "indices:uint1[2, 2] lut:int8[1, 1, 2, 1]! scale:fp16[1, 1, 1, 1]!",
         "index_bits=1 codebooks=1 entries=2 vector=1 data_bits=8 scales=1 block=[1, 1, 2, 1]",
         5,
         {-2, 3, 3, -2}});
    row("lut+lut", paletteOfPalette,
        {"lut+lut",
         "constexpr_lut_to_dense",
         "indices:uint1[2, 2] indices:uint1[1, 1, 2, 1]! lut:fp16[1, 1, 1, 1, 2, 1]!",
         "index_bits=1 codebooks=1 entries=2 vector=1",
         6,
         {5, 3, 3, 5}});
}

void TestBundleForms::forms()
{
    QFETCH(FormCase, form);
    MadeBundle made;
    form.make(made);
    const auto bundle = made.open();
    QVERIFY(bundle);
    QCOMPARE(faults((*bundle)->diagnostics()), std::vector<std::string>());
    QCOMPARE(sectionFault(**bundle), std::string());
    QCOMPARE((*bundle)->weights().size(), std::size_t(1));
    const Weight &weight = (*bundle)->weights().front();
    QCOMPARE(weight.name, std::string("w"));
    QCOMPARE(weight.opName, std::string("w_op"));
    QCOMPARE(weight.function, std::string("main"));
    QCOMPARE(formText(weight.form), form.expected.form);
    QCOMPARE(weight.sourceOp, form.expected.sourceOp);
    QCOMPARE(rolesOf(weight), form.expected.roles);
    QCOMPARE(detailOf(weight), form.expected.detail);
    QCOMPARE(weight.storedBytes.value, form.expected.storedBytes);
    QCOMPARE(weight.elements.value, std::uint64_t(form.expected.values.size()));
    QCOMPARE(decoded(**bundle, "w"), form.expected.values);
    QCOMPARE(weight.consumers.size(), std::size_t(1));
    QCOMPARE(weight.consumers.front().op, std::string("linear"));
    for (const BundleFile &file : (*bundle)->files())
        QCOMPARE(file.unusedRecords, std::size_t(0));
}

/// Two weights that name one codebook: each counts it, both say that it is shared.
void TestBundleForms::sharedParts()
{
    MadeBundle made;
    const auto lut = made.blob(ElementType::Fp16, "[1, 16, 1]", kBook);
    for (const char *name : {"a", "b"}) {
        const auto indices = made.blob(ElementType::Uint4, "[4]", hex("10 32"));
        made.line(fmt::format("tensor<fp16, [4]> {0} = constexpr_lut_to_dense(indices = {1}, lut "
                              "= {2})[name = string(\"{0}\")]",
                              name, indices, lut));
        made.consume(name);
    }
    const auto bundle = made.open();
    QVERIFY(bundle);
    QCOMPARE((*bundle)->weights().size(), std::size_t(2));
    for (const Weight &weight : (*bundle)->weights()) {
        QCOMPARE(weight.storedBytes.value, std::uint64_t(34));
        QVERIFY(weight.operand(codec::PartRole::Lut)->place->shared);
        QVERIFY(!weight.operand(codec::PartRole::Indices)->place->shared);
    }
    QCOMPARE((*bundle)->totals().storedBytes.value, std::uint64_t(36));
    QCOMPARE(sectionFault(**bundle), std::string());
    // the payload belongs to the first of them
    const auto owner = (*bundle)->sectionAt(2, FileOffset(128));
    QCOMPARE((*bundle)->sections()[owner].name, std::string("a: lut"));
}

/// A patch that changes the number of survivors finds every place that writes it.
void TestBundleForms::spansForEdits()
{
    MadeBundle made;
    sparsePalette(made);
    const auto bundle = made.open();
    QVERIFY(bundle);
    const std::string text = made.text();
    const codec::Operand *codes = (*bundle)->weights().front().operand(codec::PartRole::Indices);
    QVERIFY(codes);
    const auto &indices = codes->place;
    const auto written = [&text](const mil::SourceSpan &span) {
        return text.substr(span.offset, span.length);
    };
    QCOMPARE(indices->dimSpans.size(), std::size_t(1));
    QCOMPARE(written(indices->dimSpans[0]), std::string("2"));
    QCOMPARE(text.substr(indices->dimSpans[0].offset - 15, 15), std::string("tensor<uint4, ["));
    QCOMPARE(indices->countSpans.size(), std::size_t(1));
    QCOMPARE(written(indices->countSpans[0]), std::string("2"));
    QCOMPARE(text.substr(indices->countSpans[0].offset - 14, 14), std::string("tensor<fp16, ["));

    MadeBundle named;
    sparseBits(named);
    const auto second = named.open();
    QVERIFY(second);
    const auto values = (*second)->weights().front().operand(codec::PartRole::NonzeroData)->place;
    QCOMPARE(values->dimSpans.size(), std::size_t(1));
    QCOMPARE(values->countSpans.size(), std::size_t(1));
    QVERIFY(values->countSpans[0].offset < values->dimSpans[0].offset);
}

/// One encoding holds one scaling: a weight without a fault has a decoder.
void TestBundleForms::scaledTwice()
{
    MadeBundle made;
    made.line("tensor<uint1, [2, 4]> am, tensor<fp16, [2]> av = "
              "constexpr_sparse_blockwise_shift_scale(data_mask = tensor<uint1, [2, 4]>([1, 0, 0, "
              "0, 0, 1, 0, 0]), nonzero_data = tensor<int8, [2]>([2, -2]), scale = tensor<fp16, "
              "[2, 1]>([0x1p-1, 0x1p2]))[name = string(\"a\")]");
    made.line("tensor<uint1, [2, 4]> bm, tensor<fp16, [2]> bv = "
              "constexpr_sparse_blockwise_shift_scale(data_mask = am, nonzero_data = av, scale = "
              "tensor<fp16, [2, 1]>([0x1p1, 0x1p1]))[name = string(\"b\")]");
    result(made, "fp16", "[2, 4]", "constexpr_sparse_to_dense", "mask = bm, nonzero_data = bv", "");
    const auto bundle = made.open();
    QVERIFY(bundle);
    const Weight &weight = (*bundle)->weights().front();
    QVERIFY(weight.fault);
    QCOMPARE(weight.fault->code, std::string("mil.unsupported"));
    QCOMPARE(weight.fault->field, std::string("nonzero_data"));
    QVERIFY(!weight.form.encoding());
    QCOMPARE(formText(weight.form), std::string("sparse"));
}

void TestBundleForms::quantizedFolders()
{
    using Files = std::vector<std::pair<std::string, Bytes>>;
    const auto bytesOf = [](std::string_view text) {
        const auto raw = std::as_bytes(std::span(text));
        return Bytes(raw.begin(), raw.end());
    };
    const auto open = [&](const std::string &manifest, Files files) {
        OpenOptions options;
        options.memory = std::move(files);
        options.memory.emplace_back("quantize.json", bytesOf(manifest));
        return *Bundle::open("folder", options);
    };
    const auto valuesOf = [](const Bundle &bundle) {
        const auto decoder = bundle.decoder(0);
        std::vector<float> values(decoder ? decoder->elements().value : 0);
        if (decoder)
            decoder->decodeFloat(0, values);
        return values;
    };
    Bytes nibbles;
    for (int i = 0; i < 16; ++i) // codes 0 to 15, twice
        nibbles.push_back(static_cast<std::byte>((2 * i & 15) | (((2 * i + 1) & 15) << 4)));
    const std::string four = R"({"format": "mxfp4", "input": "/a/b.npy", "rows": 1, "columns": 32,
        "columns_stored": 32, "axis": 1, "layout": "nd", "exponent_layout": "nd"})";
    const auto fp4 = open(four, {{"data.bin", nibbles}, {"exp.bin", Bytes(1, std::byte{128})}});
    QVERIFY(fp4->diagnostics().empty());
    QCOMPARE(fp4->kind(), BundleKind::Quantized);
    QCOMPARE(fp4->weights().size(), std::size_t(1));
    QCOMPARE(fp4->weights()[0].name, std::string("b"));
    QCOMPARE(formText(fp4->weights()[0].form), std::string("mxfp4"));
    QCOMPARE(rolesOf(fp4->weights()[0]), std::string("data:fp4e2m1[1, 32] scale:fp8e8m0[1, 1]"));
    const std::vector<float> once{0, 1, 2, 3, 4, 6, 8, 12, -0.0f, -1, -2, -3, -4, -6, -8, -12};
    auto twice = once;
    twice.insert(twice.end(), once.begin(), once.end());
    QCOMPARE(valuesOf(*fp4), twice);
    // 32 rows of two columns, each with an exponent of its own.
    const auto fp8 = open(
        R"({"format": "mxfp8", "rows": 32, "columns": 2, "axis": 0})",
        {{"data.bin", Bytes(64, std::byte{0x38})}, {"exp.bin", {std::byte{126}, std::byte{130}}}});
    QVERIFY(fp8->diagnostics().empty());
    QCOMPARE(valuesOf(*fp8)[62], 0.5f);
    QCOMPARE(valuesOf(*fp8)[63], 8.0f);
    const auto floatBytes = [](std::vector<float> values) {
        const auto raw = std::as_bytes(std::span(values));
        return Bytes(raw.begin(), raw.end());
    };
    const auto uint8 = open(R"({"format": "uint8", "rows": 2, "columns": 2})",
                            {{"data.bin", Bytes(4, std::byte{200})},
                             {"scale.bin", floatBytes({0.5f, 2.0f})},
                             {"offset.bin", floatBytes({100, 0})}});
    QVERIFY(uint8->diagnostics().empty());
    QCOMPARE(formText(uint8->weights()[0].form), std::string("affine"));
    QCOMPARE(valuesOf(*uint8), (std::vector<float>{50, 50, 400, 400}));
    // What does not hold together is told, and still shown as far as it goes.
    const auto codeOf = [](const BundlePtr &bundle) {
        return bundle->diagnostics().empty() ? std::string() : bundle->diagnostics()[0].error.field;
    };
    QCOMPARE(codeOf(open(four, {{"data.bin", Bytes(15)}, {"exp.bin", Bytes(1)}})),
             std::string("data.bin"));
    QCOMPARE(codeOf(open(four, {{"data.bin", nibbles}})), std::string("exp.bin"));
    QCOMPARE(codeOf(open("[", {})), std::string());
    QCOMPARE(codeOf(open(R"({"format": "mxfp9"})", {})), std::string("format"));
    QCOMPARE(codeOf(open(R"({"format": "int8", "rows": 4294967296, "columns": 4294967296})", {})),
             std::string("rows"));
    QCOMPARE(codeOf(open(R"({"format": "mxfp8", "rows": 16, "columns": 32, "layout": "nz"})",
                         {{"data.bin", Bytes(512)}, {"exp.bin", Bytes(16)}})),
             std::string("layout"));
}

QTEST_APPLESS_MAIN(TestBundleForms)
#include "tst_bundle_forms.moc"
