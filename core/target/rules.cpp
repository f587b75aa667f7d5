// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/target/rules.h"

#include "core/format/tables.h"

#include <vector>

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

} // namespace

std::span<const TargetRule> targetRules()
{
    static const std::vector<TargetRule> rules = [] {
        std::vector<TargetRule> rows;
        const auto table = tables::load("target_rules");
        for (std::size_t i = 0; table && i < table->rows(); ++i) {
            TargetRule row;
            row.rule = table->cell(i, "rule");
            row.scope = table->cell(i, "scope");
            row.value = table->cell(i, "value");
            row.source = table->cell(i, "source");
            row.note = table->cell(i, "note");
            row.confidence = format::confidenceFromName(table->cell(i, "confidence"));
            rows.push_back(std::move(row));
        }
        return rows;
    }();
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
    static const Target &chosen = []() -> const Target & {
        for (const TargetRule &rule : targetRules()) {
            const auto named =
                rule.rule == "default_target" ? findTarget(rule.value) : tl::unexpected(Error());
            if (named)
                return *named->target;
        }
        return targets().front();
    }();
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
