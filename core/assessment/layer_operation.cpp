// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/consumer_kinds.h"
#include "core/assessment/geometry.h"
#include "core/assessment/weight_facts.h"
#include "core/base/quantity.h"

#include <algorithm>
#include <map>

namespace kernscope {

namespace {

using Extents = std::map<char, std::uint64_t>;

bool has(std::string_view letters, char letter)
{
    return letters.find(letter) != std::string_view::npos;
}

bool repeats(std::string letters)
{
    std::ranges::sort(letters);
    return std::ranges::adjacent_find(letters) != letters.end();
}

/// Adds the extents of an operand or the output. One of 1 gives way, as it is broadcast.
void addExtents(const std::string &letters, const std::optional<Shape> &shape, Extents &extents)
{
    if (!shape || shape->size() != letters.size())
        return;
    for (std::size_t i = 0; i < letters.size(); ++i) {
        auto &extent = extents.try_emplace(letters[i], 1).first->second;
        extent = std::max(extent, (*shape)[i]);
    }
}

std::optional<std::uint64_t> extentProduct(std::string_view letters, const Extents &extents)
{
    std::optional<std::uint64_t> result = 1;
    for (const char letter : letters) {
        const auto found = extents.find(letter);
        result = result && found != extents.end() ? checkedMultiply(*result, found->second)
                                                  : std::nullopt;
    }
    return result;
}

/// The letters of an einsum's equation: those of each operand, and of the output.
struct Equation {
    std::vector<std::string> operands;
    std::string output;
};
/// Nothing where the text has no arrow.
std::optional<Equation> equationOf(std::string_view text)
{
    std::string letters(text);
    std::erase(letters, ' ');
    const std::size_t arrow = letters.find("->");
    if (arrow == std::string::npos)
        return std::nullopt;
    Equation equation;
    equation.output = letters.substr(arrow + 2);
    letters.resize(arrow);
    for (std::size_t at = 0; at <= letters.size();) {
        const std::size_t comma = std::min(letters.find(',', at), letters.size());
        equation.operands.push_back(letters.substr(at, comma - at));
        at = comma + 1;
    }
    return equation;
}

/// An einsum of two operands as a product of matrices, by the letters of the one that is the
/// weight.
struct EquationRoles {
    std::string batches; ///< of both operands and the output: products apart
    std::string outputs; ///< of the weight and the output: its output channels
    std::string summed;  ///< of both, not of the output: its input channels
    std::string pixels;  ///< of the other operand and the output
};
/// Nothing where the equation is no product of matrices: not two operands, a letter twice in an
/// operand, a letter of one operand alone that is summed over, or none that both sum over.
std::optional<EquationRoles> equationRoles(const Equation &equation, std::size_t weight)
{
    if (equation.operands.size() != 2 || weight > 1)
        return std::nullopt;
    const std::string &own = equation.operands[weight], &other = equation.operands[1 - weight];
    if (repeats(own) || repeats(other) || repeats(equation.output))
        return std::nullopt;
    EquationRoles roles;
    for (const char letter : own) {
        const bool shared = has(other, letter), made = has(equation.output, letter);
        if (!shared && !made)
            return std::nullopt;
        (shared && made ? roles.batches : shared ? roles.summed : roles.outputs) += letter;
    }
    for (const char letter : other) {
        if (has(own, letter))
            continue;
        if (!has(equation.output, letter))
            return std::nullopt;
        roles.pixels += letter;
    }
    return roles.summed.empty() ? std::nullopt : std::optional(std::move(roles));
}

/// Channels of the einsum that reads the weight, and how many values each output channel has in
/// all products together.
struct EinsumProduct {
    std::uint64_t inputChannels = 1, outputChannels = 1;
    std::optional<std::uint64_t> pixels; ///< empty: an extent is not known
};
/// Nothing where it is no product of matrices, or an extent of the weight's channels is not known.
std::optional<EinsumProduct> einsumProduct(const Weight &weight, const Consumer &consumer)
{
    const ConsumerGeometry &geometry = consumer.geometry;
    const auto equation = equationOf(geometry.equation);
    const auto roles = equation ? equationRoles(*equation, geometry.operand) : std::nullopt;
    if (!roles)
        return std::nullopt;
    Extents extents;
    if (!isReshaped(consumer))
        addExtents(equation->operands[geometry.operand], weight.shape, extents);
    addExtents(equation->operands[1 - geometry.operand], geometry.input, extents);
    addExtents(equation->output, geometry.output, extents);
    const auto outputs = extentProduct(roles->outputs, extents),
               inputs = extentProduct(roles->summed, extents);
    if (!outputs || !inputs)
        return std::nullopt;
    EinsumProduct made{*inputs, *outputs, extentProduct(roles->batches + roles->pixels, extents)};
    // The arithmetic is not known where an operand's shape is not.
    if (!consumer.layerFlops)
        made.pixels.reset();
    return made;
}

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

/// The channels of a linear or matmul that reads its weight through a transpose or reshape, as its
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

/// The longest axis of a weight whose letter passes, the first of equal ones; kNoIndex for none.
template <class Passes>
std::size_t longest(const std::string &letters, const Shape &shape, const Passes &passes)
{
    std::size_t best = kNoIndex;
    for (std::size_t i = 0; i < letters.size(); ++i) {
        if (passes(letters[i]) && (best == kNoIndex || shape[i] > shape[best]))
            best = i;
    }
    return best;
}

/// A letter of the output that no other operand has is one of output channels; one that is not in
/// the output is summed over; one of both operands and the output counts outputs apart.
std::optional<ChannelAxes> einsumAxes(const ConsumerGeometry &geometry, const Shape &shape)
{
    const auto equation = equationOf(geometry.equation);
    if (!equation || geometry.operand >= equation->operands.size())
        return std::nullopt;
    const std::string &own = equation->operands[geometry.operand];
    if (own.size() != shape.size())
        return std::nullopt;
    const auto inOutput = [&](char letter) {
        return equation->output.find(letter) != std::string::npos;
    };
    const auto shared = [&](char letter) {
        for (std::size_t i = 0; i < equation->operands.size(); ++i) {
            if (i != geometry.operand && equation->operands[i].find(letter) != std::string::npos)
                return true;
        }
        return false;
    };
    ChannelAxes axes;
    while (axes.batches < own.size() && inOutput(own[axes.batches]) && shared(own[axes.batches]))
        ++axes.batches;
    axes.output =
        longest(own, shape, [&](char letter) { return inOutput(letter) && !shared(letter); });
    if (axes.output == kNoIndex) // one output for all that is summed over
        axes.output = longest(own, shape, inOutput);
    if (axes.output == kNoIndex)
        axes.output = 0;
    axes.input = longest(own, shape, [&](char letter) { return !inOutput(letter); });
    if (axes.input == kNoIndex)
        axes.input = axes.output;
    axes.batches = std::min(axes.batches, axes.output);
    return axes;
}

/// The weight's extents as the operation sees them; 1 where that is not known.
Shape seenShape(const Weight &weight, const std::vector<std::size_t> &map)
{
    if (map.empty())
        return weight.shape;
    Shape seen;
    for (const std::size_t axis : map)
        seen.push_back(axis < weight.shape.size() ? weight.shape[axis] : 1);
    return seen;
}

/// Of the weight as the operation sees it.
ChannelAxes seenAxes(const Consumer &consumer, const Shape &shape)
{
    const std::size_t rank = shape.size();
    const ConsumerGeometry &geometry = consumer.geometry;
    if (consumer.op == "conv_transpose")
        return {1, 0, 0, geometry.groups};
    if (consumer.op == "einsum")
        return einsumAxes(geometry, shape).value_or(ChannelAxes{0, 1});
    if (consumer.op.starts_with("gather") && geometry.axis < rank)
        return {geometry.axis, geometry.axis == 0 ? 1 : geometry.axis - 1};
    const bool attention = consumer.op == "scaled_dot_product_attention";
    bool outputsFirst = consumer.param != "value"; // of attention: rows of query and key
    if (consumer.op == "matmul")
        outputsFirst = consumer.param == "x" ? !geometry.transposeX : geometry.transposeY;
    else if (!attention)
        return {0, 1};
    return outputsFirst ? ChannelAxes{rank - 2, rank - 1, rank - 2, 1}
                        : ChannelAxes{rank - 1, rank - 2, rank - 2, 1};
}

/// The axes of the stored weight, where the operation reads it through a transpose or reshape.
ChannelAxes storedAxes(const ChannelAxes &seen, const std::vector<std::size_t> &map)
{
    const auto of = [&map](std::size_t axis) { return axis < map.size() ? map[axis] : kNoIndex; };
    ChannelAxes axes{0, 1, 0, seen.groups};
    if (of(seen.output) == kNoIndex)
        return axes;
    axes.output = of(seen.output);
    axes.input = of(seen.input) == kNoIndex ? axes.output : of(seen.input);
    bool leading = seen.batches <= axes.output;
    for (std::size_t i = 0; i < seen.batches; ++i)
        leading = leading && of(i) == i;
    axes.batches = leading ? seen.batches : 0;
    return axes;
}

} // namespace

// A layer as the multiply-accumulate array takes it.

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

// The axes of a weight that an operation takes its channels from.

ChannelAxes channelAxes(const Weight &weight, const Consumer &consumer)
{
    const auto &map = consumer.geometry.storedAxes;
    const Shape shape = seenShape(weight, map);
    if (weight.shape.size() < 2 || shape.size() < 2)
        return {};
    const ChannelAxes seen = seenAxes(consumer, shape);
    return map.empty() ? seen : storedAxes(seen, map);
}

} // namespace kernscope
