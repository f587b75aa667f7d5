// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/diff_run.h"

#include "app/cli/command.h"
#include "app/cli/diff_pairs.h"
#include "app/cli/diff_text.h"
#include "app/cli/output_file.h"
#include "app/cli/text_output.h"
#include "core/base/error_builder.h"
#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/report/difference_json.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

/// A rules file is written by hand: more than this is none.
constexpr std::uint64_t kMostRuleBytes = std::uint64_t(1) << 20;

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
                 ErrorBuilder("diff.rule_unused")
                     .file(file)
                     .field(pattern)
                     .expected("a name or an address; * is any run of characters, ? one")
                     .message(fmt::format("No weight of {} and {} matches the rule {}",
                                          bundles.front()->name(), bundles[i]->name(), pattern))});
        }
    }
}

/// The limits of a file, over which those of the command line go.
Result<DiffLimits> limitsOf(const DiffArguments &arguments)
{
    if (arguments.rules.empty())
        return arguments.limits;
    const auto file = openFile(arguments.rules);
    if (!file)
        return tl::unexpected(file.error());
    const auto bytes = (*file)->bytes();
    if (bytes.size() > kMostRuleBytes) {
        return ErrorBuilder("diff.rules")
            .file(arguments.rules)
            .expected("at most 1 MiB")
            .found(grouped(bytes.size()) + " bytes")
            .message("This is no file of rules")
            .unexpected();
    }
    auto limits = parseRules(
        {reinterpret_cast<const char *>(bytes.data()), static_cast<std::size_t>(bytes.size())},
        arguments.rules);
    if (!limits)
        return limits;
    const DiffLimits &given = arguments.limits;
    for (const ValueLimit limit : {&ValueLimits::maxAbs, &ValueLimits::maxRel, &ValueLimits::maxUlp,
                                   &ValueLimits::minCosine, &ValueLimits::minSnr}) {
        if (given.values.*limit)
            limits->values.*limit = given.values.*limit;
    }
    limits->allowMissing = limits->allowMissing || given.allowMissing;
    limits->sameProgram = limits->sameProgram || given.sameProgram;
    return limits;
}

Result<std::vector<Checked>> compareAll(const std::vector<BundlePtr> &bundles,
                                        const DiffArguments &arguments, const DiffLimits &limits,
                                        Context &context)
{
    const auto choices = pairChoices(arguments.pairs, bundles);
    if (!choices)
        return tl::unexpected(choices.error());
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
    return report::compareChecked(bundles.front(), std::span(bundles).subspan(1), *choices, wanted,
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

Result<std::string> rendered(const std::string &format, Answer &answer, Context &context)
{
    if (format == "text")
        return differencesText(answer.all, answer.text);
    return report::differenceDocument(answer.all, format, answer.diagnostics, &context.progress);
}

/// The report into its file, and to standard output what was asked for there.
Result<void> deliver(const DiffArguments &arguments, Answer &answer, Context &context)
{
    if (!arguments.output.empty()) {
        order(answer.all, arguments, arguments.format);
        const auto text = rendered(arguments.format, answer, context);
        if (!text)
            return tl::unexpected(text.error());
        std::vector<std::filesystem::path> inputs(arguments.paths.begin(), arguments.paths.end());
        if (!arguments.rules.empty())
            inputs.emplace_back(arguments.rules);
        auto written = writeFile(arguments.output, std::as_bytes(std::span(*text)),
                                 outputRules(context, std::move(inputs)));
        if (!written)
            return written;
    }
    if (context.json) {
        order(answer.all, arguments, "json");
        report::Json document = report::differencesJson(answer.all);
        printDocument(context, document, answer.diagnostics);
        return {};
    }
    if (arguments.output.empty() && arguments.format != "text") {
        order(answer.all, arguments, arguments.format);
        auto text = rendered(arguments.format, answer, context);
        if (!text)
            return tl::unexpected(std::move(text.error()));
        print(*std::move(text));
    } else if (!context.quiet) {
        order(answer.all, arguments, "text");
        print(differencesText(answer.all, answer.text));
    }
    printDiagnostics(context, answer.diagnostics);
    return {};
}

int answerExitCode(const Answer &answer, const DiffLimits &limits)
{
    // Under limits, values that cannot be compared neither hold nor exceed them.
    const auto unreadable = [&](const Checked &checked) {
        return limits.any() &&
               std::any_of(checked.faults.begin(), checked.faults.end(),
                           [](const LimitFault &fault) { return fault.limit == "readable"; });
    };
    if (hasErrors(answer.diagnostics) ||
        std::any_of(answer.all.begin(), answer.all.end(), unreadable))
        return kBadInput;
    return std::all_of(answer.all.begin(), answer.all.end(),
                       [](const Checked &checked) { return checked.holds(); })
               ? kDone
               : kDiffers;
}

} // namespace

Result<std::string> reportFormat(const DiffArguments &arguments)
{
    static constexpr OutputEnding kEndings[] = {
        {".txt", "text"},  {".json", "json"}, {".xml", "junit"}, {".md", "markdown"},
        {".html", "html"}, {".htm", "html"},  {".csv", "csv"},   {".kpatch", "changes"},
        {".ips", "ips"},   {".bps", "bps"}};
    if (arguments.output.empty())
        return arguments.format;
    return outputFormat(arguments.output, arguments.format, kEndings);
}

int runDiff(DiffArguments arguments, Context &context)
{
    arguments.format = reportFormat(arguments).value_or("");
    if (arguments.output == "-")
        arguments.output.clear();
    if (arguments.format.empty())
        arguments.format = context.json ? "json" : "text";
    else if (arguments.format == "json" && arguments.output.empty())
        context.json = true;
    const auto limits = limitsOf(arguments);
    if (!limits)
        return reportFailure(context, "diff", limits.error());
    arguments.options.values = arguments.options.values || arguments.checkForms ||
                               arguments.places() || limits->concernsWeights();
    arguments.options.tolerance = limits->values.maxAbs.value_or(0);
    std::vector<BundlePtr> bundles;
    for (const std::string &path : arguments.paths) {
        auto opened = openBundle(path);
        if (!opened)
            return reportFailure(context, "diff", opened.error());
        bundles.push_back(*std::move(opened));
    }
    auto all = compareAll(bundles, arguments, *limits, context);
    if (interrupted())
        return reportStopped(context, "diff");
    if (!all)
        return reportFailure(context, "diff", all.error());
    Answer answer{*std::move(all),
                  {arguments.options, limits->any(), context.target},
                  diagnosticsOf(bundles)};
    addUnusedRules(answer.diagnostics, bundles, *limits, arguments.rules);
    if (const auto delivered = deliver(arguments, answer, context); !delivered)
        return reportFailure(context, "diff", delivered.error());
    return answerExitCode(answer, *limits);
}

} // namespace kernscope::cli
