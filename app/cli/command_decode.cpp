// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "core/base/error_builder.h"
#include "core/base/overlaid_file.h"
#include "core/base/parts.h"
#include "core/bundle/bundle.h"
#include "core/report/tensor_export.h"

#include <numeric>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

struct DecodeOptions {
    std::string path;
    std::string weight;
    std::string output;
    std::string format; ///< "npy", "csv", "bin", "npz", "safetensors"; empty: by the output's name
    std::string type;   ///< "fp16", "fp32"; empty: fp16, or of text and tensors what holds them
    std::string rows;   ///< "A:B", either side may be left out
    bool all = false;   ///< every weight, in place of one
};

constexpr OutputEnding kDecodeEndings[] = {{".npy", "npy"},
                                           {".csv", "csv"},
                                           {".bin", "bin"},
                                           {".npz", "npz"},
                                           {".safetensors", "safetensors"}};

Error badRows(std::string_view found, std::string expected)
{
    return valueError("cli.rows", "--rows", std::move(expected), found,
                      "These rows cannot be taken.");
}

/// Rows are indices of the first axis.
Result<std::optional<report::TensorRows>> rowsOf(const Weight &weight, std::string_view rows)
{
    if (rows.empty())
        return std::nullopt;
    const std::uint64_t extent = weight.shape.empty() ? 0 : weight.shape.front();
    const std::size_t colon = rows.find(':');
    if (colon == std::string_view::npos)
        return tl::unexpected(badRows(rows, "FIRST:LAST"));
    const auto first = colon == 0 ? 0 : digitsOf(rows.substr(0, colon));
    const auto last = colon + 1 == rows.size() ? extent : digitsOf(rows.substr(colon + 1));
    if (!first || !last || *first > *last || *last > extent)
        return tl::unexpected(badRows(rows, fmt::format("rows within 0:{}", extent)));
    return report::TensorRows{*first, *last};
}

/// What the options ask for that does not go together.
std::optional<Error> contradiction(const DecodeOptions &options, bool tensors)
{
    const auto wrong = [](const char *expected, std::string found, const char *message) -> Error {
        return valueError("cli.usage", {}, expected, std::move(found), message);
    };
    if (options.all != options.weight.empty())
        return wrong("one of NAME and --all", options.all ? "both" : "neither",
                     "One weight is decoded, or all of them");
    if (options.all && !tensors)
        return wrong("a name that ends in .safetensors or .npz", options.output,
                     "All weights are written as one file of tensors");
    if (tensors && !options.rows.empty())
        return wrong("whole weights", "--rows", "A file of tensors holds whole weights");
    return std::nullopt;
}

/// The chosen weights; one that is chosen by name must be readable.
std::vector<std::size_t> wantedWeights(const Bundle &bundle, const DecodeOptions &options)
{
    std::vector<std::size_t> wanted;
    if (options.all) {
        wanted.resize(bundle.weights().size());
        std::iota(wanted.begin(), wanted.end(), std::size_t{0});
        return wanted;
    }
    const auto weight = required(findWeight(bundle, options.weight));
    if (bundle.weights()[weight].fault)
        throw CommandFailure{*bundle.weights()[weight].fault};
    wanted.push_back(weight);
    return wanted;
}

/// The notes on the values that were written.
Diagnostics writeTensorFile(const Bundle &bundle, const report::TensorExport &plan,
                            const std::string &path, Context &context, std::uint64_t &bytes)
{
    auto file = required(OutputFile::create(path, outputRules(context, bundle)));
    const ProgressLine line(context, "Decoding");
    auto written = report::writeTensors(
        bundle, plan, [&file](std::span<const std::byte> block) { return file.write(block); },
        &context.progress);
    if (!written)
        throw CommandFailure{written.error().code == "task.cancelled"
                                 ? cancelledError(stoppedText())
                                 : std::move(written.error())};
    bytes = file.bytesWritten();
    required(file.commit());
    return *std::move(written);
}

/// Why none of the weights could be read.
Error noneDecoded(const Diagnostics &notes)
{
    for (const Diagnostic &note : notes)
        if (note.severity == Severity::Error)
            return note.error;
    return ErrorBuilder("decode.none").message("No weight could be decoded");
}

/// A model without weights has nothing to write: no file is made, and nothing failed.
int reportNone(Context &context, const Bundle &bundle)
{
    const Diagnostics &diagnostics = bundle.diagnostics();
    return printAnswer(
        context, diagnostics, [&] { return report::decodeJson(bundle, {}, {}); },
        [&] { return printable(bundle.name()) + ": no weights; nothing was written\n"; });
}

int runDecode(const DecodeOptions &options, Context &context)
{
    const auto format = usable(outputFormat(options.output, options.format, kDecodeEndings));
    const report::TensorFile kind = *report::tensorFileOf("." + format);
    const bool tensors = report::holdsTensors(kind);
    if (auto wrong = contradiction(options, tensors))
        throw CommandFailure{*std::move(wrong), true};
    const auto bundle = required(openBundle(options.path));
    // Those that cannot be read are left out of a file of tensors, and named.
    const auto wanted = wantedWeights(*bundle, options);
    if (wanted.empty())
        return reportNone(context, *bundle);
    std::optional<report::TensorRows> rows;
    if (!tensors)
        rows = usable(rowsOf(bundle->weights()[wanted.front()], options.rows));
    const bool exact = options.type.empty() && (tensors || kind == report::TensorFile::Csv);
    const auto as = exact                    ? std::nullopt
                    : options.type == "fp32" ? std::optional(ElementType::Fp32)
                                             : std::optional(ElementType::Fp16);
    const auto plan = required(report::planTensors(*bundle, wanted, as, kind, rows));
    if (plan.tensors.empty())
        throw CommandFailure{noneDecoded(plan.notes)};
    std::uint64_t bytes = 0;
    const auto overflows = writeTensorFile(*bundle, plan, options.output, context, bytes);
    Diagnostics notes = plan.notes;
    notes.insert(notes.end(), overflows.begin(), overflows.end());
    const report::ExportedTensor &first = plan.tensors.front();
    if (context.json) {
        printDocument(tensors ? report::decodeJson(*bundle, plan, options.output)
                              : report::decodeJson(bundle->weights()[first.weight],
                                                   {options.output, elementTypeName(first.type),
                                                    first.shape, plan.elements, bytes}),
                      notes);
        return exitCodeOf(notes);
    }
    printDiagnostics(context, notes);
    if (!context.quiet && tensors)
        print(fmt::format("{}: {} in {}\n", printable(options.output),
                          counted(plan.tensors.size(), "tensor"), bytesText(bytes)));
    else if (!context.quiet)
        print(fmt::format("{}: {} {} in {}\n", printable(bundle->weights()[first.weight].name),
                          elementTypeName(first.type), shapeText(first.shape), bytesText(bytes)));
    return exitCodeOf(notes);
}

} // namespace

void addDecode(CLI::App &app, Context &context)
{
    const auto [command, options] = addCommand<DecodeOptions>(
        app, context, "decode", "Write the decoded values of one weight, or of all", runDecode);
    addPath(*command, options->path);
    addOption(*command, "name", "NAME", options->weight, "Name of the weight");
    command->add_flag("--all", options->all,
                      "All weights, in place of NAME, into a .safetensors or .npz file");
    addStreamOutput(
        *command, context, options->output,
        "File to write, by the end of its name: .npy with a NumPy header, .csv a line an index "
        "of the first axis, .bin bare values, .npz and .safetensors tensors by name; - is "
        "standard output",
        "FILE")
        ->required();
    addWord(*command, "--format", options->format, {"npy", "csv", "bin", "npz", "safetensors"},
            "Format, whatever the name (of -: npy)");
    addWord(*command, "--as", options->type, {"fp16", "fp32"},
            "Type of the values written (fp16; of .csv, .safetensors and .npz what holds "
            "each weight)");
    addOption(*command, "--rows", "A:B", options->rows, "Indices of the first axis to write");
    addCommonOptions(*command, context, false);
    addExamples(*command, {"decode model.mlmodelc conv1_weight -o conv1.npy",
                           "decode model.mlmodelc conv1_weight --as fp32 --rows 0:8 -o rows.bin",
                           "decode model.mlmodelc conv1_weight --format csv -o -",
                           "decode model.mlmodelc --all -o weights.safetensors"});
}

} // namespace kernscope::cli
