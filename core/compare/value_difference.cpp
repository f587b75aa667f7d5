// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/value_difference.h"

#include "core/base/counted_text.h"
#include "core/numeric/half.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace kernscope {

namespace {

/// Bits of a sign and a magnitude as integers in the order of the numbers; both zeros are 0.
std::int64_t ordered(std::uint64_t magnitude, bool negative)
{
    const auto order = static_cast<std::int64_t>(magnitude);
    return negative ? -order : order;
}

std::uint64_t between(std::int64_t a, std::int64_t b)
{
    return a < b ? static_cast<std::uint64_t>(b) - static_cast<std::uint64_t>(a)
                 : static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b);
}

std::int64_t orderOf(ElementType type, double value)
{
    const bool negative = std::signbit(value);
    const auto narrow = static_cast<float>(value);
    switch (type) {
    case ElementType::Fp32:
        return ordered(std::bit_cast<std::uint32_t>(narrow) & 0x7fffffffu, negative);
    case ElementType::Bf16:
        return ordered(floatToBfloat16(doubleToFloatOdd(value)) & 0x7fffu, negative);
    case ElementType::Fp64:
        return ordered(std::bit_cast<std::uint64_t>(value) & INT64_MAX, negative);
    case ElementType::Fp8E4M3Fn:
        return ordered(floatToE4m3(doubleToFloatOdd(value), Fp8Overflow::Saturate) & 0x7fu,
                       negative);
    case ElementType::Fp8E5M2:
        return ordered(floatToE5m2(doubleToFloatOdd(value)) & 0x7fu, negative);
    default: return ordered(doubleToHalf(value) & 0x7fffu, negative);
    }
}

} // namespace

std::size_t ulpBins(ElementType type)
{
    const unsigned bits = bitWidth(type);
    return bits <= 16 ? 17 : bits <= 32 ? 33 : 65;
}

std::uint32_t ulpDistance(std::uint16_t a, std::uint16_t b)
{
    return static_cast<std::uint32_t>(between(ordered(a & 0x7fffu, (a & 0x8000u) != 0),
                                              ordered(b & 0x7fffu, (b & 0x8000u) != 0)));
}

std::uint64_t ulpDistance(ElementType type, double a, double b)
{
    if (a == b || std::isnan(a) || std::isnan(b))
        return 0;
    if (isFloatingPoint(type))
        return between(orderOf(type, a), orderOf(type, b));
    const double distance = std::abs(std::nearbyint(a) - std::nearbyint(b));
    return distance < 0x1p64 ? static_cast<std::uint64_t>(distance) : UINT64_MAX;
}

std::uint64_t exactUlpDistance(ElementType type, ExactValue a, ExactValue b)
{
    if (a == b || std::isnan(a) || std::isnan(b))
        return 0;
    if (isFloatingPoint(type))
        return ulpDistance(type, static_cast<double>(a), static_cast<double>(b));
    // Of integers beyond 64 bits apart the difference is rounded, which is more than is counted.
    const ExactValue distance = std::abs(std::nearbyint(a) - std::nearbyint(b));
    return distance < 0x1p64L ? static_cast<std::uint64_t>(distance) : UINT64_MAX;
}

std::string exactText(ExactValue value)
{
    const auto narrow = static_cast<double>(value);
    if (static_cast<ExactValue>(narrow) == value || std::isnan(value))
        return fmt::format("{}", narrow);
    return fmt::format("{:.0f}", value);
}

std::string_view likenessText(double relativeRmse)
{
    return relativeRmse <= kCloseRmse     ? "close"
           : relativeRmse <= kSimilarRmse ? "similar"
                                          : "different";
}

std::string notFiniteText(const ValueDifference &values)
{
    if (values.nonfiniteA == 0)
        return fmt::format("not finite ({} in B)", counted(values.nonfiniteB, "value"));
    return fmt::format("not finite ({} in A, {} in B)", counted(values.nonfiniteA, "value"),
                       grouped(values.nonfiniteB));
}

ValueDifference ValueDifference::same(std::uint64_t elements, ElementType type)
{
    ValueDifference same;
    same.equal = elements;
    same.ulpType = type;
    same.ulpHistogram.assign(ulpBins(type), 0);
    same.ulpHistogram[0] = elements;
    same.snr = std::numeric_limits<double>::infinity();
    return same;
}

} // namespace kernscope
