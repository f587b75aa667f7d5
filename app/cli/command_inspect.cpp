// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "core/assessment/compression_config.h"
#include "core/assessment/weight_where.h"
#include "core/base/error_builder.h"
#include "core/base/overlaid_file.h"
#include "core/bundle/build_facts.h"
#include "core/bundle/bundle.h"
#include "core/bundle/stored_bytes.h"
#include "core/compare/compare.h"
#include "core/form/form_steps.h"
#include "core/report/bundle_report.h"
#include "core/report/byte_table.h"
#include "core/report/program_table.h"
#include "core/report/weight_table.h"

#include <cmath>
#include <iterator>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

std::string summaryText(const Bundle &bundle)
{
    std::string text = styled(Style::Bold, printable(bundle.name())) + ": " +
                       fmt::format("{}, {} in {} {}", bundleKindName(bundle.kind()),
                                   bytesText(bundle.totalBytes().value), bundle.files().size(),
                                   bundle.files().size() == 1 ? "file" : "files");
    const mil::Program &program = *bundle.program();
    if (!program.version.empty())
        text += ", program " + printable(program.version);
    else if (!program.models.empty() && !program.models.front().specification.empty())
        text += ", specification " + printable(program.models.front().specification);
    for (const std::string &tool : buildTools(buildFacts(bundle)))
        text += ", " + printable(tool);
    return text + "\n";
}

/// The models of a pipeline, or one whose content is not read; of others nothing.
std::string modelsText(const Bundle &bundle)
{
    if (bundle.program()->models.size() < 2 && bundle.kind() != BundleKind::Model)
        return {};
    return heading("Models") + tableText(report::modelTable, report::modelFacts(bundle));
}

std::string functionsText(const Bundle &bundle)
{
    std::string text;
    const auto program = bundle.program();
    for (const mil::Function &function : program->functions) {
        const std::string name =
            function.model.empty() ? function.name : function.model + "/" + function.name;
        text += fmt::format("  {} ({}{}{})\n", printable(name), printable(function.opset),
                            function.opset.empty() ? "" : ", ",
                            counted(mil::operationCount(function.body), "operation"));
        for (const mil::NamedType &input : function.inputs)
            text += fmt::format("    {}  {}  {}\n",
                                input.type.kind == mil::ValueType::Kind::State ? "state" : "in ",
                                printable(input.name), shapedTypeText(input.type));
        for (const std::string &output : function.body.outputs) {
            const mil::ValueType *type = report::outputType(function, output);
            text += fmt::format("    out  {}{}\n", printable(output),
                                type ? "  " + shapedTypeText(*type) : std::string());
        }
    }
    return text.empty() ? text : heading("Functions") + text;
}

/// What an app sees of the model, and what its author says of it.
std::string descriptionText(const Bundle &bundle)
{
    constexpr std::size_t kMostLabels = 20;
    const auto features = report::featureFacts(bundle);
    std::string text = features.empty() ? "" : tableText(report::featureTable, features);
    for (const mil::ModelDescription &description : bundle.program()->descriptions) {
        for (const std::string &line : report::descriptionLines(description, kMostLabels))
            text += fmt::format(
                "  {}{}\n", description.model.empty() ? "" : printable(description.model) + ": ",
                printable(line));
    }
    return text.empty() ? text : heading("Description") + text;
}

/// Where the compiler runs each op, as far as it says so.
std::string backendsText(const Bundle &bundle)
{
    std::vector<report::AnnotatedOperation> rows;
    const auto program = bundle.program();
    const mil::SegmentBackends segments(*program);
    for (const mil::Function &function : program->functions) {
        const auto own = report::annotatedOperations(function, segments.of(function));
        rows.insert(rows.end(), own.begin(), own.end());
    }
    return titledTable("Backends (the compiler's notes)", report::annotatedOperationTable, rows);
}

std::string totalsText(const Bundle &bundle)
{
    const Totals &totals = bundle.totals();
    std::string forms;
    for (const auto &[form, count] : totals.forms)
        forms +=
            fmt::format("{}{} {}", forms.empty() ? "" : ", ", count, printable(formWords(form)));
    const std::size_t unread = weightsOfUnknownBytes(bundle);
    const std::string dense = bytesText(totals.denseFp16Bytes.value);
    std::string text =
        heading("Totals") + fmt::format("  {} ({})\n", counted(totals.weights, "weight"), forms);
    if (unread > 0)
        return text + fmt::format("  stored bytes unknown ({} cannot be read), {} as dense fp16\n",
                                  counted(unread, "weight"), dense);
    const std::string ratio =
        totals.denseFp16Bytes.value > 0 ? fmt::format("{:.3f}", totals.ratio) : "-";
    return text + fmt::format("  stored {} of {} as dense fp16: ratio {}\n",
                              bytesText(totals.storedBytes.value), dense, ratio);
}

/// What `inspect` prints for people: the bundle, its functions, files and weights, their figures
/// on request, the sections likewise. `selected`: by weight, whether it is listed.
std::string inspectText(const Bundle &bundle,
                        const std::vector<std::optional<Statistics>> &statistics,
                        const StatisticsOptions &asked, bool withSections,
                        const std::vector<bool> &selected)
{
    std::string text = summaryText(bundle) + modelsText(bundle) + descriptionText(bundle) +
                       functionsText(bundle) + backendsText(bundle) + heading("Files") +
                       tableText(report::fileTable, bundle.files());
    if (withSections)
        text += heading("Sections") + tableText(report::sectionTable, report::sectionRows(bundle));
    const auto rows = report::weightRows(bundle, statistics, asked, selected);
    text += rows.empty() ? "\nNo weights.\n"
                         : heading("Weights") + tableText(report::weightTable, rows);
    // Each of several weights counts the bytes as its own, the totals only once.
    text += titledTable("Shared records", report::sharedRecordTable, report::sharedRecords(bundle));
    return bundle.weights().empty() ? text : text + totalsText(bundle);
}

struct InspectOptions {
    std::string path;
    std::vector<std::string> shapes;
    bool statistics = false;
    bool hash = false;
    bool sections = false;
    bool findings = false;
    bool coverage = false;
    bool numbers = false;
    std::vector<std::string> expected, except; ///< --expect, --except
    std::string config, sibling;               ///< files that say what is expected
    std::string where;                         ///< which weights are listed; empty: all
    std::string report, format;                ///< file of a report; empty: none
};

void append(Diagnostics &diagnostics, Diagnostics more)
{
    diagnostics.insert(diagnostics.end(), std::make_move_iterator(more.begin()),
                       std::make_move_iterator(more.end()));
}

/// Work ahead, in elements: the payload checks, and the figures of --stats.
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
void writeReport(const Bundle &bundle, const AllStatistics &statistics,
                 const std::vector<Finding> &findings, const Diagnostics &diagnostics,
                 const std::string &path, std::string_view format, Context &context)
{
    const auto text =
        format == "sarif"
            ? report::findingsSarif(bundle, findings)
            : required(report::bundleHtml({&bundle, statistics.weights, {}, findings, diagnostics},
                                          &context.progress));
    required(writeFile(path, std::as_bytes(std::span(text)), outputRules(context, bundle)));
}

std::string findingsText(const Bundle &bundle, const std::vector<Finding> &findings)
{
    if (findings.empty())
        return heading("Worth a look") + "  nothing\n";
    return heading("Worth a look") +
           tableText(report::findingTable, report::findingRows(bundle, findings));
}

/// What is expected: by a sibling build, then a configuration, then what was typed.
CoverageRules coverageRules(const Bundle &bundle, const InspectOptions &options, Context &context)
{
    CoverageRules rules;
    if (!options.config.empty()) {
        const auto file = required(openFile(options.config));
        const auto bytes = file->bytes();
        rules = required(readCompressionConfig(
            {reinterpret_cast<const char *>(bytes.data()), static_cast<std::size_t>(bytes.size())},
            options.config));
    }
    if (!options.sibling.empty()) {
        const auto sibling = required(openBundle(options.sibling));
        std::vector<std::size_t> partners(bundle.weights().size(), kNoIndex);
        for (const auto &pair : pairWeights(bundle, *sibling, {}, &context.progress).pairs)
            partners[pair.a] = pair.b;
        checkInterrupt();
        rules.ofPartners = partnerForms(*sibling, partners);
    }
    for (const std::string &text : options.expected)
        rules.expected.push_back(usable(readExpectedForm(text)));
    rules.except = options.except;
    return rules;
}

struct InspectedCoverage {
    CoverageRules rules;
    Coverage coverage;
};

std::string coverageText(const Bundle &bundle, const InspectedCoverage &covered)
{
    return heading("Coverage") +
           fmt::format("  {}\n", report::coverageSentence(covered.coverage, covered.rules)) +
           tableText(report::coverageTable, report::coverageLines(bundle, covered.coverage));
}

/// The first rows of each table; JSON has all.
std::string numbersText(const std::vector<mil::NumberTable> &tables, bool cut)
{
    constexpr std::size_t kRows = 20, kCells = 12;
    std::string text = heading("Numbers");
    for (const mil::NumberTable &table : tables) {
        text +=
            fmt::format("  {}{}: {}\n", table.model.empty() ? "" : printable(table.model) + ": ",
                        table.name, counted(table.rows.size(), "row"));
        std::vector<std::vector<std::string>> lines;
        if (!table.columns.empty())
            lines.push_back(table.columns);
        for (std::size_t i = 0; i < std::min(kRows, table.rows.size()); ++i) {
            std::vector<std::string> &line = lines.emplace_back();
            for (const double number : table.rows[i]) {
                const std::size_t column = line.size();
                const std::string_view name =
                    column < table.columns.size() && table.columns[column] == "behavior"
                        ? mil::treeBehavior(number)
                        : std::string_view();
                line.push_back(column >= kCells                              ? "..."
                               : table.name == "nodes" && std::isnan(number) ? "-"
                               : name.empty() ? fmt::format("{:.6g}", number)
                                              : std::string(name));
                if (line.size() > kCells)
                    break;
            }
        }
        for (const auto &line : lines) {
            if (!line.empty())
                text += fmt::format("    {}\n", fmt::join(line, "  "));
        }
        if (table.rows.size() > kRows)
            text += fmt::format("    {} more (--json has all)\n",
                                counted(table.rows.size() - kRows, "row"));
    }
    if (tables.empty())
        text += "  no trees, linear models or support vectors\n";
    return cut ? text + "  more than four million numbers: the rest is left out\n" : text;
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

/// Prints the answer, as a document or as text. `asked`: figures of the values.
void printInspected(const ShapedBundle &opened, const InspectOptions &options,
                    const StatisticsOptions &asked, const InspectedValues &read,
                    const std::vector<bool> &selected,
                    const std::optional<InspectedCoverage> &covered, Context &context)
{
    const Bundle &bundle = *opened.bundle;
    bool cut = false;
    const auto numbers =
        options.numbers ? report::numberTables(bundle, cut) : std::vector<mil::NumberTable>();
    if (context.json) {
        report::LateLists lists;
        report::Json document = report::inspectJson(bundle, read.statistics.weights, asked, &lists);
        if (!options.where.empty())
            report::keepWeights(document, lists, options.where, selected); // totals are of all
        if (options.findings)
            report::addFindings(document, bundle, read.findings);
        if (covered)
            report::addCoverage(document, bundle, covered->coverage, covered->rules);
        if (options.numbers)
            report::addNumbers(document, numbers, cut);
        if (!options.report.empty())
            report::addReportFile(document, options.report);
        addShapes(document, opened);
        return printDocument(std::move(document), read.diagnostics, lists);
    }
    if (!context.quiet)
        print(inspectText(bundle, read.statistics.weights, asked, options.sections, selected) +
              (options.findings ? findingsText(bundle, read.findings) : std::string()) +
              (covered ? coverageText(bundle, *covered) : std::string()) +
              (options.numbers ? numbersText(numbers, cut) : std::string()) + shapesText(opened) +
              (options.report.empty() ? std::string()
                                      : "\nReport written to " + printable(options.report) + "\n"));
    printDiagnostics(context, read.diagnostics);
}

int runInspect(const InspectOptions &options, Context &context)
{
    static constexpr OutputEnding kEndings[] = {
        {".html", "html"}, {".htm", "html"}, {".sarif", "sarif"}};
    const auto format =
        usable(options.report.empty() ? Result<std::string>()
                                      : outputFormat(options.report, options.format, kEndings));
    const auto opened = required(openBundle(options.path, options.shapes));
    const Bundle &bundle = *opened.bundle;
    const auto where =
        required(WeightWhere::parse(options.where).map_error(withCode("cli.option")));
    const StatisticsOptions asked{options.statistics || format == "html", options.hash};
    InspectedValues read =
        readValues(bundle, options, {asked.figures || where.needsZeros(), asked.hash}, context);
    checkInterrupt();
    if (!options.report.empty()) {
        writeReport(bundle, read.statistics, read.findings, read.diagnostics, options.report,
                    format, context);
    }
    const std::vector<bool> selected = selectWeights(bundle, where, zerosOf(read.statistics));
    std::erase_if(read.findings, [&selected](const Finding &finding) {
        return finding.weight != kNoIndex && !selected[finding.weight];
    });
    std::optional<InspectedCoverage> covered;
    if (options.coverage || !options.expected.empty() || !options.config.empty() ||
        !options.sibling.empty()) {
        covered.emplace();
        covered->rules = coverageRules(bundle, options, context);
        covered->coverage = coverageOf(bundle, covered->rules, selected);
        for (const std::string &pattern : covered->coverage.unused)
            read.diagnostics.push_back(
                {Severity::Warning,
                 valueError(
                     {bundle.name()}, "coverage.rule_unused", pattern,
                     "a name or an address of a weight", {},
                     fmt::format("No weight matches {}: no form is expected by it", pattern))});
    }
    printInspected(opened, options, asked, read, selected, covered, context);
    const int faults = exitCodeOf(read.diagnostics);
    const bool fails = covered && covered->rules.any() &&
                       (covered->coverage.broken > 0 ||
                        covered->coverage.judged + covered->coverage.excepted == 0);
    return faults != kDone ? faults : fails ? kDiffers : kDone;
}

} // namespace

void addInspect(CLI::App &app, Context &context)
{
    const auto [command, options] = addCommand<InspectOptions>(
        app, context, "inspect", "Show what a bundle holds and how every weight is stored",
        runInspect);
    addPath(*command, options->path);
    command->add_flag("--stats", options->statistics, "Figures of the decoded values");
    command->add_flag("--hash", options->hash, "SHA-256 of each weight decoded as fp16");
    command->add_flag(
        "--findings", options->findings,
        "What is worth a look: unused records, values that are not finite, constant "
        "channels, unused codebook entries, duplicates, weights that no chip streams");
    command->add_flag("--coverage", options->coverage,
                      "What was compressed: bits a weight, form expected and found, why dense");
    addOption(*command, "--expect", "PATTERN=FORM", options->expected,
              "Exit status 1 where a weight of that name is in another form, such as "
              "'*=palette4' or '*mlp*=int4+blocks32'; dense weights of at most 2,048 elements "
              "(Core AI: 1,024) pass where a compressed form is expected");
    addOption(*command, "--except", "PATTERN", options->except, "Weights that may be in any form");
    addOption(*command, "--config", "FILE", options->config,
              "What is expected, from a configuration of coremltools or coreai-opt (YAML or JSON)");
    addOption(*command, "--sibling", "BUNDLE", options->sibling,
              "What is expected: the forms of another build");
    command->add_flag("--numbers", options->numbers,
                      "The numbers of trees, linear models and support vectors, as tables");
    command->add_flag("--sections", options->sections,
                      "List every section of every file in the text output");
    addOption(*command, "--where", "TERMS", options->where,
              "List and judge only weights for which every term holds, as 'form:sparse zeros>0.5 "
              "bytes>1M folds:M1'");
    addStreamOutput(*command, context, options->report,
                    "Write a report for a browser as well, with figures and pictures; or what is "
                    "worth a look as SARIF",
                    "FILE.html|.sarif");
    addWord(*command, "--format", options->format, {"html", "sarif"},
            "Format of the output, whatever the name (of -: html)")
        ->needs("--output");
    addShapeOption(*command, options->shapes);
    addCommonOptions(*command, context, false);
    addExamples(*command,
                {"inspect model.mlmodelc", "inspect --stats --hash model.mlpackage",
                 "inspect --where 'folds:M1 bytes>10k' model.mlmodelc",
                 "inspect --findings model.mlmodelc",
                 "inspect --coverage --expect '*=palette4' --except '*embed*' m.mlpackage",
                 "inspect --json --sections weights/weight.bin",
                 "inspect --json --shape image=1,3,640,640 model.mlmodelc",
                 "inspect model.mlmodelc -o report.html"});
}

} // namespace kernscope::cli
