// SPDX-License-Identifier: GPL-3.0-or-later
// `formats`: the numberings of element types and storage formats, as the Formats dock shows them.
#include "app/cli/chips.h"
#include "app/cli/text_output.h"

#include "core/format/legality.h"
#include "core/report/json_values.h"
#include "core/target/dma_format.h"
#include "core/target/rules.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::cli {

namespace {

using format::CatalogueRow;
using format::KernelFormatRow;
using report::Json;

template <class T>
Json numberJson(const Result<T> &number)
{
    return number ? Json(number->value) : Json();
}

const char *stateName(format::RuleState state)
{
    switch (state) {
    case format::RuleState::Passes: return "passes";
    case format::RuleState::Refuses: return "refuses";
    case format::RuleState::Unknown: break;
    }
    return "unknown";
}

/// A row of the enum with the five helpers of table 25.1 and every rule that was consulted.
Json formatJson(const KernelFormatRow &row, const format::Legality &legality)
{
    Json json;
    json["code"] = row.format.value;
    json["name"] = row.name;
    json["kind"] = format::kernelFormatKindName(row.kind);
    const auto bits = format::bitDepth(row.format);
    json["bit_depth"] = bits ? Json(*bits) : Json();
    json["palette_format"] = numberJson(format::paletteEntryFormat(row.format));
    const auto type = format::underlyingType(row.format);
    json["underlying_type"] = type ? Json(*type) : Json();
    json["palette_lut_bytes"] = numberJson(format::paletteLutBytes(row.format, 1));
    json["type_number"] = numberJson(format::typeNumber(row.format));
    json["register_value"] = row.registerValue ? Json(*row.registerValue) : Json();
    const auto legal = legality.verdict();
    json["legal"] = legal ? Json(*legal) : Json(); // null: a rule cannot be answered
    const format::LegalityRule *refusal = legality.refusal();
    json["refused_by"] = refusal != nullptr ? Json(refusal->name) : Json();
    json["rules"] = Json::array();
    for (const format::LegalityRule &rule : legality.rules)
        json["rules"].push_back({{"name", rule.name},
                                 {"state", stateName(rule.state)},
                                 {"required", rule.required},
                                 {"found", rule.found},
                                 {"source", rule.source},
                                 {"confidence", format::confidenceName(rule.confidence)}});
    json["confidence"] = format::confidenceName(row.confidence);
    json["source"] = row.source;
    json["note"] = row.note;
    return json;
}

Json typesJson(std::span<const CatalogueRow> rows)
{
    Json list = Json::array();
    for (const CatalogueRow &row : rows) {
        Json json;
        json["code"] = row.code;
        json["name"] = row.name;
        json["bits"] = row.bits ? Json(*row.bits) : Json();
        json["confidence"] = format::confidenceName(row.confidence);
        json["source"] = row.source;
        list.push_back(std::move(json));
    }
    return list;
}

Json tensorFormatsJson(const target::Target &target)
{
    Json list = typesJson(format::tensorFormats());
    for (Json &json : list) {
        const format::TensorFormat code(json["code"].get<std::uint32_t>());
        const target::DmaFormat dma = target::checkDmaFormat(target, code);
        json["dma_to_fp16"] = format::isDmaConvertibleToFp16(code);
        json["dma_valid"] = dma.valid ? Json(*dma.valid) : Json();
        json["capability_byte"] = dma.byte ? Json(target::halOffsetText(*dma.byte)) : Json();
    }
    return list;
}

/// Table 25.5: what the target's encoder can write.
Json codegenJson(unsigned version)
{
    Json list = Json::array();
    for (const format::CodegenRule &rule : format::codegenRules()) {
        Json json;
        json["capability"] = rule.capability;
        json["since_version"] = rule.sinceVersion;
        json["implemented"] = version >= rule.sinceVersion;
        json["offset"] = rule.offset ? Json(fmt::format("{:#05x}", *rule.offset)) : Json();
        json["source"] = rule.source;
        json["confidence"] = format::confidenceName(rule.confidence);
        json["note"] = rule.note;
        list.push_back(std::move(json));
    }
    return list;
}

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
    document["kernel_formats"] = Json::array();
    for (const KernelFormatRow &row : format::kernelFormats())
        document["kernel_formats"].push_back(formatJson(row, format::checkKernelFormat(row, use)));
    document["tensor_formats"] = tensorFormatsJson(target);
    document["codegen"] = codegenJson(use.descriptorVersion);
    addMoreFormats(document, use.descriptorVersion);
    document["element_catalogue"] = typesJson(format::elementCatalogue());
    document["serialization_types"] = typesJson(format::serializationTypes());
    document["blob_types"] = typesJson(format::blobTypes());
    printDocument(session, document, {});
    return kDone;
}

} // namespace kernscope::cli
