// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/weight_facts.h"

#include "core/assessment/consumer_kinds.h"
#include "core/assessment/entries.h"
#include "core/assessment/zero_share.h"
#include "core/bundle/bundle.h"
#include "core/bundle/old_network.h"
#include "core/bundle/stored_bytes.h"
#include "core/format/weight_operands.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope {

namespace {

using decision::WeightForm;

bool aboveOne(std::span<const std::uint64_t> numbers)
{
    return std::any_of(numbers.begin(), numbers.end(), [](std::uint64_t n) { return n > 1; });
}

/// Whether every run of every operation that reads the weight is on another backend.
bool isElsewhere(const Entries *entries, const Weight &weight)
{
    const auto elsewhere = [&](const Consumer &consumer) {
        const std::string &selected = consumer.backends.selected;
        if (entries == nullptr)
            return !selected.empty() && selected != roofline::kEngineBackend;
        const auto runs = runsOf(*entries, weight, consumer);
        return !runs.empty() &&
               std::none_of(runs.begin(), runs.end(),
                            [](const roofline::LayerRun &run) { return run.onEngine(); });
    };
    return !weight.consumers.empty() &&
           std::all_of(weight.consumers.begin(), weight.consumers.end(), elsewhere);
}

decision::WeightUse useOf(const Bundle &bundle, const Weight &weight, const Entries *entries)
{
    decision::WeightUse use;
    if (bundle.programFile() != kNoIndex)
        use.immutable = true; // constants of the program, all of them
    use.elsewhere = isElsewhere(entries, weight);
    use.bias = !weight.consumers.empty() &&
               std::all_of(weight.consumers.begin(), weight.consumers.end(),
                           [](const Consumer &each) { return isBiasOperand(each.param); });
    for (const Consumer &consumer : weight.consumers) {
        const bool kernel = hasKernel(consumer);
        use.kernel = use.kernel.value_or(true) && kernel;
        if (!kernel)
            continue;
        const bool convolution = isConvolution(consumer);
        const bool unit = !convolution || !aboveOne(consumer.geometry.strides);
        use.unitStride = use.unitStride.value_or(true) && unit;
        const bool dilated = convolution && aboveOne(consumer.geometry.dilations);
        use.dilated = use.dilated.value_or(false) || dilated;
    }
    return use;
}

/// Whether a zero point or offset holds anything but zeros. A huge one counts as not known to be.
bool hasZeroPoint(const Bundle &bundle, const Weight &weight)
{
    constexpr std::size_t kRead = 1 << 16;
    for (const codec::Operand &operand : weight.operands()) {
        if (operand.role != codec::PartRole::ZeroPoint && operand.role != codec::PartRole::Offset &&
            operand.role != codec::PartRole::Bias)
            continue;
        for (const auto bytes : bundle.operandRuns(operand)) {
            const bool zero = std::all_of(bytes.begin(), bytes.end(),
                                          [](std::byte b) { return b == std::byte{0}; });
            if (bytes.size() > kRead || !zero)
                return true;
        }
    }
    return false;
}

/// Why an operation that reads a weight is no layer.
std::string unassessedReason(const Consumer &consumer)
{
    const std::string op = consumer.op + "." + consumer.param;
    if (isBiasOperand(consumer.param))
        return op + ": added to the output of its layer, one value a channel";
    return op + ": no multiplication by the weight is known of this operation";
}

} // namespace

std::size_t leadingWeight(const Bundle &bundle, std::span<const std::size_t> weights)
{
    const auto rank = [&bundle](std::size_t index) {
        const Weight &weight = bundle.weights()[index];
        const bool layer = std::any_of(weight.consumers.begin(), weight.consumers.end(), isLayer);
        return std::pair(layer, weight.elements.value);
    };
    const auto found = std::max_element(weights.begin(), weights.end(),
                                        [&](auto a, auto b) { return rank(a) < rank(b); });
    return found == weights.end() ? kNoIndex : *found;
}

std::string uncompressibleNote(const Weight &weight)
{
    for (const Consumer &consumer : weight.consumers) {
        const WeightOperand *row = weightOperand(consumer.op, consumer.param);
        if (row && !row->compressible)
            return fmt::format("{} of {} {}: {}", row->operand, row->operation, consumer.name,
                               row->note);
    }
    return {};
}

std::vector<Unassessed> unassessedWeights(const Bundle &bundle)
{
    std::vector<Unassessed> rest;
    for (std::size_t i = 0; i < bundle.weights().size(); ++i) {
        const Weight &weight = bundle.weights()[i];
        const auto &consumers = weight.consumers;
        if (std::any_of(consumers.begin(), consumers.end(), isLayer))
            continue;
        rest.push_back({i, isOfOldNetwork(weight) ? std::string(kOldNetworkReason)
                           : consumers.empty()    ? "no operation of the bundle reads it"
                                                  : unassessedReason(consumers.front())});
    }
    return rest;
}

decision::WeightForm weightForm(const Bundle &bundle, const Weight &weight,
                                std::optional<double> zeroFraction, const Entries *entries)
{
    WeightForm form;
    describeStorage(weight, form);
    form.use = useOf(bundle, weight, entries);
    form.zeroPoint = hasZeroPoint(bundle, weight);
    form.shape = weight.shape;
    form.wide = weight.type == ElementType::Fp32;
    form.elements = weight.elements.value;
    const auto stored = knownStoredBytes(weight);
    form.storedBytes = stored ? std::optional(stored->value) : std::nullopt;
    form.denseBytes = weight.denseFp16Bytes().value;
    if (zeroFraction)
        form.density = 1 - *zeroFraction;
    const codec::Operand *kept = weight.operand(codec::PartRole::NonzeroData);
    if (kept == nullptr) // codes of a codebook in place of values
        kept = weight.operand(codec::PartRole::Indices);
    const auto survivors = kept ? elementCount(kept->declaredShape()) : std::nullopt;
    if (form.masked && survivors && form.elements > 0)
        form.density = std::min(1.0, static_cast<double>(survivors->value) /
                                         static_cast<double>(form.elements));
    return form;
}

std::vector<decision::WeightForm> weightForms(const Bundle &bundle)
{
    std::vector<WeightForm> forms;
    forms.reserve(bundle.weights().size());
    const Entries entries(*bundle.program());
    for (std::size_t i = 0; i < bundle.weights().size(); ++i) {
        forms.push_back(weightForm(bundle, bundle.weights()[i], std::nullopt, &entries));
        readZerosBehindMask(bundle, i, forms.back());
    }
    return forms;
}

} // namespace kernscope
