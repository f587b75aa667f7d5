// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/format_json.h"

#include "core/format/contested.h"
#include "core/report/engine_json.h"
#include "core/report/format_table.h"
#include "core/report/image_table.h"
#include "core/report/json_table.h"

#include <span>

namespace kernscope::report {

namespace {

Json typesJson(std::span<const format::CatalogueRow> rows)
{
    return jsonArray(elementTypeTable(), elementTypeRows({}, rows));
}

} // namespace

Json formatsJson(const target::Target &target, const format::FormatUse &use)
{
    const std::uint32_t version = use.descriptorVersion;
    Json json = document("formats");
    json["target"] = target.name;
    json["descriptor_version"] = version;
    json["kernel_formats"] = jsonArray(kernelFormatTable(), kernelFormatRows(use));
    json["tensor_formats"] = jsonArray(elementTypeTable(), tensorFormatRows(target));
    json["codegen"] = jsonArray(codegenTable(), codegenRows(version));
    json["element_roles"] = jsonArray(elementRoleTable(), format::weightElementRoles());
    json["fold_predicate"] = foldPredicateJson();
    json["double_mac"] = jsonArray(doubleMacTable(), doubleMacPairs());
    json["format_word"] = version == 0 ? Json(nullptr) : formatWordJson(version);
    json["fp8_formats"] = jsonArray(fp8FormatTable(), format::fp8Formats());
    json["notes"] = jsonArray(engineNoteTable(), format::engineNotes());
    json["contested"] = readingsJson(format::readingsAbout("engine"));
    json["element_catalogue"] = typesJson(format::elementCatalogue());
    json["serialization_types"] = typesJson(format::serializationTypes());
    json["blob_types"] = typesJson(format::blobTypes());
    return json;
}

} // namespace kernscope::report
