// SPDX-License-Identifier: GPL-3.0-or-later
// `formats`: the numberings of element types and storage formats, as the Formats dock shows them.
#include "app/cli/chips.h"
#include "app/cli/text_output.h"

#include "core/format/legality.h"
#include "core/report/format_json.h"
#include "core/target/dma_format.h"
#include "core/target/rules.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

using format::CatalogueRow;
using format::KernelFormatRow;
using report::Json;

std::string codegenText(unsigned version)
{
    Table table({{"capability"}, {"since", Table::Align::Right}, {"here"}, {"offset"}, {"source"}});
    for (const format::CodegenRule &rule : format::codegenRules())
        table.add({rule.capability, std::to_string(rule.sinceVersion),
                   version >= rule.sinceVersion ? "implemented" : "no encoder",
                   rule.offset ? fmt::format("{:#05x}", *rule.offset) : "", rule.source});
    return heading("Encoder") + table.text();
}

std::string formatsText(const target::Target &target, const format::FormatUse &use)
{
    Table table({{"code", Table::Align::Right},
                 {"name"},
                 {"kind"},
                 {"bits", Table::Align::Right},
                 {"type"},
                 {"number", Table::Align::Right},
                 {"on " + target.name},
                 {"confidence"}});
    for (const KernelFormatRow &row : format::kernelFormats()) {
        const format::Legality legality = format::checkKernelFormat(row, use);
        const format::LegalityRule *refusal = legality.refusal();
        table.add({std::to_string(row.format.value), row.name,
                   std::string(format::kernelFormatKindName(row.kind)),
                   row.bits ? std::to_string(*row.bits) : "-",
                   row.underlying.empty() ? "-" : row.underlying,
                   row.typeNumber ? std::to_string(row.typeNumber->value) : "-",
                   refusal != nullptr   ? "refused: " + refusal->name
                   : legality.verdict() ? "legal"
                                        : "unknown",
                   std::string(format::confidenceName(row.confidence))});
    }
    std::string text = table.text() + heading("Tensor formats");
    Table tensors({{"code", Table::Align::Right},
                   {"name"},
                   {"bits", Table::Align::Right},
                   {"DMA to fp16"},
                   {"DMA valid"},
                   {"byte"}});
    for (const CatalogueRow &row : format::tensorFormats()) {
        const format::TensorFormat code(row.code);
        const target::DmaFormat dma = target::checkDmaFormat(target, code);
        tensors.add({std::to_string(row.code), row.name, row.bits ? std::to_string(*row.bits) : "-",
                     format::isDmaConvertibleToFp16(code) ? "yes" : "no", yesNo(dma.valid),
                     dma.byte ? target::halOffsetText(*dma.byte) : ""});
    }
    return text + tensors.text() + codegenText(use.descriptorVersion) +
           moreFormatsText(use.descriptorVersion);
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
    document["kernel_formats"] = report::kernelFormatsJson(use);
    document["tensor_formats"] = report::tensorFormatsJson(target);
    document["codegen"] = report::codegenJson(use.descriptorVersion);
    addMoreFormats(document, use.descriptorVersion);
    document["element_catalogue"] = report::typesJson(format::elementCatalogue());
    document["serialization_types"] = report::typesJson(format::serializationTypes());
    document["blob_types"] = report::typesJson(format::blobTypes());
    printDocument(session, document, {});
    return kDone;
}

} // namespace kernscope::cli
