// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/build_facts.h"

#include "core/base/error_builder.h"
#include "core/bundle/bundle.h"
#include "core/container/mil/program.h"

#include <array>

namespace kernscope {

namespace {

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

} // namespace

std::vector<BuildFact> buildFacts(const Bundle &bundle)
{
    std::vector<BuildFact> facts;
    appendBuildInfo(*bundle.program(), facts);
    const auto &described = bundle.program()->descriptions;
    if (!described.empty() && described.front().model.empty()) {
        for (const auto &[key, value] : described.front().metadata)
            facts.push_back({key, value});
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
        const auto fact = std::ranges::find_if(facts, [&tool](const BuildFact &each) {
            return each.key == tool.first && !each.value.empty();
        });
        const std::string begin = std::string(tool.second) + ' ';
        const bool known = std::ranges::any_of(
            tools, [&](const std::string &each) { return each.starts_with(begin); });
        if (fact != facts.end() && !known)
            tools.push_back(begin + fact->value);
    }
    return tools;
}

bool isOfOldNetwork(const Weight &weight)
{
    return weight.form.words() == FormWords::Network;
}

bool isOldNetwork(const Bundle &bundle)
{
    const auto &weights = bundle.weights();
    return !weights.empty() && std::ranges::all_of(weights, isOfOldNetwork);
}

Error oldNetworkError(std::string code, const std::string &weight)
{
    return valueError(
        code, weight, "a weight of an ML program",
        "a layer of an old neural network (NeuralNetwork.proto)",
        "Its layers have no statements and no shapes to go by: convert the model to an ML "
        "program, or patch the values of its weights");
}

} // namespace kernscope
