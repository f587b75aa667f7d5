// SPDX-License-Identifier: GPL-3.0-or-later
// Writes the embedded samples as a C++ source: generate OUT.cpp BASE.mlirb
#include "core/base/error_builder.h"
#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/codec/encode/form_spec.h"
#include "core/container/milblob/milblob.h"
#include "core/patch/reencode/reencode.h"
#include "resources/sample.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <numbers>

#include <fmt/format.h>

namespace kernscope::sample {

namespace {

/// One layer of the sample network, with the values that all builds approximate.
struct Layer {
    std::string name; ///< "conv1"
    std::string op;   ///< "conv" or "linear"
    Shape shape;      ///< OIHW, or [Dout, Din]
    Shape input, output;
    std::uint64_t stride = 1, pad = 0, groups = 1;
    std::vector<float> weight, bias;
    bool relu = true;
};

/// SplitMix64: the same numbers from every compiler and library.
class Noise
{
public:
    explicit Noise(std::uint64_t seed) : m_state(seed) {}

    double uniform()
    {
        m_state += 0x9E3779B97F4A7C15ULL;
        std::uint64_t z = m_state;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
        return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
    }

    /// Sum of twelve uniforms: close to normal, and exact arithmetic everywhere.
    double normal()
    {
        double sum = -6.0;
        for (int i = 0; i < 12; ++i)
            sum += uniform();
        return sum;
    }

private:
    std::uint64_t m_state;
};

/// Rounds to 8 significant bits: exact in fp16 for the magnitudes used here, and never zero.
float rounded(double value)
{
    if (std::abs(value) < 0x1p-10)
        return value < 0 ? -0x1p-10F : 0x1p-10F;
    int exponent = 0;
    const double mantissa = std::frexp(value, &exponent);
    return static_cast<float>(std::ldexp(std::nearbyint(mantissa * 256.0), exponent - 8));
}

/// Wave of one orientation under a soft window, as first layers learn them.
double edge(double angle, double phase, double x, double y)
{
    const double along = x * std::cos(angle) + y * std::sin(angle);
    return std::exp(-0.35 * (x * x + y * y)) * std::cos(1.7 * along + phase);
}

std::vector<float> edgeFilters(const Shape &shape, Noise &noise)
{
    std::vector<float> values;
    const double middle = (static_cast<double>(shape[3]) - 1.0) / 2.0;
    for (std::uint64_t o = 0; o < shape[0]; ++o) {
        const double angle =
            std::numbers::pi * static_cast<double>(o) / static_cast<double>(shape[0]);
        const double phase = o % 2 == 0 ? 0.0 : std::numbers::pi / 2.0;
        for (std::uint64_t i = 0; i < shape[1]; ++i) {
            const double gain = 0.30 - 0.08 * static_cast<double>(i);
            for (std::uint64_t y = 0; y < shape[2]; ++y) {
                for (std::uint64_t x = 0; x < shape[3]; ++x) {
                    const double value = gain * edge(angle, phase, static_cast<double>(x) - middle,
                                                     static_cast<double>(y) - middle);
                    values.push_back(rounded(value + 0.01 * noise.normal()));
                }
            }
        }
    }
    return values;
}

/// Normal values whose size differs from channel to channel, with a few strong ones.
std::vector<float> trained(const Shape &shape, Noise &noise)
{
    const std::uint64_t count = elementCount(shape)->value;
    const std::uint64_t fan = count / shape[0];
    std::vector<float> values;
    values.reserve(count);
    for (std::uint64_t o = 0; o < shape[0]; ++o) {
        const double size =
            std::sqrt(2.0 / static_cast<double>(fan)) * (0.6 + 0.8 * noise.uniform());
        for (std::uint64_t i = 0; i < fan; ++i) {
            const double strong = noise.uniform() < 0.04 ? 2.5 : 1.0;
            values.push_back(rounded(size * strong * noise.normal()));
        }
    }
    return values;
}

std::vector<float> biases(std::uint64_t count, Noise &noise)
{
    std::vector<float> values(count);
    std::generate(values.begin(), values.end(), [&] { return rounded(0.05 * noise.normal()); });
    return values;
}

/// A small image classifier, always the same: edge filters that a person recognises in the heat
/// map, a depthwise layer, a wider convolution and a linear head. Values are exact in fp16.
std::vector<Layer> makeNetwork()
{
    Noise noise(2024);
    std::vector<Layer> layers{
        {"conv1", "conv", {32, 3, 5, 5}, {1, 3, 64, 64}, {1, 32, 32, 32}, 2, 2, 1, {}, {}, true},
        {"depthwise",
         "conv",
         {32, 1, 3, 3},
         {1, 32, 32, 32},
         {1, 32, 32, 32},
         1,
         1,
         32,
         {},
         {},
         true},
        {"conv2", "conv", {64, 32, 3, 3}, {1, 32, 32, 32}, {1, 64, 16, 16}, 2, 1, 1, {}, {}, true},
        {"conv3", "conv", {96, 64, 1, 1}, {1, 64, 16, 16}, {1, 96, 16, 16}, 1, 0, 1, {}, {}, true},
        {"head", "linear", {40, 96}, {1, 96}, {1, 40}, 1, 0, 1, {}, {}, false},
    };
    for (Layer &layer : layers) {
        layer.weight =
            layer.name == "conv1" ? edgeFilters(layer.shape, noise) : trained(layer.shape, noise);
        layer.bias = biases(layer.shape[0], noise);
    }
    return layers;
}

/// [in, out] of [out, in, …], as the matrix product reads it.
std::vector<float> turned(const Layer &layer)
{
    const std::size_t outputs = layer.shape[0], inputs = layer.weight.size() / outputs;
    std::vector<float> values(layer.weight.size());
    for (std::size_t o = 0; o < outputs; ++o) {
        for (std::size_t i = 0; i < inputs; ++i)
            values[i * outputs + o] = layer.weight[o * inputs + i];
    }
    return values;
}

codec::FormSpec formOf(std::size_t layer)
{
    codec::FormSpec form;
    if (layer == 0) {
        form.node = FormNode::Palette;
        form.palette = {4, 1, 1};
    } else if (layer == 1) {
        form.node = FormNode::Sparse;
        form.density = 0.5;
    } else {
        form.node = FormNode::Affine;
    }
    return form;
}

/// The last layers of the network as a Core AI package: indices of 4 bits into a codebook, half of
/// the weights left out, and int8 with a scale for each row. `module`: main.mlirb of three linear
/// layers whose weights are one number each (base.mlirb); the project's own writer gives them
/// their values and forms.
Result<SampleBundle> buildCoreAi(const std::vector<Layer> &network,
                                 std::span<const std::byte> module)
{
    const std::string name = "sample-coreai.aimodel";
    const std::string_view metadata =
        R"({"assetVersion" : "2.0", "producer" : "Kernscope", "description" : )"
        R"("The last layers of the sample network", "author" : "Kernscope", "license" : "GPL-3.0-or-later"})";
    const auto text = std::as_bytes(std::span(metadata));
    OpenOptions options;
    options.memory = {{"main.hash", std::vector<std::byte>(32)},
                      {"main.mlirb", {module.begin(), module.end()}},
                      {"metadata.json", {text.begin(), text.end()}}};
    const auto bundle = TRY(Bundle::open(name, options));
    const std::vector<std::string> layers{"conv2", "conv3", "head"};
    std::vector<codec::EncodedWeight> encoded;
    std::vector<Reencoding> weights;
    encoded.reserve(2 * layers.size());
    for (std::size_t i = 0; i < layers.size(); ++i) {
        const auto layer = std::find_if(network.begin(), network.end(),
                                        [&](const Layer &each) { return each.name == layers[i]; });
        for (const bool bias : {false, true}) {
            const std::string wanted = "fc" + std::to_string(i + 1) + (bias ? ".bias" : ".weight");
            const auto index = bundle->weightByName(wanted);
            if (!index)
                return refused("sample", wanted, "a weight of the base module", "none",
                               "The base of the sample has another network");
            encoded.push_back(TRY(codec::encodeForm(bias ? layer->bias : turned(*layer),
                                                    bundle->weights()[*index].shape,
                                                    bias ? codec::FormSpec() : formOf(i))));
            weights.push_back({*index, &encoded.back()});
        }
    }
    const auto made = TRY(reencodeWeights(*bundle, weights));
    SampleBundle sample{name, {}};
    for (const BundleFile &file : made->files()) {
        const auto bytes = file.file->bytes();
        sample.files.emplace_back(file.path, std::vector<std::byte>(bytes.begin(), bytes.end()));
    }
    return sample;
}

enum class Build { Dense, Sparse, Palette };

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
        const std::string weightName = TRY(weight(layer, form));
        const auto bias =
            TRY(codec::encodeDense(layer.bias, {layer.bias.size()}, ElementType::Fp16));
        constant(layer.name + "_bias", bias.parts.front());

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
                        layer.name, geometry, weightName, input, layer.name));
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
        auto encoded = TRY(encode(layer, form));
        std::string name = layer.name + "_weight";
        if (encoded.parts.size() == 1) {
            constant(name, encoded.parts.front());
            return name;
        }
        const bool sparse = encoded.parts.front().role == PartRole::Mask;
        name += sparse ? "_sparsified" : "_palettized";
        std::string operands;
        for (const EncodedPart &part : encoded.parts) {
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

/// Writes the network as a compiled bundle: model.mil (iOS 18), weights/weight.bin, metadata.json.
/// Sparse: the convolutions lose the smaller 60 % of their values, the others stay exact.
/// Palette: 4-bit codebooks, the depthwise layer 2 bits (its codebook is then a literal).
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
        TRY(writer.layer(layer, form, value));
        value = layer.relu ? layer.name + "_relu" : layer.name;
    }
    return writer.finish(network, form);
}

void writeArray(std::ostream &out, const std::string &name, const std::vector<std::byte> &bytes)
{
    out << "const unsigned char " << name << "[] = {";
    for (std::size_t i = 0; i < bytes.size(); ++i)
        out << (i % 24 == 0 ? "\n" : "") << std::to_integer<int>(bytes[i]) << ',';
    out << "\n};\n";
}

void writeSource(std::ostream &out, const std::vector<SampleBundle> &bundles)
{
    out << "// Made by resources/sample/generate.cpp.\n#include \"resources/sample.h\"\n"
           "#include <span>\n#include <utility>\n\nnamespace {\n";
    for (std::size_t b = 0; b < bundles.size(); ++b) {
        for (std::size_t f = 0; f < bundles[b].files.size(); ++f)
            writeArray(out, fmt::format("kFile{}_{}", b, f), bundles[b].files[f].second);
    }
    out << "std::vector<std::byte> copy(std::span<const unsigned char> from)\n"
           "{\n    const auto bytes = std::as_bytes(from);\n"
           "    return {bytes.begin(), bytes.end()};\n}\n} // namespace\n\n"
           "namespace kernscope::sample {\nstatic std::vector<SampleBundle> all()\n{\n"
           "    std::vector<SampleBundle> all;\n";
    for (std::size_t b = 0; b < bundles.size(); ++b) {
        out << fmt::format("    all.push_back({{\"{}\", {{}}}});\n", bundles[b].name);
        for (std::size_t f = 0; f < bundles[b].files.size(); ++f) {
            out << fmt::format("    all.back().files.emplace_back(\"{}\", copy(kFile{}_{}));\n",
                               bundles[b].files[f].first, b, f);
        }
    }
    out << "    return all;\n}\n"
           "std::vector<SampleBundle> bundles()\n{\n"
           "    auto builds = all();\n    builds.pop_back();\n    return builds;\n}\n"
           "SampleBundle coreAi()\n{\n    return std::move(all().back());\n}\n"
           "} // namespace kernscope::sample\n";
}

} // namespace

} // namespace kernscope::sample

int main(int argc, char **argv)
{
    using namespace kernscope::sample;
    if (argc != 3) {
        std::fputs("usage: generate OUT.cpp BASE.mlirb\n", stderr);
        return 2;
    }
    const auto network = makeNetwork();
    std::vector<SampleBundle> bundles;
    for (const Build form : {Build::Dense, Build::Sparse, Build::Palette}) {
        auto bundle = build(network, form);
        if (!bundle) {
            fmt::print(stderr, "{}\n", kernscope::describe(bundle.error()));
            return 1;
        }
        bundles.push_back(std::move(*bundle));
    }
    const auto base = kernscope::readSmallFile(argv[2], 1 << 20);
    auto coreAi = base ? buildCoreAi(network, std::as_bytes(std::span(*base)))
                       : kernscope::Result<SampleBundle>(tl::unexpected(base.error()));
    if (!coreAi) {
        fmt::print(stderr, "{}\n", kernscope::describe(coreAi.error()));
        return 1;
    }
    bundles.push_back(std::move(*coreAi));
    std::ofstream out(argv[1], std::ios::binary);
    writeSource(out, bundles);
    out.close();
    return out ? 0 : 1;
}
