// SPDX-License-Identifier: GPL-3.0-or-later
// `formats`: the numberings of element types and storage formats, as the Formats dock shows them.
#include "app/cli/chips.h"
#include "app/cli/text_output.h"

#include "core/report/format_table.h"
#include "core/report/json_table.h"
#include "core/target/rules.h"

#include <span>
#include <string>

#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

using report::Json;

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

Json typesJson(std::span<const format::CatalogueRow> rows)
{
    return jsonArray(report::elementTypeTable(), report::elementTypeRows({}, rows));
}

} // namespace

int runFormats(const ChipOptions &options, Session &session)
{
    const auto chosen = chosenTarget(options, session);
    if (!chosen)
        return refuseTarget(session, "formats", chosen.error());
    const target::Target &target = chosen->target();
    format::FormatUse use;
    use.descriptorVersion = options.descriptorVersion != 0
                                ? options.descriptorVersion
                                : target::encoderVersion(target).value_or(0);
    use.e4m3Capability = target::halBit(target, target::hal::kE4m3);
    if (!session.json) {
        if (!session.quiet)
            print("For " + chosen->text() + formatsText(target, use));
        return kDone;
    }
    Json document = report::document("formats");
    document["target"] = target.name;
    document["descriptor_version"] = use.descriptorVersion;
    document["kernel_formats"] =
        jsonArray(report::kernelFormatTable(), report::kernelFormatRows(use));
    document["tensor_formats"] =
        jsonArray(report::elementTypeTable(), report::tensorFormatRows(target));
    document["codegen"] =
        jsonArray(report::codegenTable(), report::codegenRows(use.descriptorVersion));
    addMoreFormats(document, use.descriptorVersion);
    document["element_catalogue"] = typesJson(format::elementCatalogue());
    document["serialization_types"] = typesJson(format::serializationTypes());
    document["blob_types"] = typesJson(format::blobTypes());
    printDocument(session, document, {});
    return kDone;
}

} // namespace kernscope::cli
