// SPDX-License-Identifier: GPL-3.0-or-later
// The layers that read a bundle's weights.
#include "core/assessment/weight_layers.h"

#include "core/assessment/consumer_kinds.h"
#include "core/assessment/shared_operations.h"
#include "core/assessment/zero_share.h"
#include "core/bundle/bundle.h"

#include <algorithm>
#include <functional>
#include <string>

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

/// The layer without the weight's form and its runs.
roofline::Layer bareLayer(const Weight &weight, std::size_t index, std::size_t consumer)
{
    const Consumer &reader = weight.consumers[consumer];
    roofline::Layer layer;
    layer.name = layerName(weight, consumer);
    layer.op = reader.op;
    layer.weight = index;
    layer.consumer = consumer;
    layer.param = reader.param;
    layer.flops = reader.layerFlops;
    layer.inputBytes = halfBytes(reader.geometry.input);
    layer.outputBytes = halfBytes(reader.geometry.output);
    layer.function = functionAddress(weight.model, weight.function);
    layer.model = weight.model;
    return layer;
}

/// The same for all layers of an operation; seldom for others.
std::size_t operationHash(const std::string &function, const Consumer &consumer)
{
    const std::hash<std::string> hash;
    return hash(function) ^ (hash(consumer.op) * 31) ^ (hash(consumer.name) * 1'000'003);
}

} // namespace

const std::string &layerName(const Weight &weight, std::size_t consumer)
{
    const std::string &reader = weight.consumers[consumer].name;
    return reader.empty() ? weight.name : reader;
}

LayerReader::LayerReader(const Bundle &bundle) : m_bundle(bundle), m_entries(*bundle.program())
{
    findFunctions();
    findShared(mayShare());
}

void LayerReader::findFunctions()
{
    const Weight *first = nullptr;
    for (const Weight &weight : m_bundle.weights()) {
        if (!std::any_of(weight.consumers.begin(), weight.consumers.end(), isLayer))
            continue;
        if (first == nullptr)
            first = &weight;
        m_several |= functionAddress(weight.model, weight.function) !=
                     functionAddress(first->model, first->function);
        if (m_several)
            return;
    }
}

/// Layers whose operation has another one, and some that only have its hash.
LayerReader::Places LayerReader::mayShare() const
{
    struct Reading {
        std::size_t hash, weight, consumer;
    };
    std::vector<Reading> readings;
    for (std::size_t i = 0; i < weights(); ++i) {
        const Weight &weight = m_bundle.weights()[i];
        const std::string function = functionAddress(weight.model, weight.function);
        for (std::size_t c = 0; c < weight.consumers.size(); ++c) {
            const Consumer &consumer = weight.consumers[c];
            if (isLayer(consumer) && !consumer.name.empty())
                readings.push_back({operationHash(function, consumer), i, c});
        }
    }
    std::sort(readings.begin(), readings.end(),
              [](const Reading &a, const Reading &b) { return a.hash < b.hash; });
    Places places;
    for (std::size_t i = 0; i < readings.size(); ++i) {
        const bool before = i > 0 && readings[i - 1].hash == readings[i].hash;
        const bool after = i + 1 < readings.size() && readings[i + 1].hash == readings[i].hash;
        if (before || after)
            places.emplace_back(readings[i].weight, readings[i].consumer);
    }
    std::sort(places.begin(), places.end()); // the first layer of an operation has its activations
    return places;
}

void LayerReader::findShared(const Places &places)
{
    std::vector<roofline::Layer> layers;
    layers.reserve(places.size());
    for (const auto &[weight, consumer] : places)
        layers.push_back(bareLayer(m_bundle.weights()[weight], weight, consumer));
    shareOperations(m_bundle, layers);
    for (const auto &place : places)
        m_shared[place].repeated = true;
    for (const roofline::Layer &layer : layers)
        m_shared[{layer.weight, layer.consumer}] = {layer.flops, layer.inputBytes,
                                                    layer.outputBytes, false};
}

decision::WeightForm LayerReader::form(std::size_t weight) const
{
    auto form = weightForm(m_bundle, m_bundle.weights()[weight], std::nullopt, &m_entries);
    readZerosBehindMask(m_bundle, weight, form);
    return form;
}

std::vector<roofline::Layer> LayerReader::layers(std::size_t index,
                                                 const decision::WeightForm &form) const
{
    const Weight &weight = m_bundle.weights()[index];
    std::vector<roofline::Layer> layers;
    for (std::size_t c = 0; c < weight.consumers.size(); ++c) {
        const Consumer &consumer = weight.consumers[c];
        if (!isLayer(consumer))
            continue;
        const auto shared = m_shared.find({index, c});
        if (shared != m_shared.end() && shared->second.repeated)
            continue;
        roofline::Layer &layer = layers.emplace_back(bareLayer(weight, index, c));
        if (shared != m_shared.end()) {
            layer.flops = shared->second.flops;
            layer.inputBytes = shared->second.inputBytes;
            layer.outputBytes = shared->second.outputBytes;
        }
        layer.operation = operationOf(weight, consumer, form);
        layer.form = form;
        layer.form.axes = channelAxes(weight, consumer);
        if (isGather(consumer))
            layer.shareRead = shareRead(weight, consumer);
        layer.runs = runsOf(m_entries, weight, consumer);
        layer.ofSeveral = m_several;
    }
    return layers;
}

WeightLayers LayerReader::at(std::size_t weight) const
{
    WeightLayers made;
    made.form = form(weight);
    made.all = layers(weight, made.form);
    if (const roofline::Layer *judged = heaviest(made.all)) {
        made.judged = *judged;
    } else {
        made.judged.weight = weight;
        made.judged.form = made.form;
    }
    return made;
}

std::vector<roofline::Layer> layersOf(const Bundle &bundle,
                                      std::span<const decision::WeightForm> forms)
{
    const LayerReader reader(bundle);
    std::vector<roofline::Layer> layers;
    for (std::size_t i = 0; i < reader.weights() && i < forms.size(); ++i) {
        for (roofline::Layer &layer : reader.layers(i, forms[i]))
            layers.push_back(std::move(layer));
    }
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

std::vector<ChannelAxes> judgedAxes(const Bundle &bundle)
{
    const LayerReader reader(bundle);
    std::vector<ChannelAxes> axes(reader.weights(), ChannelAxes{0, 1, 0, 1});
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const auto layers = reader.layers(i, decision::WeightForm()); // the form does not matter
        if (const roofline::Layer *judged = heaviest(layers))
            axes[i] = judged->form.axes;
    }
    return axes;
}

} // namespace kernscope
