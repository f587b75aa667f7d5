// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/text_output.h"
#include "core/base/error_builder.h"
#include "core/bundle/bundle.h"
#include "core/report/weight_detail.h"
#include "core/report/weight_table.h"

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

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
std::string tableText(const report::TableOf<Row> &table, std::vector<Row> rows, bool all)
{
    const std::size_t total = rows.size();
    if (!all && total > kMostRows)
        rows.resize(kMostRows);
    std::string text = terminalText(report::textTable(table, rows));
    if (rows.size() < total)
        text += fmt::format("  and {} more (--all)\n", grouped(total - rows.size()));
    return text;
}

/// The histogram with a bar for each bin.
const report::TableOf<report::BinRow> &barTable()
{
    static const report::TableOf<report::BinRow> table = [] {
        report::TableOf<report::BinRow> bars = report::binTable();
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
                    formText(weight.form), elementTypeName(weight.type), shapeText(weight.shape),
                    counted(weight.elements.value, "element"));
    text += heading("Stored as") + tableText(report::partTable(), partRows(detail), true);
    for (const auto &[key, name] :
         {std::pair("stored_as", "made by"), std::pair("absent_elements", "absent elements are"),
          std::pair("source_line", "written at")}) {
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
    return text + tableText(report::bookEntryTable(), report::bookEntries(data), all);
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
        text += tableText(report::keptChannelTable(), report::keptChannels(figures), all);
    return text;
}

std::string detailText(const report::WeightDetail &detail, bool all)
{
    std::string text = storageText(detail);
    if (detail.statistics)
        text += weightFiguresText(*detail.statistics);
    if (detail.histogram)
        text +=
            heading("Histogram") + tableText(barTable(), report::binRows(*detail.histogram), true);
    if (detail.codebooks)
        text += weightCodebooksText(*detail.codebooks, all);
    if (detail.scales)
        text += heading(detail.scales->zeros.empty() ? "Scales" : "Scales and zero points") +
                tableText(report::scaleTable(), report::scaleRows(*detail.scales), all);
    if (detail.kept)
        text += keptText(detail, all);
    return text;
}

/// The table of that name, empty where the weight has none.
std::string csvOf(const report::WeightDetail &detail, std::string_view name)
{
    if (name == "parts")
        return csvText(report::partTable(), partRows(detail));
    if (name == "histogram" && detail.histogram)
        return csvText(report::binTable(), report::binRows(*detail.histogram));
    if (name == "codebook" && detail.codebooks)
        return csvText(report::bookEntryTable(), report::bookEntries(*detail.codebooks));
    if (name == "scales" && detail.scales)
        return csvText(report::scaleTable(), report::scaleRows(*detail.scales));
    if (name == "density" && detail.kept)
        return csvText(report::keptChannelTable(), report::keptChannels(*detail.kept));
    return {};
}

Error noSuchTable(const report::WeightDetail &detail, std::string_view name)
{
    std::string tables;
    for (const char *each : kTables) {
        if (!csvOf(detail, each).empty())
            tables += fmt::format("{}{}", tables.empty() ? "" : ", ", each);
    }
    return ErrorBuilder("cli.option")
        .field("--csv")
        .expected(std::move(tables))
        .found(name)
        .message("The weight has no such table.");
}

int runWeight(const WeightArguments &arguments, Context &context)
{
    const auto bundle = openBundle(arguments.path);
    if (!bundle)
        return reportFailure(context, "weight", bundle.error());
    const auto weight = findWeight(**bundle, arguments.name);
    if (!weight)
        return reportFailure(context, "weight", weight.error());
    const report::WeightDetail detail = [&] {
        const ProgressLine line(context, "reading");
        return report::readWeightDetail(**bundle, *weight, arguments.bins, context.progress);
    }();
    if (context.progress.cancelled())
        return reportStopped(context, "weight");
    const Diagnostics &diagnostics = detail.diagnostics;
    if (context.json) {
        printDocument(context, report::weightDetailJson(detail), diagnostics);
        return exitCodeOf(diagnostics);
    }
    if (!arguments.csv.empty()) {
        std::string text = csvOf(detail, arguments.csv);
        if (text.empty() && diagnostics.empty())
            return reportFailure(context, "weight", noSuchTable(detail, arguments.csv));
        print(std::move(text));
    } else if (!context.quiet) {
        print(detailText(detail, arguments.all));
    }
    printDiagnostics(context, diagnostics);
    return exitCodeOf(diagnostics);
}

} // namespace

void addWeight(CLI::App &app, Context &context)
{
    CLI::App *command =
        app.add_subcommand("weight", "Show one weight in full: parts, values, histogram, codebook, "
                                     "scales, mask by channel");
    auto arguments = std::make_shared<WeightArguments>();
    command->add_option("path", arguments->path, "Bundle folder, program or weight file")
        ->required()
        ->type_name("PATH");
    command->add_option("name", arguments->name, "Name of the weight")
        ->required()
        ->type_name("NAME");
    command->add_option("--bins", arguments->bins, "Bins of the histogram")
        ->type_name("COUNT")
        ->check(CLI::Range(std::size_t{1}, kMostBins))
        ->capture_default_str();
    command->add_flag("--all", arguments->all,
                      "Every row of codebooks, scales and channels, not the first 64");
    command
        ->add_option("--csv", arguments->csv,
                     "One table alone, every row of it, as CSV: parts, histogram, codebook, scales "
                     "or density")
        ->type_name("TABLE")
        ->check(CLI::IsMember(std::vector<std::string>(kTables.begin(), kTables.end())));
    addSharedOptions(*command, context);
    addExamples(*command, {"weight model.mlmodelc conv1_weight",
                           "weight model.mlmodelc conv1_weight --bins 64 --all",
                           "weight model.mlmodelc conv1_weight --csv codebook",
                           "weight model.mlpackage main/conv1_weight --json"});
    command->callback([arguments, &context] { context.exitCode = runWeight(*arguments, context); });
}

} // namespace kernscope::cli
