// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/diff_text.h"
#include "core/base/error_builder.h"
#include "core/base/overlaid_file.h"
#include "core/base/parts.h"
#include "core/bundle/bundle.h"
#include "core/report/audit_report.h"
#include "core/report/difference_formats.h"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

struct DiffArguments {
    std::vector<std::string> paths; ///< two and more; the first is compared with every other
    DiffOptions options;
    DiffLimits limits;
    std::vector<std::string> pairs; ///< "A=B", "A=", "=B": pairs by hand
    bool checkForms = false;
    std::size_t worst = 0; ///< channels and elements to name of every weight that differs
    std::string steps;     ///< "FIRST:LAST": of the elements only those so far apart
    bool channels = false; ///< name every channel instead
    bool histograms = false;
    bool ranges = false;    ///< list the ranges of bytes that differ
    bool codebooks = false; ///< set codebooks against each other, entry by entry

    bool places() const { return worst > 0 || channels || histograms; }
    std::string rules;  ///< file of rules; empty: none
    std::string format; ///< "text", "json", …; empty: by the output's name, else text
    std::string output; ///< file to write the report to; empty: standard output
    /// "worst" or "a"; empty: the worst weights first in reports for people, the order of A in
    /// those for programs.
    std::string order;
};

/// The weight of that name; kNoIndex for no name, nothing for a name that no weight has.
std::optional<std::size_t> weightOf(const Bundle &bundle, std::string_view name)
{
    return name.empty() ? std::optional(kNoIndex) : bundle.weightByName(name);
}

/// Names may hold "=" themselves: the one between two names that exist is meant.
std::optional<PairChoice> choiceOf(std::string_view text, const Bundle &a, const Bundle &b)
{
    for (std::size_t at = text.find('='); at != std::string_view::npos;
         at = text.find('=', at + 1)) {
        const auto weightA = weightOf(a, text.substr(0, at));
        const auto weightB = weightOf(b, text.substr(at + 1));
        if (weightA && weightB && (*weightA != kNoIndex || *weightB != kNoIndex))
            return PairChoice{*weightA, *weightB};
    }
    return std::nullopt;
}

/// Choices of `--pair`: "A=B" makes a pair of two weights, named as in either bundle; "A=" and "=B"
/// leave a weight without a partner. One list for every build after the first. A build that does
/// not have the weight of B is not concerned; a choice that concerns none is an error, as is a
/// weight that A does not have: "diff.pair".
Result<std::vector<std::vector<PairChoice>>> pairChoices(std::span<const std::string> texts,
                                                         std::span<const BundlePtr> bundles)
{
    std::vector<std::vector<PairChoice>> choices(bundles.size() - 1);
    for (const std::string &text : texts) {
        bool any = false;
        for (std::size_t i = 1; i < bundles.size(); ++i) {
            if (const auto choice = choiceOf(text, *bundles.front(), *bundles[i])) {
                choices[i - 1].push_back(*choice);
                any = true;
            }
        }
        if (any)
            continue;
        return refused({bundles.front()->name()}, "diff.pair", "--pair",
                       "A=B with a weight of the first build and one of another; A= or =B leaves "
                       "a weight alone",
                       text, "No two builds have weights of these names");
    }
    return choices;
}

/// Distances of `--steps`, either side of the colon may be left out; nothing for what is no range.
std::optional<ElementChoice::Steps> stepsOf(std::string_view text)
{
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos)
        return std::nullopt;
    const auto first = colon == 0 ? 0 : digitsOf(text.substr(0, colon));
    const auto last = colon + 1 == text.size() ? UINT64_MAX : digitsOf(text.substr(colon + 1));
    return first && last && *first <= *last ? std::optional(ElementChoice::Steps{*first, *last})
                                            : std::nullopt;
}

/// The errors of all bundles, each with its bundle's name before the file.
Diagnostics diagnosticsOf(const std::vector<BundlePtr> &bundles)
{
    Diagnostics all;
    for (const BundlePtr &bundle : bundles) {
        for (Diagnostic diagnostic : bundle->diagnostics()) {
            std::string &file = diagnostic.error.file;
            if (file.empty())
                file = bundle->name();
            else if (file != bundle->name())
                file = bundle->name() + "/" + file;
            all.push_back(std::move(diagnostic));
        }
    }
    return all;
}

/// A rule that guards nothing is most likely a name that was mistyped.
void addUnusedRules(Diagnostics &diagnostics, const std::vector<BundlePtr> &bundles,
                    const DiffLimits &limits, const std::string &file)
{
    for (std::size_t i = 1; i < bundles.size(); ++i) {
        for (const std::string &pattern : unusedRules(*bundles.front(), *bundles[i], limits)) {
            diagnostics.push_back(
                {Severity::Warning,
                 valueError({file}, "diff.rule_unused", pattern,
                            "a name or an address; * is any run of characters, ? one", {},
                            fmt::format("No weight of {} and {} matches the rule {}",
                                        bundles.front()->name(), bundles[i]->name(), pattern))});
        }
    }
}

/// The limits of a file, over which those of the command line go.
DiffLimits limitsOf(const DiffArguments &arguments)
{
    if (arguments.rules.empty())
        return arguments.limits;
    DiffLimits limits = readRules(arguments.rules);
    const DiffLimits &given = arguments.limits;
    for (const ValueLimit limit : {&ValueLimits::maxAbs, &ValueLimits::maxRel, &ValueLimits::maxUlp,
                                   &ValueLimits::minCosine, &ValueLimits::minSnr}) {
        if (given.values.*limit)
            limits.values.*limit = given.values.*limit;
    }
    limits.allowMissing = limits.allowMissing || given.allowMissing;
    limits.sameProgram = limits.sameProgram || given.sameProgram;
    return limits;
}

Result<std::vector<Checked>> compareAll(const std::vector<BundlePtr> &bundles,
                                        const DiffArguments &arguments, const DiffLimits &limits,
                                        Context &context)
{
    const auto choices = TRY(pairChoices(arguments.pairs, bundles));
    report::ComparisonWanted wanted;
    wanted.options = arguments.options;
    wanted.limits = limits;
    wanted.forms = arguments.checkForms;
    wanted.ranges = arguments.ranges;
    wanted.codebooks = arguments.codebooks;
    if (arguments.places()) {
        wanted.places =
            PlacesWanted{arguments.channels ? PlacesWanted::kMostChannels : arguments.worst,
                         arguments.worst, arguments.histograms};
        if (!arguments.steps.empty())
            wanted.places->only.steps = stepsOf(arguments.steps);
    }
    if (arguments.order == "a")
        wanted.placesOrder = report::RowOrder::OfA;
    const ProgressLine line(context, "Comparing");
    return report::compareChecked(bundles.front(), std::span(bundles).subspan(1), choices, wanted,
                                  &context.progress);
}

/// What is compared, asked and found; the same for every format.
struct Answer {
    std::vector<Checked> all;
    DiffTextOptions text;
    Diagnostics diagnostics;
};

void order(std::vector<Checked> &all, const DiffArguments &arguments, std::string_view format)
{
    std::optional<report::RowOrder> wanted;
    if (!arguments.order.empty())
        wanted = arguments.order == "worst" ? report::RowOrder::WorstFirst : report::RowOrder::OfA;
    report::setRowOrder(all, format, wanted);
}

std::string rendered(const std::string &format, Answer &answer, Context &context)
{
    if (format == "text")
        return differencesText(answer.all, answer.text);
    return required(
        report::differenceDocument(answer.all, format, answer.diagnostics, &context.progress));
}

void writeJson(const Answer &answer, const std::string &path, const OutputRules &rules)
{
    OutputFile file = required(OutputFile::create(path, rules));
    report::writeDifferences(answer.all, answer.diagnostics, [&file](std::string_view piece) {
        required(file.write(std::as_bytes(std::span(piece))));
    });
    required(file.commit());
}

/// The report into its file, and the rest to standard output.
void deliver(const DiffArguments &arguments, Answer &answer, Context &context)
{
    if (!arguments.output.empty()) {
        order(answer.all, arguments, arguments.format);
        std::vector<std::filesystem::path> inputs(arguments.paths.begin(), arguments.paths.end());
        if (!arguments.rules.empty())
            inputs.emplace_back(arguments.rules);
        const OutputRules rules = outputRules(context, std::move(inputs));
        if (arguments.format == "json") {
            writeJson(answer, arguments.output, rules);
        } else {
            const std::string text = rendered(arguments.format, answer, context);
            required(writeFile(arguments.output, std::as_bytes(std::span(text)), rules));
        }
    }
    if (context.json) {
        order(answer.all, arguments, "json");
        report::LateLists lists;
        report::Json document = report::differencesJson(answer.all, &lists);
        return printDocument(std::move(document), answer.diagnostics, lists);
    }
    if (arguments.output.empty() && arguments.format != "text") {
        order(answer.all, arguments, arguments.format);
        printWhole(rendered(arguments.format, answer, context));
    } else if (!context.quiet) {
        order(answer.all, arguments, "text");
        print(differencesText(answer.all, answer.text));
    }
    printDiagnostics(context, answer.diagnostics);
}

int answerExitCode(const Answer &answer, const DiffLimits &limits)
{
    // Under limits, values that cannot be compared neither hold nor exceed them.
    const auto unreadable = [&](const Checked &checked) {
        return limits.any() && std::ranges::any_of(checked.faults, [](const LimitFault &fault) {
                   return fault.limit == "readable";
               });
    };
    if (hasErrors(answer.diagnostics) || std::ranges::any_of(answer.all, unreadable))
        return kBadInput;
    return std::ranges::all_of(answer.all, &Checked::holds) ? kDone : kDiffers;
}

/// The format of the report: --format, or what the name of --output ends in; empty where neither is
/// given. Throws CLI::ValidationError and UsageFailure: what no single option says.
std::string reportFormat(const DiffArguments &arguments, const Context &context)
{
    static constexpr OutputEnding kEndings[] = {
        {".txt", "text"},  {".json", "json"}, {".xml", "junit"}, {".md", "markdown"},
        {".html", "html"}, {".htm", "html"},  {".csv", "csv"},   {".kpatch", "changes"},
        {".ips", "ips"},   {".bps", "bps"}};
    const bool other = !arguments.format.empty() && arguments.format != "json";
    if (context.json && other && arguments.output.empty())
        throw CLI::ValidationError("--format", "--json asks for another format");
    const auto wanted = arguments.output.empty()
                            ? Result<std::string>(arguments.format)
                            : outputFormat(arguments.output, arguments.format, kEndings);
    if (!wanted)
        throw UsageFailure{wanted.error()};
    const std::string &format = *wanted;
    const bool binary = format == "ips" || format == "bps";
    // Where no format is named, the name of the output says which one it is.
    const char *const option = arguments.format.empty() ? "--output" : "--format";
    if ((format == "changes" || binary) && arguments.paths.size() > 2)
        throw CLI::ValidationError(option,
                                   fmt::format("{} holds what differs between two bundles, not {}",
                                               format, arguments.paths.size()));
    if (!arguments.steps.empty() && arguments.worst == 0)
        throw CLI::ValidationError("--steps", "says which elements --worst names");
    if (binary && (arguments.output.empty() || arguments.output == "-"))
        throw CLI::ValidationError("--format", "a binary patch needs an --output file");
    return format;
}

/// The command `diff`. Returns the exit code: 1 where anything differs, or exceeds its limit.
int runDiff(DiffArguments arguments, Context &context)
{
    arguments.format = reportFormat(arguments, context);
    if (arguments.output == "-")
        arguments.output.clear();
    if (arguments.format.empty())
        arguments.format = context.json ? "json" : "text";
    else if (arguments.format == "json" && arguments.output.empty())
        context.json = true;
    const auto limits = limitsOf(arguments);
    arguments.options.values = arguments.options.values || arguments.checkForms ||
                               arguments.places() || limits.concernsWeights();
    arguments.options.tolerance = limits.values.maxAbs.value_or(0);
    std::vector<BundlePtr> bundles;
    for (const std::string &path : arguments.paths)
        bundles.push_back(required(openBundle(path)));
    auto all = required(compareAll(bundles, arguments, limits, context));
    checkInterrupt();
    Answer answer{
        std::move(all), {arguments.options, limits.any(), context.target}, diagnosticsOf(bundles)};
    addUnusedRules(answer.diagnostics, bundles, limits, arguments.rules);
    deliver(arguments, answer, context);
    return answerExitCode(answer, limits);
}

/// The most builds of a table.
constexpr int kMostBuilds = 64;

/// Options that limit the values of every weight.
void addLimits(CLI::App &command, DiffArguments &arguments)
{
    ValueLimits &limits = arguments.limits.values;
    const auto add = [&](const char *name, std::optional<double> &limit, const char *what) {
        return command.add_option(name, limit, what)->type_name("X");
    };
    add("--max-abs,--tolerance", limits.maxAbs, "Largest |a - b| that holds")->check(notNegative());
    add("--max-rel", limits.maxRel, "Largest |a - b| / |a| that holds")->check(notNegative());
    add("--max-ulp", limits.maxUlp,
        "Largest distance that holds, in steps of the type of both sides; none holds between two "
        "types")
        ->check(notNegative());
    add("--min-cosine", limits.minCosine, "Least cosine similarity that holds")
        ->check(notNan())
        ->check(CLI::Range(-1.0, 1.0));
    add("--min-snr", limits.minSnr, "Least signal to noise ratio that holds, in dB")
        ->check(notNan())
        ->check(CLI::Number);
    command.add_flag("--allow-missing", arguments.limits.allowMissing,
                     "Weights that one side alone has do not matter");
    command.add_flag("--same-program", arguments.limits.sameProgram,
                     "The operations must be equal; alone, nothing else matters");
    addOption(command, "--rules", "FILE", arguments.rules,
              "TOML file of limits (- is standard input): for every weight, and for those "
              "that a name matches; forms that B must have, known faults that it may not. "
              "Keys: max-abs, max-rel, max-ulp, min-cosine, min-snr, allow-missing, "
              "same-program, no-known-faults, allow-faults; of [[weight]] also match, form, "
              "ignore");
}

/// Options that add to the figures of every pair.
void addFindings(CLI::App &command, DiffArguments &arguments)
{
    command.add_flag("--check-forms", arguments.checkForms,
                     "Say how well B stores the values of A: patterns of masks, palette entries "
                     "that are not the nearest, clipped and unused codes, scales that are not the "
                     "best (implies --values)");
    addOption(command, "--worst", "N", arguments.worst,
              "Name the N output channels and elements that are furthest apart in every "
              "weight that differs (implies --values)")
        ->check(CLI::Range(1, 10000));
    addOption(command, "--steps", "FIRST:LAST", arguments.steps,
              "Of the elements of --worst only those whose distance is in this range, in "
              "steps of the type of A; 0: equal ones")
        ->check([](const std::string &text) {
            return stepsOf(text) ? std::string() : "FIRST:LAST with FIRST up to LAST: " + text;
        });
    command.add_flag("--channels", arguments.channels,
                     "Figures of every output channel of the weights that differ, the worst first "
                     "(implies --values)");
    command.add_flag("--histograms", arguments.histograms,
                     "How often each value occurs in A and in B, all elements in bins (implies "
                     "--values)");
    command.add_flag(
        "--ranges", arguments.ranges,
        "List the ranges of bytes that differ: offsets on both sides, part, weight and "
        "elements, at most 10,000");
    command.add_flag("--codebooks", arguments.codebooks,
                     "Set the codebooks of pairs of palettes against each other, entry by entry: "
                     "moved, changed, split, merged, unused");
}

void addFormat(CLI::App &command, DiffArguments &arguments, Context &context)
{
    addOption(command, "--format", "NAME", arguments.format,
              "Format of the report; changes: a script for patch that makes B out of A; ips, "
              "bps: a patch of the one file that differs, for other programs")
        ->check(CLI::IsMember(
            {"text", "json", "junit", "markdown", "html", "csv", "changes", "ips", "bps"}));
    addOption(command, "--order", "ORDER", arguments.order,
              "Weights in the reports: the worst first (worst), as text, Markdown and HTML "
              "have them unless told, or in the order of A (a), as JSON, JUnit and CSV do")
        ->check(CLI::IsMember({"worst", "a"}));
    addStreamOutput(
        command, context, arguments.output,
        "Write the report to this file; its name gives the format where --format does not", "FILE");
}

void addDiffExamples(CLI::App &command)
{
    addExamples(command,
                {"diff old.mlmodelc new.mlmodelc",
                 "diff --max-abs 0.001 --same-program old.mlmodelc new.mlmodelc",
                 "diff --channels --worst 20 --histograms dense.mlmodelc palette.mlmodelc",
                 "diff --codebooks palette_old.mlmodelc palette_new.mlmodelc",
                 "diff --rules limits.toml --output report.html dense.mlmodelc pruned.mlmodelc",
                 "diff --pair conv_0_weight=enc.conv.weight --values old.mlmodelc new.mlmodelc",
                 "diff old/weights/weight.bin new/weights/weight.bin --output changes.bps",
                 "diff dense.mlmodelc palette.mlmodelc sparse.mlmodelc"});
}

} // namespace

DiffLimits readRules(const std::string &path)
{
    constexpr std::uint64_t kMostBytes = std::uint64_t(1) << 20; // it is written by hand
    const auto file = required(openFile(path));
    const auto bytes = file->bytes();
    if (bytes.size() > kMostBytes) {
        throw CommandFailure{valueError({path}, "diff.rules", {}, "at most 1 MiB",
                                        grouped(bytes.size()) + " bytes",
                                        "Too large for a rules file")};
    }
    return required(parseRules(
        {reinterpret_cast<const char *>(bytes.data()), static_cast<std::size_t>(bytes.size())},
        path));
}

void addDiff(CLI::App &app, Context &context)
{
    const auto [command, arguments] = addCommand<DiffArguments>(
        app, context, "diff",
        "Pair the weights of builds and compare program, stored bytes and values", runDiff);
    addOption(*command, "paths", "PATH", arguments->paths,
              "Bundles, programs or weight files: the first is compared with every other")
        ->required()
        ->expected(2, kMostBuilds);
    command->add_flag("--values", arguments->options.values,
                      "Compare the decoded values as well; limits imply it");
    addOption(*command, "--pair", "A=B", arguments->pairs,
              "Take these two weights for one, by hand; A= or =B leaves a weight without a "
              "partner (repeatable)")
        ->allow_extra_args(false)
        ->check([](const std::string &text) {
            return text.find('=') != std::string::npos && text.size() > 1
                       ? std::string()
                       : std::string("two names with = between them are expected");
        });
    addFindings(*command, *arguments);
    addLimits(*command, *arguments);
    addFormat(*command, *arguments, context);
    addCommonOptions(*command, context);
    addDiffExamples(*command);
}

namespace {

struct AuditArguments {
    std::string path, against, sibling, rules, output;
    audit::AuditOptions options;
    bool all = false;
};

std::string auditAnswer(const report::AuditSubject &subject, bool all)
{
    const audit::AuditResult &result = subject.result;
    std::string text =
        styled(result.faulty.empty() && result.comparable() ? Style::Good : Style::Bad,
               report::auditVerdict(result)) +
        ": " + printable(report::auditSentence(subject)) + "\n";
    if (!result.faulty.empty()) {
        text += heading("At fault") + tableText(report::auditTable, result.faulty);
        for (const audit::AuditedWeight &row : result.faulty)
            text += fmt::format("  {}: {}\n", printable(row.name), printable(row.why));
    }
    for (const LimitFault &fault : subject.broken)
        text += fmt::format("  {} {} {}\n", styled(Style::Bad, "exceeds"), printable(fault.weight),
                            report::faultText(fault));
    if (!subject.sibling.empty())
        text += heading("Which build is nearer") +
                tableText(report::nearerTable, subject.nearer()) + "  " +
                printable(report::nearerSentence(subject)) + "\n";
    if (all && !result.sound.empty())
        text += heading("Sound") + tableText(report::auditTable, result.sound);
    for (const report::KnownFaultLine &line : subject.knownFaults)
        text += fmt::format("  known fault: {}\n", printable(line.text));
    if (!result.unpaired.empty() || !result.missing.empty())
        text += fmt::format("\n{} of the package not in the checkpoint, {} of the checkpoint not "
                            "in the package\n",
                            counted(result.unpaired.size(), "weight"),
                            counted(result.missing.size(), "tensor"));
    return text;
}

int runAudit(AuditArguments &arguments, Context &context)
{
    static constexpr OutputEnding kEndings[] = {
        {".html", "html"}, {".md", "markdown"}, {".csv", "csv"}, {".json", "json"}};
    const std::string format = arguments.output.empty()
                                   ? std::string()
                                   : usable(outputFormat(arguments.output, {}, kEndings));
    std::vector<std::filesystem::path> inputs{arguments.path, arguments.against};
    for (const std::string &path : {arguments.sibling, arguments.rules}) {
        if (!path.empty())
            inputs.emplace_back(path);
    }
    const OutputRules rules = outputRules(context, std::move(inputs));
    if (!arguments.output.empty() && arguments.output != "-")
        required(checkOutput(arguments.output, OutputKind::File, rules)); // before the work
    if (!arguments.rules.empty())
        arguments.options.rules = readRules(arguments.rules);
    const BundlePtr package = required(openBundle(arguments.path));
    const BundlePtr checkpoint = required(openBundle(arguments.against));
    const BundlePtr sibling =
        arguments.sibling.empty() ? nullptr : required(openBundle(arguments.sibling));
    report::AuditSubject subject{arguments.path,
                                 arguments.against,
                                 {},
                                 report::knownFaultLines(*package),
                                 checkBuild(*package, arguments.options.rules),
                                 arguments.sibling};
    const auto audited = [&](const BundlePtr &build) {
        return required(
            audit::auditPackage(build, checkpoint, arguments.options, &context.progress));
    };
    {
        const ProgressLine line(context, "Comparing");
        subject.result = audited(package);
        if (sibling)
            subject.siblingResult = audited(sibling);
    }
    checkInterrupt();
    Diagnostics diagnostics = package->diagnostics();
    diagnostics.insert(diagnostics.end(), checkpoint->diagnostics().begin(),
                       checkpoint->diagnostics().end());
    if (!arguments.output.empty()) {
        const std::string text = report::auditText(subject, format, diagnostics);
        required(writeFile(arguments.output, std::as_bytes(std::span(text)), rules));
    }
    const int faults = printAnswer(
        context, diagnostics, [&] { return report::auditJson(subject); },
        [&] { return auditAnswer(subject, arguments.all); });
    return faults != kDone ? faults : subject.holds() ? kDone : kDiffers;
}

} // namespace

void addAudit(CLI::App &app, Context &context)
{
    const auto [command, arguments] = addCommand<AuditArguments>(
        app, context, "audit",
        "Hold a converted package against the checkpoint that it was made from: are the "
        "stored weights what their forms make of it, or which are not, and how?",
        runAudit);
    addPath(*command, arguments->path, "Package or compiled model");
    addOption(*command, "--against", "CHECKPOINT", arguments->against,
              "The checkpoint: .safetensors, its .safetensors.index.json or the folder with it, "
              ".npz; or another build")
        ->required();
    addOption(*command, "--limit", "X", arguments->options.limit,
              "At fault where the error is more than X times the best possible one of the form "
              "(1.5)")
        ->check(notNan())
        ->check(CLI::Range(1.0, 1000.0));
    addOption(*command, "--rules", "FILE", arguments->rules,
              "TOML file of rules, that of diff: audit-limit of all weights or of a name, weights "
              "to ignore, forms that they must have, known faults that may not occur");
    addOption(*command, "--sibling", "BUNDLE", arguments->sibling,
              "Another build: say which of the two is nearer to the checkpoint, weight by weight");
    command->add_flag("--exact", arguments->options.exact,
                      "The best possible error of all blocks, not of a sample");
    command->add_flag("--all", arguments->all, "List sound weights as well");
    addStreamOutput(*command, context, arguments->output, "Write a report as well",
                    "FILE.html|.md|.csv|.json");
    addSharedOptions(*command, context);
    addExamples(*command, {"audit model.mlpackage --against model.safetensors",
                           "audit model.aimodel --against model.safetensors.index.json --json",
                           "audit model.mlpackage --against checkpoint/ -o audit.html",
                           "audit --rules limits.toml new.mlpackage --against model.safetensors",
                           "audit new.mlpackage --sibling old.mlpackage --against m.safetensors"});
}

} // namespace kernscope::cli
