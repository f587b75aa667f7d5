// SPDX-License-Identifier: GPL-3.0-or-later
// A weight's storage form in the terms of a decision.
#include "core/assessment/weight_facts.h"

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

void describeEncoding(const codec::Encoding &encoding, WeightForm &form)
{
    // Of values that another operation makes, what that operation stores decides.
    const codec::Encoding &storing = storingEncoding(encoding);
    form.masked = hasMask(encoding);
    form.node = elementsNode(storing);
    if (storing.palette) {
        describePalette(*storing.palette, form, storing);
        return;
    }
    form.element = codec::sourceType(storing.payload);
    form.bits = bitWidth(form.element);
}

/// Where the weight is unsound: by the steps of its form alone.
void describeNodes(const Weight &weight, WeightForm &form)
{
    form.masked = weight.form.isSparse();
    for (const FormNode node : {FormNode::Palette, FormNode::Blockwise, FormNode::Microscaled,
                                FormNode::Affine, FormNode::Dense}) {
        form.node = node;
        if (weight.form.has(node))
            break;
    }
    const bool dense = form.node == FormNode::Dense;
    form.element = dense ? weight.type : ElementType::Int8;
    form.bits = dense ? 16 : 8;
    if (form.isPalette()) {
        form.element = ElementType::Fp16;
        const codec::Operand *indices = weight.operand(codec::PartRole::Indices);
        form.bits = indices ? bitWidth(indices->declaredType()) : 4;
    } else if (weight.form.isMicroscaled()) {
        form.element = weight.form.storedType();
        form.bits = bitWidth(form.element);
    }
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
