// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/weight_facts.h"

#include "core/assessment/consumer_kinds.h"
#include "core/assessment/weight_layers.h"
#include "core/bundle/build_facts.h"
#include "core/bundle/stored_bytes.h"
#include "core/form/form_steps.h"
#include "core/format/legality.h"

#include <bit>

#include <fmt/format.h>

namespace kernscope {

namespace {

using decision::WeightForm;

bool aboveOne(std::span<const std::uint64_t> numbers)
{
    return std::ranges::any_of(numbers, [](std::uint64_t n) { return n > 1; });
}

/// Whether every run of every operation that reads the weight is on another backend.
bool isElsewhere(const Entries *entries, const Weight &weight)
{
    const auto elsewhere = [&](const Consumer &consumer) {
        const std::string &selected = consumer.backends.selected;
        if (entries == nullptr)
            return !selected.empty() && selected != roofline::kEngineBackend;
        const auto runs = runsOf(*entries, weight, consumer);
        return !runs.empty() && std::ranges::none_of(runs, &roofline::LayerRun::onEngine);
    };
    return !weight.consumers.empty() && std::ranges::all_of(weight.consumers, elsewhere);
}

decision::WeightUse useOf(const Bundle &bundle, const Weight &weight, const Entries *entries)
{
    decision::WeightUse use;
    if (bundle.programFile() != kNoIndex)
        use.immutable = true; // constants of the program, all of them
    use.elsewhere = isElsewhere(entries, weight);
    use.layer = weight.consumers.empty() || std::ranges::any_of(weight.consumers, isLayer);
    use.bias = !weight.consumers.empty() &&
               std::ranges::all_of(weight.consumers,
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

/// Why an operation that reads a weight is not a layer.
std::string unassessedReason(const Consumer &consumer)
{
    const std::string op = consumer.op + "." + consumer.param;
    if (isBiasOperand(consumer.param))
        return op + ": added to the output of its layer, one value a channel";
    return op + ": no multiplication by the weight is known of this operation";
}

/// As stored, not as another operation may scale them; of a codebook that is looked up in another
/// one, the type of that one's entries.
ElementType entriesType(const codec::Palette &palette)
{
    if (const auto *operand = codec::storedOperand(palette.lut))
        return operand->type;
    const auto &made = std::get<std::shared_ptr<const codec::Encoding>>(palette.lut);
    if (!made)
        return ElementType::Unknown;
    const codec::Encoding &storing = storingEncoding(*made);
    return storing.palette ? entriesType(*storing.palette) : codec::sourceType(storing.payload);
}

/// A mask of the weight itself, or of the data that it is made of.
bool hasMask(const codec::Encoding &encoding)
{
    const auto *made = std::get_if<std::shared_ptr<const codec::Encoding>>(&encoding.payload);
    return encoding.mask || (made && *made && hasMask(**made));
}

/// Entries that are converted to fp16 before they are stored count as fp16.
ElementType convertedEntries(ElementType type)
{
    const bool wide =
        type == ElementType::Fp32 || type == ElementType::Bf16 || type == ElementType::Unknown;
    return wide ? ElementType::Fp16 : type;
}

void describePalette(const codec::Palette &palette, WeightForm &form, const codec::Encoding &whole)
{
    if (const auto *indices = codec::storedOperand(whole.payload))
        form.bits = bitWidth(indices->type);
    form.vectorSize = palette.vector;
    form.element = convertedEntries(entriesType(palette));
    form.codebooks = 1;
    for (const std::uint64_t extent : palette.grid)
        form.codebooks = checkedMultiply(form.codebooks, extent).value_or(UINT64_MAX);
}

/// One scale for the tensor, or one for each index of one axis: whichever operation writes it.
bool hasOneScaleAChannel(const codec::Encoding &encoding)
{
    const Shape &scales = codec::sourceShape(encoding.scaling->scale);
    const Shape &shape = encoding.shape;
    std::size_t along = 0;
    for (std::size_t axis = 0; axis < scales.size(); ++axis) {
        if (scales[axis] == 1)
            continue;
        if (axis >= shape.size() || scales[axis] != shape[axis])
            return false;
        ++along;
    }
    return along <= 1;
}

/// True where a palette's entries are made with several scales: one a channel, as coremltools
/// writes a palette with scales by channel. One scale for all entries only gives them their type.
bool hasScaledEntries(const codec::Palette &palette)
{
    const auto *made = std::get_if<std::shared_ptr<const codec::Encoding>>(&palette.lut);
    if (made == nullptr || !(*made)->scaling)
        return false;
    const auto scales = elementCount(codec::sourceShape((*made)->scaling->scale));
    return scales && scales->value > 1;
}

void describeEncoding(const codec::Encoding &encoding, WeightForm &form)
{
    // Of values that another operation makes, what that operation stores decides.
    const codec::Encoding &storing = storingEncoding(encoding);
    form.masked = hasMask(encoding);
    form.node = elementsNode(storing);
    if (storing.palette) {
        describePalette(*storing.palette, form, storing);
        form.scaledPalette = encoding.scaling.has_value() || storing.scaling.has_value() ||
                             hasScaledEntries(*storing.palette);
        return;
    }
    form.element = codec::sourceType(storing.payload);
    form.bits = bitWidth(form.element);
    const bool bytes = form.element == ElementType::Int8 || form.element == ElementType::Uint8;
    if (form.node == FormNode::Blockwise && bytes && hasOneScaleAChannel(storing))
        form.node = FormNode::Affine;
}

/// The type that the program declares for an operand; Unknown where none was read.
ElementType declaredType(const Weight &weight, codec::PartRole role)
{
    const codec::Operand *operand = weight.operand(role);
    return operand ? operand->declaredType() : ElementType::Unknown;
}

/// Width of a palette's indices: before iOS 18 they are declared as bytes, and the codebook's size
/// says it. 0 where neither was read.
unsigned declaredIndexBits(const Weight &weight)
{
    const codec::Operand *lut = weight.operand(codec::PartRole::Lut);
    if (lut != nullptr && lut->declaredShape().size() == 1 &&
        std::has_single_bit(lut->declaredShape().front()))
        return static_cast<unsigned>(std::bit_width(lut->declaredShape().front()) - 1);
    return bitWidth(declaredType(weight, codec::PartRole::Indices));
}

/// A figure of the weight's form; null where it has none of that name.
template <class T>
const T *figure(const Weight &weight, std::string_view key)
{
    const auto found = std::ranges::find_if(
        weight.detail, [key](const auto &entry) { return entry.first == key; });
    return found == weight.detail.end() ? nullptr : std::get_if<T>(&found->second);
}

std::uint64_t figureNumber(const Weight &weight, std::string_view key)
{
    const auto *number = figure<std::uint64_t>(weight, key);
    return number ? *number : 0;
}

/// Of blocks: each is a whole channel, or the whole weight.
bool blocksAreChannels(const Weight &weight)
{
    const auto *block = figure<std::vector<std::uint64_t>>(weight, "block");
    std::size_t along = 0;
    for (std::size_t i = 0; block && i < block->size() && i < weight.shape.size(); ++i) {
        if ((*block)[i] == weight.shape[i])
            continue;
        along += (*block)[i] == 1 ? 1 : 2;
    }
    return block && along <= 1;
}

/// Where the weight's file is missing: by the steps of its form and by what its operands declare.
/// What neither says is unknown, and so is the form then.
void describeNodes(const Weight &weight, WeightForm &form)
{
    using codec::PartRole;
    form.masked = weight.form.isSparse();
    form.node = elementsNodeOf(weight.form);
    if (form.node == FormNode::Unknown && figureNumber(weight, kSurvivorsDetail) > 0)
        form.node = FormNode::Dense; // values as they are, which a mask keeps
    switch (stepFacts(form.node).elements) {
    case ElementSource::Codebook:
        form.bits = declaredIndexBits(weight);
        if (form.bits == 0)
            form.bits = static_cast<unsigned>(figureNumber(weight, "index_bits"));
        form.element = convertedEntries(declaredType(weight, PartRole::Lut));
        form.vectorSize = std::max<std::uint64_t>(1, figureNumber(weight, "vector"));
        form.codebooks = std::max<std::uint64_t>(1, figureNumber(weight, "codebooks"));
        form.scaledPalette = figureNumber(weight, "scales") > 1;
        break;
    case ElementSource::Stored: form.element = weight.form.storedType(); break;
    case ElementSource::Decoded: form.element = weight.type; break;
    case ElementSource::Declared:
        form.element = declaredType(weight, form.masked ? PartRole::NonzeroData : PartRole::Data);
        if (form.element == ElementType::Unknown &&
            bitWidth(weight.form.storedType()) == figureNumber(weight, "data_bits"))
            form.element = weight.form.storedType();
        break;
    }
    const bool bytes = form.element == ElementType::Int8 || form.element == ElementType::Uint8;
    if (form.node == FormNode::Blockwise && bytes && blocksAreChannels(weight))
        form.node = FormNode::Affine;
    if (!form.isPalette())
        form.bits = bitWidth(form.element);
    if (form.bits == 0)
        form.node = FormNode::Unknown;
}

} // namespace

std::size_t leadingWeight(const Bundle &bundle, std::span<const std::size_t> weights)
{
    const auto rank = [&bundle](std::size_t index) {
        const Weight &weight = bundle.weights()[index];
        const bool layer = std::ranges::any_of(weight.consumers, isLayer);
        return std::pair(layer, weight.elements.value);
    };
    const auto found =
        std::ranges::max_element(weights, [&](auto a, auto b) { return rank(a) < rank(b); });
    return found == weights.end() ? kNoIndex : *found;
}

bool hasZeroPoint(const Bundle &bundle, const Weight &weight)
{
    constexpr std::size_t kRead = 1 << 16;
    for (const codec::Operand &operand : weight.operands()) {
        if (operand.role != codec::PartRole::ZeroPoint && operand.role != codec::PartRole::Offset &&
            operand.role != codec::PartRole::Bias)
            continue;
        for (const auto bytes : bundle.operandRuns(operand)) {
            const bool zero =
                std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{0}; });
            if (bytes.size() > kRead || !zero)
                return true;
        }
    }
    return false;
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
        if (std::ranges::any_of(consumers, isLayer))
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
    form.zeroPoint = hasZeroPoint(bundle, weight) || figureNumber(weight, kUnreadZerosDetail) > 0;
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
    auto survivors = kept ? elementCount(kept->declaredShape()) : std::nullopt;
    if (const std::uint64_t declared = figureNumber(weight, kSurvivorsDetail); declared > 0)
        survivors = ElementCount(declared);
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

// A weight's storage form in the terms of a decision.

void describeStorage(const Weight &weight, WeightForm &form)
{
    if (const auto &encoding = weight.form.encoding())
        describeEncoding(*encoding, form);
    else if (weight.fault && !isMissingFile(*weight.fault))
        form.node = FormNode::Unknown;
    else
        describeNodes(weight, form);
}

} // namespace kernscope
