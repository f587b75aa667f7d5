// SPDX-License-Identifier: GPL-3.0-or-later
#include "resources/sample/core_ai.h"

#include "core/base/error_builder.h"
#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/codec/encode/form_spec.h"
#include "core/patch/reencode/reencode.h"

#include <algorithm>

namespace kernscope::sample {

namespace {

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

} // namespace

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
    auto bundle = Bundle::open(name, options);
    if (!bundle)
        return tl::unexpected(std::move(bundle.error()));
    const std::vector<std::string> layers{"conv2", "conv3", "head"};
    std::vector<codec::EncodedWeight> encoded;
    std::vector<Reencoding> weights;
    encoded.reserve(2 * layers.size());
    for (std::size_t i = 0; i < layers.size(); ++i) {
        const auto layer = std::find_if(network.begin(), network.end(),
                                        [&](const Layer &each) { return each.name == layers[i]; });
        for (const bool bias : {false, true}) {
            const std::string wanted = "fc" + std::to_string(i + 1) + (bias ? ".bias" : ".weight");
            const auto index = (*bundle)->weightByName(wanted);
            if (!index)
                return refused("sample", wanted, "a weight of the base module", "none",
                               "The base of the sample has another network");
            auto form = codec::encodeForm(bias ? layer->bias : turned(*layer),
                                          (*bundle)->weights()[*index].shape,
                                          bias ? codec::FormSpec() : formOf(i));
            if (!form)
                return tl::unexpected(std::move(form.error()));
            encoded.push_back(std::move(*form));
            weights.push_back({*index, &encoded.back()});
        }
    }
    const auto made = reencodeWeights(**bundle, weights);
    if (!made)
        return tl::unexpected(made.error());
    SampleBundle sample{name, {}};
    for (const BundleFile &file : (*made)->files()) {
        const auto bytes = file.file->bytes();
        sample.files.emplace_back(file.path, std::vector<std::byte>(bytes.begin(), bytes.end()));
    }
    return sample;
}

} // namespace kernscope::sample
