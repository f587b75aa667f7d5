// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/microscaled/quantize.h"

#include "core/base/error_builder.h"
#include "core/base/large_pages.h"
#include "core/numeric/bitpack.h"
#include "core/numeric/half.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

namespace kernscope::codec {

namespace {

/// A scale as fp16 stores it: positive and finite, so that every code can be reached.
std::uint16_t storedScale(double scale)
{
    constexpr double kSmallest = 0x1p-24;
    constexpr double kLargest = 65504;
    if (scale == 0)
        return floatToHalf(1);
    return doubleToHalf(std::clamp(scale, kSmallest, kLargest));
}

/// Whether fp16 has the number, or one that it rounds to.
bool fitsHalf(double value)
{
    constexpr double kFirstInfinite = 65520;
    return std::abs(value) < kFirstInfinite;
}

} // namespace

std::int64_t QuantGrid::codeOf(float value, std::int64_t low, std::int64_t high) const
{
    if (std::isnan(value))
        return std::clamp(zero, low, high);
    const double steps = std::nearbyint(static_cast<double>(value) / static_cast<double>(scale));
    const double code = steps + static_cast<double>(zero);
    return static_cast<std::int64_t>(
        std::clamp(code, static_cast<double>(low), static_cast<double>(high)));
}

QuantGrid symmetricGrid(std::span<const float> values, double top, std::int64_t zero)
{
    Range range;
    for (const float value : values)
        range.add(value);
    const double largest =
        std::max(-static_cast<double>(range.least), static_cast<double>(range.largest));
    std::uint16_t scale = storedScale(largest / top);
    // A scale that was rounded up must not make an infinity of what is none.
    if (fitsHalf(largest) && !fitsHalf(top * static_cast<double>(halfToFloat(scale))))
        --scale;
    return {halfToFloat(scale), zero};
}

QuantGrid rangeGrid(float least, float largest, std::int64_t low, std::int64_t high)
{
    const double bottom = std::min(0.0, static_cast<double>(least));
    const double top = std::max(0.0, static_cast<double>(largest));
    const auto gridOf = [&](std::uint16_t scale) {
        QuantGrid grid{halfToFloat(scale), 0};
        grid.zero = grid.codeOf(static_cast<float>(-bottom), INT32_MIN, INT32_MAX) + low;
        grid.zero = std::clamp(grid.zero, low, high);
        return grid;
    };
    const auto overflows = [&](const QuantGrid &grid) {
        const auto valueOf = [&](std::int64_t code) {
            return static_cast<double>(grid.scale) * static_cast<double>(code - grid.zero);
        };
        return !fitsHalf(valueOf(low)) || !fitsHalf(valueOf(high));
    };
    std::uint16_t scale = storedScale((top - bottom) / static_cast<double>(high - low));
    QuantGrid grid = gridOf(scale);
    // The zero is a whole number: the last code may lie half a step beyond the range.
    while (fitsHalf(bottom) && fitsHalf(top) && overflows(grid))
        grid = gridOf(--scale);
    return grid;
}

void Range::add(float value)
{
    if (!std::isfinite(value))
        return;
    least = std::min(least, value);
    largest = std::max(largest, value);
}

Result<void> checkValues(std::span<const float> values, const Shape &shape)
{
    const auto count = elementCount(shape);
    if (count && count->value == values.size())
        return {};
    return ErrorBuilder("codec.shape")
        .field("shape")
        .expected(fmt::format("{} elements", values.size()))
        .found(shapeText(shape))
        .message("The values do not fill the shape")
        .unexpected();
}

Result<void> checkDensity(std::span<const float> values, const Shape &shape, double density)
{
    if (auto checked = checkValues(values, shape); !checked)
        return checked;
    if (density >= 0 && density <= 1)
        return {};
    return tl::unexpected(
        badArgument("density", "0 to 1", fmt::format("{}", density), "The density is not a share"));
}

Error badArgument(std::string_view field, std::string expected, std::string found,
                  std::string message)
{
    return ErrorBuilder("codec.argument")
        .field(field)
        .expected(std::move(expected))
        .found(std::move(found))
        .message(std::move(message));
}

EncodedPart makePart(PartRole role, ElementType type, Shape shape)
{
    EncodedPart part;
    part.role = role;
    part.type = type;
    // Shapes made here are those of values in memory: neither product overflows.
    const ElementCount count = elementCount(shape).value_or(ElementCount());
    const std::size_t bytes = packedBytes(count, type).value_or(ByteCount()).value;
    reserveLarge(part.bytes, bytes);
    part.bytes.resize(bytes);
    part.shape = std::move(shape);
    return part;
}

void storeCode(EncodedPart &part, std::uint64_t index, std::int64_t code)
{
    const unsigned width = bitWidth(part.type);
    if (width >= 8) {
        std::memcpy(part.bytes.data() + index * (width / 8), &code, width / 8);
        return;
    }
    const auto narrow = static_cast<std::uint8_t>(code);
    packCodes(std::span(&narrow, 1), width, index, part.bytes);
}

} // namespace kernscope::codec
