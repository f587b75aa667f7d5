// SPDX-License-Identifier: GPL-3.0-or-later
// The layers that read a bundle's weights.
#include "core/assessment/consumer_kinds.h"
#include "core/assessment/entries.h"
#include "core/assessment/shared_operations.h"
#include "core/assessment/weight_facts.h"

#include <algorithm>

namespace kernscope {

namespace {

std::optional<std::uint64_t> halfBytes(const std::optional<Shape> &shape)
{
    const auto count = shape ? elementCount(*shape) : std::nullopt;
    return count ? checkedMultiply(count->value, 2) : std::nullopt;
}

/// The share of a table's rows that a gather fetches: a row an index, all at most.
std::optional<double> shareRead(const Weight &weight, const Consumer &consumer)
{
    const auto output =
        consumer.geometry.output ? elementCount(*consumer.geometry.output) : std::nullopt;
    if (!output || weight.elements.value == 0)
        return std::nullopt;
    return std::min(1.0, static_cast<double>(output->value) /
                             static_cast<double>(weight.elements.value));
}

} // namespace

std::vector<roofline::Layer> layersOf(const Bundle &bundle,
                                      std::span<const decision::WeightForm> forms)
{
    std::vector<roofline::Layer> layers;
    const Entries entries(bundle.program());
    for (std::size_t i = 0; i < bundle.weights().size() && i < forms.size(); ++i) {
        const Weight &weight = bundle.weights()[i];
        const std::string function = functionAddress(weight.model, weight.function);
        for (std::size_t c = 0; c < weight.consumers.size(); ++c) {
            const Consumer &consumer = weight.consumers[c];
            if (!isLayer(consumer))
                continue;
            roofline::Layer layer;
            layer.name = consumer.name.empty() ? weight.name : consumer.name;
            layer.op = consumer.op;
            layer.weight = i;
            layer.consumer = c;
            layer.param = consumer.param;
            layer.flops = consumer.layerFlops;
            layer.inputBytes = halfBytes(consumer.geometry.input);
            layer.outputBytes = halfBytes(consumer.geometry.output);
            layer.operation = operationOf(weight, consumer, forms[i]);
            layer.form = forms[i];
            layer.form.axes = channelAxes(weight, consumer);
            if (isGather(consumer))
                layer.shareRead = shareRead(weight, consumer);
            layer.function = function;
            layer.model = weight.model;
            layer.runs = runsOf(entries, weight, consumer);
            layers.push_back(std::move(layer));
        }
    }
    shareOperations(bundle, layers);
    const bool several =
        std::any_of(layers.begin(), layers.end(), [&layers](const roofline::Layer &each) {
            return each.function != layers[0].function;
        });
    for (roofline::Layer &layer : layers)
        layer.ofSeveral = several;
    return layers;
}

const roofline::Layer *heaviest(std::span<const roofline::Layer> layers)
{
    const auto at = std::max_element(layers.begin(), layers.end(),
                                     [](const roofline::Layer &a, const roofline::Layer &b) {
                                         return a.flops && (!b.flops || *a.flops < *b.flops);
                                     });
    return at == layers.end() ? nullptr : &*at;
}

std::vector<WeightLayers> weightLayers(const Bundle &bundle)
{
    auto forms = weightForms(bundle);
    std::vector<WeightLayers> weights(forms.size());
    for (roofline::Layer &layer : layersOf(bundle, forms))
        weights[layer.weight].all.push_back(std::move(layer));
    for (std::size_t i = 0; i < forms.size(); ++i) {
        WeightLayers &weight = weights[i];
        if (const roofline::Layer *judged = heaviest(weight.all)) {
            weight.judged = *judged;
        } else {
            weight.judged.weight = i;
            weight.judged.form = forms[i];
        }
        weight.form = std::move(forms[i]);
    }
    return weights;
}

std::vector<ChannelAxes> judgedAxes(const Bundle &bundle)
{
    const auto layers = weightLayers(bundle);
    std::vector<ChannelAxes> axes(layers.size(), ChannelAxes{0, 1, 0, 1});
    for (std::size_t i = 0; i < layers.size(); ++i) {
        if (!layers[i].all.empty())
            axes[i] = layers[i].judged.form.axes;
    }
    return axes;
}

} // namespace kernscope
