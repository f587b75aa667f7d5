// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/same_decoding.h"

#include "core/form/operand_place.h"
#include "core/form/order_layout.h"

#include <optional>
#include <span>
#include <variant>
#include <vector>

namespace kernscope::diff {

namespace {

std::optional<std::vector<std::uint64_t>> notesOf(const codec::Operand &operand)
{
    const auto *noted = dynamic_cast<const codec::NotedOrder *>(operand.order.get());
    if (noted == nullptr)
        return std::nullopt;
    codec::LayoutNotes notes(operand.place ? std::span<const ByteRange>(operand.place->pieces)
                                           : std::span<const ByteRange>());
    return noted->note(notes) ? notes.take() : std::nullopt;
}

bool sameOrder(const codec::Operand &a, const codec::Operand &b)
{
    if (!a.order || !b.order)
        return !a.order && !b.order;
    const auto ofA = notesOf(a);
    return ofA && ofA == notesOf(b);
}

bool sameOperand(const codec::Operand &a, const codec::Operand &b)
{
    return a.role == b.role && a.type == b.type && a.shape == b.shape && sameOrder(a, b);
}

bool sameSource(const codec::OperandSource &a, const codec::OperandSource &b)
{
    const auto *operandA = std::get_if<codec::Operand>(&a);
    const auto *operandB = std::get_if<codec::Operand>(&b);
    if (operandA != nullptr || operandB != nullptr)
        return operandA != nullptr && operandB != nullptr && sameOperand(*operandA, *operandB);
    const auto &madeA = std::get<std::shared_ptr<const codec::Encoding>>(a);
    const auto &madeB = std::get<std::shared_ptr<const codec::Encoding>>(b);
    return madeA && madeB && sameDecoding(*madeA, *madeB);
}

bool samePalette(const codec::Palette &a, const codec::Palette &b)
{
    return a.grid == b.grid && a.entries == b.entries && a.vector == b.vector &&
           a.vectorAxis == b.vectorAxis && sameSource(a.lut, b.lut);
}

bool sameScaling(const codec::Scaling &a, const codec::Scaling &b)
{
    return a.kind == b.kind && a.axis == b.axis && a.addsOffset == b.addsOffset &&
           a.steps == b.steps && a.scalesGaps == b.scalesGaps &&
           a.offset.has_value() == b.offset.has_value() &&
           a.bias.has_value() == b.bias.has_value() && sameSource(a.scale, b.scale) &&
           (!a.offset || sameSource(*a.offset, *b.offset)) &&
           (!a.bias || sameSource(*a.bias, *b.bias));
}

} // namespace

bool sameDecoding(const codec::Encoding &a, const codec::Encoding &b)
{
    return a.type == b.type && a.shape == b.shape && a.converts == b.converts &&
           a.mask.has_value() == b.mask.has_value() &&
           a.palette.has_value() == b.palette.has_value() &&
           a.scaling.has_value() == b.scaling.has_value() &&
           (!a.mask || sameOperand(*a.mask, *b.mask)) && sameSource(a.payload, b.payload) &&
           (!a.palette || samePalette(*a.palette, *b.palette)) &&
           (!a.scaling || sameScaling(*a.scaling, *b.scaling));
}

} // namespace kernscope::diff
