// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/compression_config.h"
#include "core/base/text.h"
#include "core/compare/limits.h"
#include "tests/fuzz/fuzz_check.h"

#include <cmath>
#include <string_view>

using namespace kernscope;

namespace {

void checkNumbers(const ValueLimits &limits)
{
    for (const ValueLimit limit : {&ValueLimits::maxAbs, &ValueLimits::maxRel, &ValueLimits::maxUlp,
                                   &ValueLimits::minCosine, &ValueLimits::minSnr})
        fuzz::require(!(limits.*limit) || std::isfinite(*(limits.*limit)));
    fuzz::require(limits.maxAbs.value_or(0) >= 0 && limits.maxRel.value_or(0) >= 0 &&
                  limits.maxUlp.value_or(0) >= 0);
}

} // namespace

/// Rules have finite limits and a pattern each, or there is an error that says where; as a
/// configuration of compression the text is read or refused.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char *>(data), size);
    if (const auto config = readCompressionConfig(text, "config.yaml"); !config)
        fuzz::require(config.error().code == "coverage.config");
    if (const auto form = readExpectedForm(text))
        fuzz::require(!form->pattern.empty() && !form->form.empty());
    const auto rules = parseRules(text, "rules.toml");
    if (!rules) {
        fuzz::require(rules.error().code == "diff.rules");
        fuzz::require(rules.error().field.starts_with("line "));
        fuzz::require(!rules.error().message.empty());
        return 0;
    }
    checkNumbers(rules->values);
    for (const LimitRule &rule : rules->rules) {
        fuzz::require(!rule.pattern.empty());
        checkNumbers(rule.limits);
        fuzz::require(matchesPattern(rule.pattern, rule.pattern));
    }
    return 0;
}
