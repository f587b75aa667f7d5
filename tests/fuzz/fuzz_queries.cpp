// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/weight_where.h"
#include "core/audit/audit.h"
#include "core/base/overlaid_file.h"
#include "core/bundle/build_facts.h"
#include "core/bundle/bundle.h"
#include "core/bundle/shapes/infer.h"
#include "core/codec/analysis/reduction.h"
#include "core/search/pattern.h"
#include "core/search/place.h"
#include "tests/fuzz/bundle_seeds.h"
#include "tests/fuzz/fuzz_check.h"

#include <algorithm>

#include <nlohmann/json.hpp>

using namespace kernscope;

namespace {

/// A sound bundle, or a pipeline of it alone, with `metadata` as its metadata.json.
BundlePtr bundleWith(std::string_view metadata, const std::string &folder = {})
{
    static const std::string seed = fuzz::bundleSeeds().front();
    const std::string_view input = seed;
    const std::size_t cut = input.find(fuzz::kWeightsMark);
    const auto bundle = Bundle::open(
        "fuzz.mlmodelc", {.memory = {{folder + "model.mil", fuzz::copyOf(input.substr(0, cut))},
                                     {folder + "weights/weight.bin",
                                      fuzz::copyOf(input.substr(cut + fuzz::kWeightsMark.size()))},
                                     {"metadata.json", fuzz::copyOf(metadata)}}});
    fuzz::require(bundle.has_value() && !(*bundle)->weights().empty());
    return *bundle;
}

void checkFilter(const Bundle &bundle, std::string_view text)
{
    const auto where = WeightWhere::parse(text);
    if (!where) {
        fuzz::require(!where.error().message.empty());
        return;
    }
    for (const Weight &weight : bundle.weights())
        (void)where->passes(weight, {});
}

void checkPatterns(std::string_view text)
{
    const auto check = [](const Result<search::BytePattern> &pattern) {
        if (!pattern) {
            fuzz::require(!pattern.error().message.empty());
            return;
        }
        fuzz::require(pattern->size() > 0 && pattern->mask.size() == pattern->size());
        fuzz::require(pattern->fits(pattern->value));
    };
    check(search::parseBytePattern(text));
    check(search::textPattern(text));
    for (const unsigned width : {1U, 2U, 4U, 8U}) {
        const auto little = search::integerPattern(text, width, false);
        const auto big = search::integerPattern(text, width, true);
        check(little);
        fuzz::require(little.has_value() == big.has_value());
        if (little)
            fuzz::require(
                little->size() == width &&
                std::equal(little->value.begin(), little->value.end(), big->value.rbegin()));
    }
}

/// What was typed names something that the bundle has.
void checkPlace(const Bundle &bundle, std::string_view text)
{
    const auto place = search::parsePlace(bundle, text, 1);
    if (!place) {
        fuzz::require(place.error().code.starts_with("goto."));
        return;
    }
    const auto &weights = bundle.weights();
    fuzz::require(place->bytes || place->weight < weights.size() ||
                  place->section < bundle.sections().size());
    if (place->element)
        fuzz::require(place->weight < weights.size() &&
                      *place->element < weights[place->weight].elements.value);
    if (const auto byte = search::firstByte(bundle, *place))
        fuzz::require(byte->file < bundle.files().size() &&
                      byte->offset.value < bundle.files()[byte->file].file->size().value);
}

void checkShape(std::string_view text)
{
    const auto binding = shapes::parseBinding(text);
    if (!binding)
        return;
    fuzz::require(!binding->input.empty());
    for (const std::int64_t extent : binding->dims)
        fuzz::require(extent == mil::kUnknownExtent || (extent >= 1 && extent <= INT32_MAX));
}

/// What a package says of how it was compressed.
void checkScheme(const BundlePtr &checkpoint, std::string_view text)
{
    const nlohmann::json metadata{{{"userDefinedMetadata", {{"compression", text}}}}};
    const auto audited = audit::auditPackage(
        bundleWith(metadata.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)),
        checkpoint);
    fuzz::require(audited || !audited.error().message.empty());
}

void checkValues(const std::string &text)
{
    const auto halves = codec::parseReductionValues(std::span(&text, 1));
    fuzz::require(halves ? halves->size() <= codec::kMostReductionValues
                         : !halves.error().message.empty());
}

} // namespace

/// What people type, and the remarks of a compiler or converter: any text is read or refused with a
/// message, and what is read names what there is.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char *>(data), size);
    const BundlePtr bundle = bundleWith(text);
    bundleWith(text, "model0/");
    checkScheme(bundle, text);
    checkValues(std::string(text));
    checkFilter(*bundle, text);
    checkPatterns(text);
    checkPlace(*bundle, text);
    checkShape(text);
    for (const std::string &tool : buildTools(buildFacts(*bundle)))
        fuzz::require(!tool.empty());
    return 0;
}
