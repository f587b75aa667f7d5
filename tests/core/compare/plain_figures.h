// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle.h"
#include "core/bundle/stored_values.h"
#include "core/compare/compare.h"
#include "tests/test_program.h"

/// The figures of a comparison, written from their definitions in plain double arithmetic: nothing
/// of the product's own kernels or tables.
namespace kernscope::test {

/// A floating-point format by its fraction bits and the exponent of its smallest normal number.
struct PlainFormat {
    int fraction = 10, smallest = -14;
    double largest = 65504;
};

inline PlainFormat plainFormat(ElementType type)
{
    switch (type) {
    case ElementType::Fp32: return {23, -126, double(std::numeric_limits<float>::max())};
    case ElementType::Bf16: return {7, -126, 0x1.fep127};
    case ElementType::Fp64: return {52, -1022, std::numeric_limits<double>::max()};
    default: return {10, -14, 65504};
    }
}

/// The number of a value in the order of a format's values, 0 for zero. Rounds to nearest even;
/// infinity comes one after the largest.
inline long double plainOrder(PlainFormat format, double value)
{
    const double magnitude = std::abs(value);
    long double order = 0; // places of fp64 need 63 bits
    const long double perBinade = std::ldexp(1.0L, format.fraction);
    const double quantum = std::ldexp(1.0, format.smallest - format.fraction);
    if (std::isinf(magnitude)) {
        order = plainOrder(format, format.largest) + 1;
    } else if (magnitude < std::ldexp(1.0, format.smallest)) {
        order = std::nearbyint(magnitude / quantum);
    } else {
        const int exponent = std::ilogb(magnitude);
        const long double fraction = std::ldexp(magnitude, -exponent) - 1.0;
        order = (exponent - format.smallest + 1) * perBinade + std::nearbyint(fraction * perBinade);
        if (magnitude > format.largest)
            order = std::min(order, plainOrder(format, format.largest) + 1);
    }
    return std::signbit(value) ? -order : order;
}

/// Rounded to fp16 by the definition.
inline double plainHalf(double value)
{
    if (!std::isfinite(value) || value == 0)
        return value;
    const double magnitude = std::abs(value);
    const int exponent = std::max(std::ilogb(magnitude), -14);
    const double quantum = std::ldexp(1.0, exponent - 10);
    const double rounded = std::nearbyint(magnitude / quantum) * quantum;
    return std::copysign(rounded > 65504 ? std::numeric_limits<double>::infinity() : rounded,
                         value);
}

inline bool plainSame(double a, double b)
{
    return a == b || (std::isnan(a) && std::isnan(b));
}

inline ValueDifference plainFigures(const std::vector<double> &a, const std::vector<double> &b,
                                    ElementType type, double tolerance = 0)
{
    ValueDifference found;
    found.ulpType = type;
    const int bits = int(bitWidth(type));
    found.ulpHistogram.assign(bits <= 16 ? 17 : bits <= 32 ? 33 : 65, 0);
    long double abs = 0, square = 0, aa = 0, bb = 0, ab = 0;
    std::uint64_t finite = 0;
    double worst = -1;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double x = a[i], y = b[i];
        const bool same = plainSame(x, y);
        if (same)
            ++found.equal;
        else if (x != 0 && y == 0)
            ++found.zeroed;
        else if (x == 0 && y != 0)
            ++found.revived;
        else
            ++found.changed;
        const bool both = std::isfinite(x) && std::isfinite(y);
        const double apart = same                ? 0
                             : std::isnan(x - y) ? std::numeric_limits<double>::infinity()
                                                 : std::abs(x - y);
        found.notFinite += !same && !both;
        found.nonfiniteA += !std::isfinite(x);
        found.nonfiniteB += !std::isfinite(y);
        found.beyondTolerance += apart > tolerance;
        if (!same && apart > worst) {
            worst = apart;
            found.worst = ElementPair{i, x, y};
        }
        const double halfX = plainHalf(x), halfY = plainHalf(y);
        if (!same && !(halfX == halfY && std::isfinite(halfX))) {
            ++found.unfaithful;
            if (!found.counterexample)
                found.counterexample = ElementPair{i, x, y};
        }
        long double steps = 0;
        if (!same && !std::isnan(x) && !std::isnan(y))
            steps =
                isFloatingPoint(type)
                    ? std::abs(plainOrder(plainFormat(type), x) - plainOrder(plainFormat(type), y))
                    : static_cast<long double>(std::abs(std::nearbyint(x) - std::nearbyint(y)));
        found.maxUlp = std::max(found.maxUlp, steps < 0x1p64 ? std::uint64_t(steps) : UINT64_MAX);
        std::size_t bin = 0;
        for (long double left = std::min(steps, 0x1p64L); left >= 1; left /= 2)
            ++bin;
        if (std::isnan(x) != std::isnan(y))
            bin = found.ulpHistogram.size() - 1;
        ++found.ulpHistogram[std::min(bin, found.ulpHistogram.size() - 1)];
        if (!both)
            continue;
        ++finite;
        abs += static_cast<long double>(apart);
        square += static_cast<long double>(apart) * static_cast<long double>(apart);
        aa += static_cast<long double>(x) * static_cast<long double>(x);
        bb += static_cast<long double>(y) * static_cast<long double>(y);
        ab += static_cast<long double>(x) * static_cast<long double>(y);
        found.maxAbs = std::max(found.maxAbs, apart);
        if (x != 0)
            found.maxRel = std::max(found.maxRel, apart / std::abs(x));
    }
    if (finite > 0) {
        found.meanAbs = double(abs / static_cast<long double>(finite));
        found.rmse = double(std::sqrt(square / static_cast<long double>(finite)));
    }
    if (aa > 0 && bb > 0)
        found.cosine = double(ab / std::sqrt(aa) / std::sqrt(bb));
    else
        found.cosine = aa == bb || found.identical() ? 1 : 0;
    constexpr double kEndless = std::numeric_limits<double>::infinity();
    found.snr = square > 0 ? double(10 * std::log10(aa / square)) : kEndless;
    found.relativeRmse = square > 0 ? double(std::sqrt(square / aa)) : 0;
    if (aa > 0)
        found.scale = double(ab / aa);
    if (found.revived > 0)
        found.maxRel = kEndless;
    if (found.notFinite > 0) {
        found.maxAbs = found.meanAbs = found.rmse = found.maxRel = found.relativeRmse = kEndless;
        found.cosine = found.scale = std::numeric_limits<double>::quiet_NaN();
        found.snr = -kEndless;
    }
    return found;
}

/// What two sets of figures disagree on; empty where on nothing. Counts and extremes are exact.
inline std::string disagreement(const ValueDifference &found, const ValueDifference &expected)
{
    const auto near = [](double x, double y, double relative) {
        return x == y || std::abs(x - y) <= relative * std::max(std::abs(x), std::abs(y));
    };
    const auto say = [](const char *what, auto x, auto y) {
        return fmt::format("{}: {} instead of {}", what, x, y);
    };
    const auto place = [](const std::optional<ElementPair> &pair) {
        return pair ? pair->element : UINT64_MAX;
    };
    if (found.equal != expected.equal)
        return say("equal", found.equal, expected.equal);
    if (found.changed != expected.changed)
        return say("changed", found.changed, expected.changed);
    if (found.zeroed != expected.zeroed || found.revived != expected.revived)
        return say("zeroed", found.zeroed, expected.zeroed);
    if (found.notFinite != expected.notFinite)
        return say("not finite", found.notFinite, expected.notFinite);
    if (found.nonfiniteA != expected.nonfiniteA || found.nonfiniteB != expected.nonfiniteB)
        return say("not finite in B", found.nonfiniteB, expected.nonfiniteB);
    if (found.beyondTolerance != expected.beyondTolerance)
        return say("beyond", found.beyondTolerance, expected.beyondTolerance);
    if (found.unfaithful != expected.unfaithful)
        return say("unfaithful", found.unfaithful, expected.unfaithful);
    if (place(found.counterexample) != place(expected.counterexample))
        return say("counterexample", place(found.counterexample), place(expected.counterexample));
    if (place(found.worst) != place(expected.worst))
        return say("worst", place(found.worst), place(expected.worst));
    if (found.maxAbs != expected.maxAbs)
        return say("max abs", found.maxAbs, expected.maxAbs);
    if (found.maxUlp != expected.maxUlp)
        return say("max ULP", found.maxUlp, expected.maxUlp);
    if (found.ulpHistogram != expected.ulpHistogram)
        return "histogram";
    if (!near(found.maxRel, expected.maxRel, 1e-15))
        return say("max rel", found.maxRel, expected.maxRel);
    if (!near(found.meanAbs, expected.meanAbs, 1e-12))
        return say("mean", found.meanAbs, expected.meanAbs);
    if (!near(found.rmse, expected.rmse, 1e-12))
        return say("rmse", found.rmse, expected.rmse);
    if (!near(found.relativeRmse, expected.relativeRmse, 1e-12))
        return say("relative RMSE", found.relativeRmse, expected.relativeRmse);
    if (std::isnan(found.cosine) != std::isnan(expected.cosine) ||
        std::abs(found.cosine - expected.cosine) > 1e-12)
        return say("cosine", found.cosine, expected.cosine);
    if (std::isnan(found.scale) != std::isnan(expected.scale) ||
        std::abs(found.scale - expected.scale) > 1e-9 * std::max(1.0, std::abs(expected.scale)))
        return say("scale", found.scale, expected.scale);
    if (!near(found.snr, expected.snr, 1e-9) && std::abs(found.snr - expected.snr) > 1e-9)
        return say("snr", found.snr, expected.snr);
    return {};
}

inline std::vector<double> numbersOf(const Bundle &bundle, std::size_t weight)
{
    const auto decoder = *bundle.decoder(weight);
    std::vector<double> values(decoder.elements().value);
    decodeDoubles(decoder, 0, values);
    return values;
}

/// What the product and the plain arithmetic disagree on for a pair; empty where on nothing.
inline std::string disagreement(const Bundle &a, std::size_t weightA, const Bundle &b,
                                std::size_t weightB)
{
    const auto found = compareValues(a, b, {weightA, weightB}, 0.25);
    if (!found)
        return found.error().code;
    return disagreement(*found, plainFigures(numbersOf(a, weightA), numbersOf(b, weightB),
                                             a.weights()[weightA].type, 0.25));
}

} // namespace kernscope::test
