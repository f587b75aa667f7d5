// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/microscaled/quantize.h"

#include "core/base/memory.h"
#include "core/codec/microscaled/microscaled.h"
#include "core/numeric/bitpack.h"
#include "core/numeric/half.h"

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

/// Nearest integer, ties to even, within [low, high].
std::int32_t castTo(double value, double low, double high)
{
    if (std::isnan(value))
        return 0;
    return static_cast<std::int32_t>(std::clamp(std::nearbyint(value), low, high));
}

std::int32_t toInt32(float value)
{
    return castTo(value, -2147483648.0, 2147483647.0);
}

std::int32_t toByte(float value, Int8Mode mode)
{
    return mode == Int8Mode::Symmetric ? castTo(value, -128, 127) : castTo(value, 0, 255);
}

std::uint16_t saturatedHalf(float value)
{
    const std::uint16_t half = floatToHalf(value);
    return (half & 0x7fffu) == kHalfInfinity
               ? static_cast<std::uint16_t>((half & 0x8000u) | kLargestHalf)
               : half;
}

Result<void> requireMatrixLength(std::size_t values, std::uint64_t rows, std::uint64_t columns)
{
    const auto expected = checkedMultiply(rows, columns);
    if (expected && *expected == values)
        return {};
    return refused("int8.length", "values", fmt::format("{} x {} numbers", rows, columns),
                   fmt::format("{}", values), "the values are not those of the matrix");
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
    return refused("codec.shape", "shape", fmt::format("{} elements", values.size()),
                   shapeText(shape), "The values do not fill the shape");
}

Result<void> checkDensity(std::span<const float> values, const Shape &shape, double density)
{
    TRY(checkValues(values, shape));
    if (density >= 0 && density <= 1)
        return {};
    return tl::unexpected(
        badArgument("density", "0 to 1", fmt::format("{}", density), "The density is not a share"));
}

Error badArgument(std::string_view field, std::string expected, std::string found,
                  std::string message)
{
    return valueError("codec.argument", field, expected, found, message);
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

Int8Stages int8Stages(float value, Int8Mode mode)
{
    Int8Stages stages;
    stages.integer = toInt32(value);
    stages.back = static_cast<float>(stages.integer);
    stages.half = saturatedHalf(stages.back);
    stages.code = toByte(halfToFloat(stages.half), mode);
    stages.direct = toByte(value, mode);
    stages.twoCasts = toByte(halfToFloat(saturatedHalf(value)), mode);
    return stages;
}

std::int32_t int8Code(float value, Int8Mode mode, Int8Chain chain)
{
    switch (chain) {
    case Int8Chain::FiveStage: return int8Stages(value, mode).code;
    case Int8Chain::FourStage: {
        // s32 to fp16 at once: the integer is exact in fp64, so there is one rounding.
        const float once = doubleToFloatOdd(static_cast<double>(toInt32(value)));
        return toByte(halfToFloat(saturatedHalf(once)), mode);
    }
    case Int8Chain::Direct: return toByte(value, mode);
    case Int8Chain::TwoCasts: return int8Stages(value, mode).twoCasts;
    }
    return 0;
}

Int8Parameters int8Parameters(std::span<const float> values, Int8Mode mode)
{
    bool any = false;
    float least = 0;
    float largest = 0;
    for (const float value : values) {
        if (std::isnan(value))
            continue;
        least = any ? std::min(least, value) : value;
        largest = any ? std::max(largest, value) : value;
        any = true;
    }
    Int8Parameters parameters;
    if (mode == Int8Mode::Symmetric)
        parameters.scale = std::max(std::abs(least), std::abs(largest)) / 127.0f;
    else
        parameters.scale = (largest - least) / 255.0f;
    if (parameters.scale == 0)
        return parameters;
    parameters.inverse = 1.0f / parameters.scale;
    if (mode == Int8Mode::Asymmetric) {
        const float offset = std::nearbyint(-least / parameters.scale);
        parameters.offset = std::isnan(offset) ? 0.0f : std::clamp(offset, 0.0f, 255.0f);
    }
    return parameters;
}

std::int32_t Int8Matrix::code(std::uint64_t index) const
{
    const auto byte = std::to_integer<std::uint8_t>(codes[static_cast<std::size_t>(index)]);
    return mode == Int8Mode::Symmetric ? static_cast<std::int8_t>(byte) : byte;
}

Result<Int8Matrix> quantizeInt8(std::span<const float> values, std::uint64_t rows,
                                std::uint64_t columns, Int8Mode mode, Int8Chain chain,
                                std::span<const Int8Parameters> parameters)
{
    TRY(requireMatrixLength(values.size(), rows, columns));
    TRY(requireMatrixLength(parameters.size(), rows, 1));
    Int8Matrix matrix{mode, rows, columns, {}, {parameters.begin(), parameters.end()}};
    matrix.codes.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        const Int8Parameters &row = parameters[i / columns];
        // Two statements: a fused multiply-add would round once.
        const volatile float product = values[i] * row.inverse;
        const float sum = mode == Int8Mode::Asymmetric ? product + row.offset : product;
        matrix.codes[i] = static_cast<std::byte>(int8Code(sum, mode, chain));
    }
    return matrix;
}

Result<std::vector<Int8Parameters>> int8ParametersOfRows(std::span<const float> values,
                                                         std::uint64_t rows, std::uint64_t columns,
                                                         Int8Mode mode, bool perTensor)
{
    TRY(requireMatrixLength(values.size(), rows, columns));
    if (perTensor || columns == 0)
        return std::vector<Int8Parameters>(static_cast<std::size_t>(rows),
                                           int8Parameters(values, mode));
    std::vector<Int8Parameters> all;
    all.reserve(static_cast<std::size_t>(rows));
    for (std::size_t r = 0; r < rows; ++r)
        all.push_back(
            int8Parameters(values.subspan(r * columns, static_cast<std::size_t>(columns)), mode));
    return all;
}

void dequantizeInt8(const Int8Matrix &matrix, std::span<double> out)
{
    for (std::size_t i = 0; i < out.size(); ++i) {
        const Int8Parameters &row = matrix.parameters[i / matrix.columns];
        out[i] = static_cast<double>(row.scale) *
                 (static_cast<double>(matrix.code(i)) - static_cast<double>(row.offset));
    }
}

} // namespace kernscope::codec
