// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/reencode/half_rules.h"

#include "core/bundle/half_counts.h"
#include "core/format/table_rows.h"
#include "core/numeric/half.h"

#include <map>

namespace kernscope::patch {

namespace {

// coremltools' add_fp16_cast (converters/mil/mil/passes/defs/quantization.py): larger magnitudes
// mean infinity, and of constants with fewer numbers none becomes zero.
constexpr float kMeansInfinity = 1e38F;
constexpr std::uint64_t kKeepsNonZero = 400;

/// A row of half_operands.csv: an operand, or with "*" an operation, that stays as it is.
struct HalfRule {
    std::string operation, operand, why;
    unsigned from = 0;
    std::optional<unsigned> until;
    bool stays = false;
};

/// The rules by operation, and an entry without rules for every other operation that is known.
const std::map<std::string, std::vector<HalfRule>, std::less<>> &halfRules()
{
    static const auto rules = [] {
        std::map<std::string, std::vector<HalfRule>, std::less<>> made;
        struct Known {
            std::string operation;
        };
        for (const Known &each :
             tables::loadRows<Known>("shape_rules", {{"operation", &Known::operation}}))
            made[each.operation];
        for (HalfRule &rule :
             tables::loadRows<HalfRule>("half_operands", {{"operation", &HalfRule::operation},
                                                          {"operand", &HalfRule::operand},
                                                          {"why", &HalfRule::why},
                                                          {"from", &HalfRule::from},
                                                          {"until", &HalfRule::until},
                                                          {"stays", &HalfRule::stays}}))
            made[rule.operation].push_back(std::move(rule));
        return made;
    }();
    return rules;
}

} // namespace

bool isKnownOperation(std::string_view operation)
{
    return halfRules().contains(operation);
}

const std::string *whyStays(std::string_view operation, std::string_view operand, unsigned opset)
{
    const auto rules = halfRules().find(operation);
    if (rules == halfRules().end())
        return nullptr;
    for (const HalfRule &rule : rules->second) {
        if (rule.stays && rule.operand == operand && opset >= rule.from &&
            opset <= rule.until.value_or(opset))
            return &rule.why;
    }
    return nullptr;
}

bool isTooLarge(float value)
{
    return isBeyondHalf(value) && std::abs(value) < kMeansInfinity;
}

std::uint16_t halved(float value, std::uint64_t size, HalvedNumbers &counts)
{
    std::uint16_t half = floatToHalf(value);
    const bool lost = value != 0 && (half & 0x7fffU) == 0;
    if (lost && size < kKeepsNonZero)
        half |= 1U;
    ++counts.elements;
    counts.infinite += isBeyondHalf(value) ? 1 : 0;
    counts.zeroed += lost && size >= kKeepsNonZero ? 1 : 0;
    counts.raised += lost && size < kKeepsNonZero ? 1 : 0;
    return half;
}

} // namespace kernscope::patch
