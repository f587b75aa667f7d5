// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/analysis/accuracy.h"

#include "core/codec/analysis/reduction.h"
#include "core/numeric/convert.h"
#include "core/numeric/half.h"

#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace kernscope::codec {

namespace {

/// Input vectors, outputs that are picked, and steps of a reduction.
constexpr std::uint64_t kSamples = 8, kMostOutputs = 64, kMostReduction = 65536;

/// Normal numbers from a fixed sequence (SplitMix64, Box and Muller): the same on every machine.
class NormalNumbers
{
public:
    double next()
    {
        const double radius = std::sqrt(-2 * std::log(1 - uniform()));
        return radius * std::cos(2 * std::numbers::pi * uniform());
    }

private:
    double uniform()
    {
        m_state += 0x9e3779b97f4a7c15u;
        std::uint64_t z = m_state;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
    }

    std::uint64_t m_state = 0x6163637572616379; // "accuracy"
};

/// Sums of squares and the largest difference of one comparison.
struct Difference {
    double largest = 0;
    double squares = 0;
    double reference = 0;
    std::uint64_t count = 0;

    void add(double found, double expected)
    {
        const double error = std::abs(found - expected);
        largest = std::max(largest, error);
        squares += error * error;
        reference += expected * expected;
        ++count;
    }
    double rmse() const { return count == 0 ? 0 : std::sqrt(squares / static_cast<double>(count)); }
    double relative() const { return reference > 0 ? std::sqrt(squares / reference) : 0; }
};

Result<void> checkLengths(std::uint64_t stored, std::uint64_t original, const LayerShape &layer,
                          std::size_t meanSquares)
{
    const auto needed =
        elementCount(std::array{layer.groups, layer.outer, layer.channels, layer.inner});
    if (needed && needed->value == stored && needed->value == original &&
        (meanSquares == 0 || meanSquares == original))
        return {};
    return refused(
        "codec.shape", "layer",
        fmt::format("{} x {} x {} x {} weights", layer.groups, layer.outer, layer.channels,
                    layer.inner),
        fmt::format("{} stored, {} original, {} mean squares", stored, original, meanSquares),
        "The weights do not fit the layer");
}

/// Where the weights of one output are: runs of `length` elements, `step` apart.
struct Runs {
    std::uint64_t first = 0;
    std::uint64_t length = 0;
    std::uint64_t step = 0;

    /// Calls `take(element, index of the output's first weight, count)` until `most` are taken.
    template <typename Take>
    void each(std::uint64_t most, const Take &take) const
    {
        for (std::uint64_t at = 0, from = first; at < most; at += length, from += step)
            take(from, at, std::min(length, most - at));
    }
};

Runs runsOf(const LayerShape &layer, std::uint64_t output)
{
    const std::uint64_t group = output / layer.channels, channel = output % layer.channels;
    const std::uint64_t step = layer.channels * layer.inner;
    return {group * layer.outer * step + channel * layer.inner, layer.inner, step};
}

/// Works one channel after the other through all inputs.
class Estimator
{
public:
    explicit Estimator(const LayerShape &layer)
        : m_reduction(std::min(layer.outer * layer.inner, kMostReduction)),
          m_inputs(kSamples * m_reduction), m_scaled(m_reduction)
    {
        NormalNumbers numbers;
        for (std::uint16_t &input : m_inputs)
            input = doubleToHalf(numbers.next());
    }

    std::uint64_t reduction() const { return m_reduction; }

    /// The weights themselves, every one.
    void addWeights(const Decoder &stored, std::span<const float> original)
    {
        constexpr std::size_t kBlock = 65536;
        std::vector<float> found(std::min(kBlock, original.size()));
        for (std::size_t at = 0; at < original.size(); at += kBlock) {
            const auto block = original.subspan(at, std::min(kBlock, original.size() - at));
            stored.decodeFloat(at, std::span(found).first(block.size()));
            for (std::size_t i = 0; i < block.size(); ++i)
                m_weights.add(static_cast<double>(found[i]), static_cast<double>(block[i]));
        }
    }

    /// The weights of one output; `meanSquares` of its inputs, or none.
    void add(std::span<const std::uint16_t> stored, std::span<const float> original,
             std::span<const float> meanSquares)
    {
        std::vector<std::uint16_t> dense(original.size());
        convertFloatToHalf(original, dense);
        for (std::size_t at = 0; at < m_inputs.size(); at += m_reduction) {
            const auto input = scaled(
                std::span<const std::uint16_t>(m_inputs).subspan(at, m_reduction), meanSquares);
            double exact = 0;
            for (std::size_t i = 0; i < input.size(); ++i)
                exact +=
                    static_cast<double>(original[i]) * static_cast<double>(halfToFloat(input[i]));
            const Reduction sum = reduceProducts(stored, input);
            addOutput(sum, exact);
            const auto denseOut =
                static_cast<double>(halfToFloat(reduceProducts(dense, input).port));
            if (std::isfinite(denseOut))
                m_dense.add(denseOut, exact);
        }
    }

    AccuracyError result() const
    {
        AccuracyError error = m_counts;
        error.weightMaxAbs = m_weights.largest;
        error.weightRmse = m_weights.rmse();
        error.weightRelative = m_weights.relative();
        error.outputMaxAbs = m_outputs.largest;
        error.outputRmse = m_outputs.rmse();
        error.outputRelative = m_outputs.relative();
        error.denseRelative = m_dense.relative();
        return error;
    }

private:
    std::span<const std::uint16_t> scaled(std::span<const std::uint16_t> inputs,
                                          std::span<const float> meanSquares)
    {
        if (meanSquares.empty())
            return inputs;
        for (std::size_t i = 0; i < inputs.size(); ++i)
            m_scaled[i] = doubleToHalf(static_cast<double>(halfToFloat(inputs[i])) *
                                       std::sqrt(static_cast<double>(meanSquares[i])));
        return m_scaled;
    }

    void addOutput(const Reduction &sum, double exact)
    {
        const auto found = static_cast<double>(halfToFloat(sum.port));
        ++m_counts.outputs;
        m_counts.contested += sum.isContested() ? 1 : 0;
        if (std::isfinite(found))
            m_outputs.add(found, exact);
        else
            ++m_counts.nonFinite;
    }

    std::size_t m_reduction;
    std::vector<std::uint16_t> m_inputs;
    std::vector<std::uint16_t> m_scaled;
    Difference m_weights;
    Difference m_outputs;
    Difference m_dense;
    AccuracyError m_counts;
};

} // namespace

LayerShape layerOf(std::span<const std::uint64_t> shape)
{
    LayerShape layer{shape.empty() ? 1 : shape[0], 1};
    for (std::size_t i = 1; i < shape.size(); ++i)
        layer.inner *= shape[i];
    return layer;
}

Result<AccuracyError> accuracyError(const Decoder &stored, std::span<const float> original,
                                    const LayerShape &layer, const AccuracyOptions &options)
{
    const std::span<const float> meanSquares = options.inputMeanSquares;
    TRY(checkLengths(stored.elements().value, original.size(), layer, meanSquares.size()));
    if (original.empty())
        return AccuracyError{};
    Estimator estimator(layer);
    if (options.weightFigures)
        estimator.addWeights(stored, original);
    const std::uint64_t outputs = layer.groups * layer.channels;
    const std::uint64_t taken = std::min(kMostOutputs, outputs);
    std::vector<std::uint16_t> halves(estimator.reduction());
    std::vector<float> values(halves.size());
    std::vector<float> squares(meanSquares.empty() ? 0 : halves.size());
    for (std::uint64_t n = 0; n < taken; ++n) {
        // Evenly spread over all outputs without a product that could overflow.
        const std::uint64_t output = outputs / taken * n + outputs % taken * n / taken;
        const auto gather = [&](std::uint64_t from, std::uint64_t at, std::uint64_t count) {
            stored.decodeHalf(from, std::span(halves).subspan(at, count));
            std::copy_n(original.begin() + static_cast<std::ptrdiff_t>(from), count,
                        values.begin() + static_cast<std::ptrdiff_t>(at));
            if (!squares.empty())
                std::copy_n(meanSquares.begin() + static_cast<std::ptrdiff_t>(from), count,
                            squares.begin() + static_cast<std::ptrdiff_t>(at));
        };
        runsOf(layer, output).each(halves.size(), gather);
        estimator.add(halves, values, squares);
    }
    return estimator.result();
}

} // namespace kernscope::codec
