// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/weight_facts.h"

#include "core/assessment/entries.h"
#include "core/assessment/shared_operations.h"
#include "core/bundle/old_network.h"
#include "core/bundle/stored_bytes.h"

#include <algorithm>

namespace kernscope {

namespace {

using decision::WeightForm;

bool aboveOne(const std::vector<std::uint64_t> &numbers)
{
    return std::any_of(numbers.begin(), numbers.end(), [](std::uint64_t n) { return n > 1; });
}

bool isConvolution(const Consumer &consumer)
{
    return consumer.op == "conv" || consumer.op == "conv_transpose";
}

bool isRecurrent(const Consumer &consumer)
{
    return consumer.op == "lstm" || consumer.op == "gru" || consumer.op == "rnn";
}

bool isGather(const Consumer &consumer)
{
    return consumer.op.starts_with("gather");
}

bool hasKernel(const Consumer &consumer)
{
    if (isConvolution(consumer) || consumer.op == "linear")
        return consumer.param == "weight";
    if (isRecurrent(consumer))
        return consumer.param.starts_with("weight_");
    if (consumer.op == "einsum")
        return consumer.param == "values";
    return consumer.op == "matmul" && (consumer.param == "x" || consumer.param == "y");
}

bool isAttention(const Consumer &consumer)
{
    return consumer.op == "scaled_dot_product_attention" &&
           (consumer.param == "query" || consumer.param == "key" || consumer.param == "value");
}

/// Reads the weight as a layer of its own: with a kernel, as an attention does, or row by row as an
/// embedding does.
bool isLayer(const Consumer &consumer)
{
    return hasKernel(consumer) || isAttention(consumer) ||
           (isGather(consumer) && consumer.param == "x");
}

decision::WeightUse useOf(const Bundle &bundle, const Weight &weight)
{
    decision::WeightUse use;
    if (bundle.programFile() != kNoIndex)
        use.immutable = true; // constants of the program, all of them
    for (const Consumer &consumer : weight.consumers) {
        const bool kernel = hasKernel(consumer);
        use.kernel = use.kernel.value_or(true) && kernel;
        if (!kernel)
            continue;
        const bool convolution = isConvolution(consumer);
        const bool unit = !convolution || !aboveOne(consumer.geometry.strides);
        use.unitStride = use.unitStride.value_or(true) && unit;
        const bool dilated = convolution && aboveOne(consumer.geometry.dilations);
        use.dilated = use.dilated.value_or(false) || dilated;
    }
    return use;
}

/// Whether a zero point or offset holds anything but zeros. A huge one counts as not known to be.
bool hasZeroPoint(const Bundle &bundle, const Weight &weight)
{
    constexpr std::size_t kRead = 1 << 16;
    for (const codec::Operand &operand : weight.operands()) {
        if (operand.role != codec::PartRole::ZeroPoint && operand.role != codec::PartRole::Offset &&
            operand.role != codec::PartRole::Bias)
            continue;
        const auto bytes = bundle.operandBytes(operand);
        if (bytes.size() > kRead)
            return true;
        if (std::any_of(bytes.begin(), bytes.end(), [](std::byte b) { return b != std::byte{0}; }))
            return true;
    }
    return false;
}

std::uint64_t at(const Shape &shape, std::size_t fromEnd)
{
    return fromEnd < shape.size() ? shape[shape.size() - 1 - fromEnd] : 1;
}

std::uint64_t number(const std::vector<std::uint64_t> &numbers, std::size_t fromEnd)
{
    return fromEnd < numbers.size() ? numbers[numbers.size() - 1 - fromEnd] : 1;
}

void describeConvolution(const Weight &weight, const Consumer &consumer,
                         decision::Operation &operation)
{
    const Shape &shape = weight.shape;
    const ConsumerGeometry &geometry = consumer.geometry;
    const bool transposed = consumer.op == "conv_transpose";
    const std::size_t spatial = shape.size() - 2;
    operation.groups = std::max<std::uint64_t>(geometry.groups, 1);
    operation.inputChannels = shape[1];
    operation.outputChannels = shape[0];
    if (transposed) {
        operation.inputChannels = shape[0] / operation.groups;
        operation.outputChannels = checkedMultiply(shape[1], operation.groups).value_or(UINT64_MAX);
    }
    operation.kernelWidth = spatial > 0 ? at(shape, 0) : 1;
    operation.kernelHeight = spatial > 1 ? at(shape, 1) : 1;
    operation.kernelDepth = spatial > 2 ? at(shape, 2) : 1;
    operation.strideX = number(geometry.strides, 0);
    operation.strideY = number(geometry.strides, 1);
    operation.strideZ = number(geometry.strides, 2);
    operation.outputKnown = geometry.output && geometry.output->size() == shape.size();
    if (operation.outputKnown) {
        const Shape &output = *geometry.output;
        operation.batch = output[0];
        operation.outputWidth = spatial > 0 ? at(output, 0) : 1;
        operation.outputHeight = spatial > 1 ? at(output, 1) : 1;
        operation.outputDepth = spatial > 2 ? at(output, 2) : 1;
    }
}

/// Whether the operation reads the weight in another shape, or other order, than it is stored in.
bool isReshaped(const Consumer &consumer)
{
    return std::any_of(consumer.via.begin(), consumer.via.end(),
                       [](const std::string &op) { return op != "cast"; });
}

/// The channels of a linear or matmul that reads its weight through a transpose or its like, as its
/// output and its arithmetic tell them. False where they do not.
bool describeByOutput(const Consumer &consumer, decision::Operation &operation)
{
    const auto &output = consumer.geometry.output;
    const bool first = consumer.op == "matmul" && consumer.param == "x";
    const auto count = output ? elementCount(*output) : std::nullopt;
    if (!count || count->value == 0 || output->empty() || !consumer.layerFlops)
        return false;
    // A product with a vector has an extent less. Where the weight is the vector, every output
    // value is a pixel of one channel.
    const auto &other = consumer.geometry.input;
    const bool withVector = consumer.op == "matmul" && other && output->size() < other->size();
    const bool ofVector = consumer.op == "matmul" && other && other->size() == 1;
    if (output->size() < 2 && !withVector && !ofVector)
        return false;
    operation.outputChannels = withVector ? 1 : at(*output, first && !ofVector ? 1 : 0);
    operation.inputChannels = std::max<std::uint64_t>(*consumer.layerFlops / 2 / count->value, 1);
    operation.outputWidth = count->value / operation.outputChannels;
    return true;
}

void describeMatrix(const Weight &weight, const Consumer &consumer, decision::Operation &operation)
{
    const ConsumerGeometry &geometry = consumer.geometry;
    std::uint64_t rows = at(weight.shape, 1), columns = at(weight.shape, 0);
    // linear: [outputs, inputs]. matmul: y is [inputs, outputs], x [outputs, inputs]; transposed,
    // the other way round.
    bool outputsFirst = consumer.op == "linear" || isRecurrent(consumer);
    if (consumer.op == "matmul")
        outputsFirst = consumer.param == "x" ? !geometry.transposeX : geometry.transposeY;
    operation.outputChannels = outputsFirst ? rows : columns;
    operation.inputChannels = outputsFirst ? columns : rows;
    if (consumer.op == "matmul" && weight.shape.size() == 1) { // all of a vector is summed over
        operation.outputChannels = 1;
        operation.inputChannels = columns;
    }
    // A recurrent layer makes its gates step by step, whatever it hands out: one pixel a step.
    const auto output = geometry.output ? elementCount(*geometry.output) : std::nullopt;
    if (isRecurrent(consumer) && consumer.layerFlops && weight.elements.value > 0)
        operation.outputWidth =
            std::max<std::uint64_t>(*consumer.layerFlops / 2 / weight.elements.value, 1);
    else if (output && operation.outputChannels > 0)
        operation.outputWidth =
            std::max<std::uint64_t>(output->value / operation.outputChannels, 1);
    operation.outputKnown =
        isRecurrent(consumer) ? consumer.layerFlops.has_value() : output.has_value();
}

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

/// Why an operation that reads a weight is no layer.
std::string unassessedReason(const Consumer &consumer)
{
    const std::string op = consumer.op + "." + consumer.param;
    if (consumer.param == "bias")
        return op + ": added to the output of its layer, one value a channel";
    return op + ": no multiplication by the weight is known of this operation";
}

} // namespace

ChannelAxes channelAxes(const Weight &weight, const Consumer &consumer)
{
    const std::size_t rank = weight.shape.size();
    if (rank < 2)
        return {};
    if (consumer.op == "conv_transpose")
        return {1, 0, 0, consumer.geometry.groups};
    if (consumer.op != "matmul")
        return {0, 1};
    const bool outputsFirst =
        consumer.param == "x" ? !consumer.geometry.transposeX : consumer.geometry.transposeY;
    return outputsFirst ? ChannelAxes{rank - 2, rank - 1, rank - 2, 1}
                        : ChannelAxes{rank - 1, rank - 2, rank - 2, 1};
}

std::vector<Unassessed> unassessedWeights(const Bundle &bundle)
{
    std::vector<Unassessed> rest;
    for (std::size_t i = 0; i < bundle.weights().size(); ++i) {
        const Weight &weight = bundle.weights()[i];
        const auto &consumers = weight.consumers;
        if (std::any_of(consumers.begin(), consumers.end(), isLayer))
            continue;
        rest.push_back({i, isOfOldNetwork(weight) ? std::string(kOldNetworkReason)
                           : consumers.empty()    ? "no operation of the bundle reads it"
                                                  : unassessedReason(consumers.front())});
    }
    return rest;
}

decision::WeightForm weightForm(const Bundle &bundle, const Weight &weight,
                                std::optional<double> zeroFraction)
{
    WeightForm form;
    describeStorage(weight, form);
    form.use = useOf(bundle, weight);
    form.zeroPoint = hasZeroPoint(bundle, weight);
    form.shape = weight.shape;
    form.wide = weight.type == ElementType::Fp32;
    form.elements = weight.elements.value;
    const auto stored = knownStoredBytes(weight);
    form.storedBytes = stored ? std::optional(stored->value) : std::nullopt;
    form.denseBytes = weight.denseFp16Bytes().value;
    if (zeroFraction)
        form.density = 1 - *zeroFraction;
    const codec::Operand *kept = weight.operand(codec::PartRole::NonzeroData);
    const auto survivors = kept ? elementCount(kept->declaredShape()) : std::nullopt;
    if (form.masked && survivors && form.elements > 0)
        form.density = std::min(1.0, static_cast<double>(survivors->value) /
                                         static_cast<double>(form.elements));
    return form;
}

std::vector<decision::WeightForm> weightForms(const Bundle &bundle)
{
    std::vector<WeightForm> forms;
    forms.reserve(bundle.weights().size());
    for (const Weight &weight : bundle.weights())
        forms.push_back(weightForm(bundle, weight));
    return forms;
}

std::optional<decision::Operation> operationOf(const Weight &weight, const Consumer &consumer,
                                               const decision::WeightForm &form)
{
    // Of einsum, output channels and reduction depend on the equation: no operation of the array.
    if (!hasKernel(consumer) || weight.shape.empty() || consumer.op == "einsum")
        return std::nullopt;
    decision::Operation operation;
    if (isConvolution(consumer)) {
        // Which extents are the kernel's is known of a weight in its own shape only.
        if (weight.shape.size() < 2 || weight.shape.size() > 5 || isReshaped(consumer))
            return std::nullopt;
        const bool transposed = consumer.op == "conv_transpose";
        if (consumer.geometry.groups == 0 || weight.shape[transposed ? 1 : 0] == 0 ||
            (!transposed && weight.shape[0] % consumer.geometry.groups != 0))
            return std::nullopt; // no convolution: its groups do not divide its channels
        describeConvolution(weight, consumer, operation);
    } else if (!isRecurrent(consumer) && isReshaped(consumer)) {
        if (!describeByOutput(consumer, operation))
            return std::nullopt;
    } else {
        describeMatrix(weight, consumer, operation);
    }
    const auto input =
        consumer.geometry.input ? elementCount(*consumer.geometry.input) : std::nullopt;
    operation.inputElements = input ? input->value : 0;
    const bool integer = form.node == FormNode::Affine || form.isBlocks();
    operation.weightBits = form.node == FormNode::Dense ? 16 : form.bits;
    operation.floatWeight = !integer;
    operation.kernelFormat = integer ? (form.element == ElementType::Uint8 ? 2U : 1U)
                             : form.element == ElementType::Fp8E4M3Fn ? 5U
                                                                      : 4U;
    operation.sparse = form.masked;
    operation.density = form.density;
    return operation;
}

std::vector<roofline::Layer> layersOf(const Bundle &bundle,
                                      std::span<const decision::WeightForm> forms)
{
    std::vector<roofline::Layer> layers;
    const Entries entries(bundle.program());
    for (std::size_t i = 0; i < bundle.weights().size() && i < forms.size(); ++i) {
        const Weight &weight = bundle.weights()[i];
        const std::string function = functionAddress(weight.model, weight.function);
        const std::vector<roofline::Run> runs = entries.runsOf(weight.model, weight.function);
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
            layer.runs = runs;
            const std::string &selected = consumer.backends.selected;
            for (roofline::Run &run : layer.runs) {
                // What a call launches is on the call's backend; else the operation's own counts.
                if (run.backend.empty() && !selected.empty())
                    run.backend = selected == roofline::kEngineBackend ? std::string() : selected;
                if (consumer.geometry.insideLoop)
                    run.times.reset();
            }
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
