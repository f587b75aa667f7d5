// SPDX-License-Identifier: GPL-3.0-or-later
// A layer as the multiply-accumulate array takes it.
#include "core/assessment/consumer_kinds.h"
#include "core/assessment/einsum.h"
#include "core/assessment/geometry_cycles.h"
#include "core/assessment/weight_facts.h"

#include <algorithm>
#include <span>

namespace kernscope {

namespace {

std::uint64_t at(const Shape &shape, std::size_t fromEnd)
{
    return fromEnd < shape.size() ? shape[shape.size() - 1 - fromEnd] : 1;
}

std::uint64_t number(std::span<const std::uint64_t> numbers, std::size_t fromEnd)
{
    return fromEnd < numbers.size() ? numbers[numbers.size() - 1 - fromEnd] : 1;
}

/// The share of the products that meet padding. Empty where an extent is not known, and of a
/// transposed convolution, whose arithmetic is counted without the places between its inputs.
std::optional<double> paddedZero(const ConsumerGeometry &geometry, const Shape &kernel,
                                 std::size_t spatial)
{
    if (!geometry.input || !geometry.output || geometry.input->size() != spatial + 2 ||
        geometry.output->size() != spatial + 2)
        return std::nullopt;
    const std::string type(geometry.padType);
    double inside = 1;
    for (std::size_t i = 0; i < spatial; ++i) {
        const std::size_t fromEnd = spatial - 1 - i;
        const std::uint64_t in = at(*geometry.input, fromEnd), out = at(*geometry.output, fromEnd);
        const std::uint64_t taps = at(kernel, fromEnd);
        const std::uint64_t stride = number(geometry.strides, fromEnd);
        const std::uint64_t dilation = number(geometry.dilations, fromEnd);
        std::uint64_t before = 0;
        if (type.starts_with("same"))
            before = decision::samePadding(in, out, taps, stride, dilation, type == "same_lower");
        else if (type != "valid" && geometry.pads.size() == 2 * spatial)
            before = geometry.pads[2 * i];
        const auto share = decision::insideShare(in, out, taps, stride, dilation, before);
        if (!share)
            return std::nullopt;
        inside *= *share;
    }
    return 1 - inside;
}

void describeConvolution(const Weight &weight, const Consumer &consumer,
                         decision::LayerOperation &operation)
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
    // A program that contradicts itself about its channels says nothing of the extents.
    operation.outputKnown = geometry.output && geometry.output->size() == shape.size() &&
                            (*geometry.output)[1] == operation.outputChannels;
    if (operation.outputKnown) {
        const Shape &output = *geometry.output;
        operation.batch = output[0];
        operation.outputWidth = spatial > 0 ? at(output, 0) : 1;
        operation.outputHeight = spatial > 1 ? at(output, 1) : 1;
        operation.outputDepth = spatial > 2 ? at(output, 2) : 1;
        if (!transposed)
            operation.paddedZero = paddedZero(geometry, shape, spatial);
    }
}

/// The channels of a linear or matmul that reads its weight through a transpose or its like, as its
/// output and its arithmetic tell them. False where they do not.
bool describeByOutput(const Consumer &consumer, decision::LayerOperation &operation)
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

void describeMatrix(const Weight &weight, const Consumer &consumer,
                    decision::LayerOperation &operation)
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
    if (consumer.op != "matmul" && weight.shape.size() > 2) { // a container's kernel of one place
        rows = weight.shape[0];
        columns = rows > 0 ? weight.elements.value / rows : 0;
        operation.outputChannels = rows;
        operation.inputChannels = columns;
    }
    if (consumer.op == "matmul" && weight.shape.size() == 1) { // all of a vector is summed over
        operation.outputChannels = 1;
        operation.inputChannels = columns;
    }
    // A recurrent layer makes its gates step by step, whatever it hands out: one pixel a step.
    const auto output = geometry.output ? elementCount(*geometry.output) : std::nullopt;
    const std::uint64_t values = output ? output->value : 0;
    if (isRecurrent(consumer) && consumer.layerFlops && weight.elements.value > 0)
        operation.outputWidth =
            std::max<std::uint64_t>(*consumer.layerFlops / 2 / weight.elements.value, 1);
    operation.outputKnown = isRecurrent(consumer) ? consumer.layerFlops.has_value()
                                                  : values > 0 && operation.outputChannels > 0 &&
                                                        values % operation.outputChannels ==
                                                            0; // else they contradict each other
    if (operation.outputKnown && !isRecurrent(consumer))
        operation.outputWidth = values / operation.outputChannels;
}

/// An einsum that is a product of matrices. False where it is none.
bool describeEinsum(const Weight &weight, const Consumer &consumer,
                    decision::LayerOperation &operation)
{
    const auto product = einsumProduct(weight, consumer);
    if (!product)
        return false;
    operation.inputChannels = product->inputChannels;
    operation.outputChannels = product->outputChannels;
    operation.outputKnown = product->pixels.has_value();
    operation.outputWidth = product->pixels.value_or(1);
    return true;
}

/// The product of an attention that its weight is part of: as matmul(query, key, transpose_y), or
/// of the weights of that with value. False where its extents are not known.
bool describeAttention(const Weight &weight, const Consumer &consumer,
                       decision::LayerOperation &operation)
{
    if (isReshaped(consumer) || weight.shape.size() < 2 || !consumer.layerFlops)
        return false;
    const std::uint64_t rows = at(weight.shape, 1), columns = at(weight.shape, 0);
    const bool value = consumer.param == "value";
    operation.outputChannels = value ? columns : rows;
    operation.inputChannels = value ? rows : columns;
    const auto channels = checkedMultiply(rows, columns);
    if (!channels || *channels == 0)
        return false;
    operation.outputWidth = *consumer.layerFlops / 2 / *channels;
    return true;
}

bool describeProduct(const Weight &weight, const Consumer &consumer,
                     decision::LayerOperation &operation)
{
    if (consumer.op == "einsum")
        return describeEinsum(weight, consumer, operation);
    if (isAttention(consumer))
        return describeAttention(weight, consumer, operation);
    if (!isRecurrent(consumer) && isReshaped(consumer))
        return describeByOutput(consumer, operation);
    describeMatrix(weight, consumer, operation);
    return true;
}

} // namespace

std::optional<decision::LayerOperation> operationOf(const Weight &weight, const Consumer &consumer,
                                                    const decision::WeightForm &form)
{
    if ((!hasKernel(consumer) && !isAttention(consumer)) || weight.shape.empty())
        return std::nullopt;
    decision::LayerOperation operation;
    if (isConvolution(consumer)) {
        // Which extents are the kernel's is known of a weight in its own shape only.
        if (weight.shape.size() < 2 || weight.shape.size() > 5 || isReshaped(consumer))
            return std::nullopt;
        const bool transposed = consumer.op == "conv_transpose";
        if (consumer.geometry.groups == 0 || weight.shape[transposed ? 1 : 0] == 0 ||
            (!transposed && weight.shape[0] % consumer.geometry.groups != 0))
            return std::nullopt; // no convolution: its groups do not divide its channels
        describeConvolution(weight, consumer, operation);
    } else if (!describeProduct(weight, consumer, operation)) {
        return std::nullopt;
    }
    const auto input =
        consumer.geometry.input ? elementCount(*consumer.geometry.input) : std::nullopt;
    operation.inputElements = input ? input->value : 0;
    const bool integer = form.hasChannelScales() || form.isBlocks();
    operation.weightBits = form.node == FormNode::Dense ? 16 : form.bits;
    operation.floatWeight = !integer;
    operation.kernelFormat = integer ? (form.element == ElementType::Uint8 ? 2U : 1U)
                             : form.element == ElementType::Fp8E4M3Fn ? 5U
                                                                      : 4U;
    operation.sparse = form.masked;
    operation.density = form.density;
    return operation;
}

} // namespace kernscope
