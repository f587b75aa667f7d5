// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/bundle.h"
#include "core/codec/decode/decoder.h"
#include "core/codec/encode/form_spec.h"
#include "core/container/milblob/milblob.h"
#include "core/container/section/builder.h"
#include "core/numeric/half.h"
#include "core/patch/reencode/reencode.h"
#include "tests/fuzz/fuzz_check.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <vector>

using namespace kernscope;

namespace {

codec::FormSpec specFrom(fuzz::Choices &choices)
{
    constexpr std::array kNodes{FormNode::Dense, FormNode::Affine, FormNode::Palette,
                                FormNode::Sparse, FormNode::Blockwise};
    constexpr std::array kCodes{ElementType::Int8, ElementType::Uint8, ElementType::Int4,
                                ElementType::Uint4};
    constexpr std::array kEntries{ElementType::Fp16, ElementType::Int8, ElementType::Fp8E4M3Fn};
    codec::FormSpec spec;
    spec.node = choices.oneOf(kNodes);
    spec.survivors =
        choices.oneOf(std::array{FormNode::Dense, FormNode::Palette, FormNode::Blockwise});
    spec.method = static_cast<codec::EncodeMethod>(choices.below(2));
    spec.affine.codeType = choices.oneOf(kCodes);
    spec.affine.symmetric = choices.below(2) == 0;
    if (const auto axis = choices.below(5); axis < 4)
        spec.affine.axis = axis;
    else
        spec.affine.axis.reset();
    spec.palette.bits = choices.below(9);
    spec.palette.groups = 1 + choices.below(4);
    spec.palette.vector = 1 + choices.below(5);
    spec.palette.entryType = choices.oneOf(kEntries);
    spec.blockwise.codeType = choices.oneOf(kCodes);
    spec.blockwise.block = 1 + choices.below(8);
    spec.blockwise.axis = choices.below(5);
    spec.blockwise.withOffset = choices.below(2) == 1;
    switch (choices.below(4)) {
    case 1:
        spec.pattern = codec::SparsePattern{choices.below(6), choices.below(6), choices.below(5)};
        break;
    case 2: spec.density = choices.below(256) / 255.0; break;
    case 3: spec.threshold = halfToFloat(static_cast<std::uint16_t>(choices.take(2))); break;
    default: break;
    }
    return spec;
}

std::vector<std::uint16_t> halvesOf(const codec::Decoder &decoder)
{
    std::vector<std::uint16_t> halves(decoder.elements().value);
    decoder.decodeHalf(0, halves);
    return halves;
}

/// A compiled model whose one weight is dense.
BundlePtr bundleOf(const Shape &shape, ElementType type)
{
    milblob::Writer writer;
    const std::uint64_t bytes = elementCount(shape)->value * bitWidth(type) / 8;
    const auto at = writer.add(type, std::vector<std::byte>(bytes), 0).value;
    const std::string tensor =
        "tensor<" + std::string(elementTypeName(type)) + ", " + shapeText(shape) + ">";
    const std::string text =
        "program(1.3)\n{\nfunc main<ios18>(tensor<fp16, [1]> x) {\n" + tensor +
        " w = const()[name = string(\"w\"), val = " + tensor +
        "(BLOBFILE(path = string(\"@model_path/weights/weight.bin\"), offset = uint64(" +
        std::to_string(at) +
        ")))];\ntensor<fp16, [1]> y = conv(weight = w, x = x)[name = string(\"y\")];\n} -> "
        "(y);\n}";
    const auto program = std::as_bytes(std::span(text));
    const auto bundle =
        Bundle::open("x.mlmodelc", {.memory = {{"model.mil", {program.begin(), program.end()}},
                                               {"weights/weight.bin", writer.finish()}}});
    fuzz::require(bundle && (*bundle)->weights().size() == 1);
    return *bundle;
}

/// Written into a program and its weight file: what is read there again was compared.
void checkProgram(const codec::EncodedWeight &encoded)
{
    const auto made = reencodeWeight(*bundleOf(encoded.shape, encoded.type), 0, encoded);
    fuzz::require(made ? !hasErrors((*made)->diagnostics()) : made.error().code != "encode.verify");
}

/// Written into a weight section, if that has a place for the form: the same values.
void checkSection(const codec::Decoder &decoder, fuzz::Choices &choices)
{
    const Shape &shape = decoder.encoding().shape;
    section::BuildTarget target;
    target.name = "H13";
    target.cores = 1 + choices.below(16);
    section::BuildWeight weight;
    weight.name = "w";
    weight.decoder = &decoder;
    weight.geometry.outputs = shape[0];
    weight.geometry.inputs = shape[1];
    weight.geometry.height = shape[2];
    weight.geometry.width = shape[3];
    weight.mostLanes = 1U << choices.below(5);
    const auto bytes = section::buildSection(target, {weight});
    if (!bytes) {
        fuzz::require(bytes.error().code == "section.form");
        return;
    }
    const auto bundle = Bundle::open("x.ksec", {.memory = {{"x.ksec", *bytes}}});
    fuzz::require(bundle && !hasErrors((*bundle)->diagnostics()));
    const auto again = (*bundle)->decoder(0);
    fuzz::require(again && halvesOf(*again) == halvesOf(decoder));
}

} // namespace

/// Any values in any form: encoded soundly or refused; decoded as stored, also after they were
/// written into a program and into a weight section.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    fuzz::Choices choices(data, size);
    const codec::FormSpec spec = specFrom(choices);
    const auto type = choices.oneOf(std::array{ElementType::Fp16, ElementType::Fp32});
    const bool wide = choices.below(2) == 1;
    Shape shape;
    for (int axis = 0; axis < 4; ++axis)
        shape.push_back(1 + choices.below(6));
    std::vector<float> values(elementCount(shape)->value);
    for (float &value : values)
        value = wide ? std::bit_cast<float>(choices.take(4))
                     : halfToFloat(static_cast<std::uint16_t>(choices.take(2)));
    const auto encoded = codec::encodeForm(values, shape, spec, type);
    if (!encoded) {
        fuzz::require(encoded.error().code.starts_with("codec."));
        return 0;
    }
    const auto decoder = codec::Decoder::make(encoded->encoding());
    fuzz::require(decoder && decoder->elements().value == values.size());
    fuzz::require(decoder->verify().empty());
    if (spec.node == FormNode::Dense) {
        std::vector<float> decoded(values.size());
        decoder->decodeFloat(0, decoded);
        for (std::size_t i = 0; i < values.size(); ++i)
            fuzz::require(type == ElementType::Fp32
                              ? std::bit_cast<std::uint32_t>(decoded[i]) ==
                                    std::bit_cast<std::uint32_t>(values[i])
                              : floatToHalf(decoded[i]) == floatToHalf(values[i]));
    }
    checkProgram(*encoded);
    checkSection(*decoder, choices);
    return 0;
}
