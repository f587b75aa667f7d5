// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/target/target.h"

#include "core/base/text.h"
#include "core/format/table_rows.h"
#include "core/target/registry.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::target {

namespace {

/// T600x stands for T6000, T6001, …: a last 'x' for one digit.
bool matches(std::string_view known, std::string_view asked)
{
    if (known == asked)
        return true;
    const bool pattern = known.size() == asked.size() && known.size() > 2 && known.front() == 't' &&
                         known.back() == 'x';
    return pattern && known.substr(0, known.size() - 1) == asked.substr(0, asked.size() - 1) &&
           asked.back() >= '0' && asked.back() <= '9';
}

Error unknownName(std::string_view name)
{
    constexpr std::size_t kFar = 3;
    std::vector<std::pair<std::size_t, std::string>> near;
    for (const Target &target : targets()) {
        std::size_t best = std::min(kFar, wordDistance(lowerCase(target.name), lowerCase(name)));
        for (const std::string &alias : target.aliases)
            best = std::min(best, wordDistance(lowerCase(alias), lowerCase(name)));
        near.emplace_back(best, target.name);
    }
    std::ranges::stable_sort(near, [](const auto &a, const auto &b) { return a.first < b.first; });
    std::string expected;
    for (std::size_t i = 0; i < near.size() && i < 5; ++i)
        expected += (i == 0 ? "" : ", ") + near[i].second;
    return valueError("target.name", "target", "a target or one of its names, such as " + expected,
                      name, fmt::format("No target is called \"{}\".", name));
}

Result<ChosenFigure> chooseFigure(const Target &target, std::string_view fact,
                                  std::optional<unsigned> own, std::optional<unsigned> wanted)
{
    const auto known = claims(target, fact);
    const bool contested = isContested(target, fact);
    std::string values;
    for (const Claim &claim : known) {
        const auto number = parseInteger(claim.value);
        if (!number)
            continue;
        const auto value = static_cast<unsigned>(*number);
        if (wanted ? value == *wanted : claim.byDefault)
            return ChosenFigure{value, claim.source, claim.confidence, contested};
        values += (values.empty() ? "" : ", ") + claim.value;
    }
    if (!wanted || wanted == own)
        return ChosenFigure{own, own ? target.source : std::string(), target.confidence, contested};
    if (own && values.empty())
        values = fmt::format("{}", *own);
    return refused("target.claim", fact, values.empty() ? "unknown" : values,
                   fmt::format("{}", *wanted),
                   fmt::format("No source gives {} this {}.", target.name,
                               fact == "cores" ? "number of cores" : "descriptor version"));
}

/// How closely a rule speaks of a target: 0 not at all.
int closeness(const TargetRule &rule, const Target &target)
{
    if (rule.scope == target.name)
        return 3;
    if (!target.family.empty() && rule.scope == target.family)
        return 2;
    return rule.scope == "*" ? 1 : 0;
}

/// The target that a rule for all names; the first one of the table where it names none.
const Target &targetOfRule(std::string_view name)
{
    for (const TargetRule &rule : targetRules()) {
        const auto named = rule.rule == name ? findTarget(rule.value) : tl::unexpected(Error());
        if (named)
            return *named->target;
    }
    return targets().front();
}

} // namespace

std::span<const Target> targets()
{
    return Registry::get().targets;
}

std::span<const Claim> claims(const Target &target, std::string_view fact)
{
    const auto &all = Registry::get().claims;
    const auto at = all.find({target.index, std::string(fact)});
    return at == all.end() ? std::span<const Claim>() : std::span<const Claim>(at->second);
}

bool isContested(const Target &target, std::string_view fact)
{
    const auto known = claims(target, fact);
    return std::ranges::any_of(
        known, [&](const Claim &claim) { return claim.value != known.front().value; });
}

Result<NamedTarget> findTarget(std::string_view name)
{
    const std::string lower = lowerCase(name);
    NamedTarget found;
    for (const Registry::Name &known : Registry::get().names) {
        if (!matches(known.lower, lower))
            continue;
        const Target &target = targets()[known.target];
        if (known.byDefault && !found.target) {
            found.target = &target;
            found.source = known.source;
        } else if (&target != found.target) {
            found.others.push_back({&target, known.source});
        }
    }
    if (!found.target)
        return tl::unexpected(unknownName(name));
    return found;
}

Result<ChosenFigure> cores(const Target &target, const TargetChoice &choice)
{
    return chooseFigure(target, "cores", target.cores, choice.cores);
}

Result<ChosenFigure> descriptorVersion(const Target &target, const TargetChoice &choice)
{
    return chooseFigure(target, "descriptor_version", target.descriptorVersion,
                        choice.descriptorVersion);
}

std::span<const DeviceBucket> deviceBuckets()
{
    return Registry::get().buckets;
}

const DeviceBucket *deviceBucket(unsigned count)
{
    const DeviceBucket *found = nullptr;
    for (const DeviceBucket &bucket : deviceBuckets()) {
        if (count > bucket.above)
            found = &bucket;
    }
    return found;
}

std::span<const FamilyFloor> familyFloors()
{
    static const auto all =
        tables::loadRows<FamilyFloor>("family_floors", {{"floor", &FamilyFloor::floor},
                                                        {"floor", &FamilyFloor::index},
                                                        {"family", &FamilyFloor::family},
                                                        {"operations", &FamilyFloor::operations},
                                                        {"source", &FamilyFloor::source},
                                                        {"note", &FamilyFloor::note},
                                                        {"confidence", &FamilyFloor::confidence}});
    return all;
}

std::optional<bool> reachesFloor(const Target &target, const FamilyFloor &floor)
{
    if (!floor.index || !target.familyIndex)
        return std::nullopt;
    return *target.familyIndex >= *floor.index;
}

std::string_view halLayoutName(HalLayout layout)
{
    return layout == HalLayout::Chapters ? "9.509" : "10.26.6";
}

std::string halOffsetText(HalOffset offset)
{
    return fmt::format("{:#05x}", offset.value);
}

std::span<const HalField> halFields()
{
    return Registry::get().fields;
}

const HalValue *halValue(const Target &target, HalLayout layout, HalOffset offset)
{
    const Registry &registry = Registry::get();
    if (target.index >= registry.valueOf.size())
        return nullptr;
    const auto &known = registry.valueOf[target.index];
    const auto at = known.find(halKey(layout, offset));
    return at == known.end() ? nullptr : &registry.values[at->second];
}

std::optional<bool> halBit(const Target &target, HalOffset offset)
{
    const HalValue *value = halValue(target, HalLayout::Chapters, offset);
    if (!value || !value->number)
        return std::nullopt;
    return (*value->number & 1) != 0;
}

std::span<const ChipFact> chipFacts()
{
    return Registry::get().facts;
}

DmaFormat checkDmaFormat(const Target &target, format::TensorFormat tensorFormat)
{
    constexpr std::uint32_t kFirstWithByte = 0xb;
    if (tensorFormat.value < kFirstWithByte)
        return {std::nullopt, true};
    const format::CatalogueRow *row = format::find(tensorFormat);
    if (row == nullptr || !row->capabilityByte)
        return {};
    const HalOffset byte{*row->capabilityByte};
    return {byte, halBit(target, byte)};
}

std::span<const TargetRule> targetRules()
{
    static const auto rules =
        tables::loadRows<TargetRule>("target_rules", {{"rule", &TargetRule::rule},
                                                      {"scope", &TargetRule::scope},
                                                      {"value", &TargetRule::value},
                                                      {"source", &TargetRule::source},
                                                      {"note", &TargetRule::note},
                                                      {"confidence", &TargetRule::confidence}});
    return rules;
}

const TargetRule *targetRule(const Target &target, std::string_view name)
{
    const TargetRule *found = nullptr;
    int best = 0;
    for (const TargetRule &rule : targetRules()) {
        const int close = rule.rule == name ? closeness(rule, target) : 0;
        if (close > best) {
            best = close;
            found = &rule;
        }
    }
    return found;
}

const Target &defaultTarget()
{
    static const Target &chosen = targetOfRule("default_target");
    return chosen;
}

const Target &comparedTarget()
{
    static const Target &chosen = targetOfRule("compared_target");
    return chosen;
}

std::optional<unsigned> encoderVersion(const Target &target)
{
    const TargetRule *rule = targetRule(target, "encoder_version");
    const auto version = rule ? parseInteger(rule->value) : std::nullopt;
    return version && *version > 0 ? std::optional(static_cast<unsigned>(*version))
                                   : target.descriptorVersion;
}

std::optional<bool> sharesKernelMemory(const Target &target)
{
    const TargetRule *rule = targetRule(target, "kernel_memory");
    return rule ? std::optional(rule->value == "shared") : std::nullopt;
}

} // namespace kernscope::target
