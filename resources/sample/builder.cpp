// SPDX-License-Identifier: GPL-3.0-or-later
#include "resources/sample/builder.h"

#include "core/codec/encode/encoder.h"
#include "core/container/milblob/milblob.h"

#include <bit>
#include <cstring>

#include <fmt/format.h>

namespace kernscope::sample {

namespace {

using codec::EncodedPart;
using codec::EncodedWeight;
using codec::PartRole;

constexpr std::size_t kSmallestBlob = 10; // elements; shorter constants are literals in the text

std::string tensorType(ElementType type, const Shape &shape)
{
    return fmt::format("tensor<{}, {}>", elementTypeName(type), shapeText(shape));
}

/// fp16 bits as the compiler writes them: a C hex float.
std::string hexFloat(std::uint16_t bits)
{
    const int exponent = (bits >> 10) & 31;
    const unsigned fraction = bits & 1023U;
    const std::string sign = (bits & 0x8000U) != 0 ? "-" : "";
    if (exponent == 0 && fraction == 0)
        return sign + "0x0p+0";
    if (exponent == 0)
        return fmt::format("{}0x{:x}p-24", sign, fraction);
    std::string digits = fmt::format("{:03x}", fraction << 2);
    while (!digits.empty() && digits.back() == '0')
        digits.pop_back();
    return fmt::format("{}0x1{}{}p{:+d}", sign, digits.empty() ? "" : ".", digits, exponent - 15);
}

Result<EncodedWeight> encode(const Layer &layer, Build form)
{
    if (form == Build::Sparse && layer.op == "conv" && layer.groups == 1)
        return codec::encodeSparseDensity(layer.weight, layer.shape, 0.4);
    if (form == Build::Palette) {
        codec::PaletteOptions options;
        options.bits = layer.groups > 1 ? 2 : 4;
        return codec::encodePalette(layer.weight, layer.shape, options);
    }
    return codec::encodeDense(layer.weight, layer.shape, ElementType::Fp16);
}

std::vector<std::byte> bytesOf(const std::string &text)
{
    std::vector<std::byte> bytes(text.size());
    std::memcpy(bytes.data(), text.data(), text.size());
    return bytes;
}

const char *nameOf(Build form)
{
    switch (form) {
    case Build::Dense: return "dense";
    case Build::Sparse: return "sparse";
    case Build::Palette: return "palette";
    }
    return "dense";
}

/// Writes statements and the blobs that they name.
class BundleWriter
{
public:
    Result<void> layer(const Layer &layer, Build form, const std::string &input)
    {
        const auto weightName = weight(layer, form);
        if (!weightName)
            return tl::unexpected(weightName.error());
        const auto bias = codec::encodeDense(layer.bias, {layer.bias.size()}, ElementType::Fp16);
        if (!bias)
            return tl::unexpected(bias.error());
        constant(layer.name + "_bias", bias->parts.front());

        std::string geometry;
        if (layer.op == "conv") {
            geometry = fmt::format("dilations = tensor<int32, [2]>([1, 1]), groups = int32({0}), "
                                   "pad = tensor<int32, [4]>([{1}, {1}, {1}, {1}]), "
                                   "pad_type = string(\"custom\"), "
                                   "strides = tensor<int32, [2]>([{2}, {2}]), ",
                                   layer.groups, layer.pad, layer.stride);
        }
        statement(
            fmt::format("{} {} = {}(bias = {}_bias, {}weight = {}, x = {})[name = string(\"{}\")]",
                        tensorType(ElementType::Fp16, layer.output), layer.name, layer.op,
                        layer.name, geometry, *weightName, input, layer.name));
        if (layer.relu) {
            statement(fmt::format("{0} {1}_relu = relu(x = {1})[name = string(\"{1}_relu\")]",
                                  tensorType(ElementType::Fp16, layer.output), layer.name));
        }
        return {};
    }

    void statement(const std::string &text) { m_text += "            " + text + ";\n"; }
    SampleBundle finish(const std::vector<Layer> &network, Build form) const
    {
        const std::string program = fmt::format(
            "program(1.3)\n"
            "[buildInfo = dict<string, string>({{{{\"generator\", \"kernscope sample\"}}}})]\n"
            "{{\n    func main<ios18>({} image) {{\n{}        }} -> ({});\n}}",
            tensorType(ElementType::Fp16, network.front().input), m_text, network.back().name);
        const std::string metadata = fmt::format(
            "[\n  {{\n    \"metadataOutputVersion\" : \"3.0\",\n    \"specificationVersion\" : 9,\n"
            "    \"userDefinedMetadata\" : {{\"kernscope.sample\" : \"{}\"}}\n  }}\n]\n",
            nameOf(form));
        SampleBundle bundle;
        bundle.name = fmt::format("sample-{}.mlmodelc", nameOf(form));
        bundle.files.emplace_back("metadata.json", bytesOf(metadata));
        bundle.files.emplace_back("model.mil", bytesOf(program));
        bundle.files.emplace_back("weights/weight.bin", m_blobs.finish());
        return bundle;
    }

private:
    Result<std::string> weight(const Layer &layer, Build form)
    {
        auto encoded = encode(layer, form);
        if (!encoded)
            return tl::unexpected(encoded.error());
        std::string name = layer.name + "_weight";
        if (encoded->parts.size() == 1) {
            constant(name, encoded->parts.front());
            return name;
        }
        const bool sparse = encoded->parts.front().role == PartRole::Mask;
        name += sparse ? "_sparsified" : "_palettized";
        std::string operands;
        for (const EncodedPart &part : encoded->parts) {
            operands += fmt::format("{}{} = {}", operands.empty() ? "" : ", ",
                                    codec::partRoleName(part.role), operand(part));
        }
        statement(fmt::format(
            "{} {} = {}({})[name = string(\"{}\")]", tensorType(ElementType::Fp16, layer.shape),
            name, sparse ? "constexpr_sparse_to_dense" : "constexpr_lut_to_dense", operands, name));
        return name;
    }

    std::string typeText(const EncodedPart &part) const
    {
        return tensorType(part.type, part.shape);
    }

    std::string operand(const EncodedPart &part)
    {
        if (part.type != ElementType::Fp16 || part.bytes.size() / 2 >= kSmallestBlob)
            return blob(part);
        std::string values;
        for (std::size_t i = 0; i < part.bytes.size(); i += 2) {
            const auto bits =
                static_cast<std::uint16_t>(std::to_integer<unsigned>(part.bytes[i]) |
                                           std::to_integer<unsigned>(part.bytes[i + 1]) << 8);
            values += (i == 0 ? "" : ", ") + hexFloat(bits);
        }
        return fmt::format("{}([{}])", typeText(part), values);
    }

    std::string blob(const EncodedPart &part)
    {
        const unsigned width = bitWidth(part.type);
        const std::uint64_t used = elementCount(part.shape)->value * width;
        const std::uint64_t padding = width < 8 ? part.bytes.size() * 8 - used : 0;
        const FileOffset at = m_blobs.add(part.type, part.bytes, padding);
        return fmt::format("{}(BLOBFILE(path = string(\"@model_path/weights/weight.bin\"), "
                           "offset = uint64({})))",
                           typeText(part), at.value);
    }

    void constant(const std::string &name, const EncodedPart &part)
    {
        statement(fmt::format("{} {} = const()[name = string(\"{}\"), val = {}]", typeText(part),
                              name, name, blob(part)));
    }

    milblob::Writer m_blobs;
    std::string m_text;
};

} // namespace

Result<SampleBundle> build(const std::vector<Layer> &network, Build form)
{
    BundleWriter writer;
    std::string value = "image";
    for (const Layer &layer : network) {
        if (layer.op == "linear") {
            // The head reads the mean over the picture.
            writer.statement(
                fmt::format("{} pooled = reduce_mean(axes = tensor<int32, [2]>([2, 3]), "
                            "keep_dims = bool(false), x = {})[name = string(\"pooled\")]",
                            tensorType(ElementType::Fp16, layer.input), value));
            value = "pooled";
        }
        if (auto written = writer.layer(layer, form, value); !written)
            return tl::unexpected(written.error());
        value = layer.relu ? layer.name + "_relu" : layer.name;
    }
    return writer.finish(network, form);
}

} // namespace kernscope::sample
