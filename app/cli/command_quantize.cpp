// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/chips.h"
#include "core/base/error_builder.h"
#include "core/base/overlaid_file.h"
#include "core/numeric/npy.h"
#include "core/report/encode_table.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace kernscope::cli {

namespace {

/// What dequantize made of a folder.
struct Dequantized {
    quantized::Folder folder;
    std::vector<double> values;
    std::optional<quantized::ErrorFigures> figures; ///< of the reference, or as recorded
    std::string figuresFrom;                        ///< "reference" or "recorded"
    Diagnostics diagnostics;
};

using quantized::Json;

quantized::ErrorFigures compareWith(const std::string &path, const std::vector<double> &values)
{
    const auto file = required(openFile(path));
    const auto array = required(readNpy(file->bytes(), path));
    if (array.values.size() != values.size())
        throw CommandFailure{quantized::manifestFault("reference",
                                                      fmt::format("{} elements", values.size()),
                                                      fmt::format("{}", array.values.size()))};
    return quantized::figuresOf(values, array.values);
}

/// The recorded path of what was quantised, where that file lies in the folder and is still the
/// same: no other is opened because a file says so.
std::string sameInput(const Json &manifest, const std::string &folder)
{
    const auto path = manifest.find("input");
    const auto hash = manifest.find("input_sha256");
    if (path == manifest.end() || !path->is_string() || hash == manifest.end() ||
        !hash->is_string())
        return {};
    std::error_code failure;
    const auto place = std::filesystem::canonical(path->get<std::string>(), failure);
    if (failure || place.parent_path() != std::filesystem::canonical(folder, failure))
        return {};
    const auto file = openFile(place);
    if (!file)
        return {};
    const auto found = Sha256::hexOf((*file)->bytes());
    return found && *found == hash->get<std::string>() ? place.string() : std::string();
}

void addFigures(Dequantized &result, const std::string &folder, const std::string &reference)
{
    const std::string path =
        reference.empty() ? sameInput(result.folder.manifest, folder) : reference;
    if (!path.empty()) {
        result.figures = compareWith(path, result.values);
        result.figuresFrom = "reference";
        return;
    }
    result.figures = quantized::recordedFigures(result.folder.manifest);
    result.figuresFrom = "recorded";
    result.diagnostics.push_back(
        {Severity::Note,
         valueError("quantize.reference", {}, {}, {},
                    "The array that was quantised is not at hand: the figures are those that "
                    "quantize recorded (--reference names another one)")});
}

/// The array to quantise. Errors: "npy.…", "io.…".
quantized::QuantizeInput readQuantizeInput(const std::string &path)
{
    const auto file = required(openFile(path));
    auto array = required(readNpy(file->bytes(), path));
    const std::string name = path == "-" ? path : std::filesystem::absolute(path).string();
    quantized::QuantizeInput input{std::move(array), name, {}};
    if (const auto hash = Sha256::hexOf(file->bytes()))
        input.sha256 = *hash;
    return input;
}

/// A folder that quantize wrote. Errors: those of quantized::readFolder, "io.…".
quantized::Folder openQuantizedFolder(const std::string &path)
{
    return required(quantized::readFolder([&path](std::string_view name,
                                                  std::uint64_t most) -> Result<quantized::Bytes> {
        const auto file = TRY(openFile((std::filesystem::path(path) / name).string()));
        const auto all = file->bytes();
        if (all.size() > most)
            return refused({std::string(name)}, "quantize.length", {},
                           fmt::format("{} bytes at most", most),
                           fmt::format("{} bytes", all.size()),
                           "The file has more bytes than the folder's description has room for");
        quantized::Bytes bytes(all.size());
        if (!bytes.empty())
            std::memcpy(bytes.data(), all.data(), bytes.size());
        return bytes;
    }));
}

/// `reference` is an array to compare with; empty: the one that was quantised, where it lies in the
/// folder and is still the same file. Errors: those of quantized::valuesOf, "io.…", "npy.…".
Dequantized dequantizeFolder(const std::string &folder, const std::string &reference)
{
    auto read = openQuantizedFolder(folder);
    auto values = required(quantized::valuesOf(read));
    Dequantized result;
    result.folder = std::move(read);
    result.values = std::move(values);
    addFigures(result, folder, reference);
    return result;
}

std::string figuresText(const quantized::ErrorFigures &figures)
{
    std::string text = fmt::format(
        "error   max |d| {:.6g}, mean |d| {:.6g}, rmse {:.6g}\n"
        "        relative {:.6g} ({:.2f} dB), cosine {:.8f}",
        figures.maxAbs, figures.meanAbs, figures.rmse, figures.relative,
        figures.relative > 0 ? -20 * std::log10(figures.relative) : HUGE_VAL, figures.cosine);
    text += fmt::format(" over {} elements", grouped(figures.elements));
    if (figures.nonFinite > 0)
        text += fmt::format(", {} not finite", grouped(figures.nonFinite));
    return text + "\n";
}

/// How the instruction is written, what its devices are known to have, what is contested.
std::string instructionText(const quantized::Quantized &made)
{
    std::string text = heading("Instruction");
    for (const format::TquantLine &line : made.lines)
        text += fmt::format("  {}{}{}\n", line.name, line.name.empty() ? "" : ": ", line.text);
    for (const format::TquantFact &fact : made.devices)
        text += fmt::format("  {}: {} {}{} [{}]\n", fact.device, fact.feature, fact.value,
                            fact.note.empty() ? "" : "; " + fact.note, fact.source);
    return text + readingsText(made.contested);
}

/// Both write text for people.
std::string quantizeText(const quantized::Quantized &made,
                         const quantized::QuantizeOptions &options)
{
    std::string text = styled(Style::Bold, options.format);
    if (options.format.starts_with("mx"))
        text += fmt::format(", {} scales, groups of 32 along axis {}, data {}, exponents {}",
                            options.algorithm, options.axis, options.layout,
                            made.folder.matrix.exponents);
    else
        text += fmt::format(", {} cast, one scale a {}",
                            made.folder.manifest.value("chain", options.chain),
                            options.perTensor ? "tensor" : "row");
    text += fmt::format("\n{} from {}\n", shapeText(made.folder.matrix.shape),
                        made.folder.manifest.value("source", std::string()));
    text += tableText(report::quantizedFileTable, made.folder.manifest["files"]);
    text += heading("Tiles of the instruction") + tableText(report::quantizeTileTable, made.tiles) +
            instructionText(made) + "\n";
    text += fmt::format(
        "stored  {}, {:.3f} of fp16\n", bytesText(made.bytes),
        static_cast<double>(made.bytes) /
            static_cast<double>(2 * made.folder.matrix.rows * made.folder.matrix.columns));
    return text + figuresText(made.figures);
}

std::string dequantizeText(const Dequantized &result, const std::string &folder,
                           const std::string &output, ElementType type)
{
    std::string text = fmt::format(
        "{}: {} {} to {} ({})\n", printable(folder), result.folder.matrix.format,
        shapeText(result.folder.matrix.shape), printable(output), elementTypeName(type));
    if (result.figures)
        text += figuresText(*result.figures);
    return text;
}

void writeQuantized(const quantized::Folder &folder, const std::string &output,
                    const OutputRules &rules)
{
    const std::string manifest = quantized::manifestText(folder.manifest);
    std::vector<FileContent> files;
    for (const auto &[name, bytes] : folder.files)
        files.emplace_back(name, std::as_bytes(std::span(bytes)));
    files.emplace_back(quantized::kManifest, std::as_bytes(std::span(manifest)));
    required(writeFolder(output, files, rules));
}

/// What a command of a folder reads of it: other files may be put into the folder.
std::vector<std::filesystem::path> filesOfFolder(const std::string &folder)
{
    std::vector<std::filesystem::path> inputs;
    for (const std::string_view name : quantized::kFileNames)
        inputs.push_back(std::filesystem::path(folder) / name);
    return inputs;
}

struct QuantizeCommand {
    std::string input, output;
    quantized::QuantizeOptions options;
};

/// Says which option takes what was refused.
Error withAdvice(Error error)
{
    if (error.code == "mx.constraint" && error.field == "tile")
        error.message += " (--tiles takes it in several)";
    else if (error.code == "int8.constraint")
        error.message += " (--source fp32 widens it first, exactly)";
    else if (error.code == "mx.constraint" && error.field == "source")
        error.message += " (--source fp16 rounds it first; --simulator takes it as it is)";
    return error;
}

int runQuantize(const QuantizeCommand &command, Context &context)
{
    const auto rules = outputRules(context, {command.input});
    required(checkOutput(command.output, OutputKind::Matrix, rules));
    const auto input = readQuantizeInput(command.input);
    const auto made =
        required(quantized::quantizeArray(input, command.options).map_error(withAdvice));
    writeQuantized(made.folder, command.output, rules);
    printAnswer(
        context, made.diagnostics,
        [&] { return report::quantizeJson(made, command.input, command.output); },
        [&] { return quantizeText(made, command.options); });
    return kDone;
}

struct RelayoutCommand {
    std::string folder, output;
    quantized::RelayoutOptions options;
};

int runRelayout(const RelayoutCommand &command, Context &context)
{
    const auto rules = outputRules(context, filesOfFolder(command.folder));
    required(checkOutput(command.output, OutputKind::Matrix, rules));
    const auto before = openQuantizedFolder(command.folder);
    const auto made = required(quantized::relayoutFolder(before, command.options));
    writeQuantized(made.folder, command.output, rules);
    const quantized::Description &from = before.matrix, &to = made.folder.matrix;
    return printAnswer(
        context, {},
        [&] { return report::relayoutJson(before, made, command.folder, command.output); },
        [&] {
            return fmt::format("{}: data {} -> {}, exponents {} -> {}; the same numbers, {}\n",
                               printable(command.output), from.layout, to.layout, from.exponents,
                               to.exponents, "converted back the same bytes");
        });
}

constexpr std::size_t kValuesAtOnce = 65536;

struct DequantizeOptions {
    std::string folder;
    std::string output;
    std::string reference;
    std::string type; ///< fp32, fp64; empty: fp32 where it has the range
};

void writeValues(const Dequantized &result, const std::string &output, ElementType type,
                 const OutputRules &rules)
{
    auto file = required(OutputFile::create(output, rules));
    const std::string header = npyHeader(type, result.folder.matrix.shape);
    required(file.write(std::as_bytes(std::span(header))));
    if (type == ElementType::Fp64)
        required(file.write(std::as_bytes(std::span(result.values))));
    std::vector<float> block;
    for (auto rest = std::span(result.values); type != ElementType::Fp64 && !rest.empty();) {
        const auto some = rest.first(std::min(kValuesAtOnce, rest.size()));
        block.assign(some.begin(), some.end());
        required(file.write(std::as_bytes(std::span<const float>(block))));
        rest = rest.subspan(some.size());
    }
    required(file.commit());
}

int runDequantize(const DequantizeOptions &options, Context &context)
{
    std::error_code fault;
    const std::filesystem::path folder(options.folder);
    if (exists(folder, fault) && !exists(folder / quantized::kManifest, fault))
        throw CommandFailure{ErrorBuilder("io.open")
                                 .file(options.folder)
                                 .expected("a folder that quantize wrote")
                                 .found("no quantize.json")
                                 .message("There is nothing to dequantize")};
    const std::string output =
        options.output.empty() ? (folder / "dequantized.npy").string() : options.output;
    static constexpr OutputEnding kEndings[] = {{".npy", "npy"}};
    usable(outputFormat(output, {}, kEndings));
    auto inputs = filesOfFolder(options.folder);
    inputs.emplace_back(options.reference);
    auto rules = outputRules(context, std::move(inputs));
    if (output != "-")
        required(checkOutput(output, OutputKind::File, rules));
    const auto result = dequantizeFolder(options.folder, options.reference);
    if (const auto input = result.folder.manifest.find("input");
        input != result.folder.manifest.end() && input->is_string())
        rules.inputs.emplace_back(input->get<std::string>());
    const ElementType type = options.type.empty() ? quantized::valuesType(result.values)
                                                  : elementTypeFromName(options.type);
    writeValues(result, output, type, rules);
    const report::DequantizedFile written{options.folder, output, type, result.values.size(),
                                          result.figuresFrom};
    printAnswer(
        context, result.diagnostics,
        [&] { return report::dequantizeJson(result.folder, written, result.figures); },
        [&] { return dequantizeText(result, options.folder, output, type); });
    return kDone;
}

/// What is taken as one: rows with a scale, tiles, and values that only the simulator takes.
void addTiles(CLI::App &command, quantized::QuantizeOptions &options)
{
    command.add_flag("--per-tensor", options.perTensor, "INT8: one scale for all rows");
    command.add_flag("--tiles", options.tiles,
                     "Take an array larger than one tile of 59461 elements, tile by tile");
    command.add_flag("--simulator", options.simulator,
                     "Take fp32 for MXFP4, as the CPU simulator does and the device does not");
}

/// The names of the options that the command was called with.
std::vector<std::string> givenOptions(const CLI::App &command)
{
    std::vector<std::string> names;
    for (const CLI::Option *option : command.get_options()) {
        if (option->count() > 0)
            names.push_back(option->get_name());
    }
    return names;
}

void addQuantizeCommand(CLI::App &app, Context &context)
{
    CLI::App *command = app.add_subcommand(
        "quantize", "Quantise a NumPy array to MXFP8, MXFP4 or INT8, as pto.tquant does");
    auto given = std::make_shared<QuantizeCommand>();
    quantized::QuantizeOptions *options = &given->options;
    addOption(*command, "input", "IN.npy", given->input,
              "Array: .npy (- is standard input), its first axis the rows")
        ->required();
    command
        ->add_option("--format", options->format,
                     "What to make of it (int8: symmetric; uint8: asymmetric)")
        ->required()
        ->check(CLI::IsMember({"mxfp8", "mxfp8_e5m2", "mxfp4", "int8", "uint8"}));
    command->add_option("--axis", options->axis, "Groups of 32 along the columns (1) or rows (0)")
        ->check(CLI::IsMember({0, 1}))
        ->capture_default_str();
    addWord(*command, "--algorithm", options->algorithm, {"ocp", "nv"},
            "Shared exponents: OCP (contested for MXFP4: 2 is subtracted, not 1), or NV which "
            "never clips; numbers round to nearest even (contested: stochastic)");
    addWord(*command, "--layout", options->layout, {"nd", "nz"},
            "Of the data: row-major or boxes of 16 rows by 32 bytes");
    addWord(*command, "--exponents", options->exponents, {"nd", "zz", "interleaved"},
            "Layout of the exponents; by default zz with nz data where the shape has one");
    addWord(*command, "--source", options->source, {"fp32", "fp16", "bf16"},
            "Type that the values are rounded to first");
    addWord(*command, "--chain", options->chain, {"five", "four", "direct"},
            "INT8: casts by way of s32, fp32 and fp16, or at once");
    addTiles(*command, *options);
    addWord(*command, "--device", options->device, format::tquantDevices(),
            "Device to hold to: its casts, its tiles, every constraint as the document has it");
    addOutput(*command, context, given->output, "New folder for the bytes and quantize.json", "DIR")
        ->required();
    addCommonOptions(*command, context, false);
    addExamples(*command, {"quantize weights.npy --format mxfp8 -o weights.mxfp8",
                           "quantize large.npy --format mxfp4 --source fp16 --tiles -o large.mxfp4",
                           "quantize weights.npy --format int8 --per-tensor -o weights.int8"});
    command->callback([given, command, &context] {
        given->options.given = givenOptions(*command);
        context.exitCode = runQuantize(*given, context);
    });
}

void addRelayoutCommand(CLI::App &app, Context &context)
{
    const auto [command, options] = addCommand<RelayoutCommand>(
        app, context, "relayout", "Change the layout of a folder that quantize wrote, as TMOV does",
        runRelayout);
    addOption(*command, "folder", "DIR", options->folder,
              "Folder that quantize wrote (MXFP8, MXFP4)")
        ->required();
    addWord(*command, "--layout", options->options.layout, {"nd", "nz"},
            "Of the data; without it, as it is");
    addWord(*command, "--exponents", options->options.exponents, {"nd", "zz", "interleaved"},
            "Of the exponents, likewise");
    addOutput(*command, context, options->output, "New folder", "DIR")->required();
    addCommonOptions(*command, context, false);
    addExamples(*command, {"relayout weights.mxfp8 --layout nz --exponents zz -o cube.mxfp8",
                           "relayout cube.mxfp8 --layout nd --exponents nd -o rows.mxfp8"});
}

} // namespace

void addQuantize(CLI::App &app, Context &context)
{
    addQuantizeCommand(app, context);
    addRelayoutCommand(app, context);
    const auto [command, options] = addCommand<DequantizeOptions>(
        app, context, "dequantize", "Values of a folder that quantize wrote, and their error",
        runDequantize);
    addOption(*command, "folder", "DIR", options->folder, "Folder that quantize wrote")->required();
    addStreamOutput(*command, context, options->output,
                    "Array to write, a name that ends in .npy (DIR/dequantized.npy); - is standard "
                    "output",
                    "FILE.npy");
    addWord(*command, "--as", options->type, {"fp32", "fp64"},
            "Type of the array; by default fp32, and fp64 where that is too narrow");
    addOption(*command, "--reference", "IN.npy", options->reference, "Array to compare with");
    addCommonOptions(*command, context, false);
    addExamples(*command, {"dequantize weights.mxfp8 -o back.npy",
                           "dequantize weights.mxfp8 --reference weights.npy -o back.npy"});
}

} // namespace kernscope::cli
