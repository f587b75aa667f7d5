// SPDX-License-Identifier: GPL-3.0-or-later
#include "sample_bundles.h"
#include "core/base/overlaid_file.h"

#include "core/codec/encode/encoder.h"
#include "core/numeric/convert.h"

#include <fmt/format.h>

namespace kernscope::test {

namespace {

using codec::EncodedPart;
using codec::EncodedWeight;

const Shape kShape{8, 8};

/// Numbers that every type holds exactly; `zeros` of three or so are zero.
std::vector<float> values(bool zeros)
{
    std::vector<float> numbers;
    std::uint32_t state = 12345;
    for (int i = 0; i < 64; ++i) {
        state = state * 1664525u + 1013904223u;
        const int number = int(state >> 24) % 61 - 30;
        const bool zero = zeros && (state >> 16) % 3 == 0;
        numbers.push_back(zero ? 0.0f : float(number == 0 ? 31 : number) / 16.0f);
    }
    return numbers;
}

const EncodedPart &partOf(const EncodedWeight &weight, codec::PartRole role)
{
    for (const EncodedPart &part : weight.parts) {
        if (part.role == role)
            return part;
    }
    return weight.parts.front();
}

std::uint64_t paddingOf(const EncodedPart &part)
{
    const std::uint64_t bits = elementCount(part.shape)->value * bitWidth(part.type);
    return bitWidth(part.type) < 8 ? part.bytes.size() * 8 - bits : 0;
}

std::string blob(MadeBundle &bundle, const EncodedPart &part)
{
    return bundle.blob(part.type, shapeText(part.shape), part.bytes, paddingOf(part));
}

/// "tensor<fp16, [4]>([0x1p+0, …])", as compilers write small constants.
std::string literal(const EncodedPart &part, const Shape &shape)
{
    std::string numbers;
    for (std::uint64_t i = 0; i < elementCount(shape)->value; ++i) {
        const double value = loadValue(part.bytes, part.type, i);
        numbers += i == 0 ? "" : ", ";
        numbers +=
            isFloatingPoint(part.type) ? fmt::format("{:a}", value) : fmt::format("{}", int(value));
    }
    const std::string body = shape.empty() ? numbers : "[" + numbers + "]";
    return fmt::format("tensor<{}, {}>({})", elementTypeName(part.type), shapeText(shape), body);
}

void made(MadeBundle &bundle, std::string_view op, std::string_view arguments)
{
    bundle.line(
        fmt::format("tensor<fp16, [8, 8]> w = {}({})[name = string(\"w_op\")]", op, arguments));
}

void dense(MadeBundle &bundle, ElementType type)
{
    const auto weight = *codec::encodeDense(values(false), kShape, type);
    bundle.constant(fmt::format("tensor<{}, [8, 8]>", elementTypeName(type)), "w",
                    blob(bundle, weight.parts.front()));
}

void affine(MadeBundle &bundle, bool literals)
{
    codec::AffineOptions options;
    options.symmetric = false;
    if (literals)
        options.axis.reset();
    const auto weight = *codec::encodeAffine(values(false), kShape, options);
    const auto &scale = partOf(weight, codec::PartRole::Scale);
    const auto &zero = partOf(weight, codec::PartRole::ZeroPoint);
    const std::string data = blob(bundle, partOf(weight, codec::PartRole::Data));
    bundle.line(fmt::format(
        "tensor<fp16, [8, 8]> w = constexpr_affine_dequantize()[axis = int32(0), name = "
        "string(\"w_op\"), quantized_data = {}, scale = {}, zero_point = {}]",
        data, literals ? literal(scale, {}) : blob(bundle, scale),
        literals ? literal(zero, {}) : blob(bundle, zero)));
}

/// Codebooks of fewer than ten entries are literals, as converters have it.
void palette(MadeBundle &bundle, const codec::PaletteOptions &options, bool old)
{
    const auto weight = *codec::encodePalette(values(false), kShape, options);
    const EncodedPart &indices = partOf(weight, codec::PartRole::Indices);
    const EncodedPart &lut = partOf(weight, codec::PartRole::Lut);
    const bool small = elementCount(lut.shape)->value < 10;
    if (!old) {
        const std::string data = blob(bundle, indices);
        made(bundle, "constexpr_lut_to_dense",
             fmt::format("indices = {}, lut = {}{}", data,
                         small ? literal(lut, lut.shape) : blob(bundle, lut),
                         options.vector > 1 ? ", vector_axis = int32(0)" : ""));
        return;
    }
    const EncodedPart packed{
        indices.role, ElementType::Uint8, {indices.bytes.size()}, indices.bytes};
    const EncodedPart book{lut.role, lut.type, {weight.entries}, lut.bytes};
    const std::string data = blob(bundle, packed);
    bundle.line(fmt::format("tensor<fp16, [8, 8]> w = constexpr_lut_to_dense()[indices = {}, lut = "
                            "{}, name = string(\"w_op\"), shape = tensor<uint32, [2]>([8, 8])]",
                            data, small ? literal(book, book.shape) : blob(bundle, book)));
}

EncodedWeight sparseWeight()
{
    return *codec::encodeSparse(values(true), kShape, 0.0f);
}

void sparse(MadeBundle &bundle, bool old, bool named)
{
    const auto weight = sparseWeight();
    const EncodedPart &mask = partOf(weight, codec::PartRole::Mask);
    const EncodedPart &kept = partOf(weight, codec::PartRole::NonzeroData);
    if (old) {
        const EncodedPart bytes{mask.role, ElementType::Uint8, {mask.bytes.size()}, mask.bytes};
        const std::string maskText = blob(bundle, bytes);
        bundle.line(fmt::format("tensor<fp16, [8, 8]> w = constexpr_sparse_to_dense()[mask = {}, "
                                "name = string(\"w_op\"), nonzero_data = {}, shape = "
                                "tensor<uint32, [2]>([8, 8])]",
                                maskText, blob(bundle, kept)));
        return;
    }
    std::string maskText = blob(bundle, mask), keptText = blob(bundle, kept);
    if (named) {
        bundle.constant("tensor<uint1, [8, 8]>", "w_mask", maskText);
        bundle.constant(fmt::format("tensor<fp16, {}>", shapeText(kept.shape)), "w_kept", keptText);
        maskText = "w_mask";
        keptText = "w_kept";
    }
    made(bundle, "constexpr_sparse_to_dense",
         fmt::format("mask = {}, nonzero_data = {}", maskText, keptText));
}

/// The survivors of the sparse weight, as a vector.
std::vector<float> survivors()
{
    std::vector<float> kept;
    for (const float value : values(true)) {
        if (value != 0.0f)
            kept.push_back(value);
    }
    return kept;
}

void sparsePalette(MadeBundle &bundle, unsigned bits)
{
    const auto weight = sparseWeight();
    const auto kept = survivors();
    codec::PaletteOptions options;
    options.bits = bits;
    const auto coded = *codec::encodePalette(kept, {kept.size()}, options);
    EncodedPart indices = partOf(coded, codec::PartRole::Indices);
    EncodedPart lut = partOf(coded, codec::PartRole::Lut);
    lut.shape = {1, 1, coded.entries, 1};
    const std::string mask = blob(bundle, partOf(weight, codec::PartRole::Mask));
    const std::string data = blob(bundle, indices);
    bundle.line(fmt::format(
        "tensor<uint1, [8, 8]> w_m, tensor<fp16, [{0}]> w_v = constexpr_lut_to_sparse("
        "indices_mask = {1}, indices_nonzero_data = {2}, lut = {3})[name = string(\"w_pal\")]",
        kept.size(), mask, data, coded.entries < 10 ? literal(lut, lut.shape) : blob(bundle, lut)));
    made(bundle, "constexpr_sparse_to_dense", "mask = w_m, nonzero_data = w_v");
}

void sparseBlockwise(MadeBundle &bundle)
{
    const auto weight = sparseWeight();
    std::vector<std::byte> codes;
    for (const float value : survivors())
        codes.push_back(static_cast<std::byte>(int(value * 16.0f)));
    const EncodedPart data{codec::PartRole::NonzeroData, ElementType::Int8, {codes.size()}, codes};
    const std::string mask = blob(bundle, partOf(weight, codec::PartRole::Mask));
    const std::string dataText = blob(bundle, data);
    const std::string scale = bundle.blob(
        ElementType::Fp16, "[8, 1]",
        halves({0x1p-4f, 0x1p-4f, 0x1p-4f, 0x1p-4f, 0x1p-4f, 0x1p-4f, 0x1p-4f, 0x1p-3f}));
    bundle.line(fmt::format(
        "tensor<uint1, [8, 8]> w_m, tensor<fp16, [{}]> w_v = "
        "constexpr_sparse_blockwise_shift_scale(data_mask = {}, nonzero_data = {}, scale = {})"
        "[name = string(\"w_deq\")]",
        codes.size(), mask, dataText, scale));
    made(bundle, "constexpr_sparse_to_dense", "mask = w_m, nonzero_data = w_v");
}

void blockwise(MadeBundle &bundle, ElementType type, bool offset)
{
    codec::BlockwiseOptions options;
    options.codeType = type;
    options.block = 4;
    options.withOffset = offset;
    const auto weight = *codec::encodeBlockwise(values(false), kShape, options);
    std::string arguments = "data = " + blob(bundle, partOf(weight, codec::PartRole::Data));
    if (offset)
        arguments += ", offset = " + blob(bundle, partOf(weight, codec::PartRole::Offset));
    arguments += ", scale = " + blob(bundle, partOf(weight, codec::PartRole::Scale));
    made(bundle, "constexpr_blockwise_shift_scale", arguments);
}

/// A palette of int8 entries, then one scale a row.
void scaledPalette(MadeBundle &bundle)
{
    codec::PaletteOptions options;
    const auto weight = *codec::encodePalette(values(false), kShape, options);
    const std::string indices = blob(bundle, partOf(weight, codec::PartRole::Indices));
    std::vector<std::byte> entries;
    for (int i = 0; i < 16; ++i)
        entries.push_back(static_cast<std::byte>(4 * i - 30));
    const std::string lut = bundle.blob(ElementType::Int8, "[1, 1, 16, 1]", entries);
    bundle.line(fmt::format("tensor<int8, [8, 8]> w_pal = constexpr_lut_to_dense(indices = {}, lut "
                            "= {})[name = string(\"w_pal\")]",
                            indices, lut));
    const std::string scale = bundle.blob(
        ElementType::Fp16, "[8, 1]", halves({0.5f, 0.25f, 1.0f, 2.0f, 0.5f, 0.25f, 1.0f, 2.0f}));
    made(bundle, "constexpr_blockwise_shift_scale", "data = w_pal, scale = " + scale);
}

codec::PaletteOptions bits(unsigned width, std::uint64_t groups = 1, std::uint64_t vector = 1)
{
    codec::PaletteOptions options;
    options.bits = width;
    options.groups = groups;
    options.vector = vector;
    return options;
}

void writeWeight(MadeBundle &bundle, const std::string &name)
{
    if (name == "dense-fp16")
        dense(bundle, ElementType::Fp16);
    else if (name == "dense-fp32")
        dense(bundle, ElementType::Fp32);
    else if (name == "dense-bf16")
        dense(bundle, ElementType::Bf16);
    else if (name == "affine" || name == "affine-literal")
        affine(bundle, name == "affine-literal");
    else if (name == "lut4-grouped")
        palette(bundle, bits(4, 2), false);
    else if (name == "lut4-vector")
        palette(bundle, bits(4, 1, 2), false);
    else if (name == "lut2-old" || name == "lut4-old" || name == "lut6-old")
        palette(bundle, bits(unsigned(name[3] - '0')), true);
    else if (name.starts_with("lut") && name.size() == 4)
        palette(bundle, bits(unsigned(name[3] - '0')), false);
    else if (name == "sparse" || name == "sparse-old" || name == "sparse-named")
        sparse(bundle, name == "sparse-old", name == "sparse-named");
    else if (name == "sparse-lut4" || name == "sparse-lut3")
        sparsePalette(bundle, unsigned(name.back() - '0'));
    else if (name == "sparse-blockwise")
        sparseBlockwise(bundle);
    else if (name == "blockwise-int4")
        blockwise(bundle, ElementType::Int4, false);
    else if (name == "blockwise-uint4")
        blockwise(bundle, ElementType::Uint4, true);
    else if (name == "blockwise-int8")
        blockwise(bundle, ElementType::Int8, false);
    else
        scaledPalette(bundle);
}

} // namespace

const std::vector<SampleForm> &sampleForms()
{
    static const std::vector<SampleForm> forms{
        {"dense-fp16", "dense-fp16"},
        {"dense-fp32", "dense-fp32"},
        {"dense-bf16", "dense-bf16"},
        {"affine", "affine"},
        {"affine-literal", "affine"},
        {"lut1", "lut"},
        {"lut2", "lut"},
        {"lut3", "lut"},
        {"lut4", "lut"},
        {"lut6", "lut"},
        {"lut8", "lut"},
        {"lut2-old", "lut"},
        {"lut4-old", "lut"},
        {"lut6-old", "lut"},
        {"lut4-grouped", "lut"},
        {"lut4-vector", "lut", false, 2},
        {"sparse", "sparse", true},
        {"sparse-old", "sparse", true},
        {"sparse-named", "sparse", true},
        {"sparse-lut4", "sparse+lut", true},
        {"sparse-lut3", "sparse+lut", true},
        {"sparse-blockwise", "sparse+blockwise", true},
        {"blockwise-int4", "blockwise"},
        {"blockwise-uint4", "blockwise"},
        {"blockwise-int8", "blockwise"},
        {"blockwise-lut", "blockwise+lut"},
    };
    return forms;
}

MadeBundle sampleBundle(const std::string &name)
{
    MadeBundle bundle;
    bundle.parameters = "tensor<fp16, [1, 8]> x";
    writeWeight(bundle, name);
    bundle.consume("w");
    bundle.layer("behind", "[2, 8]",
                 halves({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}));
    return bundle;
}

std::vector<Bytes> contentOf(const Bundle &bundle)
{
    std::vector<Bytes> content;
    for (const BundleFile &file : bundle.files()) {
        const auto bytes = file.file->bytes();
        content.emplace_back(bytes.begin(), bytes.end());
    }
    return content;
}

} // namespace kernscope::test
