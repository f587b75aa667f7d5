// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/weight_form.h"

#include "core/base/hash.h"
#include "core/form/form_steps.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::decision {

namespace {

std::string_view valuesKey(ElementType element)
{
    switch (element) {
    case ElementType::Fp8E4M3Fn: return "e4m3";
    case ElementType::Fp8E5M2: return "e5m2";
    default: return "dense";
    }
}

std::string nodeKey(const WeightForm &form)
{
    const StepFacts &facts = stepFacts(form.node);
    if (facts.key.empty())
        return std::string(valuesKey(form.element));
    if (!facts.fp4Key.empty() && form.element == ElementType::Fp4E2M1)
        return std::string(facts.fp4Key);
    const bool bits =
        facts.keyBits == KeyBits::Always || (facts.keyBits == KeyBits::BelowEight && form.bits < 8);
    return bits ? fmt::format("{}{}", facts.key, form.bits) : std::string(facts.key);
}

} // namespace

std::string WeightForm::key() const
{
    const std::string name = nodeKey(*this);
    if (!masked || node == FormNode::Unknown)
        return name;
    return node == FormNode::Dense ? "sparse" : "sparse+" + name;
}

bool WeightForm::hasChannelScales() const
{
    return stepFacts(node).kind == StepKind::ChannelScales;
}

bool WeightForm::isBlocks() const
{
    return stepFacts(node).kind == StepKind::BlockScales;
}

bool WeightForm::plain() const
{
    if (node == FormNode::Dense && !masked)
        return true;
    const auto types = stepFacts(node).plainTypes;
    const bool known = std::find(types.begin(), types.end(), element) != types.end();
    return known && (!isPalette() || vectorSize == 1);
}

std::string WeightForm::signature() const
{
    const auto flag = [](const std::optional<bool> &value) {
        return value ? (*value ? '1' : '0') : '?';
    };
    return fmt::format("{}/{}/{}/{}/{}/{}{}{}{}{}{}{}{}", key(), elementTypeName(element),
                       vectorSize, codebooks, zeroPoint, flag(use.unitStride), flag(use.dilated),
                       flag(use.tileOverlap), flag(use.immutable), flag(use.kernel),
                       use.bias ? "b" : "", elements == 0 ? "/none" : "",
                       scaledPalette ? "/scaled" : "");
}

std::size_t hashOf(const WeightForm &form)
{
    return HashSum(form.node, form.masked, form.bits, form.element, form.vectorSize, form.codebooks,
                   form.zeroPoint, form.storedBytes, form.density, form.shape)
        .value();
}

} // namespace kernscope::decision
