// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/output_file.h"
#include "app/cli/quantize.h"
#include "app/cli/text_output.h"
#include "app/cli/usage.h"
#include "core/base/overlaid_file.h"

#include "core/numeric/npy.h"
#include "core/report/quantize_table.h"

#include <algorithm>
#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

Result<void> writeQuantized(const quantized::Folder &folder, const std::string &output,
                            const OutputRules &rules)
{
    const std::string manifest = quantized::manifestText(folder.manifest);
    std::vector<FileContent> files;
    for (const auto &[name, bytes] : folder.files)
        files.emplace_back(name, std::as_bytes(std::span(bytes)));
    files.emplace_back(quantized::kManifest, std::as_bytes(std::span(manifest)));
    return writeFolder(output, files, rules);
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
    if (auto free = checkOutput(command.output, OutputKind::Folder, rules); !free)
        return reportFailure(context, "quantize", free.error());
    const auto input = readQuantizeInput(command.input);
    if (!input)
        return reportFailure(context, "quantize", input.error());
    const auto made = quantized::quantizeArray(*input, command.options);
    if (!made)
        return reportFailure(context, "quantize", withAdvice(made.error()));
    if (auto written = writeQuantized(made->folder, command.output, rules); !written)
        return reportFailure(context, "quantize", written.error());
    if (!context.json) {
        if (!context.quiet)
            print(quantizeText(*made, command.options));
        printDiagnostics(context, made->diagnostics);
        return kDone;
    }
    printDocument(context, report::quantizeJson(*made, command.input, command.output),
                  made->diagnostics);
    return kDone;
}

struct RelayoutCommand {
    std::string folder, output;
    quantized::RelayoutOptions options;
};

int runRelayout(const RelayoutCommand &command, Context &context)
{
    const auto rules = outputRules(context, filesOfFolder(command.folder));
    if (auto free = checkOutput(command.output, OutputKind::Folder, rules); !free)
        return reportFailure(context, "relayout", free.error());
    const auto before = openQuantizedFolder(command.folder);
    if (!before)
        return reportFailure(context, "relayout", before.error());
    const auto made = quantized::relayoutFolder(*before, command.options);
    if (!made)
        return reportFailure(context, "relayout", made.error());
    if (auto written = writeQuantized(made->folder, command.output, rules); !written)
        return reportFailure(context, "relayout", written.error());
    if (!context.json) {
        const quantized::Description &from = before->matrix, &to = made->folder.matrix;
        if (!context.quiet)
            print(fmt::format("{}: data {} -> {}, exponents {} -> {}; the same numbers, {}\n",
                              printable(command.output), from.layout, to.layout, from.exponents,
                              to.exponents, "converted back the same bytes"));
        return kDone;
    }
    printDocument(context, report::relayoutJson(*before, *made, command.folder, command.output),
                  {});
    return kDone;
}

constexpr std::size_t kValuesAtOnce = 65536;

struct DequantizeOptions {
    std::string folder;
    std::string output;
    std::string reference;
    std::string type; ///< fp32, fp64; empty: fp32 where it has the range
};

Result<void> writeValues(const Dequantized &result, const std::string &output, ElementType type,
                         const OutputRules &rules)
{
    auto file = OutputFile::create(output, rules);
    if (!file)
        return tl::unexpected(std::move(file.error()));
    const std::string header = npyHeader(type, result.folder.matrix.shape);
    auto written = file->write(std::as_bytes(std::span(header)));
    if (type == ElementType::Fp64) {
        if (written)
            written = file->write(std::as_bytes(std::span(result.values)));
        return written ? file->commit() : written;
    }
    std::vector<float> block;
    for (auto rest = std::span(result.values); written && !rest.empty();) {
        const auto some = rest.first(std::min(kValuesAtOnce, rest.size()));
        block.assign(some.begin(), some.end());
        written = file->write(std::as_bytes(std::span<const float>(block)));
        rest = rest.subspan(some.size());
    }
    return written ? file->commit() : written;
}

/// The folder's own files, and the arrays that dequantize may compare with.
OutputRules dequantizeRules(const Context &context, const DequantizeOptions &options)
{
    auto inputs = filesOfFolder(options.folder);
    inputs.emplace_back(options.reference);
    return outputRules(context, std::move(inputs));
}

int runDequantize(const DequantizeOptions &options, Context &context)
{
    const std::string output =
        options.output.empty()
            ? (std::filesystem::path(options.folder) / "dequantized.npy").string()
            : options.output;
    static constexpr OutputEnding kEndings[] = {{".npy", "npy"}};
    if (const auto format = outputFormat(output, {}, kEndings); !format)
        return reportUsage(context, "dequantize", format.error());
    auto rules = dequantizeRules(context, options);
    if (auto free = checkOutput(output, OutputKind::File, rules); !free && output != "-")
        return reportFailure(context, "dequantize", free.error());
    const auto result = dequantizeFolder(options.folder, options.reference);
    if (!result)
        return reportFailure(context, "dequantize", result.error());
    if (const auto input = result->folder.manifest.find("input");
        input != result->folder.manifest.end() && input->is_string())
        rules.inputs.emplace_back(input->get<std::string>());
    const ElementType type = options.type.empty() ? quantized::valuesType(result->values)
                                                  : elementTypeFromName(options.type);
    if (auto written = writeValues(*result, output, type, rules); !written)
        return reportFailure(context, "dequantize", written.error());
    if (!context.json) {
        if (!context.quiet)
            print(dequantizeText(*result, options.folder, output, type));
        printDiagnostics(context, result->diagnostics);
        return kDone;
    }
    const report::DequantizedFile written{options.folder, output, type, result->values.size(),
                                          result->figuresFrom};
    printDocument(context, report::dequantizeJson(result->folder, written, result->figures),
                  result->diagnostics);
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
    const auto choice = [&](const char *name, std::string &value, const char *help,
                            const std::vector<std::string> &words) {
        return command->add_option(name, value, help)->check(CLI::IsMember(words));
    };
    command
        ->add_option("input", given->input,
                     "Array: .npy (- is standard input), its first axis the rows")
        ->required()
        ->type_name("IN.npy");
    choice("--format", options->format, "What to make of it (int8: symmetric; uint8: asymmetric)",
           {"mxfp8", "mxfp4", "int8", "uint8"})
        ->required();
    command->add_option("--axis", options->axis, "Groups of 32 along the columns (1) or rows (0)")
        ->check(CLI::IsMember({0, 1}))
        ->capture_default_str();
    choice("--algorithm", options->algorithm,
           "Shared exponents: OCP (contested for MXFP4: 2 is subtracted, not 1), or NV which never "
           "clips; numbers round to nearest even (contested: stochastic)",
           {"ocp", "nv"})
        ->capture_default_str();
    choice("--layout", options->layout, "Of the data: row-major or boxes of 16 rows by 32 bytes",
           {"nd", "nz"})
        ->capture_default_str();
    choice("--exponents", options->exponents,
           "Layout of the exponents; by default zz with nz data where the shape has one",
           {"nd", "zz", "interleaved"});
    choice("--source", options->source, "Type that the values are rounded to first",
           {"fp32", "fp16", "bf16"});
    choice("--chain", options->chain, "INT8: casts by way of s32, fp32 and fp16, or at once",
           {"five", "four", "direct"})
        ->capture_default_str();
    addTiles(*command, *options);
    choice("--device", options->device,
           "Device to hold to: its casts, its tiles, every constraint as the document has it",
           format::tquantDevices());
    addOutput(*command, context, given->output, "New folder for the bytes and quantize.json", "DIR")
        ->required();
    addCommonOptions(*command, context);
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
    CLI::App *command = app.add_subcommand(
        "relayout", "Change the layout of a folder that quantize wrote, as TMOV does");
    auto options = std::make_shared<RelayoutCommand>();
    command->add_option("folder", options->folder, "Folder that quantize wrote (MXFP8, MXFP4)")
        ->required()
        ->type_name("DIR");
    command->add_option("--layout", options->options.layout, "Of the data; without it, as it is")
        ->check(CLI::IsMember({"nd", "nz"}));
    command->add_option("--exponents", options->options.exponents, "Of the exponents, likewise")
        ->check(CLI::IsMember({"nd", "zz", "interleaved"}));
    addOutput(*command, context, options->output, "New folder", "DIR")->required();
    addCommonOptions(*command, context);
    addExamples(*command, {"relayout weights.mxfp8 --layout nz --exponents zz -o cube.mxfp8",
                           "relayout cube.mxfp8 --layout nd --exponents nd -o rows.mxfp8"});
    command->callback([options, &context] { context.exitCode = runRelayout(*options, context); });
}

} // namespace

void addQuantize(CLI::App &app, Context &context)
{
    addQuantizeCommand(app, context);
    addRelayoutCommand(app, context);
    CLI::App *command =
        app.add_subcommand("dequantize", "Values of a folder that quantize wrote, and their error");
    auto options = std::make_shared<DequantizeOptions>();
    command->add_option("folder", options->folder, "Folder that quantize wrote")
        ->required()
        ->type_name("DIR");
    addStreamOutput(*command, context, options->output,
                    "Array to write, a name that ends in .npy (DIR/dequantized.npy); - is standard "
                    "output",
                    "FILE.npy");
    command
        ->add_option("--as", options->type,
                     "Type of the array; by default fp32, and fp64 where that is too narrow")
        ->check(CLI::IsMember(std::vector<std::string>{"fp32", "fp64"}));
    command->add_option("--reference", options->reference, "Array to compare with")
        ->type_name("IN.npy");
    addCommonOptions(*command, context);
    addExamples(*command, {"dequantize weights.mxfp8 -o back.npy",
                           "dequantize weights.mxfp8 --reference weights.npy -o back.npy"});
    command->callback([options, &context] { context.exitCode = runDequantize(*options, context); });
}

} // namespace kernscope::cli
