// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/analysis/reduction.h"

#include "core/base/csv.h"
#include "core/numeric/half.h"

#include <algorithm>
#include <cmath>

namespace kernscope::codec {

Reduction reduceProducts(std::span<const std::uint16_t> weights,
                         std::span<const std::uint16_t> inputs)
{
    Reduction sum;
    const std::size_t count = std::min(weights.size(), inputs.size());
    for (std::size_t first = 0; first < count; first += Reduction::kTile, ++sum.tiles) {
        const std::size_t end = std::min(count, first + Reduction::kTile);
        double tile = 0;
        bool contested = false;
        for (std::size_t i = first; i < end; ++i) {
            // Exact in fp64: 11 by 11 bits, and a partial sum of fp16.
            const double product = static_cast<double>(halfToFloat(weights[i])) *
                                   static_cast<double>(halfToFloat(inputs[i]));
            tile = static_cast<double>(halfToFloat(doubleToHalf(tile + product)));
            const double magnitude = std::abs(tile);
            contested = contested || (magnitude >= Reduction::kContestedFrom &&
                                      magnitude < Reduction::kContestedTo);
        }
        sum.contested += contested ? 1 : 0;
        sum.accumulator += static_cast<float>(tile);
    }
    sum.port = floatToHalf(sum.accumulator);
    return sum;
}

namespace {

/// `a` + `b` with both cut to what kAlignedBits bits of the larger one's exponent hold.
double addAligned(double a, double b)
{
    const double larger = std::max(std::abs(a), std::abs(b));
    if (!(larger > 0) || !std::isfinite(a) || !std::isfinite(b))
        return a + b;
    const double unit = std::ldexp(1.0, std::ilogb(larger) - ReductionTrace::kAlignedBits + 1);
    return (std::trunc(a / unit) + std::trunc(b / unit)) * unit;
}

double alignedTile(std::span<const std::uint16_t> values)
{
    double sum = 0;
    for (const std::uint16_t half : values)
        sum = addAligned(sum, static_cast<double>(halfToFloat(half)));
    return sum;
}

Error badReductionValue(const std::string &text)
{
    return valueError("reduction.value", "VALUE",
                      "numbers such as 4096, -0.5 or 1*1024 (a value and how often), 2^20 at most",
                      text, "The value cannot be read.");
}

} // namespace

ReductionTrace traceReduction(std::span<const std::uint16_t> values)
{
    ReductionTrace trace;
    const std::vector<std::uint16_t> ones(values.size(), floatToHalf(1.0F));
    const std::span<const std::uint16_t> inputs(ones);
    trace.whole = reduceProducts(values, inputs);
    float accumulator = 0;
    for (std::size_t at = 0; at < values.size(); at += Reduction::kTile) {
        const std::size_t count = std::min(Reduction::kTile, values.size() - at);
        const Reduction tile = reduceProducts(values.subspan(at, count), inputs.subspan(at, count));
        accumulator += tile.accumulator;
        const auto aligned = static_cast<float>(alignedTile(values.subspan(at, count)));
        trace.aligned.accumulator += aligned;
        for (const std::uint16_t half : values.subspan(at, count)) {
            trace.exact += static_cast<double>(halfToFloat(half));
            trace.everyStep = halfToFloat(floatToHalf(trace.everyStep + halfToFloat(half)));
        }
        trace.tiles.push_back({tile.accumulator, aligned, trace.aligned.accumulator,
                               tile.isContested(), accumulator, trace.exact, trace.everyStep});
    }
    trace.aligned.port = floatToHalf(trace.aligned.accumulator);
    return trace;
}

Result<std::vector<std::uint16_t>> parseReductionValues(std::span<const std::string> texts)
{
    std::vector<std::uint16_t> halves;
    for (const std::string &text : texts) {
        const std::size_t star = text.find('*');
        const auto value = parseNumber(std::string_view(text).substr(0, star));
        const auto times = star == std::string::npos
                               ? std::optional<std::int64_t>(1)
                               : parseInteger(std::string_view(text).substr(star + 1));
        const bool good =
            value && times && *times > 0 &&
            static_cast<std::uint64_t>(*times) <= kMostReductionValues - halves.size();
        if (!good)
            return tl::unexpected(badReductionValue(text));
        halves.insert(halves.end(), static_cast<std::size_t>(*times),
                      floatToHalf(static_cast<float>(*value)));
    }
    return halves;
}

} // namespace kernscope::codec
