// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan/section_build.h"

#include "core/assessment/weight_facts.h"
#include "core/base/text.h"
#include "core/bundle/bundle.h"

#include <list>

namespace kernscope::plan {

namespace {

/// Geometry alone. Errors: "section.build".
Result<lanes::WeightExtents> laneGeometry(const Weight &weight)
{
    const Shape &shape = weight.shape;
    constexpr std::size_t kMostAxes = 5;
    if (shape.empty() || shape.size() > kMostAxes) {
        return refused("section.build", weight.name, "one to five axes, the output channels first",
                       shapeText(shape), "The weight's shape cannot be dealt to cores");
    }
    lanes::WeightExtents geometry;
    geometry.outputs = shape[0];
    if (shape.size() > 1)
        geometry.inputs = shape[1];
    if (shape.size() > 2)
        geometry.width = shape.back();
    if (shape.size() > 3)
        geometry.height = shape[shape.size() - 2];
    if (shape.size() > 4)
        geometry.depth = shape[2];
    std::uint64_t groups = 1;
    if (!weight.consumers.empty())
        groups = weight.consumers.front().geometry.groups;
    groups = weight.dealing.groups.value_or(groups);
    if (groups > 1 && geometry.outputs % groups == 0)
        geometry.groups = groups;
    return geometry;
}

/// The law by the weight's consumer and groups.
lanes::Law laneLaw(const Weight &weight, const lanes::WeightExtents &geometry)
{
    const bool matmul =
        !weight.consumers.empty() && weight.sourceOp != "hwx" &&
        (weight.consumers.front().op == "linear" || weight.consumers.front().op == "matmul");
    return matmul ? lanes::Law::MatrixMultiply : lanes::lawOf(geometry);
}

/// Weights encoded anew for the section, and their decoders; addresses stay.
struct EncodedAnew {
    codec::EncodedWeight weight;
    std::optional<codec::Decoder> decoder;
};

ElementType entryType(const SectionOptions &options)
{
    return options.entries == "e4m3" ? ElementType::Fp8E4M3Fn
                                     : elementTypeFromName(options.entries);
}

Result<codec::Decoder> decoderFor(const Bundle &bundle, std::size_t index,
                                  const SectionOptions &options, std::list<EncodedAnew> &kept)
{
    auto decoder = bundle.decoder(index);
    if (!decoder || (options.form != "palette" && options.form != "affine"))
        return decoder;
    std::vector<float> values(decoder->elements().value);
    decoder->decodeFloat(0, values);
    const Shape &shape = bundle.weights()[index].shape;
    codec::PaletteOptions palette;
    palette.bits = options.bits;
    palette.vector = options.vector;
    palette.entryType = entryType(options);
    auto encoded = TRY(options.form == "palette" ? codec::encodePalette(values, shape, palette)
                                                 : codec::encodeAffine(values, shape, {}));
    EncodedAnew &place = kept.emplace_back();
    place.weight = std::move(encoded);
    return codec::Decoder::make(place.weight.encoding());
}

/// The form that a weight will have in the section, for the rules of the chip's encoder.
decision::WeightForm builtForm(const Bundle &bundle, std::size_t index,
                               const SectionOptions &options)
{
    decision::WeightForm form = weightForm(bundle, bundle.weights()[index]);
    if (options.form == "stored")
        return form;
    decision::WeightForm built;
    built.elements = form.elements;
    built.masked = options.form == "sparse";
    if (options.form == "palette") {
        built.node = FormNode::Palette;
        built.bits = options.bits;
        built.vectorSize = options.vector;
        built.element = entryType(options);
    } else if (options.form == "affine") {
        built.node = FormNode::Affine;
        built.bits = 8;
        built.element = ElementType::Int8;
    }
    return built;
}

struct Gathered {
    std::list<EncodedAnew> encoded;
    std::list<codec::Decoder> decoders;
    std::vector<section::BuildWeight> weights;
};

Result<void> gather(const Bundle &bundle, const std::vector<std::size_t> &chosen,
                    const SectionOptions &options, Gathered &out)
{
    for (const std::size_t index : chosen) {
        auto decoder = TRY(decoderFor(bundle, index, options, out.encoded));
        out.decoders.push_back(std::move(decoder));
        auto weight = TRY(sectionWeight(bundle, index, out.decoders.back()));
        if (options.form == "dense")
            weight.form = FormNode::Dense;
        if (options.form == "sparse")
            weight.form = FormNode::Sparse;
        // One lane deals channel c to core c mod cores, the chip's map (listing 20.2).
        weight.mostLanes = options.lanes != 0 ? options.lanes : 1;
        out.weights.push_back(std::move(weight));
    }
    return {};
}

Error notBack(const std::string &field, std::string expected, std::string found)
{
    return valueError("section.build", field, std::move(expected), std::move(found),
                      "The built section does not read back; nothing was written");
}

/// The section as our own reader has it, value by value against what it was made from: nothing is
/// written that does not read back.
Result<void> readsBack(const std::vector<std::byte> &bytes, const Gathered &gathered)
{
    OpenOptions memory;
    memory.memory = {{"built.ksec", bytes}};
    const auto built = TRY(Bundle::open("built.ksec", memory));
    for (const Diagnostic &fault : built->diagnostics()) {
        if (fault.severity == Severity::Error)
            return tl::unexpected(fault.error);
    }
    auto source = gathered.decoders.begin();
    for (std::size_t i = 0; i < gathered.weights.size(); ++i, ++source) {
        const std::string &name = gathered.weights[i].name;
        const auto index = built->weightByName(name);
        const auto stored =
            TRY(index ? built->decoder(*index) : tl::unexpected(notBack(name, name, "none")));
        constexpr std::uint64_t kBlock = 1 << 16;
        const std::uint64_t elements = source->elements().value;
        std::vector<std::uint16_t> wanted(std::min(kBlock, elements)), found(wanted.size());
        for (std::uint64_t at = 0; at < elements; at += kBlock) {
            const std::size_t count = std::min(kBlock, elements - at);
            source->decodeHalf(at, std::span(wanted).first(count));
            stored.decodeHalf(at, std::span(found).first(count));
            if (!std::equal(wanted.begin(), wanted.begin() + static_cast<std::ptrdiff_t>(count),
                            found.begin()))
                return tl::unexpected(notBack(name, "the values of the bundle", "others"));
        }
    }
    return {};
}

} // namespace

std::size_t biasOf(const Bundle &bundle, std::size_t weight)
{
    const auto &weights = bundle.weights();
    for (std::size_t i = weight + 1; i < weights.size(); ++i) { // it lies right behind, if any
        if (weights[i].role == WeightRole::Weight)
            break;
        if (weights[i].role == WeightRole::Bias && weights[i].beside == weight)
            return i;
    }
    return kNoIndex;
}

Result<section::BuildWeight> sectionWeight(const Bundle &bundle, std::size_t weight,
                                           const codec::Decoder &decoder)
{
    const Weight &source = bundle.weights()[weight];
    auto geometry = TRY(laneGeometry(source));
    section::BuildWeight build;
    build.name = source.name;
    build.decoder = &decoder;
    build.geometry = geometry;
    build.law = laneLaw(source, geometry);
    const std::size_t bias = biasOf(bundle, weight);
    if (bias == kNoIndex)
        return build;
    const auto values = TRY(bundle.decoder(bias));
    if (values.elements().value == geometry.outputs) {
        build.bias.resize(geometry.outputs);
        values.decodeHalf(0, build.bias);
    }
    return build;
}

std::vector<std::size_t> sectionWeights(const Bundle &bundle)
{
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < bundle.weights().size(); ++i) {
        const Weight &weight = bundle.weights()[i];
        if (!weight.fault && weight.role == WeightRole::Weight && !weight.shape.empty())
            all.push_back(i);
    }
    return all;
}

std::vector<std::pair<std::size_t, decision::Reason>>
sectionRefusals(const Bundle &bundle, const std::vector<std::size_t> &weights,
                const SectionOptions &options, const target::Target &target)
{
    std::vector<std::pair<std::size_t, decision::Reason>> refused;
    for (const std::size_t index : weights) {
        if (auto rule = decision::encoderRefusal(builtForm(bundle, index, options), target))
            refused.emplace_back(index, std::move(*rule));
    }
    return refused;
}

Result<BuiltSection> buildSection(const Bundle &bundle, const std::vector<std::size_t> &weights,
                                  const SectionOptions &options, const target::Target &target,
                                  const std::string &name)
{
    Gathered gathered;
    TRY(gather(bundle, weights, options, gathered));
    section::BuildTarget build;
    build.name = target.name;
    build.codegen = target.descriptorVersion.value_or(0);
    const auto cores = target::cores(target);
    build.cores = options.cores != 0 ? options.cores : cores->value.value_or(lanes::kEngines);
    build.sharedKernelMemory = target::sharesKernelMemory(target).value_or(true);
    auto bytes = TRY(section::buildSection(build, gathered.weights));
    TRY(readsBack(bytes, gathered));
    auto section = TRY(section::readSection(bytes, name));
    return BuiltSection{std::move(bytes), std::move(section)};
}

} // namespace kernscope::plan
