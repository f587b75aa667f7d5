// SPDX-License-Identifier: GPL-3.0-or-later
// `formats`: the numberings of element types and storage formats, as the Formats dock shows them.
#include "app/cli/chips.h"
#include "app/cli/text_output.h"

#include "core/report/format_table.h"
#include "core/target/rules.h"

#include <string>

#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

std::string formatsText(const target::Target &target, const format::FormatUse &use)
{
    const report::Titles here{{"legal", "on " + target.name}};
    return terminalText(
               textTable(report::kernelFormatTable(), report::kernelFormatRows(use), here)) +
           heading("Tensor formats") +
           terminalText(textTable(report::elementTypeTable(), report::tensorFormatRows(target))) +
           heading("Encoder") +
           terminalText(
               textTable(report::codegenTable(), report::codegenRows(use.descriptorVersion))) +
           moreFormatsText(use.descriptorVersion);
}

int runFacts(const std::string &name, Context &context)
{
    const std::string_view table = name == "all" ? std::string_view() : name;
    if (context.json) {
        report::Json document = report::embeddedFactsJson(table);
        printDocument(context, document, {});
    } else if (!context.quiet) {
        print(
            terminalText(textTable(report::embeddedFactTable(), report::embeddedFactRows(table))));
    }
    return kDone;
}

} // namespace

int runFormats(const ChipOptions &options, Context &context)
{
    if (!options.facts.empty())
        return runFacts(options.facts, context);
    const auto chosen = chosenTarget(options, context);
    if (!chosen)
        return refuseTarget(context, "formats", chosen.error());
    const target::Target &target = chosen->target();
    format::FormatUse use;
    use.descriptorVersion = options.descriptorVersion != 0
                                ? options.descriptorVersion
                                : target::encoderVersion(target).value_or(0);
    use.e4m3Capability = target::halBit(target, target::hal::kE4m3);
    if (!context.json) {
        if (!context.quiet)
            print("For " + chosen->text() + formatsText(target, use));
        return kDone;
    }
    printDocument(context, report::formatsJson(target, use), {});
    return kDone;
}

} // namespace kernscope::cli
