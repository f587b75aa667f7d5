// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/microscaled/microscaled.h"

#include "core/base/error_builder.h"
#include "core/base/quantity.h"
#include "core/numeric/microfloat.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

namespace kernscope::codec {

namespace {

/// The larger magnitude; NaN wins (contested for fp32 on the device, C4).
float largerMagnitude(float largest, float value)
{
    const float magnitude = std::abs(value);
    return std::isnan(largest) || magnitude <= largest ? largest : magnitude;
}

std::uint8_t elementCode(float scaled, MxFormat format)
{
    return format == MxFormat::Mxfp8 ? floatToE4m3(scaled, Fp8Overflow::Saturate)
                                     : floatToE2m1(scaled);
}

/// Largest magnitudes of the groups, in the order of the exponents.
std::vector<float> groupLargest(std::span<const float> values, const Microscaled &matrix)
{
    std::vector<float> largest(matrix.exponentRows() * matrix.exponentColumns(), 0.0f);
    for (std::uint64_t r = 0; r < matrix.rows; ++r) {
        const std::uint64_t line =
            (matrix.axis == MxAxis::Columns ? r : r / kMxGroup) * matrix.exponentColumns();
        for (std::uint64_t c = 0; c < matrix.validColumns; ++c) {
            float &group = largest[line + (matrix.axis == MxAxis::Columns ? c / kMxGroup : c)];
            group = largerMagnitude(group, values[r * matrix.validColumns + c]);
        }
    }
    return largest;
}

void storeElement(Microscaled &matrix, std::uint64_t row, std::uint64_t column, std::uint8_t code)
{
    if (matrix.format == MxFormat::Mxfp8) {
        matrix.data[row * matrix.columns + column] = code;
        return;
    }
    std::uint8_t &pair = matrix.data[(row * matrix.columns + column) / 2];
    pair = static_cast<std::uint8_t>(column % 2 == 0 ? code : pair | code << 4);
}

Result<void> requireValues(std::span<const float> values, const MxRequest &request)
{
    const auto count = checkedMultiply(request.rows, request.columns);
    const auto padded = checkedRoundUp(request.columns, kMxGroup);
    if (count && padded && checkedMultiply(request.rows, *padded) && *count == values.size())
        return {};
    return ErrorBuilder("mx.length")
        .field("values")
        .expected(fmt::format("{} x {} numbers", request.rows, request.columns))
        .found(fmt::format("{}", values.size()))
        .message("the values are not those of the matrix")
        .unexpected();
}

} // namespace

std::uint8_t mxExponent(float largest, MxFormat format, MxAlgorithm algorithm)
{
    if (algorithm == MxAlgorithm::Nv) {
        const std::uint32_t reciprocal = format == MxFormat::Mxfp8 ? 0x3b124925u : 0x3e2aaaabu;
        return floatToE8m0Up(largest * std::bit_cast<float>(reciprocal));
    }
    const std::uint8_t exponent = floatToE8m0Down(largest);
    if (std::isnan(largest))
        return kE8m0Nan;
    const std::uint8_t top = format == MxFormat::Mxfp8 ? 8 : 2;
    return static_cast<std::uint8_t>(exponent < top ? 0 : exponent - top);
}

Result<Microscaled> quantizeMicroscaled(std::span<const float> values, const MxRequest &request)
{
    if (auto sound = requireMicroscaled(request); !sound)
        return tl::unexpected(sound.error());
    if (auto sound = requireValues(values, request); !sound)
        return tl::unexpected(sound.error());
    Microscaled matrix;
    matrix.format = request.format;
    matrix.axis = request.axis;
    matrix.rows = request.rows;
    matrix.validColumns = request.columns;
    matrix.columns = (request.columns + kMxGroup - 1) / kMxGroup * kMxGroup;
    matrix.data.assign(matrix.rows * matrix.bytesPerRow(), 0);
    const auto largest = groupLargest(values, matrix);
    matrix.exponents.resize(largest.size());
    std::transform(largest.begin(), largest.end(), matrix.exponents.begin(), [&](float group) {
        return mxExponent(group, request.format, request.algorithm);
    });
    for (std::uint64_t r = 0; r < matrix.rows; ++r) {
        const bool across = matrix.axis == MxAxis::Columns;
        const std::uint64_t line = (across ? r : r / kMxGroup) * matrix.exponentColumns();
        for (std::uint64_t c = 0; c < matrix.columns; ++c) {
            const float value = c < matrix.validColumns ? values[r * matrix.validColumns + c] : 0;
            const auto exponent = matrix.exponents[line + (across ? c / kMxGroup : c)];
            storeElement(matrix, r, c,
                         elementCode(value * e8m0Reciprocal(exponent), matrix.format));
        }
    }
    return matrix;
}

Result<void> checkMicroscaled(const Microscaled &matrix)
{
    const bool groups = matrix.columns % kMxGroup == 0 && matrix.validColumns <= matrix.columns &&
                        (matrix.axis == MxAxis::Columns || matrix.rows % kMxGroup == 0);
    if (!groups || !checkedMultiply(matrix.rows, matrix.columns)) {
        return ErrorBuilder("mx.constraint")
            .field("shape")
            .expected("whole groups of 32")
            .found(fmt::format("{} x {}", matrix.rows, matrix.columns))
            .message("the matrix does not consist of whole groups")
            .unexpected();
    }
    const std::uint64_t bytes = matrix.rows * matrix.bytesPerRow();
    const std::uint64_t groupCount = matrix.exponentRows() * matrix.exponentColumns();
    if (matrix.data.size() == bytes && matrix.exponents.size() == groupCount)
        return {};
    return ErrorBuilder("mx.length")
        .field(matrix.data.size() == bytes ? "exponents" : "data")
        .expected(fmt::format("{} bytes of data, {} exponents", bytes, groupCount))
        .found(fmt::format("{} and {}", matrix.data.size(), matrix.exponents.size()))
        .message("data or exponents do not have the length of the matrix")
        .unexpected();
}

void dequantizeMicroscaled(const Microscaled &matrix, std::span<double> out)
{
    const bool across = matrix.axis == MxAxis::Columns;
    for (std::uint64_t r = 0; r < matrix.rows; ++r) {
        const std::uint64_t line = (across ? r : r / kMxGroup) * matrix.exponentColumns();
        for (std::uint64_t c = 0; c < matrix.validColumns; ++c) {
            const std::uint64_t at = r * matrix.columns + c;
            const std::uint8_t exponent = matrix.exponents[line + (across ? c / kMxGroup : c)];
            const float element =
                matrix.format == MxFormat::Mxfp8
                    ? e4m3ToFloat(matrix.data[at])
                    : e2m1ToFloat(static_cast<std::uint8_t>(matrix.data[at / 2] >> (4 * (c % 2))));
            out[r * matrix.validColumns + c] =
                static_cast<double>(element) * static_cast<double>(e8m0ToFloat(exponent));
        }
    }
}

} // namespace kernscope::codec
