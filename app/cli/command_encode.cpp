// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/encode.h"
#include "app/cli/output_file.h"
#include "app/cli/text_output.h"
#include "app/cli/usage.h"
#include "core/assessment/weight_facts.h"

#include <memory>
#include <optional>
#include <utility>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

/// With --target: why the chip does not take the form, and whether --force writes it all the same
/// (a chip that does not exist cannot be forced). Without a chip a form is nobody's to refuse.
std::optional<std::pair<Error, bool>> refusedByTarget(const EncodedBundle &encoded,
                                                      const Session &session)
{
    if (session.target.empty())
        return std::nullopt;
    const auto named = target::findTarget(session.target);
    if (!named)
        return std::pair(named.error(), false);
    const Weight &weight = encoded.made->weights()[encoded.after];
    const auto rule = decision::encoderRefusal(weightForm(*encoded.made, weight), *named->target);
    if (!rule)
        return std::nullopt;
    Error error;
    error.code = "encode.legality";
    error.field = weight.name;
    error.expected = rule->required;
    error.found = rule->found;
    error.message = "No encoder of " + named->target->name + " writes this form: " + rule->gate +
                    " (" + rule->source + "); --force writes it all the same";
    return std::pair(std::move(error), true);
}

int runEncode(const EncodeOptions &options, Session &session)
{
    const auto form = formOf(options);
    if (!form)
        return reportUsage(session, "encode", form.error());
    const auto bundle = openBundle(options.path);
    if (!bundle)
        return reportFailure(session, "encode", bundle.error());
    const auto weight = findWeight(**bundle, options.weight);
    if (!weight)
        return reportFailure(session, "encode", weight.error());
    const auto rules = outputRules(session, **bundle);
    if (auto free = checkOutput(options.output, OutputKind::Folder, rules); !free)
        return reportFailure(session, "encode", free.error());
    const auto encoded = encodeWeight(**bundle, *weight, *form, options.opset);
    if (!encoded) {
        // Values that the form cannot hold are bad input, not wrong use.
        Error error = encoded.error();
        if (error.code == "encode.form" && options.entries == "e4m3")
            error.message += "; a weight section holds E4M3 entries (section build --entries e4m3)";
        return error.code == "codec.argument" && error.field != "values"
                   ? reportUsage(session, "encode", error)
                   : reportFailure(session, "encode", error);
    }
    Diagnostics diagnostics = (*bundle)->diagnostics();
    if (const auto refused = refusedByTarget(*encoded, session)) {
        if (!refused->second || !session.force)
            return reportUsage(session, "encode", refused->first);
        diagnostics.push_back({Severity::Warning, refused->first});
    }
    // What was encoded is in memory now: the copy below can only look at the other files.
    if (auto same = checkInputs(); !same)
        return reportFailure(session, "encode", same.error());
    const auto saved = [&] {
        const ProgressLine line(session, "Writing");
        return writeCopy(session, *encoded->made, options.output, (*bundle)->path());
    }();
    if (!saved)
        return reportFailure(session, "encode", saved.error());
    outputInPlace();
    if (!session.json) {
        if (!session.quiet)
            print(encodeText(**bundle, *encoded, *form, options));
        printDiagnostics(session, diagnostics);
        return kDone;
    }
    report::Json document = report::document("encode");
    addEncodeJson(document, **bundle, *encoded, *form, options);
    document["verified"] = saved->verified;
    printDocument(session, document, diagnostics);
    return kDone;
}

/// Options that have no effect on the form that is asked for are refused.
void requireEffect(const CLI::App &command, const EncodeOptions &options)
{
    const bool sparse = options.form == "sparse";
    const bool palette = options.form == "palette" || (sparse && options.survivors == "palette");
    const bool blockwise =
        options.form == "blockwise" || (sparse && options.survivors == "blockwise");
    const bool affine = options.form == "affine";
    const std::pair<const char *, bool> effects[] = {
        {"--bits", palette},
        {"--codebooks", palette},
        {"--vector", palette},
        {"--entries", palette},
        {"--type", affine || blockwise},
        {"--axis", (affine && !options.perTensor) || blockwise || !options.pattern.empty()},
        {"--block", blockwise},
        {"--per-tensor", affine},
        {"--zero-point", affine || blockwise},
        {"--density", sparse},
        {"--threshold", sparse},
        {"--pattern", sparse},
        {"--survivors", sparse},
    };
    for (const auto &[name, has] : effects) {
        if (!has && command.count(name) > 0)
            throw UsageFailure{usageError(name, {}, "--form " + options.form,
                                          std::string(name) + " has no effect on this form")};
    }
}

void addFormOptions(CLI::App &command, EncodeOptions &options)
{
    command.add_option("--form", options.form, "Form to store the weight in")
        ->required()
        ->check(CLI::IsMember({"dense", "affine", "palette", "sparse", "blockwise"}));
    command.add_option("--bits", options.bits, "Palette: index width (1, 2, 3, 4, 6, 8)")
        ->capture_default_str();
    command.add_option("--codebooks", options.codebooks, "Palette: codebooks along axis 0")
        ->capture_default_str();
    command.add_option("--vector", options.vector, "Palette: vector size (1, 2, 4, 5)")
        ->capture_default_str();
    command.add_option("--entries", options.entries, "Palette: type of the entries")
        ->check(CLI::IsMember({"fp16", "int8", "e4m3"}))
        ->capture_default_str();
    command.add_option("--type", options.type, "Affine and blockwise: type of the codes (int8)")
        ->check(CLI::IsMember({"int4", "uint4", "int8", "uint8"}));
    command.add_option("--axis", options.axis,
                       "Affine: channels (0); blockwise and patterns: runs (1)");
    command.add_option("--block", options.block, "Blockwise: elements that share a scale")
        ->capture_default_str();
    command.add_flag("--per-tensor", options.perTensor, "Affine: one scale for all channels");
    command.add_flag("--zero-point,--asymmetric,--offset", options.zeroPoint,
                     "Affine: zero points; blockwise: offsets");
    command.add_option("--density", options.density, "Sparse: share of the elements to keep");
    command.add_option("--threshold", options.threshold,
                       "Sparse: smallest magnitude to keep (0: every non-zero)");
    command.add_option("--pattern", options.pattern, "Sparse: N kept of every M along the axis")
        ->type_name("N:M");
    command
        .add_option("--survivors", options.survivors,
                    "Sparse: how the kept values are stored (the options of that form apply)")
        ->check(CLI::IsMember(std::vector<std::string>{"plain", "palette", "blockwise"}))
        ->capture_default_str();
}

} // namespace

void addEncode(CLI::App &app, Session &session)
{
    CLI::App *command =
        app.add_subcommand("encode", "Store one weight in another form, in a copy of the bundle");
    auto options = std::make_shared<EncodeOptions>();
    command->add_option("path", options->path, "Bundle folder")->required()->type_name("PATH");
    command->add_option("name", options->weight, "Name of the weight")
        ->required()
        ->type_name("NAME");
    addFormOptions(*command, *options);
    command
        ->add_option("--opset", options->opset,
                     "Operation set of the copy (ios16 to ios18); by default the earliest that "
                     "has the form, not before the program's own")
        ->type_name("SET");
    addOutput(*command, session, options->output, "Bundle to write", "BUNDLE")->required();
    command->get_option("--force")->description(
        "Replace the output where it exists, and write a form that the chip of --target has no "
        "encoder for");
    addCommonOptions(*command, session);
    addExamples(
        *command,
        {"encode model.mlmodelc conv1_weight --form palette --bits 4 -o small.mlmodelc",
         "encode model.mlmodelc conv1_weight --form sparse --density 0.3 -o thin.mlmodelc"});
    command->callback([options, command, &session] {
        requireEffect(*command, *options);
        session.exitCode = runEncode(*options, session);
    });
}

} // namespace kernscope::cli
