// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/chips.h"
#include "app/cli/encode.h"
#include "core/assessment/activations.h"
#include "core/assessment/consumer_kinds.h"
#include "core/base/error_builder.h"
#include "core/bundle/bundle.h"
#include "core/codec/encode/form_encoder.h"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kernscope::cli {

namespace {

std::string convertText(const Bundle &bundle, const HalfBundle &converted,
                        const std::string &output)
{
    std::string text = tableText(report::halfWeightTable, report::halfFacts(converted));
    text += tableText(report::halfOperationTable, converted.operations);
    text += fmt::format(
        "constants {} fp16, {} fp32; of {}: {} became infinite, {} zero, {} the smallest of fp16\n",
        grouped(converted.constants), grouped(converted.constantsKept),
        counted(converted.numbers.elements, "number"), grouped(converted.numbers.infinite),
        grouped(converted.numbers.zeroed), grouped(converted.numbers.raised));
    text += fmt::format("casts {} to fp16, {} to fp32: inputs and outputs keep their types\n",
                        grouped(converted.castsIn), grouped(converted.castsOut));
    for (const std::size_t kept : converted.kept)
        text += fmt::format("stays fp32: {}\n", printable(bundle.weights()[kept].findableName()));
    return text + fmt::format("bundle {}, was {}\nwritten {}\n",
                              grouped(converted.made->totalBytes().value),
                              grouped(bundle.totalBytes().value), printable(output));
}

struct ConvertArguments {
    std::string path, to, output;
};

int runConvert(const ConvertArguments &arguments, Context &context)
{
    const auto bundle = required(openBundle(arguments.path));
    required(checkOutput(arguments.output, copyKind(*bundle), outputRules(context, *bundle)));
    Diagnostics diagnostics = bundle->diagnostics();
    const HalfBundle converted = [&] {
        const ProgressLine line(context, "Converting");
        return required(convertToHalf(*bundle));
    }();
    if (converted.numbers.infinite > 0)
        diagnostics.push_back(
            {Severity::Warning,
             valueError("convert.range", {}, "values up to 65504",
                        counted(converted.numbers.infinite, "value") + " beyond it",
                        "Values that fp16 does not hold are infinite now")});
    required(checkInputs());
    const auto saved = [&] {
        const ProgressLine line(context, "Writing");
        return required(writeCopy(context, *converted.made, arguments.output, bundle->path()));
    }();
    outputInPlace();
    return printAnswer(
        context, diagnostics,
        [&] { return report::convertJson(*bundle, converted, arguments.output, saved.verified); },
        [&] { return convertText(*bundle, converted, arguments.output); });
}

/// With --target: why the chip does not take the form of a weight, and whether --force writes it
/// all the same (a chip that does not exist cannot be forced). Without a chip no
/// form is refused.
std::optional<std::pair<Error, bool>> refusedByTarget(const Bundle &made, std::size_t index,
                                                      const Context &context)
{
    if (context.target.empty())
        return std::nullopt;
    const auto named = target::findTarget(context.target);
    if (!named)
        return std::pair(named.error(), false);
    const Weight &weight = made.weights()[index];
    const auto rule = decision::encoderRefusal(weightForm(made, weight), *named->target);
    if (!rule)
        return std::nullopt;
    return std::pair(legalityError("encode.legality", weight.name, *rule, *named->target), true);
}

/// "a, b and 3 more".
std::string listOf(std::span<const std::string> names)
{
    constexpr std::size_t kNamed = 5;
    const std::size_t shown = std::min(names.size(), kNamed);
    std::string list = fmt::format("{}", fmt::join(names.first(shown), ", "));
    return shown < names.size() ? list + fmt::format(" and {} more", names.size() - shown) : list;
}

Error namedError(Error error, const std::string &names)
{
    error.message = names + ": " + error.message;
    return error;
}

/// Each reason once, with the weights that have it.
Diagnostics refusedRows(const Bundle &bundle, std::span<const RefusedWeight> refused,
                        Severity severity)
{
    std::map<std::string, std::size_t> rowOf; // of a reason's text
    std::vector<std::vector<std::string>> names;
    Diagnostics rows;
    for (const RefusedWeight &one : refused) {
        const auto [row, added] = rowOf.try_emplace(describe(one.error), rows.size());
        if (added) {
            rows.push_back({severity, one.error});
            names.emplace_back();
        }
        names[row->second].push_back(bundle.weights()[one.weight].findableName());
    }
    for (std::size_t i = 0; i < rows.size(); ++i)
        rows[i].error = namedError(rows[i].error, listOf(names[i]));
    return rows;
}

/// Says why each weight was refused, by name where there are several; nothing was written.
int reportRefused(Context &context, const Bundle &bundle, std::size_t asked,
                  const std::vector<RefusedWeight> &refused)
{
    if (asked == 1)
        return reportFailure(context, refused.front().error);
    const Diagnostics rows = refusedRows(bundle, refused, Severity::Error);
    int code = kDone;
    for (const RefusedWeight &one : refused)
        code = std::max(code, exitCodeOf(one.error));
    if (context.json)
        printDocument(report::document("encode"), rows);
    else
        printDiagnostics(context, rows);
    return code;
}

/// What --all left as it is: weights that must not have the form by name, the others together. Of
/// weights that were given by name, the reason against each.
void addKept(const Bundle &bundle, const EncodedBundle &encoded, Diagnostics &diagnostics)
{
    std::vector<std::string> names;
    for (const RefusedWeight &one : encoded.kept) {
        const std::string name = bundle.weights()[one.weight].findableName();
        if (one.error.code != "encode.kept")
            diagnostics.push_back({Severity::Warning, namedError(one.error, name)});
        else
            names.push_back(name);
    }
    for (const EncodedOne &one : encoded.weights) {
        const Weight &weight = bundle.weights()[one.before];
        std::string note = uncompressibleNote(weight);
        if (!note.empty() && encoded.made->weights()[one.after].sourceOp != "const")
            diagnostics.push_back(
                {Severity::Warning,
                 namedError(ErrorBuilder("encode.operand").message(note), weight.findableName())});
    }
    if (names.empty())
        return;
    diagnostics.push_back(
        {Severity::Note,
         valueError("encode.kept", {}, {}, {},
                    fmt::format("As they are, because no form makes them smaller or they have no "
                                "other: {} ({}).",
                                counted(names.size(), "weight"), listOf(names)))});
}

/// Statistics by weight; none where no file of them is given.
std::vector<InputStatisticsPtr> inputsOf(const Bundle &bundle, const EncodeOptions &options)
{
    if (options.activations.empty())
        return {};
    const auto arrays = required(openBundle(options.activations));
    return required(readActivations(bundle, *arrays, options.inputAxis));
}

/// Names the command that holds entries of E4M3, which no program form has.
void hintAtSections(std::vector<RefusedWeight> &refused, const EncodeOptions &options)
{
    for (RefusedWeight &one : refused) {
        if (one.error.code == "encode.form" && options.entries == "e4m3")
            one.error.message +=
                "; a weight section holds E4M3 entries (section build --entries e4m3)";
    }
}

/// All weights that are encoded, and those that are refused; of the chip too. With --skip-refused
/// the bundle is made again without what the chip refuses.
EncodedBundle encodeFor(const Bundle &bundle, std::vector<std::size_t> weights,
                        const WantedForm &form, const EncodeOptions &options, Context &context,
                        Diagnostics &diagnostics)
{
    const auto inputs = inputsOf(bundle, options);
    context.progress.setTotal(2 * weights.size());
    const ProgressLine line(context, "Encoding");
    auto encoded = required(
        encodeWeights(bundle, weights, form, options.all, inputs, options.opset, context.progress));
    hintAtSections(encoded.refused, options);
    if (encoded.made == nullptr)
        return encoded;
    std::vector<RefusedWeight> byChip;
    for (const EncodedOne &one : encoded.weights) {
        const auto refused = refusedByTarget(*encoded.made, one.after, context);
        if (refused && refused->second && context.force)
            diagnostics.push_back({Severity::Warning, refused->first});
        else if (refused)
            byChip.push_back({one.before, refused->first});
    }
    if (byChip.empty())
        return encoded;
    if (options.skipRefused && byChip.size() < encoded.weights.size()) {
        for (const RefusedWeight &one : byChip)
            std::erase(weights, one.weight);
        encoded = required(encodeWeights(bundle, weights, form, options.all, inputs, options.opset,
                                         context.progress));
    } else {
        encoded.made = nullptr;
    }
    encoded.refused.insert(encoded.refused.end(), byChip.begin(), byChip.end());
    return encoded;
}

int runEncode(const EncodeOptions &options, Context &context)
{
    const auto form = usable(formOf(options));
    const auto bundle = required(openBundle(options.path));
    const auto weights = required(weightsOf(*bundle, options));
    auto rules = outputRules(context, *bundle);
    if (!options.activations.empty())
        rules.inputs.emplace_back(options.activations);
    required(checkOutput(options.output, copyKind(*bundle), rules));
    Diagnostics diagnostics = bundle->diagnostics();
    const auto encoded = encodeFor(*bundle, weights, form, options, context, diagnostics);
    // With --all a shape that the form does not take leaves that weight as it is, and says so.
    const bool stops = !options.skipRefused &&
                       std::ranges::any_of(encoded.refused, [&options](const RefusedWeight &one) {
                           return !options.all || one.error.code != "codec.argument";
                       });
    if (encoded.made == nullptr || stops)
        return reportRefused(context, *bundle, weights.size(),
                             encoded.refused.empty() ? encoded.kept : encoded.refused);
    addKept(*bundle, encoded, diagnostics);
    const Diagnostics refused = refusedRows(*bundle, encoded.refused, Severity::Warning);
    diagnostics.insert(diagnostics.end(), refused.begin(), refused.end());
    // What was encoded is in memory now: the copy below can only look at the other files.
    required(checkInputs());
    const auto saved = [&] {
        const ProgressLine line(context, "Writing");
        return required(writeCopy(context, *encoded.made, options.output, bundle->path()));
    }();
    outputInPlace();
    printAnswer(
        context, diagnostics,
        [&] {
            return report::encodeJson(*bundle, encoded, form.spec.method, options.output,
                                      saved.verified);
        },
        [&] { return encodeText(*bundle, encoded, options); });
    return kDone;
}

/// Options that have no effect on the chosen form are refused.
void requireEffect(const CLI::App &command, const EncodeOptions &options)
{
    const auto readsOf = [](std::string_view word) {
        const codec::FormEncoder *encoder = codec::formEncoderOfWord(word);
        return encoder != nullptr ? encoder->reads : codec::EncoderReads();
    };
    const codec::EncoderReads form = readsOf(options.form);
    // Of a mask, those of the survivors too.
    const codec::EncoderReads elements = form.mask ? readsOf(options.survivors) : form;
    const std::pair<const char *, bool> effects[] = {
        {"--bits", elements.palette},
        {"--codebooks", elements.palette},
        {"--vector", elements.palette},
        {"--entries", elements.palette},
        {"--type", elements.codes},
        {"--axis",
         (elements.tensor && !options.perTensor) || elements.blocks || !options.pattern.empty()},
        {"--block", elements.blocks},
        {"--per-tensor", elements.tensor},
        {"--zero-point", elements.codes},
        {"--density", form.mask},
        {"--threshold", form.mask},
        {"--pattern", form.mask},
        {"--survivors", form.mask},
        {"--method", options.form != "dense"},
        {"--activations", options.form != "dense" && options.method != "plain"},
        {"--input-axis", !options.activations.empty()},
    };
    for (const auto &[name, has] : effects) {
        if (!has && command.count(name) > 0)
            throw UsageFailure{usageError(name, {}, "--form " + options.form,
                                          std::string(name) + " has no effect on this form")};
    }
    if (options.all == !options.weights.empty())
        throw UsageFailure{usageError("NAME", "names of weights, or --all",
                                      options.all ? "both" : "neither",
                                      "Name weights, or say --all")};
    if (options.method == "feedback" && options.activations.empty())
        throw UsageFailure{usageError("--method", "--activations with means or second moments",
                                      "feedback without statistics",
                                      "Errors are fed back by what flows through")};
}

void addFormOptions(CLI::App &command, EncodeOptions &options)
{
    addWord(command, "--form", options.form, codec::encoderWordList(),
            "Form to store the weights in")
        ->required();
    command.add_option("--bits", options.bits, "Palette: index width (1, 2, 3, 4, 6, 8)")
        ->capture_default_str();
    command.add_option("--codebooks", options.codebooks, "Palette: codebooks along axis 0")
        ->capture_default_str();
    command.add_option("--vector", options.vector, "Palette: vector size (1, 2, 4, 5)")
        ->capture_default_str();
    addWord(command, "--entries", options.entries, {"fp16", "int8", "e4m3"},
            "Palette: type of the entries");
    addWord(command, "--type", options.type,
            {"int4", "uint4", "int8", "uint8", "uint1", "uint2", "uint3", "uint6"},
            "Affine and blockwise: type of the codes (int8); of programs int4, uint4 "
            "(blockwise), int8, uint8, of old neural networks each");
    command.add_option("--axis", options.axis,
                       "Affine: channels; blockwise and patterns: runs; by default the output "
                       "and the input channels of the layer that reads the weight (0 and 1 "
                       "where none does)");
    command.add_option("--block", options.block, "Blockwise: elements that share a scale")
        ->capture_default_str();
    command.add_flag("--per-tensor", options.perTensor, "Affine: one scale for all channels");
    command.add_flag("--zero-point,--asymmetric,--offset", options.zeroPoint,
                     "Affine: zero points; blockwise: offsets");
    command.add_option("--density", options.density, "Sparse: share of the elements to keep");
    command.add_option("--threshold", options.threshold,
                       "Sparse: smallest magnitude to keep (0: every non-zero)");
    addOption(command, "--pattern", "N:M", options.pattern,
              "Sparse: N kept of every M along the axis");
    addWord(command, "--survivors", options.survivors, codec::survivorWordList(),
            "Sparse: how the kept values are stored (the options of that form apply)");
}

void addWeightOptions(CLI::App &command, EncodeOptions &options)
{
    command.add_flag("--all", options.all, "All weights of the bundle, in place of names");
    command
        .add_option("--min-elements", options.minElements,
                    "Leave weights with fewer elements as they are")
        ->capture_default_str();
    command.add_flag(
        "--skip-refused", options.skipRefused,
        "Leave weights that cannot be encoded so as they are, and say which; otherwise "
        "nothing is written");
}

void addMethodOptions(CLI::App &command, EncodeOptions &options)
{
    addWord(command, "--method", options.method, {"plain", "fitted", "feedback"},
            "How scales, codebooks, masks and codes are chosen: plain (by the values alone), "
            "fitted (least error by the inputs' mean squares: scales by least squares with "
            "clipping, weighted k-means, masks by saliency), feedback (fitted, and each "
            "input makes up for the errors of those before it); by default fitted with "
            "--activations, else plain");
    addOption(command, "--activations", "FILE.npz", options.activations,
              "Statistics of what flows into the weights, by input channel: arrays NAME (mean "
              "squares), NAME.mean, or NAME.second_moment (a matrix)");
    command.add_option("--input-axis", options.inputAxis,
                       "Axis of the input channels; by default what the weight's consumer says");
}

} // namespace

void addConvert(CLI::App &app, Context &context)
{
    const auto [command, arguments] = addCommand<ConvertArguments>(
        app, context, "convert",
        "Make a program of fp32 one of fp16, in a copy of the bundle: its weights, "
        "constants and operations, with casts at inputs and outputs",
        runConvert);
    addPath(*command, arguments->path, "Package or compiled model");
    addWord(*command, "--to", arguments->to, {"fp16"}, "Type to calculate in")->required();
    addOutput(*command, context, arguments->output, "Bundle to write", "BUNDLE")->required();
    addSharedOptions(*command, context);
    addExamples(*command, {"convert model.mlpackage --to fp16 -o half.mlpackage",
                           "convert model.mlmodelc --to fp16 -o half.mlmodelc --json"});
}

void addEncode(CLI::App &app, Context &context)
{
    CLI::App *command =
        app.add_subcommand("encode", "Store weights in another form, in a copy of the bundle");
    auto options = std::make_shared<EncodeOptions>();
    addOption(*command, "path", "PATH", options->path, "Bundle folder")->required();
    addOption(*command, "name", "NAME", options->weights,
              "Names of weights, or patterns of them (* any characters, ? one, [a-c] one of "
              "those)");
    addWeightOptions(*command, *options);
    addFormOptions(*command, *options);
    addMethodOptions(*command, *options);
    addOption(*command, "--opset", "SET", options->opset,
              "Operation set of the copy (ios16 to ios18); by default the earliest that "
              "has the form, not before the program's own");
    addOutput(*command, context, options->output, "Bundle to write", "BUNDLE")->required();
    command->get_option("--force")->description(
        "Replace the output where it exists, and write a form that the chip of --target has no "
        "encoder for");
    addCommonOptions(*command, context);
    addExamples(
        *command,
        {"encode model.mlmodelc conv1_weight --form palette --bits 4 -o small.mlmodelc",
         "encode model.mlmodelc conv1_weight --form sparse --density 0.3 -o thin.mlmodelc",
         "encode model.mlmodelc 'encoder_*_weight' --form blockwise --type int4 --method fitted "
         "-o int4.mlmodelc",
         "encode model.mlmodelc --all --min-elements 2048 --form palette --bits 4 --activations "
         "stats.npz --skip-refused -o small.mlmodelc"});
    command->callback([options, command, &context] {
        requireEffect(*command, *options);
        context.exitCode = runEncode(*options, context);
    });
}

} // namespace kernscope::cli
