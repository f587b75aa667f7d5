// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/codec/encode/form_spec.h"
#include "encoded.h"

/// What the tests of the methods of encoding have in common.
namespace kernscope::codec::test {

inline std::size_t sizeOf(const Shape &shape)
{
    return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
}

/// Values with long tails, some channels larger than others.
inline std::vector<float> laplace(std::size_t count, unsigned seed)
{
    std::mt19937 random(seed);
    std::exponential_distribution<float> magnitude(8.0f);
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i)
        values[i] = toHalf((random() % 2 == 0 ? 1.0f : -1.0f) * magnitude(random) *
                           float(1 + i * 7 / count));
    return values;
}

enum class Inputs { None, Squares, Means, Moments, WholeMoments };

/// Inputs that are correlated, of very different power, with means; of `channels` times `places`.
inline std::shared_ptr<InputStatistics>
statistics(Inputs kind, std::size_t channels, std::size_t places, std::uint64_t axis, unsigned seed)
{
    if (kind == Inputs::None)
        return nullptr;
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    const std::size_t count = kind == Inputs::WholeMoments ? channels * places : channels;
    constexpr std::size_t kSamples = 300;
    std::vector<double> moments(count * count), means(count);
    std::vector<double> powers(count);
    for (double &power : powers)
        power = std::exp(1.5 * normal(random));
    for (std::size_t sample = 0; sample < kSamples; ++sample) {
        std::vector<double> x(count);
        double before = 0;
        for (std::size_t i = 0; i < count; ++i) {
            before = 0.8 * before + 0.6 * normal(random);
            x[i] = powers[i] * std::max(0.0, before + 0.3); // as after a rectifier
        }
        for (std::size_t i = 0; i < count; ++i) {
            means[i] += x[i] / kSamples;
            for (std::size_t j = 0; j < count; ++j)
                moments[i * count + j] += x[i] * x[j] / kSamples;
        }
    }
    auto result = std::make_shared<InputStatistics>();
    result->axis = axis;
    if (kind == Inputs::Moments || kind == Inputs::WholeMoments) {
        result->secondMoment.assign(moments.begin(), moments.end());
        return result;
    }
    for (std::size_t i = 0; i < count; ++i)
        result->meanSquare.push_back(float(moments[i * count + i]));
    if (kind == Inputs::Means)
        result->mean.assign(means.begin(), means.end());
    return result;
}

inline std::size_t bytesOf(const EncodedWeight &weight)
{
    std::size_t bytes = 0;
    for (const EncodedPart &part : weight.parts)
        bytes += part.bytes.size();
    return bytes;
}

/// What the outputs lose; without statistics, the squared error.
inline double errorOf(const EncodedWeight &weight, const std::vector<float> &values,
                      const std::shared_ptr<const InputStatistics> &inputs)
{
    const auto decoded = decodeAll(weight);
    if (!inputs)
        return squaredError(decoded, values);
    const auto error = inputError(values, decoded, weight.shape, *inputs);
    return error ? *error : std::nan("");
}

/// The error by mean squares alone, which is what `fitted` makes small.
inline double massError(const EncodedWeight &weight, const std::vector<float> &values,
                        const std::shared_ptr<const InputStatistics> &inputs)
{
    const auto decoded = decodeAll(weight);
    const auto masses =
        inputs ? inputMasses(*inputs, weight.shape) : std::vector<float>(values.size(), 1.0f);
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
        sum += double(masses[i]) * std::pow(double(decoded[i]) - double(values[i]), 2);
    return sum;
}

struct NamedForm {
    std::string name;
    FormSpec spec;
};

inline std::vector<NamedForm> formsToTry()
{
    std::vector<NamedForm> forms;
    const auto add = [&](std::string name, auto set) {
        FormSpec spec;
        set(spec);
        forms.push_back({std::move(name), spec});
    };
    for (const bool symmetric : {true, false}) {
        add(symmetric ? "affine" : "affine with zero points", [&](FormSpec &spec) {
            spec.node = FormNode::Affine;
            spec.affine = {symmetric ? ElementType::Int8 : ElementType::Uint8, 0, symmetric};
        });
        add(symmetric ? "blockwise int4" : "blockwise uint4 with offsets", [&](FormSpec &spec) {
            spec.node = FormNode::Blockwise;
            spec.blockwise = {symmetric ? ElementType::Int4 : ElementType::Uint4, 8, 1, !symmetric};
        });
    }
    add("affine of axis 1", [](FormSpec &spec) {
        spec.node = FormNode::Affine;
        spec.affine.axis = 1;
    });
    add("affine per tensor", [](FormSpec &spec) {
        spec.node = FormNode::Affine;
        spec.affine.axis = std::nullopt;
    });
    for (const auto &options :
         {PaletteOptions{2}, PaletteOptions{4}, PaletteOptions{3, 4}, PaletteOptions{4, 2, 2},
          PaletteOptions{3, 1, 4}, PaletteOptions{4, 1, 1, ElementType::Int8},
          PaletteOptions{3, 2, 2, ElementType::Fp8E4M3Fn}})
        add("", [&](FormSpec &spec) {
            spec.node = FormNode::Palette;
            spec.palette = options;
        });
    for (const auto survivors : {FormNode::Dense, FormNode::Palette, FormNode::Blockwise}) {
        for (const bool pattern : {true, false})
            add("", [&](FormSpec &spec) {
                spec.node = FormNode::Sparse;
                spec.survivors = survivors;
                spec.blockwise = {ElementType::Int8, 8, 1, false};
                spec.palette.bits = 3;
                if (pattern)
                    spec.pattern = SparsePattern{2, 4, 1};
                else
                    spec.density = 0.4;
            });
    }
    for (NamedForm &form : forms)
        form.name = describe(form.spec);
    return forms;
}

} // namespace kernscope::codec::test
