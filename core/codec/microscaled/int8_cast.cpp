// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/microscaled/int8_cast.h"

#include "core/base/error_builder.h"
#include "core/base/quantity.h"
#include "core/numeric/half.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace kernscope::codec {

namespace {

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
    return ErrorBuilder("int8.length")
        .field("values")
        .expected(fmt::format("{} x {} numbers", rows, columns))
        .found(fmt::format("{}", values))
        .message("the values are not those of the matrix")
        .unexpected();
}

} // namespace

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
    if (auto sound = requireMatrixLength(values.size(), rows, columns); !sound)
        return tl::unexpected(sound.error());
    if (auto sound = requireMatrixLength(parameters.size(), rows, 1); !sound)
        return tl::unexpected(sound.error());
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
    if (auto sound = requireMatrixLength(values.size(), rows, columns); !sound)
        return tl::unexpected(sound.error());
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
