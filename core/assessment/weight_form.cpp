// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/weight_form.h"

#include "core/base/hash.h"
#include "core/bundle/bundle.h"
#include "core/form/form_steps.h"

#include <cmath>

#include <fmt/format.h>

namespace kernscope {

codec::LayerShape layerShape(const Shape &shape, const ChannelAxes &axes)
{
    if (axes.output >= shape.size() || axes.batches > axes.output)
        return codec::layerOf(shape);
    codec::LayerShape layer{shape[axes.output], 1, 1, 1};
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (i < axes.batches)
            layer.groups *= shape[i];
        else if (i < axes.output)
            layer.outer *= shape[i];
        else if (i > axes.output)
            layer.inner *= shape[i];
    }
    // Of some rows of axis 0 the groups cannot always be told apart.
    if (axes.groups > 1 && axes.output > 0 && layer.outer % axes.groups == 0) {
        layer.groups *= axes.groups;
        layer.outer /= axes.groups;
    }
    return layer;
}

codec::FormSpec alongChannels(codec::FormSpec form, const ChannelAxes &axes)
{
    if (form.affine.axis)
        form.affine.axis = axes.output;
    form.blockwise.axis = axes.input;
    form.blockwise.channels = axes.output;
    if (form.pattern)
        form.pattern->axis = axes.input;
    return form;
}

} // namespace kernscope

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
    const bool known = std::ranges::find(types, element) != types.end();
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

namespace kernscope {

double zeroShare(std::span<const float> values)
{
    if (values.empty())
        return 0;
    const auto zeros =
        std::ranges::count_if(values, [](float value) { return std::abs(value) <= 0x1p-25F; });
    return static_cast<double>(zeros) / static_cast<double>(values.size());
}

void readZerosBehindMask(const Bundle &bundle, std::size_t index, decision::WeightForm &form)
{
    const Weight &weight = bundle.weights()[index];
    if (!form.masked || form.key() == "sparse" || weight.fault || weight.elements.value == 0 ||
        weight.elements.value > kMostValuesRead)
        return;
    const auto decoder = bundle.decoder(index);
    if (!decoder)
        return;
    std::vector<float> values(weight.elements.value);
    {
        const BundleReadLock lock(bundle);
        decoder->decodeFloat(0, values);
    }
    form.nonzero = 1 - zeroShare(values);
}

} // namespace kernscope
