// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/format_json.h"

#include "core/target/dma_format.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kernscope::report {

namespace {

using format::CatalogueRow;
using format::KernelFormatRow;

template <class T>
Json formatNumber(const Result<T> &number)
{
    return number ? Json(number->value) : Json();
}

const char *ruleStateName(format::RuleState state)
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
    json["palette_format"] = formatNumber(format::paletteEntryFormat(row.format));
    const auto type = format::underlyingType(row.format);
    json["underlying_type"] = type ? Json(*type) : Json();
    json["palette_lut_bytes"] = formatNumber(format::paletteLutBytes(row.format, 1));
    json["type_number"] = formatNumber(format::typeNumber(row.format));
    json["register_value"] = row.registerValue ? Json(*row.registerValue) : Json();
    const auto legal = legality.verdict();
    json["legal"] = legal ? Json(*legal) : Json(); // null: a rule cannot be answered
    const format::LegalityRule *refusal = legality.refusal();
    json["refused_by"] = refusal != nullptr ? Json(refusal->name) : Json();
    json["rules"] = Json::array();
    for (const format::LegalityRule &rule : legality.rules)
        json["rules"].push_back({{"name", rule.name},
                                 {"state", ruleStateName(rule.state)},
                                 {"required", rule.required},
                                 {"found", rule.found},
                                 {"source", rule.source},
                                 {"confidence", format::confidenceName(rule.confidence)}});
    json["confidence"] = format::confidenceName(row.confidence);
    json["source"] = row.source;
    json["note"] = row.note;
    return json;
}

} // namespace

Json kernelFormatsJson(const format::FormatUse &use)
{
    Json list = Json::array();
    for (const KernelFormatRow &row : format::kernelFormats())
        list.push_back(formatJson(row, format::checkKernelFormat(row, use)));
    return list;
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

} // namespace kernscope::report
