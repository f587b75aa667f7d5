// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "core/base/error_builder.h"
#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/report/compiled_origin.h"
#include "core/report/json_table.h"
#include "core/report/odix_json.h"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

struct OdixArguments {
    std::string path, against, memory;
    bool instructions = false;
};

BundlePtr openCompiled(const std::string &path)
{
    BundlePtr bundle = required(openBundle(path));
    if (bundle->kind() != BundleKind::Aimodelx)
        throw CommandFailure{valueError(
            {path, FileOffset(0)}, "odix.kind", {}, "a compiled Core AI program (.aimodelx, .odix)",
            bundleKindName(bundle->kind()),
            "Only compiled programs have kernels and a memory plan; inspect reads others")};
    return bundle;
}

std::string odixSummaryText(const Bundle &bundle, const odix::Compiled &compiled)
{
    const odix::Program &program = compiled.program;
    std::string text = fmt::format(
        "{}: compiled program, version {}.{}, {}, {}, {}, {}\n", printable(bundle.name()),
        program.major, program.minor,
        program.platform.empty() ? "no platform" : "platform " + printable(program.platform),
        counted(program.functions.size(), "function"),
        counted(program.constants.size(), "constant"), counted(program.symbols.size(), "symbol"));
    for (const auto &[name, functions] : program.entries)
        text += fmt::format("  entry {}: {}\n", name.empty() ? "without a name" : printable(name),
                            counted(functions.size(), "function"));
    for (const odix::Buffer &buffer : compiled.trace.buffers)
        text += fmt::format("  scratch memory: {}\n", bytesText(buffer.bytes));
    if (compiled.debug)
        text += fmt::format("  debug information: {}{}{}\n", printable(compiled.debug->format),
                            compiled.debug->format.empty() ? "" : ", ",
                            counted(compiled.debug->operations.size(), "operation"));
    return text;
}

/// Kernels by their names, with the number of calls in all functions.
std::string kernelsText(const odix::Compiled &compiled)
{
    std::string text = heading("Kernels");
    for (const report::KernelRow &row : report::kernelRows(compiled))
        text += fmt::format("  {:>6}  {}\n", grouped(row.calls), printable(row.name));
    return text;
}

std::string odixText(const Bundle &bundle, const odix::Compiled &compiled, bool instructions)
{
    std::string text =
        odixSummaryText(bundle, compiled) + kernelsText(compiled) +
        titledTable("Memory plan", report::memoryTable(), report::memoryRows(compiled)) +
        titledTable("Constants", report::constantTable(), report::constantRows(compiled));
    if (instructions)
        text += titledTable("Instructions", report::instructionTable(),
                            report::instructionRows(compiled));
    return text;
}

/// "26 weights: 20 kept, 4 written out, 2 folded to dense".
std::string fatesText(const std::vector<report::OriginRow> &rows)
{
    std::vector<std::pair<std::string_view, std::size_t>> counts;
    for (const report::OriginRow &row : rows) {
        const std::string_view name = report::fateName(row.fate);
        const auto known =
            std::ranges::find_if(counts, [name](const auto &each) { return each.first == name; });
        if (known == counts.end())
            counts.emplace_back(name, 1);
        else
            ++known->second;
    }
    std::string text = counted(rows.size(), "weight");
    for (std::size_t i = 0; i < counts.size(); ++i)
        text += fmt::format("{} {} {}", i == 0 ? ":" : ",", counts[i].second, counts[i].first);
    return text + "\n";
}

/// `odix --against`: exit code 1 where the program was made of another package.
int runAgainst(const OdixArguments &arguments, const Bundle &bundle, Context &context)
{
    const auto package = required(openBundle(arguments.against));
    const auto rows = required(report::compiledOrigins(*package, bundle, &context.progress));
    Diagnostics diagnostics = bundle.diagnostics();
    const auto &others = package->diagnostics();
    diagnostics.insert(diagnostics.end(), others.begin(), others.end());
    const bool differs = std::ranges::any_of(
        rows, [](const auto &row) { return row.fate == report::Fate::Differs; });
    const int faults = printAnswer(
        context, diagnostics, [&] { return report::originDocument(arguments.against, rows); },
        [&] { return fatesText(rows) + tableText(report::originTable(), rows); });
    return faults != kDone ? faults : differs ? kDiffers : kDone;
}

int runOdix(const OdixArguments &arguments, Context &context)
{
    const auto bundle = openCompiled(arguments.path);
    if (!arguments.against.empty())
        return runAgainst(arguments, *bundle, context);
    const auto &compiled = bundle->compiled();
    if (!arguments.memory.empty() && compiled) {
        const std::string svg = report::memoryPlanSvg(*compiled);
        required(writeFile(arguments.memory, std::as_bytes(std::span(svg)),
                           outputRules(context, *bundle)));
    }
    return printAnswer(
        context, bundle->diagnostics(),
        [&] {
            return report::odixDocument(
                compiled ? &*compiled : nullptr,
                compiled ? bundle->files()[compiled->file].file->size().value : 0);
        },
        [&] { return compiled ? odixText(*bundle, *compiled, arguments.instructions) : ""; });
}

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
    const auto containers = std::ranges::count_if(
        survey.parts, [](const auto &part) { return part.role == "hardware container"; });
    if (!survey.facts.empty())
        text += heading("What it says of itself") +
                tableText(report::compiledFactTable(), survey.facts);
    text += heading("Regions and files") + tableText(report::compiledPartTable(), survey.parts);
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

void addOdix(CLI::App &app, Context &context)
{
    const auto [command, arguments] = addCommand<OdixArguments>(
        app, context, "odix",
        "Show a compiled Core AI program: kernels, instructions, memory plan, constants", runOdix);
    addPath(*command, arguments->path, "Compiled program (.aimodelx, .odix)");
    command->add_flag("--instructions", arguments->instructions, "List every instruction");
    command
        ->add_option("--against", arguments->against,
                     "The package that it was compiled from: what became of each weight")
        ->type_name("PACKAGE");
    addOption(*command, "--memory", "FILE", arguments->memory, "Write the memory plan as SVG")
        ->each(
            [&context](const std::string &path) { checkStream(context, "--memory", path, true); });
    command->add_flag("-f,--force", context.force,
                      "Replace the output where it exists: a file by a file, a bundle by a bundle");
    addSharedOptions(*command, context);
    addExamples(*command, {"odix model.aimodelx --instructions",
                           "odix model.aimodelx --against model.aimodel",
                           "odix model.aimodelx --memory plan.svg"});
}

void addSurvey(CLI::App &app, Context &context)
{
    const auto [command, arguments] = addCommand<SurveyArguments>(
        app, context, "survey",
        "Show what a Mac compiled: which bytes lie on the engine, in which regions",
        runCompiledSurvey);
    addPath(*command, arguments->path,
            "Compiled folder (.aimodelc, coreai-cache, .mpsgraphpackage, .bundle)");
    addOption(*command, "--against", "PACKAGE", arguments->against,
              "The .aimodel: whether the folder was compiled from it");
    addOption(*command, "--min-engine-bytes", "N", arguments->minEngineBytes,
              "Exit status 1 where fewer bytes lie on the engine")
        ->check(wholeNumber());
    addSharedOptions(*command, context);
    addExamples(*command, {"survey model.h17c.aimodelc --against model.aimodel",
                           "survey model.h17c.aimodelc --min-engine-bytes 400000000"});
}

} // namespace kernscope::cli
