// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/quantize.h"

#include "app/cli/command.h"
#include "core/base/overlaid_file.h"
#include "core/base/quantity.h"
#include "core/base/sha256.h"
#include "core/codec/microscaled/microscaled_layout.h"
#include "core/numeric/half.h"
#include "core/numeric/npy.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

using codec::Microscaled;
using codec::MxAxis;
using codec::MxSource;
using report::Json;
using Bytes = std::vector<std::uint8_t>;

/// The input as a matrix of numbers that its type can hold.
struct Matrix {
    Shape shape;
    std::uint64_t rows = 1;
    std::uint64_t columns = 0;
    MxSource source = MxSource::Fp32;
    std::vector<float> values;
};

Error shapeFault(const Shape &shape)
{
    Error error;
    error.code = "quantize.shape";
    error.field = "array";
    error.expected = "an array with elements and a shape";
    error.found = shapeText(shape);
    error.message = "This array cannot be quantised";
    return error;
}

MxSource sourceOf(ElementType type, const std::string &asked)
{
    if (asked == "bf16")
        return MxSource::Bf16;
    const bool half = asked.empty() ? type == ElementType::Fp16 : asked == "fp16";
    return half ? MxSource::Fp16 : MxSource::Fp32;
}

float valueAs(double value, MxSource source)
{
    switch (source) {
    case MxSource::Fp16: return halfToFloat(doubleToHalf(value));
    case MxSource::Bf16: return bfloat16ToFloat(floatToBfloat16(doubleToFloatOdd(value)));
    case MxSource::Fp32: break;
    }
    return static_cast<float>(value);
}

Result<Matrix> matrixOf(const NpyArray &array, const std::string &source)
{
    Matrix matrix;
    matrix.shape = array.shape;
    if (array.values.empty() || array.shape.empty())
        return tl::unexpected(shapeFault(array.shape));
    // A vector is one row; further axes lie along the columns.
    matrix.rows = array.shape.size() == 1 ? 1 : array.shape.front();
    matrix.columns = array.values.size() / matrix.rows;
    matrix.source = sourceOf(array.type, source);
    matrix.values.reserve(array.values.size());
    for (const double value : array.values)
        matrix.values.push_back(valueAs(value, matrix.source));
    return matrix;
}

void addFile(QuantizedFolder &folder, Json &files, std::string role, const std::string &name,
             std::string_view type, const Shape &shape, Bytes bytes)
{
    Json file;
    file["role"] = std::move(role);
    file["path"] = name;
    file["dtype"] = type;
    file["shape"] = shape;
    file["bytes"] = bytes.size();
    files.push_back(std::move(file));
    folder.bytes += bytes.size();
    folder.files.emplace_back(name, std::move(bytes));
}

Bytes floatBytes(std::vector<float> values)
{
    Bytes bytes(4 * values.size());
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

/// Whether the exponents of this matrix have a ZZ layout.
bool hasZz(const codec::MxRequest &request)
{
    codec::MxRequest asked = request;
    asked.zzExponents = true;
    return codec::requireMicroscaled(asked).has_value();
}

/// The layout that the exponents get, and a note where it is not the one of the cube unit.
std::string exponentLayout(const QuantizeOptions &options, const codec::MxRequest &request,
                           Diagnostics &diagnostics)
{
    if (!options.exponents.empty())
        return options.exponents;
    if (options.layout == "nd")
        return "nd";
    if (hasZz(request))
        return "zz";
    codec::MxRequest asked = request;
    asked.zzExponents = true;
    Error error = codec::requireMicroscaled(asked).error();
    error.message = "The exponents stay row-major: " + error.message;
    diagnostics.push_back({Severity::Warning, std::move(error)});
    return "nd";
}

Result<void> addExponents(QuantizedFolder &folder, Json &files, const Microscaled &matrix,
                          const std::string &layout)
{
    const Shape shape{matrix.exponentRows(), matrix.exponentColumns()};
    if (layout == "nd") {
        addFile(folder, files, "exponents", "exp.bin", "e8m0", shape, matrix.exponents);
        return {};
    }
    auto laidOut = layout == "zz"
                       ? codec::toZz(matrix.exponents, matrix.axis, matrix.rows, matrix.columns)
                       : codec::toInterleaved(matrix.exponents, matrix.rows, matrix.columns);
    if (!laidOut)
        return tl::unexpected(laidOut.error());
    addFile(folder, files, "exponents", "exp.bin", "e8m0", shape, std::move(*laidOut));
    return {};
}

/// What the constraints leave to zeros that are added.
void notePadding(QuantizedFolder &folder)
{
    for (const codec::MxConstraint &rule : folder.constraints) {
        if (!rule.padded)
            continue;
        Error note;
        note.code = "quantize.padding";
        note.field = rule.name;
        note.expected = rule.required;
        note.found = rule.found;
        // Columns are padded by the instruction itself; rows it asks for whole.
        const bool itself = rule.name == "columns";
        note.message = itself ? "Zeros are added to fill the last group or box"
                              : "Zeros are added to fill the last box: the instruction itself asks "
                                "for whole ones (--device holds to that)";
        folder.diagnostics.push_back(
            {itself ? Severity::Note : Severity::Warning, std::move(note)});
    }
}

/// Options that were named and have no bearing on the format.
void noteIdleOptions(const QuantizeOptions &options, QuantizedFolder &folder)
{
    const bool groups = options.format.starts_with("mx");
    const std::vector<std::string_view> idle =
        groups ? std::vector<std::string_view>{"--chain", "--per-tensor"}
               : std::vector<std::string_view>{"--axis",      "--algorithm", "--layout",
                                               "--exponents", "--tiles",     "--simulator"};
    for (const std::string &name : options.given) {
        if (std::find(idle.begin(), idle.end(), name) == idle.end())
            continue;
        Error note;
        note.code = "quantize.option";
        note.field = name;
        note.found = options.format;
        note.expected = groups ? "int8 or uint8" : "mxfp8 or mxfp4";
        note.message = "This option changes nothing in the format";
        folder.diagnostics.push_back({Severity::Warning, std::move(note)});
    }
}

Result<std::vector<double>> quantizeMx(const QuantizeOptions &options, const Matrix &input,
                                       QuantizedFolder &folder, Json &files)
{
    codec::MxRequest request;
    request.format = options.format == "mxfp8" ? codec::MxFormat::Mxfp8 : codec::MxFormat::Mxfp4;
    request.algorithm =
        options.algorithm == "ocp" ? codec::MxAlgorithm::Ocp : codec::MxAlgorithm::Nv;
    request.axis = options.axis == 1 ? MxAxis::Columns : MxAxis::Rows;
    request.source = input.source;
    request.rows = input.rows;
    request.columns = input.columns;
    request.nzData = options.layout == "nz";
    request.tiled = options.tiles;
    request.simulator = options.simulator;
    const std::string layout = exponentLayout(options, request, folder.diagnostics);
    request.zzExponents = layout == "zz";
    request.interleaved = layout == "interleaved";
    folder.constraints = codec::checkMicroscaled(request);
    if (auto fits = checkDevice(options, folder); !fits)
        return tl::unexpected(std::move(fits.error()));
    notePadding(folder);
    const auto matrix = codec::quantizeMicroscaled(input.values, request);
    if (!matrix)
        return tl::unexpected(matrix.error());
    Bytes data = matrix->data;
    if (request.nzData) {
        auto nz = codec::toNz(matrix->data, matrix->rows, matrix->bytesPerRow());
        if (!nz)
            return tl::unexpected(nz.error());
        data = std::move(*nz);
    }
    addFile(folder, files, "data", "data.bin",
            request.format == codec::MxFormat::Mxfp8 ? "e4m3fn" : "e2m1",
            {matrix->rows, matrix->columns}, std::move(data));
    if (auto added = addExponents(folder, files, *matrix, layout); !added)
        return tl::unexpected(added.error());
    folder.tiles = codec::tilesOf(request);
    folder.manifest["axis"] = options.axis;
    folder.manifest["algorithm"] = options.algorithm;
    folder.manifest["layout"] = options.layout;
    folder.manifest["exponent_layout"] = layout;
    folder.manifest["columns_stored"] = matrix->columns;
    std::vector<double> values(input.values.size());
    codec::dequantizeMicroscaled(*matrix, values);
    return values;
}

Result<std::vector<double>> quantizeInteger(const QuantizeOptions &options, const Matrix &input,
                                            QuantizedFolder &folder, Json &files)
{
    const auto mode =
        options.format == "int8" ? codec::Int8Mode::Symmetric : codec::Int8Mode::Asymmetric;
    const codec::MxConstraint source = codec::int8SourceConstraint(input.source);
    folder.constraints = {source};
    if (!source.holds) {
        Error error;
        error.code = "int8.constraint";
        error.field = source.name;
        error.expected = source.required;
        error.found = source.found;
        error.message = "INT8 refuses this array: source";
        return tl::unexpected(std::move(error));
    }
    if (auto fits = checkDevice(options, folder); !fits)
        return tl::unexpected(std::move(fits.error()));
    folder.tiles = codec::int8Tiles(input.rows, input.columns, mode == codec::Int8Mode::Asymmetric);
    const std::string asked = chainOf(options);
    const auto chain = asked == "direct" ? codec::Int8Chain::Direct
                       : asked == "four" ? codec::Int8Chain::FourStage
                                         : codec::Int8Chain::FiveStage;
    const auto parameters = codec::int8ParametersOfRows(input.values, input.rows, input.columns,
                                                        mode, options.perTensor);
    if (!parameters)
        return tl::unexpected(parameters.error());
    const auto matrix =
        codec::quantizeInt8(input.values, input.rows, input.columns, mode, chain, *parameters);
    if (!matrix)
        return tl::unexpected(matrix.error());
    Bytes codes(matrix->codes.size());
    std::memcpy(codes.data(), matrix->codes.data(), codes.size());
    addFile(folder, files, "data", "data.bin", options.format, {input.rows, input.columns},
            std::move(codes));
    std::vector<float> scale;
    std::vector<float> offset;
    for (const codec::Int8Parameters &row : *parameters) {
        scale.push_back(row.scale);
        offset.push_back(row.offset);
    }
    addFile(folder, files, "scale", "scale.bin", "fp32", {input.rows}, floatBytes(scale));
    if (mode == codec::Int8Mode::Asymmetric)
        addFile(folder, files, "offset", "offset.bin", "fp32", {input.rows}, floatBytes(offset));
    folder.manifest["chain"] = asked;
    folder.manifest["per"] = options.perTensor ? "tensor" : "row";
    std::vector<double> values(input.values.size());
    codec::dequantizeInt8(*matrix, values);
    return values;
}

} // namespace

Result<std::vector<std::byte>> readFile(const std::string &path)
{
    const auto file = openFile(path);
    if (!file)
        return tl::unexpected(file.error());
    const auto all = (*file)->bytes();
    std::vector<std::byte> bytes(all.begin(), all.end());
    if (auto same = (*file)->checkSame(); !same)
        return tl::unexpected(std::move(same.error()));
    return bytes;
}

ErrorFigures figuresOf(const std::vector<double> &found, const std::vector<double> &expected)
{
    ErrorFigures figures;
    double sum = 0;
    double squares = 0;
    double product = 0;
    double foundSquares = 0;
    double expectedSquares = 0;
    for (std::size_t i = 0; i < found.size() && i < expected.size(); ++i) {
        if (!std::isfinite(found[i]) || !std::isfinite(expected[i])) {
            ++figures.nonFinite;
            continue;
        }
        const double error = std::abs(found[i] - expected[i]);
        figures.maxAbs = std::max(figures.maxAbs, error);
        sum += error;
        squares += error * error;
        product += found[i] * expected[i];
        foundSquares += found[i] * found[i];
        expectedSquares += expected[i] * expected[i];
        ++figures.elements;
    }
    if (figures.elements == 0)
        return figures;
    const auto count = static_cast<double>(figures.elements);
    figures.meanAbs = sum / count;
    figures.rmse = std::sqrt(squares / count);
    if (expectedSquares > 0)
        figures.relative = std::sqrt(squares / expectedSquares);
    if (expectedSquares > 0 && foundSquares > 0)
        figures.cosine = product / std::sqrt(expectedSquares) / std::sqrt(foundSquares);
    return figures;
}

report::Json figuresJson(const ErrorFigures &figures)
{
    Json json;
    json["max_abs"] = figures.maxAbs;
    json["mean_abs"] = figures.meanAbs;
    json["rmse"] = figures.rmse;
    json["relative"] = figures.relative;
    json["cosine"] = figures.cosine;
    json["elements"] = figures.elements;
    json["non_finite"] = figures.nonFinite;
    return json;
}

Result<QuantizedFolder> quantizeFile(const QuantizeOptions &options)
{
    const auto file = readFile(options.input);
    if (!file)
        return tl::unexpected(file.error());
    const auto array = readNpy(*file, options.input);
    if (!array)
        return tl::unexpected(array.error());
    const auto input = matrixOf(*array, options.source);
    if (!input)
        return tl::unexpected(input.error());
    QuantizedFolder folder;
    folder.shape = input->shape;
    folder.rows = input->rows;
    folder.columns = input->columns;
    noteIdleOptions(options, folder);
    Json &manifest = folder.manifest;
    manifest["schema"] = 1;
    manifest["kind"] = "quantized";
    manifest["format"] = options.format;
    manifest["shape"] = input->shape;
    manifest["rows"] = input->rows;
    manifest["columns"] = input->columns;
    manifest["source"] = codec::mxSourceName(input->source);
    manifest["input"] = std::filesystem::absolute(options.input).string();
    if (const auto hash = Sha256::hexOf(*file))
        manifest["input_sha256"] = *hash;
    Json files = Json::array();
    const auto values = options.format.starts_with("mx")
                            ? quantizeMx(options, *input, folder, files)
                            : quantizeInteger(options, *input, folder, files);
    if (!values)
        return tl::unexpected(values.error());
    manifest["files"] = std::move(files);
    if (!options.device.empty())
        manifest["device"] = options.device;
    describeInstruction(options, folder);
    folder.figures = figuresOf(*values, array->values);
    manifest["error"] = figuresJson(folder.figures);
    return folder;
}

} // namespace kernscope::cli
