// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/inspect_text.h"

#include "app/cli/text_output.h"
#include "core/bundle/build_facts.h"
#include "core/bundle/bundle.h"
#include "core/bundle/stored_bytes.h"
#include "core/container/mil/segment_backends.h"
#include "core/report/byte_table.h"
#include "core/report/program_table.h"
#include "core/report/weight_table.h"

#include <fmt/format.h>

namespace kernscope::cli {

namespace {

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

/// The models of a pipeline, or one whose content is not read; of others nothing.
std::string modelsText(const Bundle &bundle)
{
    if (bundle.programOutline().models.size() < 2 && bundle.kind() != BundleKind::Model)
        return {};
    return heading("Models") +
           terminalText(textTable(report::modelTable(), report::modelFacts(bundle)));
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
            text += fmt::format("    {}  {}  {}\n",
                                input.type.kind == mil::ValueType::Kind::State ? "state" : "in ",
                                printable(input.name), typeText(input.type));
        for (const std::string &output : function.body.outputs) {
            const mil::ValueType *type = report::outputType(function, output);
            text += fmt::format("    out  {}{}\n", printable(output),
                                type ? "  " + typeText(*type) : std::string());
        }
    }
    return text.empty() ? text : heading("Functions") + text;
}

/// What an app sees of the model, and what its author says of it.
std::string descriptionText(const Bundle &bundle)
{
    constexpr std::size_t kMostLabels = 20;
    const auto features = report::featureFacts(bundle);
    std::string text = features.empty() ? std::string()
                                        : terminalText(textTable(report::featureTable(), features));
    for (const mil::ModelDescription &description : bundle.programOutline().descriptions) {
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
    return rows.empty() ? std::string()
                        : heading("Backends (the compiler's notes)") +
                              terminalText(textTable(report::annotatedOperationTable(), rows));
}

std::string filesText(const Bundle &bundle)
{
    return heading("Files") + terminalText(textTable(report::fileTable(), bundle.files()));
}

/// What several weights store: each of them counts the bytes as its own, the totals only once.
std::string sharedText(const Bundle &bundle)
{
    const auto rows = report::sharedRecords(bundle);
    return rows.empty() ? std::string()
                        : heading("Shared records") +
                              terminalText(textTable(report::sharedRecordTable(), rows));
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
    const Totals &totals = bundle.totals();
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
    std::string text = summaryText(bundle) + modelsText(bundle) + descriptionText(bundle) +
                       functionsText(bundle) + backendsText(bundle) + filesText(bundle);
    if (withSections)
        text += sectionsText(bundle);
    text += weightsText(bundle, statistics, asked, selected) + sharedText(bundle);
    return bundle.weights().empty() ? text : text + totalsText(bundle);
}

} // namespace kernscope::cli
