// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "core/bundle/bundle.h"
#include "core/report/encode_table.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

std::string lostText(const HalvedNumbers &numbers)
{
    return fmt::format("{} became infinite, {} zero, {} the smallest of fp16",
                       grouped(numbers.infinite), grouped(numbers.zeroed), grouped(numbers.raised));
}

std::string convertText(const Bundle &bundle, const HalfBundle &converted,
                        const std::string &output)
{
    std::string text = tableText(report::halfWeightTable(), report::halfFacts(converted));
    text += tableText(report::halfOperationTable(), converted.operations);
    text += fmt::format("constants {} fp16, {} fp32; of {}: {}\n", grouped(converted.constants),
                        grouped(converted.constantsKept),
                        counted(converted.numbers.elements, "number"), lostText(converted.numbers));
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
    required(
        checkOutput(arguments.output, outputKindOf(bundle->path()), outputRules(context, *bundle)));
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

} // namespace

void addConvert(CLI::App &app, Context &context)
{
    CLI::App *command = app.add_subcommand(
        "convert", "Make a program of fp32 one of fp16, in a copy of the bundle: its weights, "
                   "constants and operations, with casts at inputs and outputs");
    auto arguments = std::make_shared<ConvertArguments>();
    addOption(*command, "path", "PATH", arguments->path, "Package or compiled model")->required();
    command->add_option("--to", arguments->to, "Type to calculate in")
        ->required()
        ->check(CLI::IsMember({"fp16"}));
    addOutput(*command, context, arguments->output, "Bundle to write", "BUNDLE")->required();
    addSharedOptions(*command, context);
    addExamples(*command, {"convert model.mlpackage --to fp16 -o half.mlpackage",
                           "convert model.mlmodelc --to fp16 -o half.mlmodelc --json"});
    command->callback(
        [arguments, &context] { context.exitCode = runConvert(*arguments, context); });
}

} // namespace kernscope::cli
