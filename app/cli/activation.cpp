// SPDX-License-Identifier: GPL-3.0-or-later
// `activation`: the engine's activation tables, as the Activation Table dock shows them.
#include "app/cli/engine.h"
#include "app/cli/text_output.h"
#include "core/base/error_builder.h"
#include "core/base/overlaid_file.h"
#include "core/format/activation_table.h"
#include "core/numeric/half.h"
#include "core/report/command_json.h"
#include "core/report/engine_json.h"
#include "core/report/format_table.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

using format::ActivationArithmetic;
using format::ActivationField;
using format::ActivationLayout;
using format::ActivationTable;
using format::ActivationTail;

constexpr std::string_view kActivationCommand = "activation";

struct Named {
    std::string name;
    ActivationTable table;
};

Error missing(const std::string &path, std::string found)
{
    return ErrorBuilder("activation.none")
        .file(path)
        .expected("an activation table of 86 bytes (--at names its place)")
        .found(std::move(found))
        .message("There is no activation table");
}

Result<std::vector<Named>> tableAt(const ActivationOptions &options)
{
    const auto file = openFile(options.path);
    if (!file)
        return tl::unexpected(file.error());
    const auto bytes = (*file)->bytes();
    if (options.at > bytes.size() || bytes.size() - options.at < ActivationTable::kBytes)
        return tl::unexpected(missing(
            (*file)->name(),
            fmt::format("{} bytes from {:#x} on",
                        options.at > bytes.size() ? 0 : bytes.size() - options.at, options.at)));
    auto table = ActivationTable::parse(bytes.subspan(static_cast<std::size_t>(options.at)));
    if (!table)
        return ErrorBuilder(std::move(table.error())).file((*file)->name()).unexpected();
    return std::vector<Named>{{fmt::format("{:#x}", options.at), *table}};
}

Result<Named> tableOf(const Bundle &bundle, std::size_t index)
{
    const auto decoder = bundle.decoder(index);
    if (!decoder)
        return tl::unexpected(decoder.error());
    std::vector<std::uint16_t> halves(decoder->elements().value);
    decoder->decodeHalf(0, halves);
    auto table = ActivationTable::parse(std::as_bytes(std::span(halves)));
    if (!table)
        return tl::unexpected(table.error());
    return Named{bundle.weights()[index].name, *table};
}

Result<std::vector<Named>> tablesOf(const ActivationOptions &options, Diagnostics &diagnostics)
{
    if (options.atGiven)
        return tableAt(options);
    const auto bundle = openBundle(options.path);
    if (!bundle)
        return tl::unexpected(bundle.error());
    std::vector<std::size_t> indices;
    if (!options.name.empty()) {
        const auto at = findWeight(**bundle, options.name);
        if (!at)
            return tl::unexpected(at.error());
        indices.push_back(*at);
    } else {
        for (std::size_t i = 0; i < (*bundle)->weights().size(); ++i) {
            if ((*bundle)->weights()[i].role == WeightRole::ActivationTable)
                indices.push_back(i);
        }
    }
    if (indices.empty())
        return tl::unexpected(missing((*bundle)->name(), "no weight that is one"));
    std::vector<Named> tables;
    for (const std::size_t index : indices) {
        if ((*bundle)->weights()[index].role != WeightRole::ActivationTable)
            return tl::unexpected(missing((*bundle)->weights()[index].name,
                                          formText((*bundle)->weights()[index].form)));
        auto table = tableOf(**bundle, index);
        if (table)
            tables.push_back(std::move(*table));
        else
            diagnostics.push_back({Severity::Error, std::move(table.error())});
    }
    return tables;
}

std::uint16_t evaluate(const ActivationTable &table, const ActivationOptions &options, double input)
{
    return table.evaluate(
        doubleToHalf(input),
        options.arithmetic == "half" ? ActivationArithmetic::Half : ActivationArithmetic::Exact,
        options.tail == "linear" ? ActivationTail::Linear : ActivationTail::Clamp);
}

std::string activationTableText(const Named &named, const ActivationOptions &options)
{
    const ActivationTable &table = named.table;
    const auto domain = table.domain();
    std::string text =
        heading(printable(named.name)) +
        fmt::format("  {} layout; knots from {:g} to {:g}{}, clamps {:g} and {:g}\n",
                    format::activationLayoutName(table.layout()), domain.low, domain.high,
                    domain.assumed ? " (assumed)" : "", table.lowClamp(), table.highClamp());
    text += terminalText(textTable(report::activationTable(), report::activationFieldRows(table)));
    text += "\n" + terminalText(textTable(report::knotTable(), report::knotFacts(table)));
    for (const double input : options.inputs)
        text +=
            fmt::format("  f({:g}) = {:g}\n", input, halfToFloat(evaluate(table, options, input)));
    return text;
}

report::Json tableJson(const Named &named, const ActivationOptions &options)
{
    std::vector<report::EvaluatedInput> evaluated;
    for (const double input : options.inputs)
        evaluated.push_back({input, evaluate(named.table, options, input)});
    return report::activationJson(named.name, named.table, evaluated);
}

} // namespace

int runActivation(const ActivationOptions &options, Context &context)
{
    Diagnostics diagnostics;
    auto tables = tablesOf(options, diagnostics);
    if (!tables)
        return reportFailure(context, kActivationCommand, tables.error());
    for (Named &named : *tables) {
        if (!options.layout.empty())
            named.table.setLayout(options.layout == "text" ? ActivationLayout::Text
                                                           : ActivationLayout::Device);
    }
    if (!context.json) {
        std::string text;
        for (const Named &named : *tables)
            text += activationTableText(named, options);
        if (!context.quiet)
            print(text + "\n" + readingsText(format::readingsOf("activation_segments")));
        printDiagnostics(context, diagnostics);
        return exitCodeOf(diagnostics);
    }
    std::vector<report::Json> documents;
    for (const Named &named : *tables)
        documents.push_back(tableJson(named, options));
    printDocument(
        context,
        report::activationTablesJson(std::move(documents), options.arithmetic, options.tail),
        diagnostics);
    return exitCodeOf(diagnostics);
}

} // namespace kernscope::cli
