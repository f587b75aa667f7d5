// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/output_file.h"
#include "app/cli/text_output.h"
#include "app/cli/usage.h"
#include "core/base/error_builder.h"
#include "core/base/overlaid_file.h"
#include "core/bundle/stored_values.h"

#include "core/numeric/npy.h"
#include "core/report/command_json.h"
#include "core/report/tensor_export.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <numeric>
#include <optional>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

struct DecodeOptions {
    std::string path;
    std::string weight;
    std::string output;
    std::string type; ///< "fp16", "fp32"; empty: fp16, or of tensors what holds each weight
    std::string rows; ///< "A:B", either side may be left out
    bool all = false; ///< every weight, in place of one

    bool half() const { return type != "fp32"; }
    std::string typeName() const { return half() ? "fp16" : "fp32"; }
    /// Of a .npy its rows can be chosen: it is written on its own.
    std::optional<report::TensorFile> tensors() const
    {
        const auto kind = report::tensorFileOf(output);
        return kind == report::TensorFile::Npy ? std::nullopt : kind;
    }
};

/// Elements [first, last) to write, and the shape that they have.
struct Slice {
    std::uint64_t first = 0, last = 0;
    Shape shape;
};

Error badRows(std::string_view found, std::string expected)
{
    return ErrorBuilder("cli.rows")
        .field("--rows")
        .expected(std::move(expected))
        .found(found)
        .message("These rows cannot be taken.");
}

std::optional<std::uint64_t> numberOf(std::string_view text, std::uint64_t otherwise)
{
    if (text.empty())
        return otherwise;
    std::uint64_t number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    return failure == std::errc() && end == text.data() + text.size() ? std::optional(number)
                                                                      : std::nullopt;
}

/// Rows are indices of the first axis.
Result<Slice> sliceOf(const Weight &weight, std::string_view rows)
{
    Slice slice{0, weight.elements.value, weight.shape};
    if (rows.empty())
        return slice;
    const std::uint64_t extent = weight.shape.empty() ? 0 : weight.shape.front();
    const std::size_t colon = rows.find(':');
    if (colon == std::string_view::npos)
        return tl::unexpected(badRows(rows, "FIRST:LAST"));
    const auto first = numberOf(rows.substr(0, colon), 0);
    const auto last = numberOf(rows.substr(colon + 1), extent);
    if (!first || !last || *first > *last || *last > extent)
        return tl::unexpected(badRows(rows, fmt::format("rows within 0:{}", extent)));
    const std::uint64_t perRow = extent == 0 ? 0 : weight.elements.value / extent;
    slice.first = *first * perRow;
    slice.last = *last * perRow;
    slice.shape.front() = *last - *first;
    return slice;
}

/// Decodes block by block; memory does not grow with the weight.
template <class Value, class Decode>
Result<void> writeBlocks(OutputFile &file, const Slice &slice, Progress &progress,
                         const Decode &decode)
{
    constexpr std::uint64_t kBlock = 65536;
    std::vector<Value> block(std::min(kBlock, slice.last - slice.first));
    for (std::uint64_t at = slice.first; at < slice.last; at += block.size()) {
        const auto some =
            std::span(block).first(std::min<std::uint64_t>(block.size(), slice.last - at));
        decode(at, some);
        if (auto written = file.write(std::as_bytes(std::span<const Value>(some))); !written)
            return written;
        if (!progress.advance(some.size()))
            return tl::unexpected(cancelledError(stoppedText()));
    }
    return {};
}

Result<std::uint64_t> writeWeight(const Bundle &bundle, std::size_t weight,
                                  const DecodeOptions &options, const Slice &slice,
                                  Context &context, const OutputRules &rules)
{
    const auto decoder = bundle.decoder(weight);
    if (!decoder)
        return tl::unexpected(decoder.error());
    const bool half = options.half();
    auto file = OutputFile::create(options.output, rules);
    if (!file)
        return tl::unexpected(file.error());
    if (report::tensorFileOf(options.output) == report::TensorFile::Npy) {
        const std::string header =
            npyHeader(half ? ElementType::Fp16 : ElementType::Fp32, slice.shape);
        if (auto written = file->write(std::as_bytes(std::span(header))); !written)
            return tl::unexpected(written.error());
    }
    context.progress.setTotal(slice.last - slice.first);
    const ProgressLine line(context, "Decoding");
    const auto written =
        half ? writeBlocks<std::uint16_t>(*file, slice, context.progress,
                                          [&](std::uint64_t at, std::span<std::uint16_t> out) {
                                              decoder->decodeHalf(at, out);
                                          })
             : writeBlocks<float>(
                   *file, slice, context.progress,
                   [&](std::uint64_t at, std::span<float> out) { decoder->decodeFloat(at, out); });
    if (!written)
        return tl::unexpected(written.error());
    if (auto closed = file->commit(); !closed)
        return tl::unexpected(closed.error());
    return file->bytesWritten();
}

/// Says so where the type written does not hold every value of the weight's own.
Diagnostics roundingNotes(const Bundle &bundle, std::size_t weight, const DecodeOptions &options)
{
    const auto decoder = bundle.decoder(weight);
    if (!decoder)
        return {};
    const bool half = options.half();
    const ElementType type = decoder->type();
    if (half ? exactInHalf(type) : exactInFloat(type))
        return {};
    return {{Severity::Note,
             ErrorBuilder("decode.rounded")
                 .field(bundle.weights()[weight].findableName())
                 .expected(std::string(elementTypeName(type)))
                 .found(options.typeName())
                 .message(fmt::format("The values are {}; they are written rounded to {}{}",
                                      elementTypeName(type), options.typeName(),
                                      half ? ": --as fp32 keeps more of them" : ""))}};
}

/// What the options ask for that does not go together.
std::optional<Error> contradiction(const DecodeOptions &options)
{
    const auto wrong = [](const char *expected, std::string found, const char *message) -> Error {
        return ErrorBuilder("cli.usage")
            .expected(expected)
            .found(std::move(found))
            .message(message);
    };
    if (options.all != options.weight.empty())
        return wrong("one of NAME and --all", options.all ? "both" : "neither",
                     "One weight is decoded, or all of them");
    if (options.all && !options.tensors())
        return wrong("a name that ends in .safetensors or .npz", options.output,
                     "All weights are written as one file of tensors");
    if (options.tensors() && !options.rows.empty())
        return wrong("whole weights", "--rows", "A file of tensors holds whole weights");
    return std::nullopt;
}

/// The weights that are asked for; one that is named must be sound.
Result<std::vector<std::size_t>> wantedWeights(const Bundle &bundle, const DecodeOptions &options)
{
    std::vector<std::size_t> wanted;
    if (options.all) {
        wanted.resize(bundle.weights().size());
        std::iota(wanted.begin(), wanted.end(), std::size_t{0});
        return wanted;
    }
    const auto weight = findWeight(bundle, options.weight);
    if (!weight)
        return tl::unexpected(weight.error());
    if (bundle.weights()[*weight].fault)
        return tl::unexpected(*bundle.weights()[*weight].fault);
    wanted.push_back(*weight);
    return wanted;
}

Result<void> writeTensorFile(const Bundle &bundle, const report::TensorExport &plan,
                             const std::string &path, Context &context)
{
    auto file = OutputFile::create(path, outputRules(context, bundle));
    if (!file)
        return tl::unexpected(file.error());
    {
        const ProgressLine line(context, "Decoding");
        auto written = report::writeTensors(
            bundle, plan, [&file](std::span<const std::byte> bytes) { return file->write(bytes); },
            &context.progress);
        if (!written && written.error().code == "task.cancelled")
            return tl::unexpected(cancelledError(stoppedText()));
        if (!written)
            return written;
    }
    return file->commit();
}

/// Weights as tensors of one file. Those that cannot be read are left out, and named.
int runTensors(const Bundle &bundle, const DecodeOptions &options, Context &context)
{
    const auto wanted = wantedWeights(bundle, options);
    if (!wanted)
        return reportFailure(context, "decode", wanted.error());
    const auto as = options.type.empty()
                        ? std::nullopt
                        : std::optional(options.half() ? ElementType::Fp16 : ElementType::Fp32);
    const auto plan = report::planTensors(bundle, *wanted, as, *options.tensors());
    if (!plan)
        return reportFailure(context, "decode", plan.error());
    if (plan->tensors.empty()) {
        Error none = ErrorBuilder("decode.none").message("No weight could be decoded");
        for (const Diagnostic &note : plan->notes) // the first fault says why
            if (note.severity == Severity::Error) {
                none = note.error;
                break;
            }
        return reportFailure(context, "decode", none);
    }
    if (auto written = writeTensorFile(bundle, *plan, options.output, context); !written)
        return reportFailure(context, "decode", written.error());
    if (context.json) {
        report::Json document = report::decodeJson(bundle, *plan, options.output);
        printDocument(context, document, plan->notes);
        return exitCodeOf(plan->notes);
    }
    printDiagnostics(context, plan->notes);
    if (!context.quiet)
        print(fmt::format("{}: {} in {}\n", printable(options.output),
                          counted(plan->tensors.size(), "tensor"), bytesText(plan->bytes)));
    return exitCodeOf(plan->notes);
}

int runDecode(const DecodeOptions &options, Context &context)
{
    if (const auto wrong = contradiction(options))
        return reportUsage(context, "decode", *wrong);
    const auto bundle = openBundle(options.path);
    if (!bundle)
        return reportFailure(context, "decode", bundle.error());
    if (options.tensors())
        return runTensors(**bundle, options, context);
    const auto weight = findWeight(**bundle, options.weight);
    if (!weight)
        return reportFailure(context, "decode", weight.error());
    const Weight &wanted = (*bundle)->weights()[*weight];
    if (wanted.fault)
        return reportFailure(context, "decode", *wanted.fault);
    const auto slice = sliceOf(wanted, options.rows);
    if (!slice)
        return reportUsage(context, "decode", slice.error());
    const auto written =
        writeWeight(**bundle, *weight, options, *slice, context, outputRules(context, **bundle));
    if (!written)
        return reportFailure(context, "decode", written.error());
    const Diagnostics notes = roundingNotes(**bundle, *weight, options);
    if (context.json) {
        report::Json document =
            report::decodeJson(wanted, {options.output, options.typeName(), slice->shape,
                                        slice->last - slice->first, *written});
        printDocument(context, document, notes);
        return kDone;
    }
    printDiagnostics(context, notes);
    if (!context.quiet)
        print(fmt::format("{}: {} {} in {}\n", printable(wanted.name), options.typeName(),
                          shapeText(slice->shape), bytesText(*written)));
    return kDone;
}

} // namespace

void addDecode(CLI::App &app, Context &context)
{
    CLI::App *command =
        app.add_subcommand("decode", "Write the decoded values of one weight, or of all");
    auto options = std::make_shared<DecodeOptions>();
    command->add_option("path", options->path, "Bundle folder, program or weight file")
        ->required()
        ->type_name("PATH");
    command->add_option("name", options->weight, "Name of the weight")->type_name("NAME");
    command->add_flag("--all", options->all,
                      "All weights, in place of NAME, into a .safetensors or .npz file");
    addOutput(*command, context, options->output,
              "File to write: with a NumPy header where the name ends in .npy, tensors by name "
              "where it ends in .safetensors or .npz, else bare values",
              "FILE")
        ->required();
    command
        ->add_option(
            "--as", options->type,
            "Type of the values written (fp16; of .safetensors and .npz what holds each weight)")
        ->check(CLI::IsMember({"fp16", "fp32"}));
    command->add_option("--rows", options->rows, "Indices of the first axis to write")
        ->type_name("A:B");
    addCommonOptions(*command, context);
    addExamples(*command, {"decode model.mlmodelc conv1_weight -o conv1.npy",
                           "decode model.mlmodelc conv1_weight --as fp32 --rows 0:8 -o rows.bin",
                           "decode model.mlmodelc --all -o weights.safetensors"});
    command->callback([options, &context] { context.exitCode = runDecode(*options, context); });
}

} // namespace kernscope::cli
