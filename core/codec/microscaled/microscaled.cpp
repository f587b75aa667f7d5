// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/microscaled/microscaled.h"

#include "core/numeric/half.h"

#include <algorithm>
#include <array>
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
    return format == MxFormat::Mxfp8       ? floatToE4m3(scaled, Fp8Overflow::Saturate)
           : format == MxFormat::Mxfp8E5M2 ? floatToE5m2(scaled, Fp8Overflow::Saturate)
                                           : floatToE2m1(scaled);
}

/// Largest magnitudes of the groups, in the order of the exponents.
std::vector<float> groupLargest(std::span<const float> values, const Microscaled &matrix)
{
    std::vector<float> largest(matrix.exponentRows() * matrix.exponentColumns(), 0.0f);
    for (std::uint64_t r = 0; r * matrix.validColumns < values.size(); ++r) {
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
    if (matrix.format != MxFormat::Mxfp4) {
        matrix.data[row * matrix.columns + column] = code;
        return;
    }
    std::uint8_t &pair = matrix.data[(row * matrix.columns + column) / 2];
    pair = static_cast<std::uint8_t>(column % 2 == 0 ? code : pair | code << 4);
}

Result<void> requireValues(std::span<const float> values, const MxRequest &request)
{
    const auto count = checkedMultiply(request.rows, request.columns);
    const auto columns = checkedRoundUp(request.columns, kMxGroup);
    const auto rows = checkedRoundUp(request.rows, kMxGroup);
    if (count && columns && rows && checkedMultiply(*rows, *columns) && *count == values.size())
        return {};
    return refused("mx.length", "values",
                   fmt::format("{} x {} numbers", request.rows, request.columns),
                   fmt::format("{}", values.size()), "the values are not those of the matrix");
}

using Bytes = std::vector<std::uint8_t>;

Error lengthFault(std::string_view field, std::uint64_t expected, std::uint64_t found)
{
    return valueError("mx.length", field, fmt::format("{} bytes", expected),
                      fmt::format("{} bytes", found),
                      fmt::format("the {} do not have the length of the matrix", field));
}

Result<void> requireLength(std::string_view field, std::optional<std::uint64_t> expected,
                           std::uint64_t found)
{
    if (expected && *expected == found)
        return {};
    return tl::unexpected(lengthFault(field, expected.value_or(UINT64_MAX), found));
}

std::optional<std::uint64_t> nzBytes(std::uint64_t rows, std::uint64_t bytesPerRow)
{
    const auto paddedRows = checkedRoundUp(rows, 16);
    const auto paddedBytes = checkedRoundUp(bytesPerRow, 32);
    if (!paddedRows || !paddedBytes)
        return std::nullopt;
    return checkedMultiply(*paddedRows, *paddedBytes);
}

/// Calls `each(row-major offset, NZ offset, bytes)` for every run of at most 32 bytes of a row.
template <class Each>
void forEachNzRun(std::uint64_t rows, std::uint64_t bytesPerRow, Each each)
{
    const std::uint64_t paddedRows = (rows + 15) / 16 * 16;
    for (std::uint64_t box = 0; box * 32 < bytesPerRow; ++box) {
        const std::uint64_t count = std::min<std::uint64_t>(32, bytesPerRow - box * 32);
        for (std::uint64_t r = 0; r < rows; ++r)
            each(r * bytesPerRow + box * 32, (box * paddedRows + r) * 32, count);
    }
}

/// The matrix of exponents as ZZ sees it: `lines` of 16 a box, `pairs` of two within a line.
struct ZzShape {
    std::uint64_t lines = 0;       ///< rows of the matrix (axis 1) or its columns (axis 0)
    std::uint64_t across = 0;      ///< groups within a line, an even number
    std::uint64_t lineStride = 0;  ///< in the row-major exponents
    std::uint64_t groupStride = 0; ///< in the row-major exponents

    std::uint64_t paddedLines() const { return (lines + 15) / 16 * 16; }
    std::uint64_t zzOffset(std::uint64_t line, std::uint64_t group) const
    {
        return (line / 16 * (across / 2) + group / 2) * 32 + line % 16 * 2 + group % 2;
    }
};

Error constraintFault(std::string_view field, std::string required, std::string found)
{
    return valueError("mx.constraint", field, required, found,
                      "the exponents of this shape have no ZZ layout");
}

Result<ZzShape> zzShape(MxAxis axis, std::uint64_t rows, std::uint64_t columns)
{
    if (!checkedMultiply(rows, columns))
        return tl::unexpected(constraintFault("shape", "M * N within 64 bits", "more"));
    if (axis == MxAxis::Columns) {
        if (columns % 64 != 0)
            return tl::unexpected(
                constraintFault("ZZ columns", "N mod 64 = 0", fmt::format("N = {}", columns)));
        return ZzShape{rows, columns / kMxGroup, columns / kMxGroup, 1};
    }
    if (rows % 64 != 0)
        return tl::unexpected(
            constraintFault("ZZ rows", "M mod 64 = 0", fmt::format("M = {}", rows)));
    if (columns % 16 != 0)
        return tl::unexpected(
            constraintFault("ZZ columns", "N mod 16 = 0", fmt::format("N = {}", columns)));
    return ZzShape{columns, rows / kMxGroup, 1, columns};
}

constexpr std::string_view kSource = "pto.tquant, table of constraints";

/// Collects the constraints of one request.
class Rules
{
public:
    explicit Rules(const MxRequest &request) : m_request(request) {}

    void require(std::string name, bool holds, std::string required, std::string found,
                 bool padded = false)
    {
        m_rules.push_back({std::move(name), holds || padded, padded && !holds, false,
                           std::move(required), std::move(found), std::string(kSource)});
    }
    MxConstraint &last() { return m_rules.back(); }
    std::string rows() const { return fmt::format("M = {}", m_request.rows); }
    std::string columns() const { return fmt::format("N = {}", m_request.columns); }
    std::vector<MxConstraint> take() { return std::move(m_rules); }

private:
    const MxRequest &m_request;
    std::vector<MxConstraint> m_rules;
};

void addSource(Rules &rules, const MxRequest &request)
{
    if (request.format != MxFormat::Mxfp4)
        return;
    const bool fits = request.source != MxSource::Fp32 || request.simulator;
    rules.require("source", fits, "MXFP4 takes fp16 or bf16 (fp32 in the CPU simulator only)",
                  std::string(mxSourceName(request.source)));
}

void addGroups(Rules &rules, const MxRequest &request)
{
    rules.require("columns", request.columns % kMxGroup == 0, "N mod 32 = 0 (group size 32)",
                  rules.columns(), request.columns != 0);
    // 16-bit sources narrower than a whole number of groups read as zero there.
    rules.last().itself = request.source != MxSource::Fp32;
    if (request.axis == MxAxis::Rows)
        rules.require("rows", request.rows % kMxGroup == 0,
                      "M mod 32 = 0 (groups of 32 along the rows)", rules.rows(),
                      request.rows != 0);
}

std::uint64_t wholeGroups(std::uint64_t extent)
{
    return extent / kMxGroup * kMxGroup + (extent % kMxGroup != 0 ? kMxGroup : 0);
}

/// Columns and rows with their padding.
std::uint64_t storedColumns(const MxRequest &request)
{
    return wholeGroups(request.columns);
}
std::uint64_t storedRows(const MxRequest &request)
{
    return request.axis == MxAxis::Rows ? wholeGroups(request.rows) : request.rows;
}

void addTile(Rules &rules, const MxRequest &request)
{
    if (request.tiled)
        return;
    const std::uint64_t stored = storedColumns(request), rows = storedRows(request);
    const bool fits = rows == 0 || stored <= kMxTileElements / rows;
    rules.require("tile", fits,
                  fmt::format("M * N <= {} (buffer budget of one tile)", kMxTileElements),
                  fmt::format("{} * {}", rows, stored));
}

void addLayouts(Rules &rules, const MxRequest &request)
{
    if (request.nzData)
        rules.require("NZ rows", request.rows % 16 == 0, "M mod 16 = 0 (boxes of 16 rows)",
                      rules.rows(), true);
    const std::uint64_t stored = storedColumns(request);
    const std::string columns = fmt::format("N = {}", stored);
    if (request.zzExponents && request.axis == MxAxis::Columns) {
        rules.require("ZZ rows", request.rows % 16 == 0, "M mod 16 = 0 (boxes of 16 rows)",
                      rules.rows(), true);
        rules.require("ZZ columns", stored % 64 == 0,
                      "N mod 64 = 0 (an even number of exponent groups)", columns);
    }
    if (request.zzExponents && request.axis == MxAxis::Rows) {
        rules.require("ZZ rows", storedRows(request) % 64 == 0, "M mod 64 = 0 (pairs of groups)",
                      rules.rows());
        rules.require("ZZ columns", stored % 16 == 0, "N mod 16 = 0 (boxes of 16 columns)",
                      columns);
    }
    if (request.interleaved) {
        rules.require("interleaved axis", request.axis == MxAxis::Rows, "groups along axis 0 (DN)",
                      std::string(mxAxisName(request.axis)));
        rules.require("interleaved rows", request.rows % 64 == 0,
                      "M mod 64 = 0 (tiles start on 64-row boundaries)", rules.rows());
    }
}

} // namespace

std::uint8_t mxExponent(float largest, MxFormat format, MxAlgorithm algorithm)
{
    if (algorithm == MxAlgorithm::Nv) {
        // Of the largest number: 448, 57344, 6.
        const std::uint32_t reciprocal = format == MxFormat::Mxfp8       ? 0x3b124925u
                                         : format == MxFormat::Mxfp8E5M2 ? 0x37924925u
                                                                         : 0x3e2aaaabu;
        return floatToE8m0Up(largest * std::bit_cast<float>(reciprocal));
    }
    const std::uint8_t exponent = floatToE8m0Down(largest);
    if (std::isnan(largest))
        return kE8m0Nan;
    const std::uint8_t top = format == MxFormat::Mxfp8 ? 8 : format == MxFormat::Mxfp8E5M2 ? 15 : 2;
    return static_cast<std::uint8_t>(exponent < top ? 0 : exponent - top);
}

Result<Microscaled> quantizeMicroscaled(std::span<const float> values, const MxRequest &request)
{
    TRY(requireMicroscaled(request));
    TRY(requireValues(values, request));
    Microscaled matrix;
    matrix.format = request.format;
    matrix.axis = request.axis;
    matrix.rows = storedRows(request);
    matrix.validColumns = request.columns;
    matrix.columns = storedColumns(request);
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
            const bool valid = c < matrix.validColumns && r < request.rows;
            const float value = valid ? values[r * matrix.validColumns + c] : 0;
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
        return refused("mx.constraint", "shape", "whole groups of 32",
                       fmt::format("{} x {}", matrix.rows, matrix.columns),
                       "the matrix does not consist of whole groups");
    }
    const std::uint64_t bytes = matrix.rows * matrix.bytesPerRow();
    const std::uint64_t groupCount = matrix.exponentRows() * matrix.exponentColumns();
    if (matrix.data.size() == bytes && matrix.exponents.size() == groupCount)
        return {};
    return refused("mx.length", matrix.data.size() == bytes ? "exponents" : "data",
                   fmt::format("{} bytes of data, {} exponents", bytes, groupCount),
                   fmt::format("{} and {}", matrix.data.size(), matrix.exponents.size()),
                   "data or exponents do not have the length of the matrix");
}

void dequantizeMicroscaled(const Microscaled &matrix, std::span<double> out)
{
    const bool across = matrix.axis == MxAxis::Columns;
    for (std::uint64_t r = 0; r < matrix.rows && r * matrix.validColumns < out.size(); ++r) {
        const std::uint64_t line = (across ? r : r / kMxGroup) * matrix.exponentColumns();
        for (std::uint64_t c = 0; c < matrix.validColumns; ++c) {
            const std::uint64_t at = r * matrix.columns + c;
            const std::uint8_t exponent = matrix.exponents[line + (across ? c / kMxGroup : c)];
            const float element =
                matrix.format == MxFormat::Mxfp8 ? e4m3ToFloat(matrix.data[at])
                : matrix.format == MxFormat::Mxfp8E5M2
                    ? e5m2ToFloat(matrix.data[at])
                    : e2m1ToFloat(static_cast<std::uint8_t>(matrix.data[at / 2] >> (4 * (c % 2))));
            out[r * matrix.validColumns + c] =
                static_cast<double>(element) * static_cast<double>(e8m0ToFloat(exponent));
        }
    }
}

Result<Bytes> toNz(std::span<const std::uint8_t> data, std::uint64_t rows,
                   std::uint64_t bytesPerRow)
{
    const auto size = nzBytes(rows, bytesPerRow);
    const auto expected = size ? checkedMultiply(rows, bytesPerRow) : std::nullopt;
    TRY(requireLength("data", expected, data.size()));
    Bytes nz(*size, 0);
    forEachNzRun(rows, bytesPerRow,
                 [&](std::uint64_t plain, std::uint64_t boxed, std::uint64_t count) {
                     std::copy_n(data.begin() + static_cast<std::ptrdiff_t>(plain), count,
                                 nz.begin() + static_cast<std::ptrdiff_t>(boxed));
                 });
    return nz;
}

Result<Bytes> fromNz(std::span<const std::uint8_t> nz, std::uint64_t rows,
                     std::uint64_t bytesPerRow)
{
    TRY(requireLength("NZ data", nzBytes(rows, bytesPerRow), nz.size()));
    Bytes data(rows * bytesPerRow, 0);
    forEachNzRun(rows, bytesPerRow,
                 [&](std::uint64_t plain, std::uint64_t boxed, std::uint64_t count) {
                     std::copy_n(nz.begin() + static_cast<std::ptrdiff_t>(boxed), count,
                                 data.begin() + static_cast<std::ptrdiff_t>(plain));
                 });
    return data;
}

Result<Bytes> toZz(std::span<const std::uint8_t> exponents, MxAxis axis, std::uint64_t rows,
                   std::uint64_t columns)
{
    const auto shape = TRY(zzShape(axis, rows, columns));
    TRY(requireLength("exponents", shape.lines * shape.across, exponents.size()));
    Bytes zz(shape.paddedLines() * shape.across, 0);
    for (std::uint64_t line = 0; line < shape.lines; ++line) {
        for (std::uint64_t group = 0; group < shape.across; ++group)
            zz[shape.zzOffset(line, group)] =
                exponents[line * shape.lineStride + group * shape.groupStride];
    }
    return zz;
}

Result<Bytes> fromZz(std::span<const std::uint8_t> zz, MxAxis axis, std::uint64_t rows,
                     std::uint64_t columns)
{
    const auto shape = TRY(zzShape(axis, rows, columns));
    TRY(requireLength("ZZ exponents", shape.paddedLines() * shape.across, zz.size()));
    Bytes exponents(shape.lines * shape.across, 0);
    for (std::uint64_t line = 0; line < shape.lines; ++line) {
        for (std::uint64_t group = 0; group < shape.across; ++group)
            exponents[line * shape.lineStride + group * shape.groupStride] =
                zz[shape.zzOffset(line, group)];
    }
    return exponents;
}

Result<Bytes> toInterleaved(std::span<const std::uint8_t> exponents, std::uint64_t rows,
                            std::uint64_t columns)
{
    const std::uint64_t groups = rows / kMxGroup;
    TRY(requireLength("exponents", checkedMultiply(groups, columns), exponents.size()));
    Bytes out((groups + 1) / 2 * 2 * columns, 0);
    for (std::uint64_t group = 0; group < groups; ++group) {
        for (std::uint64_t c = 0; c < columns; ++c)
            out[2 * columns * (group / 2) + 2 * c + group % 2] = exponents[group * columns + c];
    }
    return out;
}

Result<Bytes> fromInterleaved(std::span<const std::uint8_t> interleaved, std::uint64_t rows,
                              std::uint64_t columns)
{
    const std::uint64_t groups = rows / kMxGroup;
    TRY(requireLength("interleaved exponents", checkedMultiply((groups + 1) / 2 * 2, columns),
                      interleaved.size()));
    Bytes exponents(groups * columns, 0);
    for (std::uint64_t group = 0; group < groups; ++group) {
        for (std::uint64_t c = 0; c < columns; ++c)
            exponents[group * columns + c] =
                interleaved[2 * columns * (group / 2) + 2 * c + group % 2];
    }
    return exponents;
}

std::string_view mxFormatName(MxFormat format)
{
    constexpr std::array<std::string_view, 3> kNames{"mxfp8", "mxfp4", "mxfp8_e5m2"};
    return kNames[static_cast<std::size_t>(format)];
}

MxFormat mxFormatOf(std::string_view name)
{
    return name == "mxfp8"        ? MxFormat::Mxfp8
           : name == "mxfp8_e5m2" ? MxFormat::Mxfp8E5M2
                                  : MxFormat::Mxfp4;
}

ElementType mxElementType(MxFormat format)
{
    return format == MxFormat::Mxfp8       ? ElementType::Fp8E4M3Fn
           : format == MxFormat::Mxfp8E5M2 ? ElementType::Fp8E5M2
                                           : ElementType::Fp4E2M1;
}

std::string_view mxElementName(MxFormat format)
{
    return elementTypeName(mxElementType(format)).substr(3); // without "fp8", "fp4"
}

std::string_view mxAxisName(MxAxis axis)
{
    return axis == MxAxis::Rows ? "dn" : "nd";
}

std::string_view mxSourceName(MxSource source)
{
    constexpr std::array<std::string_view, 3> kNames{"fp32", "bf16", "fp16"};
    return kNames[static_cast<std::size_t>(source)];
}

std::vector<MxConstraint> checkMicroscaled(const MxRequest &request)
{
    Rules rules(request);
    rules.require("shape", request.rows != 0 && request.columns != 0, "a matrix with elements",
                  fmt::format("{} x {}", request.rows, request.columns));
    addSource(rules, request);
    addGroups(rules, request);
    addTile(rules, request);
    addLayouts(rules, request);
    return rules.take();
}

Result<void> requireMicroscaled(const MxRequest &request)
{
    for (const MxConstraint &rule : checkMicroscaled(request)) {
        if (rule.holds)
            continue;
        return refused("mx.constraint", rule.name, rule.required, rule.found,
                       fmt::format("{} along axis {} ({}) refuses this matrix: {}",
                                   mxFormatName(request.format),
                                   request.axis == MxAxis::Rows ? 0 : 1, mxAxisName(request.axis),
                                   rule.name));
    }
    return {};
}

MxConstraint int8SourceConstraint(MxSource source)
{
    return {"source",
            source == MxSource::Fp32,
            false,
            false,
            "INT8 takes fp32",
            std::string(mxSourceName(source)),
            "pto.tquant, supported input types"};
}

std::vector<TquantTile> tilesOf(const MxRequest &request)
{
    const std::uint64_t columns = storedColumns(request), rows = storedRows(request);
    const std::uint64_t elements = rows * columns;
    const bool wide = request.source == MxSource::Fp32;
    const std::string type(mxSourceName(request.source));
    const bool across = request.axis == MxAxis::Columns;
    const Shape all{rows, columns};
    const Shape groups{across ? rows : rows / kMxGroup, across ? columns / kMxGroup : columns};
    const std::uint64_t count = elements / kMxGroup;
    const std::uint64_t width = wide ? 4 : 2;
    const bool bytes = request.format != MxFormat::Mxfp4;
    return {{"src", type, all, elements * width, false},
            {"dst", std::string(mxElementName(request.format)), all,
             bytes ? elements : elements / 2, false},
            {"exp", "e8m0", groups, count, false},
            {"max", type, groups, count * width, true},
            {"scaling", type, groups, count * width, true}};
}

std::vector<TquantTile> int8Tiles(std::uint64_t rows, std::uint64_t columns, bool offset)
{
    const std::uint64_t elements = rows * columns;
    std::vector<TquantTile> tiles{
        {"src", "fp32", {rows, columns}, 4 * elements, false},
        {"dst", offset ? "uint8" : "int8", {rows, columns}, elements, false},
        {"scale", "fp32", {rows}, 4 * rows, false}};
    if (offset)
        tiles.push_back({"offset", "fp32", {rows}, 4 * rows, false});
    tiles.push_back({"tmp", "fp32", {rows, columns}, 4 * elements, true});
    return tiles;
}

} // namespace kernscope::codec
