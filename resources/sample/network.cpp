// SPDX-License-Identifier: GPL-3.0-or-later
#include "resources/sample/network.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kernscope::sample {

namespace {

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

} // namespace

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

} // namespace kernscope::sample
