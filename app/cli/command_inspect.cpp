// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/inspect_text.h"
#include "app/cli/output_file.h"
#include "app/cli/shape_option.h"
#include "app/cli/text_output.h"
#include "app/cli/usage.h"
#include "core/assessment/weight_where.h"
#include "core/base/error_builder.h"
#include "core/report/bundle_report.h"
#include "core/report/command_json.h"

#include <iterator>
#include <memory>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

struct InspectOptions {
    std::string path;
    std::vector<std::string> shapes;
    bool statistics = false;
    bool hash = false;
    bool sections = false;
    bool findings = false;
    std::string where;  ///< which weights are listed; empty: all
    std::string report; ///< file of an HTML report; empty: none
};

void append(Diagnostics &diagnostics, Diagnostics more)
{
    diagnostics.insert(diagnostics.end(), std::make_move_iterator(more.begin()),
                       std::make_move_iterator(more.end()));
}

/// Work ahead, in elements: the payload checks, and the figures where they are asked for.
std::uint64_t workOf(const Bundle &bundle, bool figures)
{
    std::uint64_t elements = 0;
    for (const Weight &weight : bundle.weights())
        elements += weight.fault ? 0 : weight.elements.value;
    return figures ? 2 * elements : elements;
}

std::vector<std::optional<double>> zerosOf(const AllStatistics &statistics)
{
    std::vector<std::optional<double>> zeros;
    for (const std::optional<Statistics> &figures : statistics.weights)
        zeros.push_back(figures ? std::optional(figures->zeroFraction()) : std::nullopt);
    return zeros;
}

/// The report has all weights, whatever is listed.
Result<void> writeReport(const Bundle &bundle, const AllStatistics &statistics,
                         const std::vector<Finding> &findings, const Diagnostics &diagnostics,
                         const std::string &path, Context &context)
{
    const auto html = report::bundleHtml({&bundle, statistics.weights, {}, findings, diagnostics},
                                         &context.progress);
    if (!html)
        return tl::unexpected(html.error());
    return writeFile(path, std::as_bytes(std::span(*html)), outputRules(context, bundle));
}

std::string findingsText(const Bundle &bundle, const std::vector<Finding> &findings)
{
    if (findings.empty())
        return heading("Worth a look") + "  nothing\n";
    return heading("Worth a look") +
           terminalText(
               report::textTable(report::findingTable(), report::findingRows(bundle, findings)));
}

/// What was read of the values.
struct InspectedValues {
    AllStatistics statistics;
    std::vector<Finding> findings;
    Diagnostics diagnostics; ///< of the bundle, of its payloads and of the values
};

InspectedValues readValues(const Bundle &bundle, const InspectOptions &options,
                           const StatisticsOptions &figures, Context &context)
{
    InspectedValues read;
    read.diagnostics = bundle.diagnostics();
    const bool looks = options.findings || !options.report.empty();
    const StatisticsOptions wanted{figures.figures || looks, figures.hash || looks};
    const bool any = wanted.figures || wanted.hash;
    context.progress.setTotal(workOf(bundle, any));
    const ProgressLine line(context, "Reading");
    append(read.diagnostics, verifyPayloads(bundle, &context.progress));
    if (any)
        read.statistics = computeAllStatistics(bundle, wanted, &context.progress);
    if (looks)
        read.findings = report::findAll(bundle, read.statistics.weights, context.progress);
    append(read.diagnostics, std::move(read.statistics.diagnostics));
    return read;
}

/// What is said of the bundle, as a document or as text. `asked`: of the values.
void printInspected(const ShapedBundle &opened, const InspectOptions &options,
                    const StatisticsOptions &asked, const InspectedValues &read,
                    const std::vector<bool> &selected, Context &context)
{
    const Bundle &bundle = *opened.bundle;
    if (context.json) {
        report::Json document = report::inspectJson(bundle, read.statistics.weights, asked);
        if (!options.where.empty())
            report::keepWeights(document, options.where, selected); // totals stay those of all
        if (options.findings)
            report::addFindings(document, bundle, read.findings);
        if (!options.report.empty())
            report::addReportFile(document, options.report);
        addShapes(document, opened);
        printDocument(context, document, read.diagnostics);
        return;
    }
    if (!context.quiet)
        print(inspectText(bundle, read.statistics.weights, asked, options.sections, selected) +
              (options.findings ? findingsText(bundle, read.findings) : std::string()) +
              shapesText(opened) +
              (options.report.empty() ? std::string()
                                      : "\nReport written to " + printable(options.report) + "\n"));
    printDiagnostics(context, read.diagnostics);
}

int runInspect(const InspectOptions &options, Context &context)
{
    static constexpr OutputEnding kEndings[] = {{".html", "html"}, {".htm", "html"}};
    if (!options.report.empty())
        if (const auto format = outputFormat(options.report, {}, kEndings); !format)
            return reportUsage(context, "inspect", format.error());
    const auto opened = openBundle(options.path, options.shapes);
    if (!opened)
        return reportFailure(context, "inspect", opened.error());
    const Bundle &bundle = *opened->bundle;
    const auto where = WeightWhere::parse(options.where).map_error(withCode("cli.option"));
    if (!where)
        return reportFailure(context, "inspect", where.error());
    const StatisticsOptions asked{options.statistics || !options.report.empty(), options.hash};
    const InspectedValues read =
        readValues(bundle, options, {asked.figures || where->needsZeros(), asked.hash}, context);
    if (interrupted())
        return reportStopped(context, "inspect");
    if (!options.report.empty()) {
        if (auto written = writeReport(bundle, read.statistics, read.findings, read.diagnostics,
                                       options.report, context);
            !written)
            return reportFailure(context, "inspect", written.error());
    }
    printInspected(*opened, options, asked, read,
                   selectWeights(bundle, *where, zerosOf(read.statistics)), context);
    return exitCodeOf(read.diagnostics);
}

} // namespace

void addInspect(CLI::App &app, Context &context)
{
    CLI::App *command =
        app.add_subcommand("inspect", "Show what a bundle holds and how every weight is stored");
    auto options = std::make_shared<InspectOptions>();
    command->add_option("path", options->path, "Bundle folder, program or weight file")
        ->required()
        ->type_name("PATH");
    command->add_flag("--stats", options->statistics, "Figures of the decoded values");
    command->add_flag("--hash", options->hash, "SHA-256 of each weight decoded as fp16");
    command->add_flag(
        "--findings", options->findings,
        "What is worth a look: unused records, values that are not finite, constant "
        "channels, unused codebook entries, duplicates, weights that no chip streams");
    command->add_flag("--sections", options->sections,
                      "List every section of every file in the text output");
    command
        ->add_option("--where", options->where,
                     "List only weights for which every term holds, as 'form:sparse zeros>0.5 "
                     "bytes>1M folds:M1'")
        ->type_name("TERMS");
    addStreamOutput(*command, context, options->report,
                    "Write a report for a browser as well, with figures and pictures", "FILE.html");
    addShapeOption(*command, options->shapes);
    addCommonOptions(*command, context);
    addExamples(*command, {"inspect model.mlmodelc", "inspect --stats --hash model.mlpackage",
                           "inspect --where 'folds:M1 bytes>10k' model.mlmodelc",
                           "inspect --findings model.mlmodelc",
                           "inspect --json --sections weights/weight.bin",
                           "inspect --json --shape image=1,3,640,640 model.mlmodelc",
                           "inspect model.mlmodelc -o report.html"});
    command->callback([options, &context] { context.exitCode = runInspect(*options, context); });
}

} // namespace kernscope::cli
