// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/text_output.h"
#include "core/report/compiled_survey.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

struct SurveyArguments {
    std::string path, against;
    std::optional<std::uint64_t> minEngineBytes;
};

std::string compiledSurveyText(const coreai_cache::Survey &survey,
                               const std::optional<report::SurveyedPackage> &package)
{
    std::string text = report::surveySentence(survey) + "\n";
    if (package)
        text += fmt::format("  compiled from this file: {}\n", report::compiledFromText(*package));
    const auto containers =
        std::count_if(survey.parts.begin(), survey.parts.end(),
                      [](const auto &part) { return part.role == "hardware container"; });
    if (!survey.facts.empty())
        text += heading("What it says of itself") +
                terminalText(report::textTable(report::compiledFactTable(), survey.facts));
    text += heading("Regions and files") +
            terminalText(report::textTable(report::compiledPartTable(), survey.parts));
    if (containers > 0)
        text += fmt::format("\n{}: open each with hwx or inspect\n",
                            counted(static_cast<std::uint64_t>(containers), "hardware container"));
    return text;
}

/// Exit code 1 where fewer bytes than wanted lie on the engine, or the folder is of another
/// package.
int runCompiledSurvey(const SurveyArguments &arguments, Context &context)
{
    const auto survey =
        required(coreai_cache::surveyFolder(arguments.path, &context.progress, openSmallFile));
    std::optional<report::SurveyedPackage> package;
    if (!arguments.against.empty()) {
        package.emplace();
        package->path = arguments.against;
        package->hash = required(coreai_cache::packageHash(arguments.against, openSmallFile));
        package->compiledFrom = coreai_cache::compiledFrom(survey, package->hash);
    }
    const int faults = printAnswer(
        context, survey.diagnostics, [&] { return report::surveyDocument(survey, package); },
        [&] { return compiledSurveyText(survey, package); });
    const bool fails = survey.engineBytes < arguments.minEngineBytes.value_or(0) ||
                       (package && package->compiledFrom == false);
    return faults != kDone ? faults : fails ? kDiffers : kDone;
}

} // namespace

void addSurvey(CLI::App &app, Context &context)
{
    CLI::App *command = app.add_subcommand(
        "survey", "Show what a Mac compiled: which bytes lie on the engine, in which regions");
    auto arguments = std::make_shared<SurveyArguments>();
    command
        ->add_option("path", arguments->path,
                     "Compiled folder (.aimodelc, coreai-cache, .mpsgraphpackage, .bundle)")
        ->required()
        ->type_name("PATH");
    addOption(*command, "--against", "PACKAGE", arguments->against,
              "The .aimodel: whether the folder was compiled from it");
    addOption(*command, "--min-engine-bytes", "N", arguments->minEngineBytes,
              "Exit status 1 where fewer bytes lie on the engine")
        ->check(CLI::NonNegativeNumber);
    addSharedOptions(*command, context);
    addExamples(*command, {"survey model.h17c.aimodelc --against model.aimodel",
                           "survey model.h17c.aimodelc --min-engine-bytes 400000000"});
    command->callback(
        [arguments, &context] { context.exitCode = runCompiledSurvey(*arguments, context); });
}

} // namespace kernscope::cli
