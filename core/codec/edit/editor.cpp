// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/edit/editor.h"

#include "core/codec/decode/ordered.h"
#include "core/codec/edit/edit_common.h"
#include "core/codec/edit/element_candidates.h"
#include "core/numeric/convert.h"

#include <cmath>

#include <fmt/format.h>

namespace kernscope::codec {

namespace {

Error outside(std::string_view field, std::uint64_t index, std::uint64_t count)
{
    return editFault("patch.index", field, fmt::format("below {}", count), fmt::format("{}", index),
                     "The index lies outside the weight's part");
}

/// The part as stored, with the width and number of its codes; nothing where it has no bytes.
struct StoredPart {
    const Operand *operand = nullptr;
    unsigned width = 0;
    std::uint64_t count = 0;
    ElementType type = ElementType::Unknown; ///< of one code
};

StoredPart wholePart(const Operand *operand)
{
    if (operand == nullptr)
        return {};
    return {operand, bitWidth(operand->type), elementCount(operand->shape)->value, operand->type};
}

StoredPart storedPart(const Decoder::State &state, PartRole role)
{
    const Encoding &encoding = state.encoding;
    switch (role) {
    case PartRole::Lut:
        return encoding.palette ? wholePart(storedOperand(encoding.palette->lut)) : StoredPart{};
    case PartRole::Mask:
        if (!encoding.mask)
            return {};
        return {&*encoding.mask, 1, state.mask ? state.mask->bits() : state.elements,
                ElementType::Uint1};
    case PartRole::Scale:
        return encoding.scaling ? wholePart(storedOperand(encoding.scaling->scale)) : StoredPart{};
    case PartRole::ZeroPoint:
    case PartRole::Offset:
    case PartRole::Bias:
        if (!encoding.scaling || !encoding.scaling->offset)
            return {};
        if (role != (encoding.scaling->addsOffset                      ? PartRole::Bias
                     : encoding.scaling->kind == Scaling::Kind::Affine ? PartRole::ZeroPoint
                                                                       : PartRole::Offset))
            return {};
        return wholePart(storedOperand(*encoding.scaling->offset));
    case PartRole::Data:
    case PartRole::Indices:
    case PartRole::NonzeroData: break;
    }
    const Operand *payload = storedOperand(encoding.payload);
    if (payload == nullptr || payload->role != role)
        return {};
    StoredPart part = wholePart(payload);
    part.count = state.payloadElements;
    if (state.palette)
        part.width = state.palette->width; // iOS 16 declares packed indices as bytes
    return part;
}

Result<StoredPart> needPart(const Decoder::State &state, PartRole role)
{
    StoredPart part = storedPart(state, role);
    // Of nested parts those whose codes are as wide as their type, each in its place.
    if (part.operand == nullptr && role != PartRole::Mask && role != PartRole::Indices)
        part = wholePart(ownOperand(state.encoding, role));
    if (part.operand != nullptr)
        return part;
    return tl::unexpected(editFault("patch.part", partRoleName(role), "a stored part of the weight",
                                    "none of that role", "The weight stores no such part"));
}

/// Fits a code to a part's width.
bool codeFits(const StoredPart &part, std::int64_t code)
{
    if (part.width >= 64)
        return true;
    if (isSignedInteger(part.type))
        return code >= smallestCode(part.type) && code <= largestCode(part.type);
    return code >= 0 && code < (std::int64_t{1} << part.width);
}

/// Element `index` of a codebook or scale, rounded to the part's own type.
Result<EditPlan> setTableEntry(const Decoder::State &state, PartRole role, std::uint64_t index,
                               double value, double tolerance, std::string note)
{
    const auto part = needPart(state, role);
    if (!part)
        return tl::unexpected(part.error());
    if (index >= part->count)
        return tl::unexpected(outside(partRoleName(role), index, part->count));
    const ElementType type = part->type;
    const std::int64_t current = codeIn(*part->operand, part->width, type, index);
    const auto chosen =
        decide(plainCandidates(type, value, current), value, tolerance, type, partRoleName(role));
    if (!chosen)
        return tl::unexpected(chosen.error());
    EditPlan plan;
    plan.asked = value;
    plan.stored = chosen->value;
    if (!isFloatingPoint(type))
        plan.code = chosen->code;
    plan.note = std::move(note);
    if (isFarFrom(plan.asked, plan.stored))
        noteFar(plan, typeRange(type));
    addChanges(plan, *part->operand, part->width, index, chosen->code);
    return plan;
}

/// Entry `index` of a table whose entries are codes: the nearest code.
Result<EditPlan> setCoded(const OperandSource &table, std::uint64_t index, double value,
                          double tolerance, std::string note)
{
    const auto entries = Decoder::make(*std::get<std::shared_ptr<const Encoding>>(table));
    if (!entries)
        return tl::unexpected(entries.error());
    auto plan = Editor(*entries).setElement(index, value, tolerance);
    if (plan) // how far it is off stays said
        plan->note = std::move(note) + (plan->far ? plan->note.substr(plan->note.find(';')) : "");
    return plan;
}

/// An element that is not stored holds 0 already.
EditPlan zeroLeftOut(double asked)
{
    EditPlan none;
    none.asked = asked;
    none.note = "a zero that is not stored";
    if (isFarFrom(none.asked, none.stored))
        noteFar(none, {0, 0});
    return none;
}

} // namespace

Result<Editor::StoredPlace> Editor::storedPlace(std::uint64_t element) const
{
    const Decoder::State &state = *m_decoder.m_state;
    if (element >= state.elements)
        return tl::unexpected(outside("element", element, state.elements));
    if (state.payloadDecoder)
        return tl::unexpected(indirectPayload());
    const std::uint64_t dense = elementPlace(state, element).dense;
    if (state.mask && !state.mask->test(dense))
        return tl::unexpected(editFault("patch.masked", "mask", "an element that the mask keeps",
                                        fmt::format("element {}, which it leaves out", element),
                                        "The element is not stored; keep it first to give it a "
                                        "value"));
    const std::uint64_t index = state.mask ? state.mask->rank(dense) : dense;
    if (index >= state.payloadElements)
        return tl::unexpected(
            outside(partRoleName(state.payload.role), index, state.payloadElements));
    return StoredPlace{state.payload.role, index};
}

Result<EditPlan> Editor::setElement(std::uint64_t element, double value, double tolerance) const
{
    const Decoder::State &state = *m_decoder.m_state;
    const bool zeroHolds = std::abs(value) <= tolerance; // so does the value 0 itself
    const auto stored = storedPlace(element);
    if (!stored && stored.error().code == "patch.masked" && zeroHolds)
        return zeroLeftOut(value);
    if (!stored)
        return tl::unexpected(stored.error());
    const ElementPlace place = elementPlace(state, element);
    const std::uint64_t index = stored->index;
    const unsigned width = codeWidth(state);
    if (state.payload.order && !positionIn(state.payload, width, index)) {
        if (zeroHolds)
            return zeroLeftOut(value);
        return tl::unexpected(checkStays(state, index, 1).error());
    }
    const std::int64_t current = codeAt(state, index);
    const auto chosen = decide(candidatesFor(state, place, value, current), value, tolerance,
                               plainType(state), partRoleName(state.payload.role));
    if (!chosen)
        return tl::unexpected(chosen.error());
    EditPlan plan = elementPlan(state, place, value, *chosen, current);
    if (chosen->code == current)
        return plan;
    if (auto stays = checkStays(state, index, chosen->code); !stays)
        return tl::unexpected(std::move(stays.error()));
    addChanges(plan, state.payload, width, index, chosen->code);
    return plan;
}

Result<EditPlan> Editor::setStored(PartRole role, std::uint64_t index, std::int64_t code) const
{
    const auto part = needPart(*m_decoder.m_state, role);
    if (!part)
        return tl::unexpected(part.error());
    const std::string_view field = partRoleName(role);
    if (index >= part->count)
        return tl::unexpected(outside(field, index, part->count));
    if (!codeFits(*part, code)) {
        const bool isSigned = isSignedInteger(part->type);
        return tl::unexpected(editFault(
            "patch.unrepresentable", field,
            isSigned ? fmt::format("{} to {}", smallestCode(part->type), largestCode(part->type))
                     : fmt::format("0 to {}", (std::int64_t{1} << part->width) - 1),
            fmt::format("{}", code), "The code does not fit the part's width"));
    }
    EditPlan plan;
    plan.asked = static_cast<double>(code);
    plan.stored = static_cast<double>(code);
    plan.code = code;
    plan.note = fmt::format("{}[{}]", field, index);
    const bool decides = part->operand == storedOperand(m_decoder.m_state->encoding.payload) ||
                         (role == PartRole::Mask && part->operand->order);
    if (decides && code != codeIn(*part->operand, part->width, part->type, index)) {
        if (auto stays = checkStays(*m_decoder.m_state, index, code); !stays)
            return tl::unexpected(std::move(stays.error()));
    }
    addChanges(plan, *part->operand, part->width, index, code);
    return plan;
}

Result<EditPlan> Editor::setCodebookEntry(std::uint64_t codebook, std::uint64_t entry,
                                          std::uint64_t lane, double value, double tolerance) const
{
    const Decoder::State &state = *m_decoder.m_state;
    if (!state.palette)
        return tl::unexpected(
            editFault("patch.part", "lut", "a palette", "none", "The weight has no codebook"));
    const PaletteState &palette = *state.palette;
    if (codebook >= palette.codebooks)
        return tl::unexpected(outside("codebook", codebook, palette.codebooks));
    if (entry >= palette.entries)
        return tl::unexpected(outside("codebook entry", entry, palette.entries));
    if (lane >= palette.vector)
        return tl::unexpected(outside("codebook lane", lane, palette.vector));
    const std::uint64_t index = (codebook * palette.entries + entry) * palette.vector + lane;
    std::string note = fmt::format("codebook {} entry {}", codebook, entry);
    if (palette.vector > 1)
        note += fmt::format(" lane {}", lane);
    if (storedOperand(state.encoding.palette->lut) == nullptr)
        return setCoded(state.encoding.palette->lut, index, value, tolerance, std::move(note));
    return setTableEntry(state, PartRole::Lut, index, value, tolerance, std::move(note));
}

Result<EditPlan> Editor::setScale(std::uint64_t index, double value, double tolerance) const
{
    const Decoder::State &state = *m_decoder.m_state;
    std::string note = fmt::format("scale {}", index);
    const auto &scaling = state.encoding.scaling;
    if (scaling && storedOperand(scaling->scale) == nullptr)
        return setCoded(scaling->scale, index, value, tolerance, std::move(note));
    return setTableEntry(state, PartRole::Scale, index, value, tolerance, std::move(note));
}

} // namespace kernscope::codec
