// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/edit/element_candidates.h"

#include "core/numeric/half.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
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
bool keepsOtherLanes(const Decoder::State &state, const ElementPlace &place, std::int64_t code,
                     std::optional<std::int64_t> current)
{
    const PaletteState &palette = *state.palette;
    const std::uint64_t codebook = state.codebookAt(place.dense);
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
    if (!isFloatingPoint(type) || !std::isfinite(value))
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
            if (state.palette->vector == 1 || keepsOtherLanes(state, place, code, current))
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

/// 0 of E8M0, which has no sign.
std::uint64_t signBit(ElementType type)
{
    return type == ElementType::Fp8E8M0 ? 0 : std::uint64_t{1} << (bitWidth(type) - 1);
}

/// Magnitude code of the largest finite number.
std::uint64_t largestFinite(ElementType type)
{
    switch (type) {
    case ElementType::Fp16: return 0x7bff;
    case ElementType::Bf16: return 0x7f7f;
    case ElementType::Fp32: return 0x7f7fffff;
    case ElementType::Fp64: return 0x7fefffffffffffff;
    case ElementType::Fp8E4M3Fn: return 0x7e;
    case ElementType::Fp4E2M1: return 7;
    case ElementType::Fp8E8M0: return 0xfe;
    default: return 0x7b; // Fp8E5M2
    }
}

std::uint64_t nearestE8m0(double value)
{
    if (std::isnan(value))
        return kE8m0Nan;
    if (!(value > 0x1p-127))
        return 0;
    int exponent = 0;
    const double fraction = std::frexp(std::min(value, 0x1p127), &exponent); // of 2^exponent
    const auto code = static_cast<std::uint64_t>(exponent + 126);
    return code + (fraction > 0.75 || (fraction == 0.75 && code % 2 != 0) ? 1 : 0);
}

std::uint64_t roundedCode(ElementType type, double value)
{
    switch (type) {
    case ElementType::Fp16: return doubleToHalf(value);
    case ElementType::Bf16: return floatToBfloat16(doubleToFloatOdd(value));
    case ElementType::Fp32: return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    case ElementType::Fp64: return std::bit_cast<std::uint64_t>(value);
    case ElementType::Fp8E4M3Fn: return floatToE4m3(doubleToFloatOdd(value));
    case ElementType::Fp4E2M1: return floatToE2m1(doubleToFloatOdd(value));
    case ElementType::Fp8E8M0: return nearestE8m0(value);
    default: return floatToE5m2(doubleToFloatOdd(value));
    }
}

std::int64_t nearestInteger(ElementType type, double value)
{
    if (std::isnan(value))
        return 0;
    const auto least = static_cast<double>(smallestCode(type));
    double most = codeValue(type, largestCode(type));
    if (bitWidth(type) == 64) // 2^63 - 1 would read as 2^63, which the type does not hold
        most = std::nextafter(most, 0.0);
    const double held = std::clamp(std::nearbyint(value), least, most);
    return held < 0 ? static_cast<std::int64_t>(held)
                    : static_cast<std::int64_t>(static_cast<std::uint64_t>(held));
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

void scaledValues(const Decoder::State &state, const ScalePair &pair, std::span<float> values)
{
    const ScalingState &scaling = *state.scaling;
    if (scaling.steps != Scaling::Steps::Program) {
        scaling.step(values, pair.scale, pair.offset, pair.bias);
        return;
    }
    if (scaling.addsOffset) {
        for (float &value : values) {
            const float product = pair.scale * value;
            value = product + pair.offset;
        }
    } else {
        if (scaling.roundData)
            roundToType(ElementType::Fp16, values);
        for (float &value : values)
            value -= pair.offset;
        if (scaling.roundDifference)
            roundToType(ElementType::Fp16, values);
        for (float &value : values)
            value *= pair.scale;
    }
    if (state.halfResult())
        roundToType(ElementType::Fp16, values);
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
    const double stored =
        state.palette ? static_cast<double>(entryOf(*state.palette, state.codebookAt(place.dense),
                                                    place.lane, code))
                      : codeValue(state.payload.type, code);
    if (!state.scaling && !state.encoding.converts)
        return stored;
    auto value = static_cast<float>(stored);
    if (state.scaling)
        scaledValues(state, scaleOf(state, place.element), std::span(&value, 1));
    if (state.encoding.converts)
        roundToType(state.encoding.type, std::span(&value, 1));
    return value;
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
    if (current && isFloatingPoint(type)) {
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

std::int64_t smallestCode(ElementType type)
{
    return isSignedInteger(type) ? INT64_MIN >> (64 - bitWidth(type)) : 0;
}

std::int64_t largestCode(ElementType type)
{
    if (isSignedInteger(type))
        return INT64_MAX >> (64 - bitWidth(type));
    const unsigned width = type == ElementType::Bool ? 1 : std::max(bitWidth(type), 1U);
    return static_cast<std::int64_t>(UINT64_MAX >> (64 - width));
}

std::int64_t nearestCode(ElementType type, double value)
{
    if (!isFloatingPoint(type))
        return nearestInteger(type, value);
    const std::uint64_t code = roundedCode(type, value);
    const std::uint64_t sign = code & signBit(type);
    if (std::isfinite(value) && (code ^ sign) > largestFinite(type))
        return static_cast<std::int64_t>(sign | largestFinite(type));
    return static_cast<std::int64_t>(code);
}

bool isNaturalRounding(ElementType type, double value, std::int64_t code)
{
    return isFloatingPoint(type) && bitWidth(type) >= 16 &&
           static_cast<std::uint64_t>(code) == roundedCode(type, value);
}

std::vector<std::int64_t> neighbourCodes(ElementType type, std::int64_t code, int reach)
{
    const std::uint64_t sign = signBit(type);
    const auto bits = static_cast<std::uint64_t>(code);
    // Magnitudes with their sign are in the order of the values; both zeros become 0.
    const auto largest = static_cast<std::int64_t>(largestFinite(type));
    const auto magnitude = static_cast<std::int64_t>(bits & (sign - 1));
    const std::int64_t place = std::min(magnitude, largest) * ((bits & sign) != 0 ? -1 : 1);
    std::vector<std::int64_t> codes;
    for (std::int64_t p = place - reach; p <= place + reach; ++p) {
        if (p < (sign == 0 ? 0 : -largest) || p > largest)
            continue;
        const auto m = static_cast<std::uint64_t>(p < 0 ? -p : p);
        codes.push_back(static_cast<std::int64_t>(p < 0 ? (m | sign) : m));
    }
    return codes;
}

CodeChoice choose(std::span<const CodeCandidate> candidates, double value)
{
    CodeChoice choice;
    double nearestError = 0;
    for (const CodeCandidate &candidate : candidates) {
        const double v = candidate.value;
        if (std::isnan(v)) {
            if (std::isnan(value) && !choice.nearest)
                choice.nearest = candidate;
            continue;
        }
        if (v <= value && (!choice.below || v > *choice.below))
            choice.below = v;
        if (v >= value && (!choice.above || v < *choice.above))
            choice.above = v;
        const double error = v == value ? 0.0 : std::abs(v - value);
        if (!std::isnan(error) && (!choice.nearest || error < nearestError)) {
            choice.nearest = candidate;
            nearestError = error;
        }
    }
    return choice;
}

bool hasCodeTables(const Decoder::State &state)
{
    const ElementType type = state.payload.type;
    if (state.palette)
        return state.palette->vector == 1;
    return state.scaling && !isFloatingPoint(type) && bitWidth(type) <= 8;
}

void CodeTable::make(const Decoder::State &state, std::uint64_t element)
{
    const ElementType type = state.payload.type;
    const std::int64_t least = state.palette ? 0 : smallestCode(type);
    const auto count = std::size_t{1} << state.codeWidth();
    m_mask = static_cast<std::uint32_t>(count - 1);
    const auto bitsOf = [&](std::size_t i) {
        return static_cast<std::uint64_t>(least + static_cast<std::int64_t>(i)) & m_mask;
    };
    m_values.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        const std::int64_t code = least + static_cast<std::int64_t>(i);
        m_values[i] = state.palette ? entryOf(*state.palette, state.codebookAt(element), 0, code)
                                    : static_cast<float>(code);
    }
    if (state.scaling)
        scaledValues(state, scaleOf(state, element), m_values);
    for (std::size_t i = 0; i < count; ++i)
        m_byBits[bitsOf(i)] = static_cast<double>(m_values[i]);
    m_all.clear();
    bool ascends = true;
    for (std::size_t i = 0; i < count; ++i) {
        const double value = m_byBits[bitsOf(i)];
        if (!std::isfinite(value))
            continue;
        ascends &= m_all.empty() || m_all.back().value < value;
        m_all.push_back({least + static_cast<std::int64_t>(i), value});
    }
    if (!ascends) {
        std::ranges::sort(m_all, [](const CodeCandidate &a, const CodeCandidate &b) {
            return a.value < b.value || (a.value == b.value && a.code < b.code);
        });
        const auto same = std::unique(
            m_all.begin(), m_all.end(),
            [](const CodeCandidate &a, const CodeCandidate &b) { return a.value == b.value; });
        m_all.erase(same, m_all.end());
    }
    m_starts.clear();
    if (state.palette) // which serves many elements
        makeIndex();
}

/// Of two values, the greater one is never in an earlier bucket, however the product is rounded.
std::size_t CodeTable::bucketOf(double value) const
{
    const double place = (value - m_all.front().value) * m_perUnit;
    return static_cast<std::size_t>(
        std::clamp(place, 0.0, static_cast<double>(m_starts.size() - 2)));
}

void CodeTable::makeIndex()
{
    constexpr std::size_t kBuckets = 1024;
    if (m_all.size() < 2)
        return;
    m_perUnit = static_cast<double>(kBuckets) / (m_all.back().value - m_all.front().value);
    if (!std::isfinite(m_perUnit) || m_perUnit <= 0)
        return;
    m_starts.assign(kBuckets + 1, 0);
    for (const CodeCandidate &one : m_all)
        ++m_starts[bucketOf(one.value) + 1];
    for (std::size_t i = 1; i <= kBuckets; ++i)
        m_starts[i] = static_cast<std::uint16_t>(m_starts[i] + m_starts[i - 1]);
    // Farther beyond an end, rounded differences no longer tell the last two apart.
    constexpr double kFar = 0x1p40;
    const std::size_t count = m_all.size();
    m_zones.resize(count);
    const auto gapAt = [this](std::size_t i) { return m_all[i].value - m_all[i - 1].value; };
    m_zones.front().low = m_all.front().value - kFar * gapAt(1);
    m_zones.back().high = m_all.back().value + kFar * gapAt(count - 1);
    for (std::size_t i = 1; i < count; ++i) {
        const double middle = m_all[i - 1].value + 0.5 * gapAt(i);
        const double unsure = 0x1p-48 * (std::abs(middle) + gapAt(i));
        m_zones[i - 1].high = middle - unsure;
        m_zones[i].low = middle + unsure;
    }
    for (std::size_t i = 0; i < count; ++i)
        m_zones[i].bits = static_cast<std::uint32_t>(m_all[i].code) & m_mask;
}

std::size_t CodeTable::firstNotBelow(double value) const
{
    auto from = m_all.begin(), to = m_all.end();
    if (!m_starts.empty()) {
        const std::size_t bucket = bucketOf(value);
        to = from + m_starts[bucket + 1];
        from += m_starts[bucket];
    }
    const auto below = [](const CodeCandidate &one, double than) { return one.value < than; };
    return static_cast<std::size_t>(std::lower_bound(from, to, value, below) - m_all.begin());
}

std::uint32_t CodeTable::nearest(double value) const
{
    if (!m_starts.empty()) { // mostly one of two
        std::size_t guess = std::min<std::size_t>(m_starts[bucketOf(value)], m_zones.size() - 1);
        guess -= guess > 0 && value < m_zones[guess].low ? 1U : 0U;
        const Zone &zone = m_zones[guess];
        if (value > zone.low && value < zone.high)
            return zone.bits;
    }
    const std::size_t up = firstNotBelow(value);
    const auto errorAt = [&](std::size_t i) { return std::abs(m_all[i].value - value); };
    double least = HUGE_VAL;
    if (up < m_all.size())
        least = errorAt(up);
    if (up > 0)
        least = std::min(least, errorAt(up - 1));
    // Differences are rounded: more than two may be equal. Of these the lowest code is the first.
    std::int64_t code = INT64_MAX;
    for (std::size_t i = up; i > 0 && errorAt(i - 1) == least; --i)
        code = std::min(code, m_all[i - 1].code);
    for (std::size_t i = up; i < m_all.size() && errorAt(i) == least; ++i)
        code = std::min(code, m_all[i].code);
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(code) & m_mask);
}

} // namespace kernscope::codec
