// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/decode/decoder.h"
#include "made_bundle.h"

#include "core/bundle/section_map.h"
#include "core/container/mil/model_files.h"
#include "faulty.h"
#include "tests/test_program.h"

using namespace kernscope;
using namespace kernscope::test;

namespace {

Make denseFault(std::string declared, std::string value)
{
    return [=](MadeBundle &made) {
        made.blob(ElementType::Fp16, "[4]", Bytes(8));
        made.constant(declared, "w", value);
    };
}

Make blockwiseFault(std::string scale, std::string more = {})
{
    return [=](MadeBundle &made) {
        const auto data = made.blob(ElementType::Int8, "[2, 4]", Bytes(8));
        result(made, "[2, 4]", "constexpr_blockwise_shift_scale",
               fmt::format("data = {}, scale = {}{}", data, scale, more));
    };
}

Make sparse(std::string survivors, std::size_t count)
{
    return [=](MadeBundle &made) {
        const auto mask = made.blob(ElementType::Uint1, "[2, 2]", hex("06"), 4);
        const auto values = made.blob(ElementType::Fp16, survivors, Bytes(2 * count));
        result(made, "[2, 2]", "constexpr_sparse_to_dense",
               fmt::format("mask = {}, nonzero_data = {}", mask, values));
    };
}

void compactedReadAsDense(MadeBundle &made)
{
    const auto mask = made.blob(ElementType::Uint1, "[2, 2]", hex("06"), 4);
    made.line(fmt::format("tensor<uint1, [2, 2]> m, tensor<fp16, [2]> w = "
                          "constexpr_sparse_blockwise_shift_scale(data_mask = {}, nonzero_data = "
                          "tensor<int8, [2]>([1, 2]), scale = tensor<fp16, [1, 1]>([0x1p0]))[name "
                          "= string(\"q\")]",
                          mask));
    made.consume("w");
}

} // namespace

/// What is wrong is said with its place, and everything else is still shown.
class TestBundleFaults : public QObject
{
    Q_OBJECT

private slots:
    void weights_data()
    {
        addColumns<Make, QByteArray, QByteArray>();
        const auto row = [](const char *name, const Make &make, const char *code,
                            const char *file) {
            addRow(name, make, QByteArray(code), QByteArray(file));
        };
        const char *const text = "model.mil";
        const char *const blob = "weights/weight.bin";
        const auto at = [](const char *type, const char *shape, std::uint64_t offset) {
            return MadeBundle::blobAt(type, shape, offset);
        };
        row("type", denseFault("tensor<int8, [4]>", at("int8", "[4]", 64)), "blob.type", blob);
        row("elements", denseFault("tensor<fp16, [5]>", at("fp16", "[5]", 64)), "blob.elements",
            blob);
        row("fewer elements", denseFault("tensor<fp16, [3]>", at("fp16", "[3]", 64)),
            "blob.elements", blob);
        row("declared type", denseFault("tensor<fp32, [4]>", at("fp16", "[4]", 64)), "codec.type",
            text);
        row("declared shape", denseFault("tensor<fp16, [2, 2]>", at("fp16", "[4]", 64)),
            "codec.shape", text);
        row("offset outside", denseFault("tensor<fp16, [4]>", at("fp16", "[4]", 1024)),
            "blob.offset", blob);
        row("offset of nothing", denseFault("tensor<fp16, [4]>", at("fp16", "[4]", 65)),
            "blob.offset", blob);
        row("open extent", denseFault("tensor<fp16, [?]>", at("fp16", "[?]", 64)), "mil.shape",
            text);
        row("overflow",
            denseFault("tensor<fp16, [4294967296, 4294967296]>",
                       at("fp16", "[4294967296, 4294967296]", 64)),
            "mil.shape", text);
        const std::string good = "tensor<fp16, [1, 1, 2, 1]>([0x1p0, 0x1p1])";
        row("codebook too short", palette("[2, 2]", "tensor<fp16, [1, 1, 1, 1]>([0x1p0])"),
            "codec.codebook", text);
        row("codebook too long",
            palette("[2, 2]", "tensor<fp16, [1, 1, 3, 1]>([0x1p0, 0x1p1, 0x1p2])"),
            "codec.codebook", text);
        row("codebook rank", palette("[2, 2]", "tensor<fp16, [2, 1]>([0x1p0, 0x1p1])"),
            "codec.codebook", text);
        row("codebooks do not divide",
            palette("[2, 2]",
                    "tensor<fp16, [3, 1, 2, 1]>([0x1p0, 0x1p0, 0x1p0, 0x1p0, 0x1p0, 0x1p0])"),
            "codec.codebook", text);
        row("palette shape", palette("[2, 3]", good), "codec.shape", text);
        row("vectors without an axis",
            palette("[4, 2]", "tensor<fp16, [1, 1, 2, 2]>([0x1p0, 0x1p0, "
                              "0x1p0, 0x1p0])"),
            "mil.operand", text);
        row("vector axis",
            palette("[4, 2]", "tensor<fp16, [1, 1, 2, 2]>([0x1p0, 0x1p0, 0x1p0, 0x1p0])",
                    ", vector_axis = int32(2)"),
            "codec.shape", text);
        row("empty vectors",
            palette("[0, 2]", "tensor<fp16, [1, 1, 2, 0]>([])", ", vector_axis = int32(0)"),
            "codec.codebook", text);
        row("scale does not divide",
            blockwiseFault("tensor<fp16, [2, 3]>([0x1p0, 0x1p0, 0x1p0, 0x1p0, "
                           "0x1p0, 0x1p0])"),
            "codec.scale", text);
        row("scale rank", blockwiseFault("tensor<fp16, [2]>([0x1p0, 0x1p0])"), "codec.scale", text);
        row("scale type", blockwiseFault("tensor<int8, [2, 1]>([1, 2])"), "codec.type", text);
        row("no scales", blockwiseFault("tensor<fp16, [0, 1]>([])"), "codec.scale", text);
        row("offset shape",
            blockwiseFault("tensor<fp16, [2, 1]>([0x1p0, 0x1p0])",
                           ", offset = tensor<int8, [1, 1]>([1])"),
            "codec.scale", text);
        row("offset type",
            blockwiseFault("tensor<fp16, [2, 1]>([0x1p0, 0x1p0])",
                           ", offset = tensor<int32, [2, 1]>([1, 2])"),
            "codec.type", text);
        row("operand missing", blockwiseFault("nothing"), "mil.operand", text);
        row("zero point length",
            affine("axis = int32(0), scale = fp16(0x1p0), zero_point = "
                   "tensor<int8, [3]>([1, 2, 3])"),
            "codec.scale", text);
        row("axis",
            affine("axis = int32(-3), scale = tensor<fp16, [2]>([0x1p0, 0x1p0]), zero_point = "
                   "int8(0)"),
            "codec.shape", text);
        row("no zero point", affine("axis = int32(0), scale = fp16(0x1p0)"), "mil.operand", text);
        row("more values than elements", sparse("[5]", 5), "codec.mask", text);
        row("values not in a row", sparse("[1, 2]", 2), "codec.mask", text);
        row("two masks", twoMasks, "codec.mask", text);
        row("compacted values", compactedReadAsDense, "mil.unsupported", text);
        row("long chain", longChain, "mil.unsupported", text);
        row(
            "unknown op",
            [](MadeBundle &made) { result(made, "[2]", "constexpr_conjure", "a = x"); },
            "mil.unsupported", text);
        row(
            "not constant",
            [](MadeBundle &made) {
                result(made, "[1, 4]", "constexpr_blockwise_shift_scale",
                       "data = x, scale = tensor<fp16, [1, 1]>([0x1p0])");
            },
            "mil.operand", text);
    }

    void weights()
    {
        const auto [make, code, file] = fetched<Make, QByteArray, QByteArray>();
        MadeBundle made;
        make(made);
        made.weight("sound", "[2]", halves({1, 2}));
        const auto bundle = VERIFIED(made.open());
        QCOMPARE(decoded(**bundle, "sound"), std::vector<float>({1, 2}));
        const auto index = VERIFIED((*bundle)->weightByName("w"));
        const Weight &weight = (*bundle)->weights()[*index];
        QVERIFY(weight.fault);
        QCOMPARE(QByteArray::fromStdString(weight.fault->code), code);
        QCOMPARE(QByteArray::fromStdString(weight.fault->file), file);
        QVERIFY(weight.fault->offset);
        QVERIFY(!weight.fault->message.empty() && !weight.fault->found.empty() &&
                !weight.fault->expected.empty());
        QVERIFY(hasErrors((*bundle)->diagnostics()));
        QVERIFY(!(*bundle)->decoder(*index));
        QCOMPARE(sectionFault(**bundle).c_str(), "");
    }
};

KERNSCOPE_TEST(TestBundleFaults, kernscope::test::NoApplication)
#include "tst_bundle_faults.moc"
