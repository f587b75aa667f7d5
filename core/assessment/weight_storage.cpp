// SPDX-License-Identifier: GPL-3.0-or-later
// A weight's storage form in the terms of a decision.
#include "core/assessment/weight_facts.h"
#include "core/bundle/weight.h"

#include "core/form/form_steps.h"

#include <bit>

namespace kernscope {

namespace {

using decision::WeightForm;

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

void describeEncoding(const codec::Encoding &encoding, WeightForm &form)
{
    // Of values that another operation makes, what that operation stores decides.
    const codec::Encoding &storing = storingEncoding(encoding);
    form.masked = hasMask(encoding);
    form.node = elementsNode(storing);
    if (storing.palette) {
        describePalette(*storing.palette, form, storing);
        form.scaledPalette = encoding.scaling.has_value() || storing.scaling.has_value();
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

/// Where the weight is unsound: by the steps of its form and by what its operands declare. What
/// neither says is unknown, and so is the form then.
void describeNodes(const Weight &weight, WeightForm &form)
{
    using codec::PartRole;
    form.masked = weight.form.isSparse();
    form.node = elementsNodeOf(weight.form);
    switch (stepFacts(form.node).elements) {
    case ElementSource::Codebook:
        form.bits = declaredIndexBits(weight);
        form.element = convertedEntries(declaredType(weight, PartRole::Lut));
        break;
    case ElementSource::Stored: form.element = weight.form.storedType(); break;
    case ElementSource::Decoded: form.element = weight.type; break;
    case ElementSource::Declared:
        form.element = declaredType(weight, form.masked ? PartRole::NonzeroData : PartRole::Data);
        break;
    }
    if (!form.isPalette())
        form.bits = bitWidth(form.element);
    if (form.bits == 0)
        form.node = FormNode::Unknown;
}

} // namespace

void describeStorage(const Weight &weight, WeightForm &form)
{
    if (const auto &encoding = weight.form.encoding())
        describeEncoding(*encoding, form);
    else
        describeNodes(weight, form);
}

} // namespace kernscope
