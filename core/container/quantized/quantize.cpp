// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/quantized/quantize.h"

#include "core/format/table_rows.h"
#include "core/numeric/half.h"

#include <algorithm>
#include <cmath>

namespace kernscope::format {

namespace {

struct WrittenForm {
    std::string kind, key, text, source;
};

const std::vector<WrittenForm> &writtenForms()
{
    static const auto all =
        tables::loadRows<WrittenForm>("tquant_forms", {{"kind", &WrittenForm::kind},
                                                       {"key", &WrittenForm::key},
                                                       {"text", &WrittenForm::text},
                                                       {"source", &WrittenForm::source}});
    return all;
}

const WrittenForm *writtenForm(std::string_view kind, std::string_view key)
{
    for (const WrittenForm &form : writtenForms()) {
        if (form.kind == kind && form.key == key)
            return &form;
    }
    return nullptr;
}

void replace(std::string &text, std::string_view place, std::string_view with)
{
    const std::size_t at = text.find(place);
    if (at != std::string::npos)
        text.replace(at, place.size(), with);
}

void add(std::vector<TquantLine> &lines, std::string_view kind, std::string_view key,
         std::string name = {})
{
    if (const WrittenForm *form = writtenForm(kind, key))
        lines.push_back({form->kind, form->text, std::move(name), form->source});
}

} // namespace

std::span<const TquantFact> tquantFacts()
{
    static const auto all =
        tables::loadRows<TquantFact>("tquant_devices", {{"device", &TquantFact::device},
                                                        {"feature", &TquantFact::feature},
                                                        {"value", &TquantFact::value},
                                                        {"source", &TquantFact::source},
                                                        {"note", &TquantFact::note},
                                                        {"confidence", &TquantFact::confidence}});
    return all;
}

const TquantFact *tquantFact(std::string_view device, std::string_view feature)
{
    for (const TquantFact &fact : tquantFacts()) {
        if (fact.device == device && fact.feature == feature)
            return &fact;
    }
    return nullptr;
}

std::vector<std::string> tquantDevices()
{
    std::vector<std::string> names;
    for (const TquantFact &fact : tquantFacts()) {
        if (std::ranges::find(names, fact.device) == names.end())
            names.push_back(fact.device);
    }
    return names;
}

std::string tquantDevicesWith(std::string_view feature, std::string_view value)
{
    std::string names;
    for (const TquantFact &fact : tquantFacts()) {
        if (fact.feature == feature && fact.value == value)
            names += (names.empty() ? "" : "/") + fact.device;
    }
    return names;
}

std::vector<TquantLine> tquantLines(const TquantUse &use)
{
    std::vector<TquantLine> lines;
    if (use.format.starts_with("mx")) {
        add(lines, "intrinsic", "mx");
        const WrittenForm *name = writtenForm("algorithm", use.format + " " + use.algorithm);
        for (TquantLine &line : lines) {
            replace(line.text, "{axis}", std::to_string(use.axis));
            replace(line.text, "{algorithm}", name != nullptr ? name->text : std::string());
        }
        if (use.axis == 1) { // the older form has no axis
            add(lines, "note", "nd rows", "note");
            add(lines, "legacy", use.format, "legacy");
            if (use.zz)
                add(lines, "legacy zz", use.format, "legacy, exponents stored as ZZ");
            for (TquantLine &line : lines)
                replace(line.text, "{scale}", use.algorithm == "nv" ? "NV" : "OCP");
        }
        const bool fp8 = use.format == "mxfp8";
        for (const char *key : {"mxfp8 fp32", "mxfp8 narrow"}) {
            if (fp8 && (use.source.empty() || (use.source == "fp32") == (key[6] == 'f')))
                add(lines, "note", key, "note");
        }
        if (!fp8)
            add(lines, "note", use.format, "note");
        if (use.nz)
            add(lines, "layout", "data nz");
        if (use.zz)
            add(lines, "layout", use.axis == 1 ? "exponents zz nd" : "exponents zz dn");
    } else {
        add(lines, "intrinsic", use.tmp ? use.format + " tmp" : use.format);
    }
    for (const WrittenForm &form : writtenForms()) {
        if (form.kind == "assembly")
            lines.push_back({form.kind, form.text, form.key, form.source});
    }
    return lines;
}

} // namespace kernscope::format

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
        made.diagnostics.push_back(
            {rule.itself ? Severity::Note : Severity::Warning,
             valueError("quantize.padding", rule.name, rule.required, rule.found,
                        rule.itself
                            ? "Zeros are added to fill the last group"
                            : "Zeros are added to fill the last group or box: the instruction "
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
        if (std::ranges::find(idle, name) == idle.end())
            continue;
        made.diagnostics.push_back(
            {Severity::Warning,
             valueError("quantize.option", name, groups ? "int8 or uint8" : "mxfp8 or mxfp4",
                        options.format, "This option changes nothing in the format")});
    }
}

Result<std::vector<double>> quantizeMx(const QuantizeOptions &options, const Matrix &input,
                                       Quantized &made)
{
    codec::MxRequest request;
    request.format = codec::mxFormatOf(options.format);
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
    TRY(checkDevice(options, made));
    notePadding(made);
    const auto matrix = TRY(codec::quantizeMicroscaled(input.values, request));
    TRY(addMicroscaled(made.folder, matrix, options.algorithm, options.layout, layout));
    made.tiles = codec::tilesOf(request);
    std::vector<double> values(input.values.size());
    codec::dequantizeMicroscaled(matrix, values);
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
    TRY(checkDevice(options, made));
    made.tiles = codec::int8Tiles(input.rows, input.columns, mode == codec::Int8Mode::Asymmetric);
    const std::string asked = chainOf(options);
    const auto chain = asked == "direct" ? codec::Int8Chain::Direct
                       : asked == "four" ? codec::Int8Chain::FourStage
                                         : codec::Int8Chain::FiveStage;
    const auto parameters = TRY(codec::int8ParametersOfRows(input.values, input.rows, input.columns,
                                                            mode, options.perTensor));
    const auto matrix =
        TRY(codec::quantizeInt8(input.values, input.rows, input.columns, mode, chain, parameters));
    addIntegers(made.folder, matrix, asked, options.perTensor);
    std::vector<double> values(input.values.size());
    codec::dequantizeInt8(matrix, values);
    return values;
}

/// Whether what was read is what its row-major form gives again: boxes are padded with zeros, and
/// anything else there would be lost.
Result<void> givesTheSameBack(const Folder &folder, const codec::Microscaled &matrix)
{
    const auto data = dataInLayout(matrix, folder.matrix.layout);
    const auto exponents = exponentsInLayout(matrix, folder.matrix.exponents);
    if (!data || !exponents)
        return tl::unexpected(data ? exponents.error() : data.error());
    const bool same = *data == *folder.file("data.bin");
    if (same && *exponents == *folder.file("exp.bin"))
        return {};
    return refused("quantize.padding", same ? "exp.bin" : "data.bin",
                   "zeros where boxes are padded", "other bytes",
                   "A change of the layout would lose these bytes");
}

/// The constraints of pto.tquant for the layouts that are asked for.
Result<std::vector<codec::MxConstraint>> constraintsOf(const codec::Microscaled &matrix,
                                                       const RelayoutOptions &options)
{
    codec::MxRequest request;
    request.format = matrix.format;
    request.axis = matrix.axis;
    request.source = codec::MxSource::Fp16; // what it was made from is no matter of a layout
    request.rows = matrix.rows;
    request.columns = matrix.columns;
    request.tiled = true;
    request.nzData = options.layout == "nz";
    request.zzExponents = options.exponents == "zz";
    request.interleaved = options.exponents == "interleaved";
    TRY(codec::requireMicroscaled(request));
    return codec::checkMicroscaled(request);
}

} // namespace

Result<Quantized> quantizeArray(const QuantizeInput &input, const QuantizeOptions &options)
{
    const auto matrix = TRY(matrixOf(input.array, options.source));
    Quantized made;
    noteIdleOptions(options, made);
    made.folder =
        beginFolder({options.format, matrix.shape, matrix.rows, matrix.columns,
                     std::string(codec::mxSourceName(matrix.source)), input.path, input.sha256});
    const auto values =
        TRY(options.format.starts_with("mx") ? quantizeMx(options, matrix, made)
                                             : quantizeInteger(options, matrix, made));
    for (const auto &[name, bytes] : made.folder.files)
        made.bytes += bytes.size();
    if (!options.device.empty())
        made.folder.manifest["device"] = options.device;
    describeInstruction(options, made);
    made.figures = figuresOf(values, input.array.values);
    made.folder.manifest["error"] = figuresJson(made.figures);
    return made;
}

// What the devices have, how the instruction is written, what sources disagree on.

Result<void> checkDevice(const QuantizeOptions &options, Quantized &made)
{
    const bool groups = options.format.starts_with("mx");
    for (const format::TquantFact &fact : format::tquantFacts()) {
        const bool about = groups == (fact.feature == "microscaled");
        if (about && (options.device.empty() || options.device == fact.device))
            made.devices.push_back(fact);
    }
    if (options.device.empty())
        return {};
    if (const auto *fact = format::tquantFact(options.device, "microscaled");
        groups && fact != nullptr && fact->value != "yes") {
        made.diagnostics.push_back(
            {Severity::Warning,
             valueError("quantize.device", "--device",
                        format::tquantDevicesWith("microscaled", "yes"), options.device,
                        "Nothing published says that this device has MXFP8 or MXFP4: " +
                            fact->note)});
    }
    for (const codec::MxConstraint &rule : made.constraints) {
        if (!rule.padded || rule.itself)
            continue;
        return refused("mx.constraint", rule.name, rule.required, rule.found,
                       options.device + " takes no such matrix (without --device zeros are added)");
    }
    return {};
}

std::string chainOf(const QuantizeOptions &options)
{
    const bool named = std::ranges::find(options.given, "--chain") != options.given.end();
    const auto *fact = format::tquantFact(options.device, "int8_chain");
    return !named && fact != nullptr ? fact->value : options.chain;
}

void describeInstruction(const QuantizeOptions &options, Quantized &made)
{
    const auto *tmp = format::tquantFact(options.device, "tmp");
    format::TquantUse use;
    use.format = options.format;
    use.algorithm = options.algorithm;
    use.axis = options.axis;
    use.source = made.folder.manifest.value("source", std::string());
    use.tmp = tmp == nullptr || tmp->value == "needed";
    use.nz = options.layout == "nz";
    use.zz = made.folder.matrix.microscaled() && made.folder.matrix.exponents == "zz";
    if (options.format == "mxfp8_e5m2")
        made.lines = {{"", "pto.tquant makes no E5M2: the folder is for other programs", "", ""}};
    else
        made.lines = format::tquantLines(use);
    if (!use.tmp)
        std::erase_if(made.tiles, [](const codec::TquantTile &tile) { return tile.name == "tmp"; });
    const auto contested = [&made](std::string_view topic) {
        const auto readings = format::readingsOf(topic);
        made.contested.insert(made.contested.end(), readings.begin(), readings.end());
    };
    if (options.format == "mxfp4")
        contested("mxfp4_exponent");
    if (options.format == "uint8")
        contested("tquant_offset");
    contested(options.format.starts_with("mx") ? "mx_rounding" : "tquant_chain");
}

// The layout of a folder, changed as TMOV changes it. No number is made anew: converted back, the
// bytes are the ones that were read.

Result<Relaid> relayoutFolder(const Folder &folder, const RelayoutOptions &asked)
{
    const auto matrix = TRY(microscaledOf(folder));
    RelayoutOptions options = asked;
    if (options.layout.empty())
        options.layout = folder.matrix.layout;
    if (options.exponents.empty())
        options.exponents = folder.matrix.exponents;
    TRY(givesTheSameBack(folder, matrix));
    auto constraints = TRY(constraintsOf(matrix, options));
    auto made = TRY(inLayouts(folder, matrix, options.layout, options.exponents));
    return Relaid{std::move(made), std::move(constraints)};
}

ElementType valuesType(const std::vector<double> &values)
{
    const bool fits = std::ranges::all_of(values, [](double value) {
        return !std::isfinite(value) || std::isfinite(static_cast<float>(value));
    });
    return fits ? ElementType::Fp32 : ElementType::Fp64;
}

} // namespace kernscope::quantized
