// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/output_file.h"
#include "app/cli/text_output.h"
#include "core/bundle/bundle.h"
#include "core/graph/dot.h"
#include "core/graph/svg.h"
#include "core/report/graph_table.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

using Drawn = std::shared_ptr<const graph::Neighbourhood>;

struct GraphArguments {
    std::string path, name, function, svg, dot;
    unsigned hops = 2;
    std::size_t limit = 120;
    bool unfolded = false, rightwards = false;
};

/// What the drawing begins at: what was named, else the inputs of the function.
Result<std::vector<std::size_t>> centresOf(const graph::Graph &graph,
                                           const GraphArguments &arguments)
{
    if (!arguments.name.empty()) {
        const auto node = graph::findNode(graph, arguments.name, arguments.function);
        if (node)
            return std::vector<std::size_t>{*node};
        // A weight has further names: without the converter's suffix, by its operation.
        const auto weight = findWeight(graph.bundle(), arguments.name);
        const std::size_t its = weight ? graph.nodeOfWeight(*weight) : graph::kNone;
        if (its == graph::kNone || !arguments.function.empty())
            return tl::unexpected(node.error());
        return std::vector<std::size_t>{its};
    }
    std::size_t function = 0;
    if (!arguments.function.empty()) {
        const auto found = graph::findFunction(graph, arguments.function);
        if (!found)
            return tl::unexpected(found.error());
        function = *found;
    }
    std::vector<std::size_t> inputs = graph.inputsOf(function);
    const graph::FunctionNodes &of = graph.functions()[function];
    if (inputs.empty() && of.nodes > 0)
        inputs.push_back(of.firstNode); // a function that computes from constants alone
    return inputs;
}

Result<Drawn> draw(const BundlePtr &bundle, const GraphArguments &arguments, Context &context)
{
    const auto graph = graph::Graph::build(bundle, &context.progress);
    if (!graph)
        return tl::unexpected(graph.error());
    auto centres = centresOf(**graph, arguments);
    if (!centres)
        return tl::unexpected(centres.error());
    graph::Scope scope;
    scope.centres = std::move(*centres);
    scope.hops = arguments.hops;
    scope.mostDrawn = arguments.limit;
    scope.fold = !arguments.unfolded;
    return std::make_shared<const graph::Neighbourhood>(
        graph::neighbourhood(*graph, std::move(scope)));
}

/// Writes the picture that was asked for, if any. Errors: those of svgText() and writeFile().
Result<void> writePicture(const Bundle &bundle, const graph::Neighbourhood &drawn,
                          const GraphArguments &arguments, Context &context)
{
    if (arguments.svg.empty() && arguments.dot.empty())
        return {};
    const OutputRules rules = outputRules(context, bundle);
    if (!arguments.dot.empty()) {
        const std::string text = graph::dotText(drawn, arguments.rightwards);
        return writeFile(arguments.dot, std::as_bytes(std::span(text)), rules);
    }
    const auto text = graph::svgText(drawn, arguments.rightwards, &context.progress);
    if (!text)
        return tl::unexpected(text.error());
    return writeFile(arguments.svg, std::as_bytes(std::span(*text)), rules);
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
    return text + terminalText(report::textTable(report::graphTable(), rows));
}

int runGraph(const GraphArguments &arguments, Context &context)
{
    const auto bundle = openBundle(arguments.path);
    if (!bundle)
        return reportFailure(context, "graph", bundle.error());
    const auto drawn = draw(*bundle, arguments, context);
    if (!drawn)
        return reportFailure(context, "graph", drawn.error());
    if (auto written = writePicture(**bundle, **drawn, arguments, context); !written)
        return reportFailure(context, "graph", written.error());
    const std::string &output = arguments.svg.empty() ? arguments.dot : arguments.svg;
    const Diagnostics &diagnostics = (*bundle)->diagnostics();
    if (context.json) {
        printDocument(context, report::graphJson(arguments.path, output, **drawn), diagnostics);
        return exitCodeOf(diagnostics);
    }
    if (!context.quiet)
        print(output.empty()
                  ? graphText(*drawn)
                  : fmt::format("{}: {} boxes, {} arrows\n", printable(output),
                                grouped((*drawn)->units.size()), grouped((*drawn)->links.size())));
    if ((*drawn)->leftOut > 0)
        note(context, fmt::format("{} operations and weights are left out (--limit)",
                                  grouped((*drawn)->leftOut)));
    printDiagnostics(context, diagnostics);
    return exitCodeOf(diagnostics);
}

} // namespace

void addGraph(CLI::App &app, Context &context)
{
    CLI::App *command =
        app.add_subcommand("graph", "What is around an operation or a weight of the program, as a "
                                    "list or a drawing");
    auto arguments = std::make_shared<GraphArguments>();
    command->add_option("path", arguments->path, "Bundle folder, program or neural network")
        ->required()
        ->type_name("PATH");
    command
        ->add_option("name", arguments->name,
                     "Operation, value or weight to begin at; the function's inputs unless given")
        ->type_name("NAME");
    command
        ->add_option("--function", arguments->function,
                     "Function of the program; the first one unless given")
        ->type_name("NAME");
    command->add_option("--hops", arguments->hops, "So many values away, 1 to 6")
        ->type_name("N")
        ->check(CLI::Range(1U, graph::kMostHops))
        ->capture_default_str();
    command
        ->add_option("--limit", arguments->limit,
                     "No more boxes than this; what is left out is counted")
        ->type_name("COUNT")
        ->check(CLI::Range(std::size_t{1}, graph::kMostDrawn))
        ->capture_default_str();
    command->add_flag("--no-fold", arguments->unfolded, "Draw repeated blocks in full");
    command->add_flag("--right", arguments->rightwards,
                      "Values flow to the right in the drawing, not down");
    CLI::Option *svg = command->add_option("--svg", arguments->svg, "Write the drawing as SVG")
                           ->type_name("FILE")
                           ->each([&context](const std::string &path) {
                               checkStream(context, "--svg", path, true);
                           });
    command->add_option("--dot", arguments->dot, "Write it in the language of Graphviz")
        ->type_name("FILE")
        ->excludes(svg)
        ->each([&context](const std::string &path) { checkStream(context, "--dot", path, true); });
    command->add_flag("-f,--force", context.force,
                      "Replace the output where it exists: a file by a file, a bundle by a bundle");
    addSharedOptions(*command, context);
    addExamples(*command, {"graph model.mlmodelc conv1 --svg conv1.svg",
                           "graph model.mlmodelc conv1_weight --hops 3",
                           "graph model.mlpackage --function main --limit 40 --json",
                           "graph model.mlmodelc --no-fold --right --dot model.dot"});
    command->callback([arguments, &context] { context.exitCode = runGraph(*arguments, context); });
}

} // namespace kernscope::cli
