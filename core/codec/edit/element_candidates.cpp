// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/edit/element_candidates.h"

#include "core/numeric/half.h"

#include <cmath>
#include <limits>

namespace kernscope::codec {

namespace {

float throughHalf(float value)
{
    return halfToFloat(floatToHalf(value));
}

float entryOf(const PaletteState &palette, std::uint64_t codebook, std::uint64_t lane,
              std::int64_t code)
{
    const auto entry = static_cast<std::uint64_t>(code);
    if (!palette.floats.empty())
        return palette.floatTable(codebook, lane)[entry];
    return halfToFloat(static_cast<std::uint16_t>(
        loadCode(palette.halfTable(codebook, lane), ElementType::Fp16, entry)));
}

/// Whether an entry has in its other lanes what the vector must keep.
bool keepsOtherLanes(const PaletteState &palette, const ElementPlace &place, std::int64_t code,
                     std::optional<std::int64_t> current)
{
    const std::uint64_t codebook = palette.grid.cellOf(place.dense); // vectors have no order
    for (std::uint64_t lane = 0; lane < palette.vector; ++lane) {
        const float keep = current ? entryOf(palette, codebook, lane, *current) : 0.0f;
        const float offered = entryOf(palette, codebook, lane, code);
        const bool same = offered == keep || (std::isnan(offered) && std::isnan(keep));
        if (lane != place.lane && !same)
            return false;
    }
    return true;
}

/// Roundings of the difference and the product move the code by less.
constexpr int kCandidateReach = 8;

/// The halves around a value, itself rounded among them.
std::vector<double> halvesAround(double value, int reach)
{
    std::vector<double> halves;
    for (const std::int64_t code :
         neighbourCodes(ElementType::Fp16, nearestCode(ElementType::Fp16, value), reach))
        halves.push_back(codeValue(ElementType::Fp16, code));
    return halves;
}

/// Codes of a wide type that may decode to `value`, or next to it. Where the arithmetic rounds to
/// fp16 on its way, thousands of neighbouring codes of fp32 decode alike: the next value is one
/// half further, not one code.
std::vector<std::int64_t> scaledCodes(const Decoder::State &state, const ScalePair &pair,
                                      double value)
{
    const ElementType type = state.payload.type;
    const ScalingState &scaling = *state.scaling;
    const auto scale = static_cast<double>(pair.scale), offset = static_cast<double>(pair.offset);
    const double exact = scaling.addsOffset
                             ? (value - offset) / scale
                             : (value - static_cast<double>(pair.bias)) / scale + offset;
    std::vector<std::int64_t> codes;
    const auto add = [&codes, type](double raw) { codes.push_back(nearestCode(type, raw)); };
    if (isFloatingPoint(type))
        codes = neighbourCodes(type, nearestCode(type, exact), kCandidateReach);
    else
        add(exact);
    if (!state.halfResult() || (isFloatingPoint(type) && bitWidth(type) <= 16))
        return codes;
    for (const double raw : halvesAround(exact, kCandidateReach))
        add(raw);
    if (scaling.addsOffset) {
        for (const double result : halvesAround(value, 1))
            add((result - offset) / scale);
        return codes;
    }
    for (const double difference : halvesAround(value / scale, kCandidateReach)) {
        add(difference + offset);
        add(static_cast<double>(throughHalf(static_cast<float>(difference + offset))));
    }
    for (const double result : halvesAround(value, 1))
        add(result / scale + offset);
    return codes;
}

std::vector<std::int64_t> codesFor(const Decoder::State &state, const ElementPlace &place,
                                   double value, std::optional<std::int64_t> current)
{
    const ElementType type = state.payload.type;
    std::vector<std::int64_t> codes;
    if (state.palette) {
        for (std::int64_t code = 0; code < static_cast<std::int64_t>(state.palette->entries);
             ++code) {
            if (state.palette->vector == 1 || keepsOtherLanes(*state.palette, place, code, current))
                codes.push_back(code);
        }
        return codes;
    }
    if (!isFloatingPoint(type) && bitWidth(type) <= 8) {
        for (std::int64_t code = smallestCode(type); code <= largestCode(type); ++code)
            codes.push_back(code);
        return codes;
    }
    return scaledCodes(state, scaleOf(state, place.element), value);
}

} // namespace

ScalePair scaleOf(const Decoder::State &state, std::uint64_t element)
{
    ScalePair pair;
    const std::uint64_t cell = state.scaling->grid.cellOf(element);
    state.scaling->scalesOf(cell, std::span(&pair.scale, 1));
    if (state.scaling->offset)
        state.scaling->offsetsOf(cell, std::span(&pair.offset, 1));
    if (state.scaling->bias)
        state.scaling->biasesOf(cell, std::span(&pair.bias, 1));
    return pair;
}

double scaledValue(const Decoder::State &state, const ScalePair &pair, float raw)
{
    const ScalingState &scaling = *state.scaling;
    if (scaling.steps != Scaling::Steps::Program) {
        scaling.step(std::span(&raw, 1), pair.scale, pair.offset, pair.bias);
        return raw;
    }
    if (scaling.addsOffset) {
        const float product = pair.scale * raw;
        const float sum = product + pair.offset;
        return state.halfResult() ? throughHalf(sum) : sum;
    }
    float difference = (scaling.roundData ? throughHalf(raw) : raw) - pair.offset;
    if (scaling.roundDifference)
        difference = throughHalf(difference);
    const float product = pair.scale * difference;
    return state.halfResult() ? throughHalf(product) : product;
}

void scaledValues(const Decoder::State &state, const ScalePair &pair, std::span<float> values,
                  std::vector<std::uint16_t> &halves)
{
    const ScalingState &scaling = *state.scaling;
    if (scaling.steps != Scaling::Steps::Program) {
        scaling.step(values, pair.scale, pair.offset, pair.bias);
        return;
    }
    halves.resize(values.size());
    const auto roundAll = [&] {
        convertFloatToHalf(values, halves);
        convertHalfToFloat(std::span<const std::uint16_t>(halves), values);
    };
    if (scaling.addsOffset) {
        for (float &value : values) {
            const float product = pair.scale * value;
            value = product + pair.offset;
        }
    } else {
        if (scaling.roundData)
            roundAll();
        for (float &value : values)
            value -= pair.offset;
        if (scaling.roundDifference)
            roundAll();
        for (float &value : values)
            value *= pair.scale;
    }
    if (state.halfResult())
        roundAll();
}

ElementPlace elementPlace(const Decoder::State &state, std::uint64_t element)
{
    if (!state.palette)
        return {element, 0, element};
    const IndexPlace place = state.placeOf(element);
    return {place.index, place.lane, element};
}

double valueOfCode(const Decoder::State &state, const ElementPlace &place, std::int64_t code)
{
    if (!state.palette && !state.scaling) {
        if (!state.encoding.converts)
            return codeValue(state.payload.type, code);
        auto value = static_cast<float>(codeValue(state.payload.type, code));
        roundToType(state.encoding.type, std::span(&value, 1));
        return value;
    }
    const float raw = state.palette
                          ? entryOf(*state.palette, state.codebookAt(place.dense), place.lane, code)
                          : static_cast<float>(codeValue(state.payload.type, code));
    return state.scaling ? scaledValue(state, scaleOf(state, place.element), raw) : raw;
}

std::pair<double, double> heldRange(const Decoder::State &state, const ElementPlace &place,
                                    std::optional<std::int64_t> current)
{
    constexpr double kMost = std::numeric_limits<double>::max();
    const ElementType type = state.payload.type;
    std::vector<std::int64_t> codes{nearestCode(type, -kMost), nearestCode(type, kMost)};
    if (state.palette)
        codes = codesFor(state, place, 0, current);
    double low = kMost, high = -kMost;
    for (const std::int64_t code : codes) {
        const double value = valueOfCode(state, place, code);
        low = std::min(low, value); // of what is not a number: nothing
        high = std::max(high, value);
    }
    return {low, high};
}

std::vector<CodeCandidate> plainCandidates(ElementType type, double value,
                                           std::optional<std::int64_t> current)
{
    std::vector<CodeCandidate> candidates;
    const auto add = [&](std::int64_t code) {
        candidates.push_back({code, codeValue(type, code)});
    };
    // A code that already has the value stays, whatever its sign of zero or NaN payload.
    if (current) {
        const double held = codeValue(type, *current);
        if (held == value || (std::isnan(held) && std::isnan(value)))
            add(*current);
    }
    const std::int64_t nearest = nearestCode(type, value);
    add(nearest);
    // The neighbours are for a refusal to name.
    if (isFloatingPoint(type)) {
        for (const std::int64_t code : neighbourCodes(type, nearest, 1))
            add(code);
    } else {
        add(nearestCode(type, std::floor(value)));
        add(nearestCode(type, std::ceil(value)));
    }
    return candidates;
}

std::vector<CodeCandidate> candidatesFor(const Decoder::State &state, const ElementPlace &place,
                                         double value, std::optional<std::int64_t> current)
{
    if (!state.palette && !state.scaling) {
        auto plain = plainCandidates(state.payload.type, value, current);
        for (CodeCandidate &one : plain)
            one.value = valueOfCode(state, place, one.code);
        return plain;
    }
    std::vector<CodeCandidate> candidates;
    // The current code first: of several that decode to the same value, it is the one kept.
    if (current)
        candidates.push_back({*current, valueOfCode(state, place, *current)});
    for (const std::int64_t code : codesFor(state, place, value, current))
        candidates.push_back({code, valueOfCode(state, place, code)});
    return candidates;
}

} // namespace kernscope::codec
