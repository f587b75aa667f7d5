// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/target/registry.h"

#include "core/base/parts.h"
#include "core/format/table_rows.h"

#include <algorithm>

namespace kernscope::target {

namespace {

void readTargets(Registry &registry)
{
    registry.targets = tables::loadRows<Target>(
        "targets",
        {{"target", &Target::name},
         {"kind", &Target::kind},
         {"since", &Target::since},
         {"aliases", [](Target &row, std::string_view cell) { row.aliases = partsOf(cell, '|'); }},
         {"silicon", &Target::silicon},
         {"product", &Target::product},
         {"family", &Target::family},
         {"family_index", &Target::familyIndex},
         {"hardware_version", &Target::hardwareVersion},
         {"cpusubtype", &Target::cpuSubtype},
         {"descriptor_version", &Target::descriptorVersion},
         {"cores", &Target::cores},
         {"confidence", &Target::confidence},
         {"source", &Target::source},
         {"note", &Target::note}});
    for (std::size_t i = 0; i < registry.targets.size(); ++i) {
        Target &target = registry.targets[i];
        target.index = i;
        registry.names.push_back({lowerCase(target.name), i, true, {}});
        for (const std::string &alias : target.aliases)
            registry.names.push_back({lowerCase(alias), i, true, {}});
    }
}

std::optional<std::size_t> indexOf(const Registry &registry, std::string_view name)
{
    for (const Target &target : registry.targets) {
        if (target.name == name)
            return target.index;
    }
    return std::nullopt;
}

void readClaims(Registry &registry)
{
    struct Row {
        std::string target, fact;
        Claim claim;
    };
    /// A member of the claim itself.
    const auto of = [](auto member) {
        return [member](Row &row, std::string_view cell) {
            tables::readCell(cell, row.claim.*member);
        };
    };
    for (Row &row : tables::loadRows<Row>("target_claims", {{"target", &Row::target},
                                                            {"fact", &Row::fact},
                                                            {"value", of(&Claim::value)},
                                                            {"default", of(&Claim::byDefault)},
                                                            {"source", of(&Claim::source)},
                                                            {"confidence", of(&Claim::confidence)},
                                                            {"note", of(&Claim::note)}})) {
        if (const auto target = indexOf(registry, row.target))
            registry.claims[{*target, row.fact}].push_back(std::move(row.claim));
    }
}

void readNames(Registry &registry)
{
    struct Row {
        std::string target, alias, source;
        bool byDefault = false;
    };
    for (const Row &row : tables::loadRows<Row>("target_names", {{"target", &Row::target},
                                                                 {"alias", &Row::alias},
                                                                 {"source", &Row::source},
                                                                 {"default", &Row::byDefault}})) {
        const auto target = indexOf(registry, row.target);
        if (!target)
            continue;
        std::erase_if(registry.names, [&](const Registry::Name &known) {
            return known.lower == lowerCase(row.alias) && known.target == *target;
        });
        registry.names.push_back(
            {lowerCase(row.alias), *target, row.byDefault, row.source, row.alias});
        auto &aliases = registry.targets[*target].aliases;
        if (row.byDefault && std::ranges::find(aliases, row.alias) == aliases.end())
            aliases.insert(aliases.begin(), row.alias);
    }
}

HalLayout layoutOf(std::string_view name)
{
    return name == halLayoutName(HalLayout::Chapters) ? HalLayout::Chapters : HalLayout::Later;
}

/// Rows of both HAL tables begin with the same: layout and offset.
struct HalPlace {
    HalLayout layout = HalLayout::Later;
    std::optional<std::uint32_t> offset;
};

void readFields(Registry &registry)
{
    struct Row : HalPlace {
        std::string name, source, note;
        bool byte = false;
        Confidence confidence = Confidence::Documented;
    };
    for (const Row &row : tables::loadRows<Row>(
             "hal_fields",
             {{"layout", [](Row &to, std::string_view cell) { to.layout = layoutOf(cell); }},
              {"offset", [](Row &to, std::string_view cell) { tables::readCell(cell, to.offset); }},
              {"name", &Row::name},
              {"kind", [](Row &to, std::string_view cell) { to.byte = cell == "byte"; }},
              {"source", &Row::source},
              {"confidence", &Row::confidence},
              {"note", &Row::note}})) {
        if (row.offset)
            registry.fields.push_back({row.layout, HalOffset{*row.offset}, row.name, row.byte,
                                       row.source, row.confidence, row.note});
    }
}

/// 2 for the target itself, 1 for its family, 0 for all targets of the layout; -1: none of these.
int scopeRank(const Target &target, HalLayout layout, std::string_view scope)
{
    if (scope == target.name)
        return 2;
    if (!target.family.empty() && scope == target.family)
        return 1;
    const bool inLayout = layout == HalLayout::Later || target.ofTheChapters();
    return scope == "*" && inLayout ? 0 : -1;
}

void readValues(Registry &registry)
{
    struct Row : HalPlace {
        std::string text, scope, source;
        Confidence confidence = Confidence::Documented;
    };
    registry.valueOf.resize(registry.targets.size());
    std::vector<std::unordered_map<std::uint64_t, int>> ranks(registry.targets.size());
    for (const Row &row : tables::loadRows<Row>(
             "hal_values",
             {{"layout", [](Row &to, std::string_view cell) { to.layout = layoutOf(cell); }},
              {"offset", [](Row &to, std::string_view cell) { tables::readCell(cell, to.offset); }},
              {"value", &Row::text},
              {"scope", &Row::scope},
              {"source", &Row::source},
              {"confidence", &Row::confidence}})) {
        if (!row.offset)
            continue;
        HalValue value;
        value.text = row.text;
        value.number = parseInteger(value.text);
        value.scope = row.scope;
        value.source = row.source;
        value.confidence = row.confidence;
        const std::uint64_t key = halKey(row.layout, HalOffset{*row.offset});
        for (const Target &target : registry.targets) {
            const int rank = scopeRank(target, row.layout, value.scope);
            auto &best = ranks[target.index].try_emplace(key, -1).first->second;
            if (rank > best) {
                best = rank;
                registry.valueOf[target.index][key] = registry.values.size();
            }
        }
        registry.values.push_back(std::move(value));
    }
}

void readRest(Registry &registry)
{
    registry.buckets =
        tables::loadRows<DeviceBucket>("device_buckets", {{"bucket", &DeviceBucket::bucket},
                                                          {"above", &DeviceBucket::above},
                                                          {"die", &DeviceBucket::die},
                                                          {"suffix", &DeviceBucket::suffix},
                                                          {"peak_units", &DeviceBucket::peak},
                                                          {"source", &DeviceBucket::source}});
    registry.facts =
        tables::loadRows<ChipFact>("chip_facts", {{"place", &ChipFact::place},
                                                  {"name", &ChipFact::name},
                                                  {"target", &ChipFact::target},
                                                  {"value", &ChipFact::value},
                                                  {"source", &ChipFact::source},
                                                  {"confidence", &ChipFact::confidence}});
}

Registry readAll()
{
    Registry registry;
    readTargets(registry);
    readClaims(registry);
    readNames(registry);
    readFields(registry);
    readValues(registry);
    readRest(registry);
    return registry;
}

} // namespace

const Registry &Registry::get()
{
    static const Registry registry = readAll();
    return registry;
}

std::vector<std::string> contestedNames(const Target &target)
{
    std::vector<std::string> names;
    for (const Registry::Name &name : Registry::get().names) {
        if (name.target == target.index && !name.byDefault)
            names.push_back(name.text);
    }
    return names;
}

std::string lowerCase(std::string_view text)
{
    std::string lower(text);
    for (char &c : lower) {
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c - 'A' + 'a');
    }
    return lower;
}

} // namespace kernscope::target
