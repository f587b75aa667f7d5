// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/build_facts.h"

#include "core/base/json_place.h"
#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/container/mil/model_metadata.h"
#include "core/container/mil/program.h"
#include "core/container/mil/sniff.h"

#include <algorithm>
#include <array>
#include <utility>

#include <nlohmann/json.hpp>

namespace kernscope {

namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostMetadataBytes = std::size_t(1) << 20;

/// Texts within lists and tuples, in order.
void appendTexts(const mil::ProgramValue &value, std::vector<std::string> &texts)
{
    if (const auto *members = std::get_if<mil::Values>(&value.content)) {
        for (const mil::ProgramValue &member : *members)
            appendTexts(member, texts);
    } else if (const mil::Literal *literal = value.literal()) {
        texts.insert(texts.end(), literal->strings.begin(), literal->strings.end());
    }
}

void appendBuildInfo(const mil::Program &program, std::vector<BuildFact> &facts)
{
    for (const mil::Argument &attribute : program.attributes) {
        if (attribute.name != "buildInfo")
            continue;
        std::vector<std::string> texts;
        for (const mil::ProgramValue &value : attribute.values)
            appendTexts(value, texts);
        for (std::size_t i = 0; i + 1 < texts.size(); i += 2)
            facts.push_back({std::move(texts[i]), std::move(texts[i + 1])});
    }
}

/// metadata.json is a list of one object a model.
void appendMetadata(std::span<const std::byte> bytes, std::vector<BuildFact> &facts)
{
    if (bytes.size() > kMostMetadataBytes)
        return;
    const std::string_view text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    const Json json = jsonFits(text) ? Json::parse(text, nullptr, false) : Json();
    if (!json.is_array())
        return;
    for (const Json &model : json) {
        if (!model.is_object())
            continue;
        for (const char *key : {"shortDescription", "version", "author", "license"}) {
            const auto said = model.find(key);
            const auto *words =
                said == model.end() ? nullptr : said->get_ptr<const std::string *>();
            if (words && !words->empty())
                facts.push_back({key, *words});
        }
        const auto own = model.find("userDefinedMetadata");
        if (own == model.end() || !own->is_object())
            continue;
        for (const auto &[key, value] : own->items()) {
            if (const auto *said = value.get_ptr<const std::string *>())
                facts.push_back({key, *said});
        }
    }
}

} // namespace

std::vector<BuildFact> buildFacts(const Bundle &bundle)
{
    std::vector<BuildFact> facts;
    appendBuildInfo(bundle.programOutline(), facts);
    if (const auto metadata = bundle.fileByPath("metadata.json")) {
        const BundleReadLock lock(bundle);
        appendMetadata(bundle.files()[*metadata].file->bytes(), facts);
    } else if (bundle.programFile() != kNoIndex) {
        const BundleReadLock lock(bundle);
        const BundleFile &model = bundle.files()[bundle.programFile()];
        const auto bytes = model.file->bytes();
        if (isModelProtobuf(bytes, model.path)) {
            for (auto &[key, value] : mil::modelMetadata(bytes))
                facts.push_back({std::move(key), std::move(value)});
        }
    }
    return facts;
}

std::vector<std::string> buildTools(const std::vector<BuildFact> &facts)
{
    constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kTools{
        {{"com.github.apple.coremltools.version", "coremltools"},
         {"coremltools-version", "coremltools"},
         {"coremlc-version", "coremlc"}}};
    std::vector<std::string> tools;
    for (const auto &tool : kTools) {
        const auto fact = std::find_if(facts.begin(), facts.end(), [&tool](const BuildFact &each) {
            return each.key == tool.first && !each.value.empty();
        });
        const std::string begin = std::string(tool.second) + ' ';
        const bool known = std::any_of(tools.begin(), tools.end(), [&](const std::string &each) {
            return each.starts_with(begin);
        });
        if (fact != facts.end() && !known)
            tools.push_back(begin + fact->value);
    }
    return tools;
}

} // namespace kernscope
