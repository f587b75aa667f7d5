// SPDX-License-Identifier: GPL-3.0-or-later
#include "made_forms.h"
#include "tests/test_program.h"

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

// One function a form; the worked bytes are those of resources/formats/forms.md.

void dense(MadeBundle &made)
{
    made.layer("w", "[2, 2]", halves({1, -2, 0.5F, 0}));
}

void denseThroughCast(MadeBundle &made)
{
    made.weight("c", "[2, 2]", halves({1, -2, 0.5F, 0}));
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

void blockwiseE4m3(MadeBundle &made)
{
    const auto data = made.blob(ElementType::Fp8E4M3Fn, "[2, 2]", hex("38 B8 48 30"));
    const auto scale = made.blob(ElementType::Fp16, "[2, 1]", halves({0.5F, 3}));
    result(made, "fp16", "[2, 2]", "constexpr_blockwise_shift_scale",
           fmt::format("data = {}, scale = {}", data, scale), "");
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

void sparseScaled(MadeBundle &made, ElementType type, const Bytes &codes)
{
    const auto mask = made.blob(ElementType::Uint1, "[2, 4]", hex("21"));
    const auto data = made.blob(type, "[2]", codes);
    const auto scale = made.blob(ElementType::Fp16, "[2, 1]", halves({0.5F, 4}));
    made.line(fmt::format("tensor<uint1, [2, 4]> om, tensor<fp16, [2]> ov = "
                          "constexpr_sparse_blockwise_shift_scale(data_mask = {}, nonzero_data = "
                          "{}, scale = {})[name = string(\"deq\")]",
                          mask, data, scale));
    result(made, "fp16", "[2, 4]", "constexpr_sparse_to_dense",
           fmt::format("mask = {}, nonzero_data = ov", mask), "");
}

void sparseBlockwise(MadeBundle &made)
{
    sparseScaled(made, ElementType::Int8, hex("02 FE"));
}

void sparseBlockwiseE5m2(MadeBundle &made)
{
    sparseScaled(made, ElementType::Fp8E5M2, hex("40 B8"));
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
    made.op("book", "[1, 1, 2, 1]",
            "constexpr_blockwise_shift_scale(data = tensor<int8, [1, 1, 2, 1]>([-4, 6]), scale = "
            "tensor<fp16, [1, 1, 1, 1]>([0x1p-1]))");
    const auto indices = made.blob(ElementType::Uint1, "[2, 2]", hex("06"), 4);
    result(made, "fp16", "[2, 2]", "constexpr_lut_to_dense",
           fmt::format("indices = {}, lut = book", indices), "");
}

/// A codebook of two entries that is looked up in another one.
void paletteOfPalette(MadeBundle &made)
{
    made.op("book", "[1, 1, 2, 1]",
            "constexpr_lut_to_dense(indices = tensor<uint1, [1, 1, 2, 1]>([1, 0]), lut = "
            "tensor<fp16, [1, 1, 1, 1, 2, 1]>([0x1.8p1, 0x1.4p2]))");
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
    void forms_data()
    {
        QTest::addColumn<FormCase>("form");
        const auto row = [](const char *name, void (*make)(MadeBundle &), Expected expected) {
            addRow(name, FormCase{make, std::move(expected)});
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
        row("blockwise of fp8", blockwiseE4m3,
            {"blockwise",
             "constexpr_blockwise_shift_scale",
             "data:fp8e4m3fn[2, 2] scale:fp16[2, 1]",
             "data_bits=8 scales=2 block=[1, 2]",
             8,
             {0.5F, -0.5F, 12, 1.5F}});
        row("sparse+blockwise of fp8", sparseBlockwiseE5m2,
            {"sparse+blockwise",
             "constexpr_sparse_to_dense",
             "mask:uint1[2, 4] nonzero_data:fp8e5m2[2] scale:fp16[2, 1]",
             "data_bits=8 scales=2 block=[1, 4]",
             7,
             {1, 0, 0, 0, 0, -2, 0, 0}});
        row("palette, bytes", paletteBytes,
            {"lut",
             "constexpr_lut_to_dense",
             "indices:uint8[2] lut:fp16[16]",
             kLut16,
             34,
             {1, 0, 15}});
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

    void forms()
    {
        QFETCH(FormCase, form);
        MadeBundle made;
        form.make(made);
        const auto bundle = VERIFIED(made.open());
        QCOMPARE(faults((*bundle)->diagnostics()), std::vector<std::string>());
        QCOMPARE(sectionFault(**bundle), std::string());
        QCOMPARE((*bundle)->weights().size(), 1U);
        const Weight &weight = (*bundle)->weights().front();
        QCOMPARE(weight.name, "w");
        QCOMPARE(weight.opName(), "w_op");
        QCOMPARE(weight.function, "main");
        QCOMPARE(formText(weight.form), form.expected.form);
        QCOMPARE(weight.sourceOp, form.expected.sourceOp);
        QCOMPARE(rolesOf(weight), form.expected.roles);
        QCOMPARE(detailOf(weight), form.expected.detail);
        QCOMPARE(weight.storedBytes.value, form.expected.storedBytes);
        QCOMPARE(weight.elements.value, std::uint64_t(form.expected.values.size()));
        QCOMPARE(decoded(**bundle, "w"), form.expected.values);
        QCOMPARE(weight.consumers.size(), 1U);
        QCOMPARE(weight.consumers.front().op, "linear");
        for (const BundleFile &file : (*bundle)->files())
            QCOMPARE(file.unusedRecords, 0U);
    }
};

KERNSCOPE_TEST(TestBundleForms, NoApplication)
#include "tst_bundle_forms.moc"
