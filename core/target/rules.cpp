// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/target/rules.h"

#include "core/format/table_rows.h"

namespace kernscope::target {

namespace {

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
