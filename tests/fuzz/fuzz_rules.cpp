// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/compression_config.h"
#include "core/base/overlaid_file.h"
#include "core/base/text.h"
#include "core/bundle/bundle.h"
#include "core/compare/limits.h"
#include "core/plan/weight_error.h"
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

/// Weights whose names have what names of modules are made of, and a long one.
const Bundle &weights()
{
    static const BundlePtr bundle = [] {
        std::string json = "{";
        for (const std::string &name :
             {std::string("model.layers.0.fc.weight"), std::string("layers_10_fc_weight_quantized"),
              std::string(300, 'a') + ".bias"})
            json += (json.size() > 1 ? ",\"" : "\"") + name +
                    "\":{\"dtype\":\"U8\",\"shape\":[2,0],\"data_offsets\":[0,0]}";
        json += "}";
        std::vector<std::byte> bytes(8);
        bytes[0] = static_cast<std::byte>(json.size() & 0xff);
        bytes[1] = static_cast<std::byte>(json.size() >> 8);
        for (const char letter : json)
            bytes.push_back(static_cast<std::byte>(letter));
        const auto opened =
            Bundle::open("x.safetensors", {.memory = {{"x.safetensors", std::move(bytes)}}});
        fuzz::require(opened && (*opened)->weights().size() == 3);
        return *opened;
    }();
    return *bundle;
}

} // namespace

/// Rules have finite limits and a pattern each, or there is an error that says where; as a
/// configuration of compression, and as a table of sensitivities, the text is read or refused, and
/// what is read is told of every weight.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char *>(data), size);
    if (const auto config = readCompressionConfig(text, "config.yaml"); !config)
        fuzz::require(config.error().code == "coverage.config" && !config.error().found.empty());
    else
        fuzz::require(coverageOf(weights(), *config).rows.size() == weights().weights().size());
    if (const auto all = plan::readSensitivity(weights(), text, "s.csv")) {
        fuzz::require(all->size() == weights().weights().size());
        for (const double each : *all)
            fuzz::require(each >= 0 && std::isfinite(each));
    }
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
