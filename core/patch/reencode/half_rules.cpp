// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/reencode/half_rules.h"

#include "core/bundle/bundle.h"
#include "core/bundle/half_counts.h"
#include "core/codec/decode/decoder.h"
#include "core/format/table_rows.h"
#include "core/numeric/half.h"

#include <bit>
#include <cmath>
#include <map>

#include <fmt/format.h>

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

tl::unexpected<Error> notMade(const Weight &weight, std::string found)
{
    return refused("encode.verify", weight.findableName(), "the values rounded to fp16",
                   std::move(found), "The new bundle does not hold what it should");
}

/// What a weight is now against what it was: rounded values exactly where it is stored as such.
Result<HalfWeight> measured(const Bundle &bundle, std::size_t before, const Bundle &made,
                            std::size_t after)
{
    constexpr std::uint64_t kBlock = 65536;
    const Weight &weight = bundle.weights()[before];
    const auto old = TRY(bundle.decoder(before));
    const auto now = TRY(made.decoder(after));
    const std::uint64_t count = old.elements().value;
    if (now.elements().value != count)
        return notMade(weight, "another number of elements");
    const bool plain = weight.sourceOp == "const";
    HalfWeight result{before, after, {}, 0, 0, 0};
    double errors = 0, squares = 0;
    std::vector<float> a(std::min(kBlock, count)), b(a.size());
    for (std::uint64_t at = 0; at < count; at += kBlock) {
        const auto size = static_cast<std::size_t>(std::min(kBlock, count - at));
        old.decodeFloat(at, std::span(a).first(size));
        now.decodeFloat(at, std::span(b).first(size));
        for (std::size_t i = 0; i < size; ++i) {
            HalvedNumbers one;
            const float rounded = halfToFloat(halved(a[i], count, one));
            if (plain &&
                std::bit_cast<std::uint32_t>(rounded) != std::bit_cast<std::uint32_t>(b[i]))
                return notMade(weight, fmt::format("{} at {}", b[i], at + i));
            ++result.counts.elements;
            result.counts.infinite += std::isfinite(a[i]) && std::isinf(b[i]) ? 1 : 0;
            result.counts.zeroed += a[i] != 0 && b[i] == 0 ? 1 : 0;
            result.counts.raised += plain ? one.raised : 0;
            if (!std::isfinite(a[i]) || !std::isfinite(b[i]))
                continue;
            const double error = std::abs(double(a[i]) - double(b[i]));
            result.maxAbs = std::max(result.maxAbs, error);
            errors += error * error;
            squares += double(a[i]) * double(a[i]);
        }
    }
    result.rmse = count > 0 ? std::sqrt(errors / static_cast<double>(count)) : 0;
    result.relative = squares > 0 ? std::sqrt(errors / squares) : 0;
    return result;
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

// Weights that became fp16 against what they were.

Result<void> measureWeights(const Bundle &bundle, HalfBundle &result)
{
    for (const Diagnostic &diagnostic : result.made->diagnostics()) {
        if (diagnostic.severity == Severity::Error && !hasErrors(bundle.diagnostics()))
            return refused("encode.verify", {}, "a sound bundle", describe(diagnostic.error),
                           "The new bundle does not hold what it should");
    }
    for (std::size_t i = 0; i < bundle.weights().size(); ++i) {
        const Weight &weight = bundle.weights()[i];
        if (weight.type != ElementType::Fp32 || weight.fault)
            continue;
        const auto after = result.made->weightByName(weight.address());
        if (!after)
            return notMade(weight, "no such weight");
        if (result.made->weights()[*after].type == ElementType::Fp32)
            result.kept.push_back(i);
        else
            result.weights.push_back(TRY(measured(bundle, i, *result.made, *after)));
    }
    return {};
}

} // namespace kernscope::patch
