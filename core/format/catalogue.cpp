// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/catalogue.h"

#include "core/base/find.h"
#include "core/format/table_rows.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace kernscope::format {

namespace {

constexpr std::array<std::string_view, 4> kConfidenceNames{"verified", "documented", "contested",
                                                           "assumed"};

std::vector<CatalogueRow> rowsOf(std::string_view table, std::string_view codeColumn)
{
    return tables::loadRows<CatalogueRow>(table,
                                          {{codeColumn, &CatalogueRow::code},
                                           {"name", &CatalogueRow::name},
                                           {"bits", &CatalogueRow::bits},
                                           {"capability_byte", &CatalogueRow::capabilityByte},
                                           {"in_kernel_unit", &CatalogueRow::inKernelUnit},
                                           {"since_compiler", &CatalogueRow::sinceCompiler},
                                           {"confidence", &CatalogueRow::confidence},
                                           {"source", &CatalogueRow::source},
                                           {"note", &CatalogueRow::note}});
}

const CatalogueRow *findIn(std::span<const CatalogueRow> rows, std::uint32_t code)
{
    return findBy(rows, &CatalogueRow::code, code);
}

/// The row of that name; an empty set where the table has none.
CodeSet setNamed(std::string_view name)
{
    const auto rows = tables::loadRows<CodeSet>("code_sets", {{"set", &CodeSet::name},
                                                              {"first_code", &CodeSet::firstCode},
                                                              {"mask", &CodeSet::mask},
                                                              {"guard", &CodeSet::guard},
                                                              {"confidence", &CodeSet::confidence},
                                                              {"source", &CodeSet::source},
                                                              {"note", &CodeSet::note}});
    const auto *at = findBy(rows, &CodeSet::name, name);
    return !at ? CodeSet() : *at;
}

} // namespace

std::string_view confidenceName(Confidence confidence)
{
    return kConfidenceNames[static_cast<std::size_t>(confidence)];
}

Confidence confidenceFromName(std::string_view name)
{
    for (std::size_t i = 0; i < kConfidenceNames.size(); ++i) {
        if (kConfidenceNames[i] == name)
            return static_cast<Confidence>(i);
    }
    return Confidence::Assumed;
}

std::span<const CatalogueRow> elementCatalogue()
{
    static const auto rows = rowsOf("element_catalogue", "type_number");
    return rows;
}

std::span<const CatalogueRow> tensorFormats()
{
    static const auto rows = rowsOf("tensor_formats", "code");
    return rows;
}

std::span<const CatalogueRow> serializationTypes()
{
    static const auto rows = rowsOf("serialization_types", "code");
    return rows;
}

std::span<const CatalogueRow> blobTypes()
{
    static const auto rows = rowsOf("blob_types", "code");
    return rows;
}

bool isDmaConvertibleToFp16(TensorFormat format)
{
    return dmaConvertibleToFp16().has(format.value);
}

const CatalogueRow *find(TypeNumber number)
{
    return findIn(elementCatalogue(), number.value);
}

const CatalogueRow *find(TensorFormat format)
{
    return findIn(tensorFormats(), format.value);
}

const CatalogueRow *find(SerializationType type)
{
    return findIn(serializationTypes(), type.value);
}

const CatalogueRow *find(BlobType type)
{
    return findIn(blobTypes(), type.value);
}

const CodeSet &paletteFormats()
{
    static const CodeSet set = setNamed("palette_formats");
    return set;
}

const CodeSet &unityFormats()
{
    static const CodeSet set = setNamed("unity_formats");
    return set;
}

const CodeSet &nativeKernelFormats()
{
    static const CodeSet set = setNamed("native_kernel_formats");
    return set;
}

const CodeSet &dmaConvertibleToFp16()
{
    static const CodeSet set = setNamed("dma_folds_to_fp16");
    return set;
}

std::span<const Reading> readings()
{
    static const auto all =
        tables::loadRows<Reading>("contested", {{"topic", &Reading::topic},
                                                {"subject", &Reading::subject},
                                                {"reading", &Reading::text},
                                                {"taken", &Reading::taken},
                                                {"source", &Reading::source},
                                                {"note", &Reading::note},
                                                {"confidence", &Reading::confidence}});
    return all;
}

std::vector<Reading> readingsOf(std::string_view topic)
{
    std::vector<Reading> found;
    std::copy_if(readings().begin(), readings().end(), std::back_inserter(found),
                 [topic](const Reading &row) { return row.topic == topic; });
    return found;
}

std::vector<Reading> readingsAbout(std::string_view subject)
{
    std::vector<Reading> found;
    std::copy_if(readings().begin(), readings().end(), std::back_inserter(found),
                 [subject](const Reading &row) { return row.subject == subject; });
    return found;
}

std::span<const WeightElementRole> weightElementRoles()
{
    static const auto all = tables::loadRows<WeightElementRole>(
        "weight_element_roles", {{"name", &WeightElementRole::name},
                                 {"width", &WeightElementRole::width},
                                 {"role", &WeightElementRole::role},
                                 {"source", &WeightElementRole::source},
                                 {"confidence", &WeightElementRole::confidence}});
    return all;
}

std::vector<EngineNote> engineNotes(std::string_view topic)
{
    auto notes =
        tables::loadRows<EngineNote>("engine_notes", {{"topic", &EngineNote::topic},
                                                      {"what", &EngineNote::what},
                                                      {"text", &EngineNote::text},
                                                      {"quoted", &EngineNote::quoted},
                                                      {"source", &EngineNote::source},
                                                      {"confidence", &EngineNote::confidence}});
    if (!topic.empty())
        std::erase_if(notes, [topic](const EngineNote &note) { return note.topic != topic; });
    return notes;
}

std::span<const Fp8Format> fp8Formats()
{
    static const auto all =
        tables::loadRows<Fp8Format>("fp8_formats", {{"format", &Fp8Format::name},
                                                    {"sign_bits", &Fp8Format::sign},
                                                    {"exponent_bits", &Fp8Format::exponent},
                                                    {"mantissa_bits", &Fp8Format::mantissa},
                                                    {"bias", &Fp8Format::bias},
                                                    {"max_finite", &Fp8Format::largest},
                                                    {"role", &Fp8Format::role},
                                                    {"gate", &Fp8Format::gate},
                                                    {"register", &Fp8Format::registers},
                                                    {"on_m5", &Fp8Format::onM5},
                                                    {"source", &Fp8Format::source},
                                                    {"confidence", &Fp8Format::confidence}});
    return all;
}

std::vector<StaleCache> staleCaches(std::string_view kind)
{
    static const auto all =
        tables::loadRows<StaleCache>("stale_caches", {{"kinds", &StaleCache::kinds},
                                                      {"place", &StaleCache::place},
                                                      {"what", &StaleCache::what},
                                                      {"clear", &StaleCache::clear},
                                                      {"source", &StaleCache::source},
                                                      {"confidence", &StaleCache::confidence}});
    std::vector<StaleCache> rows;
    for (const StaleCache &row : all) {
        if ((" " + row.kinds + " ").find(" " + std::string(kind) + " ") != std::string::npos)
            rows.push_back(row);
    }
    return rows;
}

} // namespace kernscope::format
