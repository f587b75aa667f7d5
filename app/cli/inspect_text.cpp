// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/inspect_text.h"

#include "app/cli/text_output.h"
#include "core/bundle/build_facts.h"
#include "core/bundle/stored_bytes.h"
#include "core/report/file_table.h"
#include "core/report/section_table.h"
#include "core/report/weight_table.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kernscope::cli {

namespace {

using Align = Table::Align;

std::string typeText(const mil::ValueType &type)
{
    std::string text(elementTypeName(type.element));
    text += " [";
    for (std::size_t i = 0; i < type.dims.size(); ++i)
        text += fmt::format("{}{}", i == 0 ? "" : ", ",
                            type.dims[i] < 0 ? "?" : std::to_string(type.dims[i]));
    return text + "]";
}

std::string summaryText(const Bundle &bundle)
{
    std::string text = styled(Style::Bold, printable(bundle.name())) + ": " +
                       fmt::format("{}, {} in {} {}", bundleKindName(bundle.kind()),
                                   bytesText(bundle.totalBytes().value), bundle.files().size(),
                                   bundle.files().size() == 1 ? "file" : "files");
    const mil::Program &program = bundle.programOutline();
    if (!program.version.empty())
        text += ", program " + printable(program.version);
    else if (!program.models.empty() && !program.models.front().specification.empty())
        text += ", specification " + printable(program.models.front().specification);
    for (const std::string &tool : buildTools(buildFacts(bundle)))
        text += ", " + printable(tool);
    return text + "\n";
}

/// The models of a pipeline; of a lone model nothing.
std::string modelsText(const Bundle &bundle)
{
    const auto &models = bundle.programOutline().models;
    if (models.size() < 2)
        return {};
    Table table({{"model"}, {"kind"}, {"specification"}, {"bytes", Align::Right}, {"weights"}});
    for (const mil::ModelNode &node : models) {
        std::size_t weights = 0;
        for (const Weight &weight : bundle.weights())
            weights += weight.model == node.path ? 1 : 0;
        const bool read = node.isProgram() || node.isNetwork();
        table.add({node.path.empty() ? "(the pipeline)" : node.path, node.kind, node.specification,
                   grouped(node.span.length),
                   read                ? grouped(weights)
                   : node.isPipeline() ? ""
                                       : "shown as bytes"});
    }
    return heading("Models") + table.text();
}

std::string functionsText(const Bundle &bundle)
{
    std::string text;
    const auto program = bundle.program();
    for (const mil::Function &function : program->functions) {
        const std::string name =
            function.model.empty() ? function.name : function.model + "/" + function.name;
        text += fmt::format("  {} ({}, {})\n", printable(name), printable(function.opset),
                            counted(mil::operationCount(function.body), "operation"));
        for (const mil::NamedType &input : function.inputs)
            text += fmt::format("    in   {}  {}\n", printable(input.name), typeText(input.type));
        for (const std::string &output : function.body.outputs)
            text += fmt::format("    out  {}\n", printable(output));
    }
    return text.empty() ? text : heading("Functions") + text;
}

/// "ane 0.00175, bnns 0.0375": the compiler's own estimates, in milliseconds.
std::string estimatesText(const mil::BackendNotes &notes)
{
    std::string text;
    for (const auto &[backend, ms] : notes.estimatedMs)
        text += fmt::format("{}{} {:.3g}", text.empty() ? "" : ", ", printable(backend), ms);
    return text;
}

void addOperations(Table &table, const mil::Function &function, const mil::Block &block,
                   const std::string &segment)
{
    for (const mil::Operation &operation : block.operations) {
        const mil::BackendNotes notes = mil::backendNotes(operation, segment);
        if (!notes.empty() && operation.type != "const")
            table.add({function.name, operation.displayName(), operation.type, notes.selected,
                       fmt::format("{}", fmt::join(notes.supported, ", ")), estimatesText(notes)});
        for (const mil::Block &nested : operation.blocks)
            addOperations(table, function, nested, segment);
    }
}

/// Where the compiler runs each op, as far as it says so.
std::string backendsText(const Bundle &bundle)
{
    Table table({{"function"}, {"name"}, {"op"}, {"runs on"}, {"supported"}, {"estimated ms"}});
    const auto program = bundle.program();
    for (const mil::Function &function : program->functions)
        addOperations(table, function, function.body, mil::segmentBackend(*program, function));
    return table.empty() ? std::string()
                         : heading("Backends (the compiler's notes)") + table.text();
}

std::string filesText(const Bundle &bundle)
{
    return heading("Files") + terminalText(textTable(report::fileTable(), bundle.files()));
}

/// What several weights store: each of them counts the bytes as its own, the totals only once.
std::string sharedText(const Bundle &bundle)
{
    std::string text;
    std::map<std::pair<std::size_t, std::uint64_t>, std::vector<std::size_t>> users;
    for (std::size_t i = 0; i < bundle.weights().size(); ++i) {
        for (const codec::Operand &operand : bundle.weights()[i].operands()) {
            const OperandPlace &place = *operand.place;
            if (!place.shared || !place.pieces.empty())
                continue;
            auto &weights = users[{place.file, place.metaOffset.value}];
            if (weights.empty() || weights.back() != i)
                weights.push_back(i);
        }
    }
    Table table({{"file"}, {"offset", Align::Right}, {"bytes", Align::Right}, {"weights"}});
    for (const auto &[place, weights] : users) {
        if (weights.size() < 2)
            continue;
        const Weight &first = bundle.weights()[weights.front()];
        std::string names;
        std::uint64_t bytes = 0;
        for (const codec::Operand &operand : first.operands()) {
            if (operand.place->file == place.first &&
                operand.place->metaOffset.value == place.second)
                bytes = operand.place->bytes.value;
        }
        for (const std::size_t weight : weights)
            names += (names.empty() ? "" : ", ") + bundle.weights()[weight].findableName();
        table.add({bundle.files()[place.first].path, fmt::format("{:#x}", place.second),
                   grouped(bytes), names});
    }
    return table.empty() ? text : heading("Shared records") + table.text();
}

std::string weightsText(const Bundle &bundle,
                        const std::vector<std::optional<Statistics>> &statistics,
                        const StatisticsOptions &asked, const std::vector<bool> &selected)
{
    const auto rows = report::weightRows(bundle, statistics, asked, selected);
    return rows.empty() ? std::string("\nNo weights.\n")
                        : heading("Weights") + terminalText(textTable(report::weightTable(), rows));
}

std::string totalsText(const Bundle &bundle)
{
    const Totals totals = bundle.totals();
    std::string forms;
    for (const auto &[form, count] : totals.forms)
        forms += fmt::format("{}{} {}", forms.empty() ? "" : ", ", count, printable(form));
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

std::string sectionsText(const Bundle &bundle)
{
    return heading("Sections") +
           terminalText(textTable(report::sectionTable(), report::sectionRows(bundle)));
}

} // namespace

std::string inspectText(const Bundle &bundle,
                        const std::vector<std::optional<Statistics>> &statistics,
                        const StatisticsOptions &asked, bool withSections,
                        const std::vector<bool> &selected)
{
    std::string text = summaryText(bundle) + modelsText(bundle) + functionsText(bundle) +
                       backendsText(bundle) + filesText(bundle);
    if (withSections)
        text += sectionsText(bundle);
    text += weightsText(bundle, statistics, asked, selected) + sharedText(bundle);
    return bundle.weights().empty() ? text : text + totalsText(bundle);
}

} // namespace kernscope::cli
