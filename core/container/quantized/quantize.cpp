// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/quantized/quantize.h"

#include "core/base/error_builder.h"
#include "core/base/quantity.h"
#include "core/numeric/half.h"

#include <algorithm>

namespace kernscope::quantized {

namespace {

using codec::MxAxis;
using codec::MxSource;

/// The input as a matrix of numbers that its type can hold.
struct Matrix {
    Shape shape;
    std::uint64_t rows = 1;
    std::uint64_t columns = 0;
    MxSource source = MxSource::Fp32;
    std::vector<float> values;
};

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
        return refused("quantize.shape", "array", "an array with elements and a shape",
                       shapeText(array.shape), "This array cannot be quantised");
    // A vector is one row; further axes lie along the columns.
    matrix.rows = array.shape.size() == 1 ? 1 : array.shape.front();
    matrix.columns = array.values.size() / matrix.rows;
    matrix.source = sourceOf(array.type, source);
    matrix.values.reserve(array.values.size());
    for (const double value : array.values)
        matrix.values.push_back(valueAs(value, matrix.source));
    return matrix;
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

/// What the constraints leave to zeros that are added.
void notePadding(Quantized &made)
{
    for (const codec::MxConstraint &rule : made.constraints) {
        if (!rule.padded)
            continue;
        // Columns are padded by the instruction itself; rows it asks for whole.
        const bool itself = rule.name == "columns";
        made.diagnostics.push_back(
            {itself ? Severity::Note : Severity::Warning,
             ErrorBuilder("quantize.padding")
                 .field(rule.name)
                 .expected(rule.required)
                 .found(rule.found)
                 .message(itself ? "Zeros are added to fill the last group or box"
                                 : "Zeros are added to fill the last box: the instruction itself "
                                   "asks for whole ones (--device holds to that)")});
    }
}

/// Options that were named and have no bearing on the format.
void noteIdleOptions(const QuantizeOptions &options, Quantized &made)
{
    const bool groups = options.format.starts_with("mx");
    const std::vector<std::string_view> idle =
        groups ? std::vector<std::string_view>{"--chain", "--per-tensor"}
               : std::vector<std::string_view>{"--axis",      "--algorithm", "--layout",
                                               "--exponents", "--tiles",     "--simulator"};
    for (const std::string &name : options.given) {
        if (std::find(idle.begin(), idle.end(), name) == idle.end())
            continue;
        made.diagnostics.push_back(
            {Severity::Warning, ErrorBuilder("quantize.option")
                                    .field(name)
                                    .found(options.format)
                                    .expected(groups ? "int8 or uint8" : "mxfp8 or mxfp4")
                                    .message("This option changes nothing in the format")});
    }
}

Result<std::vector<double>> quantizeMx(const QuantizeOptions &options, const Matrix &input,
                                       Quantized &made)
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
    const std::string layout = exponentLayout(options, request, made.diagnostics);
    request.zzExponents = layout == "zz";
    request.interleaved = layout == "interleaved";
    made.constraints = codec::checkMicroscaled(request);
    if (auto fits = checkDevice(options, made); !fits)
        return tl::unexpected(std::move(fits.error()));
    notePadding(made);
    const auto matrix = codec::quantizeMicroscaled(input.values, request);
    if (!matrix)
        return tl::unexpected(matrix.error());
    if (auto added =
            addMicroscaled(made.folder, *matrix, options.algorithm, options.layout, layout);
        !added)
        return tl::unexpected(std::move(added.error()));
    made.tiles = codec::tilesOf(request);
    std::vector<double> values(input.values.size());
    codec::dequantizeMicroscaled(*matrix, values);
    return values;
}

Result<std::vector<double>> quantizeInteger(const QuantizeOptions &options, const Matrix &input,
                                            Quantized &made)
{
    const auto mode =
        options.format == "int8" ? codec::Int8Mode::Symmetric : codec::Int8Mode::Asymmetric;
    const codec::MxConstraint source = codec::int8SourceConstraint(input.source);
    made.constraints = {source};
    if (!source.holds)
        return refused("int8.constraint", source.name, source.required, source.found,
                       "INT8 refuses this array: source");
    if (auto fits = checkDevice(options, made); !fits)
        return tl::unexpected(std::move(fits.error()));
    made.tiles = codec::int8Tiles(input.rows, input.columns, mode == codec::Int8Mode::Asymmetric);
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
    addIntegers(made.folder, *matrix, asked, options.perTensor);
    std::vector<double> values(input.values.size());
    codec::dequantizeInt8(*matrix, values);
    return values;
}

} // namespace

Result<Quantized> quantizeArray(const QuantizeInput &input, const QuantizeOptions &options)
{
    const auto matrix = matrixOf(input.array, options.source);
    if (!matrix)
        return tl::unexpected(matrix.error());
    Quantized made;
    noteIdleOptions(options, made);
    made.folder =
        beginFolder({options.format, matrix->shape, matrix->rows, matrix->columns,
                     std::string(codec::mxSourceName(matrix->source)), input.path, input.sha256});
    const auto values = options.format.starts_with("mx") ? quantizeMx(options, *matrix, made)
                                                         : quantizeInteger(options, *matrix, made);
    if (!values)
        return tl::unexpected(values.error());
    for (const auto &[name, bytes] : made.folder.files)
        made.bytes += bytes.size();
    if (!options.device.empty())
        made.folder.manifest["device"] = options.device;
    describeInstruction(options, made);
    made.figures = figuresOf(*values, input.array.values);
    made.folder.manifest["error"] = figuresJson(made.figures);
    return made;
}

} // namespace kernscope::quantized
