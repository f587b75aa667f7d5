// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "core/bundle/bundle.h"
#include "core/form/form_steps.h"
#include "core/graph/picture.h"
#include "core/report/program_table.h"
#include "core/report/weight_detail.h"
#include "core/report/weight_table.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

constexpr std::size_t kMostRows = 64; ///< of a table in text, without --all
constexpr std::size_t kMostBins = 4096;
constexpr double kBar = 32; ///< characters of the fullest bin

constexpr std::array kTables = {"parts", "histogram", "codebook", "scales", "density"};

struct WeightArguments {
    std::string path, name, csv;
    std::size_t bins = 24;
    bool all = false;
};

/// The first rows, and how many more there are.
template <class Row>
std::string firstRows(const report::TableOf<Row> &table, std::vector<Row> rows, bool all)
{
    const std::size_t total = rows.size();
    if (!all && total > kMostRows)
        rows.resize(kMostRows);
    std::string text = tableText(table, rows);
    if (rows.size() < total)
        text += fmt::format("  and {} more (--all)\n", grouped(total - rows.size()));
    return text;
}

/// The histogram with a bar for each bin.
const report::TableOf<report::BinRow> &barTable()
{
    static const report::TableOf<report::BinRow> table = [] {
        report::TableOf<report::BinRow> bars = report::binTable;
        bars.columns.push_back(
            {"bar", "", "The count beside that of the fullest bin",
             [](const report::BinRow &row) -> report::Value {
                 const double part = row.most == 0 ? 0.0
                                                   : static_cast<double>(row.data->bins[row.bin]) /
                                                         static_cast<double>(row.most);
                 return std::string(static_cast<std::size_t>(part * kBar + 0.5), '#');
             }});
        return bars;
    }();
    return table;
}

std::string storageText(const report::WeightDetail &detail)
{
    const Weight &weight = detail.bundle->weights()[detail.weight];
    std::string text =
        fmt::format("{}: {}, {} {}, {}\n", styled(Style::Bold, printable(weight.address())),
                    formWords(weight.form), elementTypeName(weight.type), shapeText(weight.shape),
                    counted(weight.elements.value, "element"));
    text += heading("Stored as") + firstRows(report::partTable, partRows(detail), true);
    for (const auto &[key, name] :
         {std::pair("stored_as", "made by"), std::pair("absent_elements", "absent elements are"),
          std::pair("rounding", "rounded:"), std::pair("source_line", "written at")}) {
        for (const auto &[own, value] : weight.detail) {
            const auto *words = std::get_if<std::string>(&value);
            if (own == key && words)
                text += fmt::format("  {} {}\n", name, printable(*words));
        }
    }
    if (!weight.consumers.empty())
        text += heading("Read by");
    for (const Consumer &consumer : weight.consumers)
        text += fmt::format("  {} {} as {}\n", printable(consumer.op), printable(consumer.name),
                            printable(consumer.param));
    return text;
}

std::string weightFiguresText(const Statistics &figures)
{
    std::string text = fmt::format("  {} of {} zero ({})", grouped(figures.zeros),
                                   grouped(figures.elements), percentText(figures.zeroFraction()));
    if (figures.distinct)
        text += fmt::format(", {}", counted(*figures.distinct, "different value"));
    text += "\n";
    if (figures.nan + figures.inf > 0)
        text += fmt::format("  {} NaN, {} infinite\n", grouped(figures.nan), grouped(figures.inf));
    if (figures.finite() > 0)
        text += fmt::format("  {:.6g} to {:.6g}, mean {:.6g}, standard deviation {:.6g}\n",
                            figures.min, figures.max, figures.mean, figures.standardDeviation);
    return heading("Values") + text;
}

std::string weightCodebooksText(const CodebookData &data, bool all)
{
    std::string text = heading("Codebook");
    text +=
        fmt::format("  {} of {} {}, {}-bit indices", counted(data.codebooks, "codebook"),
                    grouped(data.entries), data.entries == 1 ? "entry" : "entries", data.indexBits);
    if (data.vector > 1)
        text += fmt::format(", vectors of {}", data.vector);
    text += fmt::format(", values of {}\n", elementTypeName(data.type));
    return text + firstRows(report::bookEntryTable, report::bookEntries(data), all);
}

std::string keptText(const report::WeightDetail &detail, bool all)
{
    const MaskFigures &figures = *detail.kept;
    std::string text = heading(detail.masked ? "Mask" : "Not zero");
    text += fmt::format("  {} of {} {} ({})", grouped(figures.kept), grouped(figures.elements),
                        detail.masked ? "kept" : "not zero", percentText(figures.density()));
    if (detail.masked)
        text += fmt::format(", {} stored", counted(figures.survivors, "value"));
    text += "\n";
    // Of a weight without a zero every channel is full.
    if (!figures.channels.empty() && (detail.masked || figures.kept < figures.elements))
        text += firstRows(report::keptChannelTable, report::keptChannels(figures), all);
    return text;
}

std::string detailText(const report::WeightDetail &detail, bool all)
{
    std::string text = storageText(detail);
    if (detail.statistics)
        text += weightFiguresText(*detail.statistics);
    if (detail.histogram)
        text +=
            heading("Histogram") + firstRows(barTable(), report::binRows(*detail.histogram), true);
    if (detail.codebooks)
        text += weightCodebooksText(*detail.codebooks, all);
    if (detail.scales)
        text += heading(detail.scales->zeros.empty() ? "Scales" : "Scales and zero points") +
                firstRows(report::scaleTable, report::scaleRows(*detail.scales), all);
    if (detail.kept)
        text += keptText(detail, all);
    return text;
}

/// The table of that name, empty where the weight has none.
std::string csvOf(const report::WeightDetail &detail, std::string_view name)
{
    if (name == "parts")
        return csvText(report::partTable, partRows(detail));
    if (name == "histogram" && detail.histogram)
        return csvText(report::binTable, report::binRows(*detail.histogram));
    if (name == "codebook" && detail.codebooks)
        return csvText(report::bookEntryTable, report::bookEntries(*detail.codebooks));
    if (name == "scales" && detail.scales)
        return csvText(report::scaleTable, report::scaleRows(*detail.scales));
    if (name == "density" && detail.kept)
        return csvText(report::keptChannelTable, report::keptChannels(*detail.kept));
    return {};
}

Error noSuchTable(const report::WeightDetail &detail, std::string_view name)
{
    std::string tables;
    for (const char *each : kTables) {
        if (!csvOf(detail, each).empty())
            tables += fmt::format("{}{}", tables.empty() ? "" : ", ", each);
    }
    return valueError("cli.option", "--csv", std::move(tables), name,
                      "The weight has no such table.");
}

int runWeight(const WeightArguments &arguments, Context &context)
{
    const auto bundle = required(openBundle(arguments.path));
    const auto weight = required(findWeight(*bundle, arguments.name));
    const report::WeightDetail detail = [&] {
        const ProgressLine line(context, "reading");
        return report::readWeightDetail(*bundle, weight, arguments.bins, context.progress);
    }();
    checkInterrupt();
    const Diagnostics &diagnostics = detail.diagnostics;
    if (arguments.csv.empty() || context.json)
        return printAnswer(
            context, diagnostics, [&] { return report::weightDetailJson(detail); },
            [&] { return detailText(detail, arguments.all); });
    std::string text = csvOf(detail, arguments.csv);
    if (text.empty() && diagnostics.empty())
        throw CommandFailure{noSuchTable(detail, arguments.csv)};
    printWhole(std::move(text));
    printDiagnostics(context, diagnostics);
    return exitCodeOf(diagnostics);
}

using Drawn = std::shared_ptr<const graph::Neighbourhood>;

struct GraphArguments {
    std::string path, name, function, svg, dot;
    unsigned hops = 2;
    std::size_t limit = 120;
    bool unfolded = false, rightwards = false;
};

/// What the drawing begins at: what was named, else the inputs of the function.
std::vector<std::size_t> centresOf(const graph::Graph &graph, const GraphArguments &arguments)
{
    if (!arguments.name.empty()) {
        const auto node = graph::findNode(graph, arguments.name, arguments.function);
        if (node)
            return {*node};
        // A weight has further names: without the converter's suffix, by its operation.
        const auto weight = findWeight(graph.bundle(), arguments.name);
        const std::size_t its = weight ? graph.nodeOfWeight(*weight) : graph::kNone;
        if (its == graph::kNone || !arguments.function.empty())
            throw CommandFailure{node.error()};
        return {its};
    }
    std::size_t function = 0;
    if (!arguments.function.empty())
        function = required(graph::findFunction(graph, arguments.function));
    std::vector<std::size_t> inputs = graph.inputsOf(function);
    const graph::FunctionNodes &of = graph.functions()[function];
    if (inputs.empty() && of.nodes > 0)
        inputs.push_back(of.firstNode); // a function that computes from constants alone
    return inputs;
}

Drawn draw(const BundlePtr &bundle, const GraphArguments &arguments, Context &context)
{
    const auto graph = required(graph::Graph::build(bundle, &context.progress));
    graph::Scope scope;
    scope.centres = centresOf(*graph, arguments);
    scope.hops = arguments.hops;
    scope.mostDrawn = arguments.limit;
    scope.fold = !arguments.unfolded;
    return std::make_shared<const graph::Neighbourhood>(
        graph::neighbourhood(graph, std::move(scope)));
}

/// Writes the picture of --svg or --dot, if any. Errors: those of svgText() and writeFile().
void writePicture(const Bundle &bundle, const graph::Neighbourhood &drawn,
                  const GraphArguments &arguments, Context &context)
{
    if (arguments.svg.empty() && arguments.dot.empty())
        return;
    const OutputRules rules = outputRules(context, bundle);
    if (!arguments.dot.empty()) {
        const std::string text = graph::dotText(drawn, arguments.rightwards);
        required(writeFile(arguments.dot, std::as_bytes(std::span(text)), rules));
        return;
    }
    const auto text = required(graph::svgText(drawn, arguments.rightwards, &context.progress));
    required(writeFile(arguments.svg, std::as_bytes(std::span(text)), rules));
}

std::string graphText(const Drawn &drawn)
{
    std::string text;
    if (!drawn->scope.centres.empty())
        text = heading(fmt::format(
            "function {}", printable(drawn->graph->functionName(
                               drawn->graph->nodes()[drawn->scope.centres.front()].function))));
    const std::vector<report::GraphRow> rows = report::graphRows(drawn);
    if (rows.empty())
        return text + "nothing to draw: the function is empty\n";
    return text + tableText(report::graphTable, rows);
}

int runGraph(const GraphArguments &arguments, Context &context)
{
    const auto bundle = required(openBundle(arguments.path));
    const auto drawn = draw(bundle, arguments, context);
    writePicture(*bundle, *drawn, arguments, context);
    const std::string &output = arguments.svg.empty() ? arguments.dot : arguments.svg;
    const Diagnostics &diagnostics = bundle->diagnostics();
    if (context.json) {
        printDocument(report::graphJson(arguments.path, output, *drawn), diagnostics);
        return exitCodeOf(diagnostics);
    }
    if (!context.quiet)
        print(output.empty()
                  ? graphText(drawn)
                  : fmt::format("{}: {} boxes, {} arrows\n", printable(output),
                                grouped(drawn->units.size()), grouped(drawn->links.size())));
    if (drawn->leftOut > 0)
        note(context, fmt::format("{} operations and weights are left out (--limit)",
                                  grouped(drawn->leftOut)));
    printDiagnostics(context, diagnostics);
    return exitCodeOf(diagnostics);
}

} // namespace

void addWeight(CLI::App &app, Context &context)
{
    const auto [command, arguments] =
        addCommand<WeightArguments>(app, context, "weight",
                                    "Show one weight in full: parts, values, histogram, codebook, "
                                    "scales, mask by channel",
                                    runWeight);
    addPath(*command, arguments->path);
    addOption(*command, "name", "NAME", arguments->name, "Name of the weight")->required();
    addOption(*command, "--bins", "COUNT", arguments->bins, "Bins of the histogram")
        ->check(CLI::Range(std::size_t{1}, kMostBins))
        ->capture_default_str();
    command->add_flag("--all", arguments->all,
                      "Every row of codebooks, scales and channels, not the first 64");
    addOption(*command, "--csv", "TABLE", arguments->csv,
              "One table alone, every row of it, as CSV: parts, histogram, codebook, scales "
              "or density")
        ->check(CLI::IsMember(std::vector<std::string>(kTables.begin(), kTables.end())));
    addSharedOptions(*command, context);
    addExamples(*command, {"weight model.mlmodelc conv1_weight",
                           "weight model.mlmodelc conv1_weight --bins 64 --all",
                           "weight model.mlmodelc conv1_weight --csv codebook",
                           "weight model.mlpackage main/conv1_weight --json"});
}

void addGraph(CLI::App &app, Context &context)
{
    const auto [command, arguments] =
        addCommand<GraphArguments>(app, context, "graph",
                                   "What is around an operation or a weight of the program, as a "
                                   "list or a drawing",
                                   runGraph);
    addPath(*command, arguments->path, "Bundle folder, program or neural network");
    addOption(*command, "name", "NAME", arguments->name,
              "Operation, value or weight to begin at; the function's inputs unless given");
    addOption(*command, "--function", "NAME", arguments->function,
              "Function of the program; the first one unless given");
    addOption(*command, "--hops", "N", arguments->hops, "Up to N values away, 1 to 6")
        ->check(CLI::Range(1U, graph::kMostHops))
        ->capture_default_str();
    addOption(*command, "--limit", "COUNT", arguments->limit,
              "No more boxes than this; what is left out is counted")
        ->check(CLI::Range(std::size_t{1}, graph::kMostDrawn))
        ->capture_default_str();
    command->add_flag("--no-fold", arguments->unfolded, "Draw repeated blocks in full");
    command->add_flag("--right", arguments->rightwards,
                      "Values flow to the right in the drawing, not down");
    CLI::Option *svg =
        addOption(*command, "--svg", "FILE", arguments->svg, "Write the drawing as SVG")
            ->each(
                [&context](const std::string &path) { checkStream(context, "--svg", path, true); });
    addOption(*command, "--dot", "FILE", arguments->dot, "Write it in the language of Graphviz")
        ->excludes(svg)
        ->each([&context](const std::string &path) { checkStream(context, "--dot", path, true); });
    command->add_flag("-f,--force", context.force,
                      "Replace the output where it exists: a file by a file, a bundle by a bundle");
    addSharedOptions(*command, context);
    addExamples(*command, {"graph model.mlmodelc conv1 --svg conv1.svg",
                           "graph model.mlmodelc conv1_weight --hops 3",
                           "graph model.mlpackage --function main --limit 40 --json",
                           "graph model.mlmodelc --no-fold --right --dot model.dot"});
}

} // namespace kernscope::cli
