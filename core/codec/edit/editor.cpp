// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/edit/editor.h"

#include "core/base/error_builder.h"
#include "core/codec/decode/ordered.h"
#include "core/codec/edit/element_candidates.h"
#include "core/numeric/bitpack.h"
#include "core/numeric/convert.h"

#include <algorithm>
#include <cmath>
#include <limits>

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
        if (role == PartRole::Bias && encoding.scaling && encoding.scaling->bias)
            return wholePart(storedOperand(*encoding.scaling->bias));
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
    const auto part = TRY(needPart(state, role));
    if (index >= part.count)
        return tl::unexpected(outside(partRoleName(role), index, part.count));
    const ElementType type = part.type;
    const std::int64_t current = codeIn(*part.operand, part.width, type, index);
    const auto chosen = TRY(
        decide(plainCandidates(type, value, current), value, tolerance, type, partRoleName(role)));
    EditPlan plan;
    plan.asked = value;
    plan.stored = chosen.value;
    if (!isFloatingPoint(type))
        plan.code = chosen.code;
    plan.note = std::move(note);
    if (isFarFrom(plan.asked, plan.stored))
        noteFar(plan, typeRange(type));
    addChanges(plan, *part.operand, part.width, index, chosen.code);
    return plan;
}

/// Entry `index` of a table whose entries are codes: the nearest code.
Result<EditPlan> setCoded(const OperandSource &table, std::uint64_t index, double value,
                          double tolerance, std::string note)
{
    const auto entries = TRY(Decoder::make(*std::get<std::shared_ptr<const Encoding>>(table)));
    auto plan = Editor(entries).setElement(index, value, tolerance);
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

/// Checks that the mask and its survivors agree, without which no place is certain.
Result<std::uint64_t> soundRank(const Decoder::State &state, std::uint64_t element,
                                std::uint64_t dense)
{
    if (state.payload.order && state.payload.order->skipsZeros())
        return tl::unexpected(editFault(
            "patch.sparse_zero", "mask", "a value other than zero of a stored element",
            "another zero",
            "The form leaves zeros out: moving one would change the length of its slice"));
    if (!state.mask)
        return tl::unexpected(editFault("patch.part", "mask", "a sparse weight", "no mask",
                                        "Only a sparse weight can keep or drop elements"));
    if (element >= state.elements)
        return tl::unexpected(
            editFault("patch.index", "element", fmt::format("below {}", state.elements),
                      fmt::format("{}", element), "The index lies outside the weight"));
    if (state.payloadDecoder)
        return tl::unexpected(indirectPayload());
    const std::uint64_t population = state.mask->rank(state.mask->bits());
    if (population != state.payloadElements)
        return tl::unexpected(editFault(
            "codec.mask", "mask", fmt::format("{} set bits", state.payloadElements),
            fmt::format("{} set bits", population), "The mask does not match its values"));
    return state.mask->rank(dense);
}

/// Survivors from number `first` on as a run of codes that starts in the same byte: the bits of
/// that byte below them stay.
struct Tail {
    std::uint64_t byteOffset = 0;

    std::vector<std::byte> bytes;
};

Tail repack(const Decoder::State &state, std::uint64_t first, std::uint64_t skip,
            std::optional<std::int64_t> inserted)
{
    const unsigned width = codeWidth(state);
    const std::uint64_t count = state.payloadElements;
    const std::span<const std::byte> bytes = state.payload.bytes;
    Tail tail;
    if (width >= 8) {
        const std::uint64_t size = width / 8;
        tail.byteOffset = first * size;
        if (inserted) {
            const auto bits = static_cast<std::uint64_t>(*inserted);
            for (std::uint64_t i = 0; i < size; ++i)
                tail.bytes.push_back(static_cast<std::byte>(bits >> (8 * i)));
        }
        const auto rest = bytes.subspan((first + skip) * size, (count - first - skip) * size);
        tail.bytes.insert(tail.bytes.end(), rest.begin(), rest.end());
        return tail;
    }
    // From the last whole group of eight codes on: groups are whole bytes.
    const std::uint64_t start = first / 8 * 8;
    std::vector<std::uint8_t> codes(count - start);
    unpackCodes(bytes, width, start, codes);
    const auto place = codes.begin() + static_cast<std::ptrdiff_t>(first - start);
    if (inserted)
        codes.insert(place, static_cast<std::uint8_t>(*inserted));
    else
        codes.erase(place, place + static_cast<std::ptrdiff_t>(skip));
    tail.byteOffset = start / 8 * width;
    tail.bytes.resize(packedBytes(ElementCount(codes.size()), ElementType::Uint1)->value * width);
    packCodes(codes, width, 0, tail.bytes);
    tail.bytes.resize((codes.size() * width + 7) / 8);
    return tail;
}

/// Cuts what the file holds already off the front of the tail. (Its end moves: never the same.)
void addTail(EditPlan &plan, const Decoder::State &state, Tail tail)
{
    const auto old = state.payload.bytes.subspan(tail.byteOffset);
    std::size_t same = 0;
    while (same < tail.bytes.size() && same < old.size() && tail.bytes[same] == old[same])
        ++same;
    tail.bytes.erase(tail.bytes.begin(), tail.bytes.begin() + static_cast<std::ptrdiff_t>(same));
    addChange(plan, state.payload.role, {tail.byteOffset + same, std::move(tail.bytes)});
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
    const auto chosen = TRY(decide(candidatesFor(state, place, value, current), value, tolerance,
                                   plainType(state), partRoleName(state.payload.role)));
    EditPlan plan = elementPlan(state, place, value, chosen, current);
    if (chosen.code == current)
        return plan;
    TRY(checkStays(state, index, chosen.code));
    addChanges(plan, state.payload, width, index, chosen.code);
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
        TRY(checkStays(*m_decoder.m_state, index, code));
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

Error editFault(std::string code, std::string_view field, std::string expected, std::string found,
                std::string message)
{
    return ErrorBuilder(code)
        .field(std::string(field))
        .expected(std::move(expected))
        .found(std::move(found))
        .message(std::move(message));
}

Error indirectPayload()
{
    return editFault("patch.part", "data", "codes that are stored for each element",
                     "codes that another operation makes",
                     "Single elements of this form cannot be set: its codes are unpacked by one "
                     "operation and scaled by another; its stored parts can be");
}

Result<CodeCandidate> decide(std::span<const CodeCandidate> candidates, double value,
                             double tolerance, ElementType natural, std::string_view field)
{
    const CodeChoice choice = choose(candidates, value);
    if (choice.nearest) {
        const CodeCandidate &nearest = *choice.nearest;
        const bool equal =
            nearest.value == value || (std::isnan(value) && std::isnan(nearest.value));
        if (equal || std::abs(nearest.value - value) <= tolerance)
            return nearest;
        if (natural != ElementType::Unknown && isNaturalRounding(natural, value, nearest.code))
            return nearest;
    }
    std::string holdable = "no value near it";
    if (choice.below && choice.above)
        holdable = fmt::format("{} or {}", *choice.below, *choice.above);
    else if (choice.below || choice.above)
        holdable = fmt::format("{}", choice.below ? *choice.below : *choice.above);
    return tl::unexpected(editFault("patch.unrepresentable", field, std::move(holdable),
                                    fmt::format("{}", value),
                                    "The form cannot hold the value within the tolerance"));
}

unsigned codeWidth(const Decoder::State &state)
{
    return state.codeWidth();
}

std::int64_t codeAt(const Decoder::State &state, std::uint64_t index)
{
    if (state.payload.order)
        return codeIn(state.payload, codeWidth(state), state.payload.type, index);
    if (state.palette)
        return unpackCode(state.payload.bytes, state.palette->width, index);
    return loadCode(state.payload.bytes, state.payload.type, index);
}

ElementType plainType(const Decoder::State &state)
{
    return state.palette || state.scaling ? ElementType::Unknown : state.payload.type;
}

EditPlan elementPlan(const Decoder::State &state, const ElementPlace &place, double asked,
                     const CodeCandidate &chosen, std::optional<std::int64_t> current)
{
    EditPlan plan;
    plan.asked = asked;
    plan.stored = chosen.value;
    if (state.palette) {
        plan.code = chosen.code;
        plan.note = fmt::format("codebook {} entry {}", state.codebookAt(place.dense), chosen.code);
    } else if (!isFloatingPoint(state.payload.type)) {
        plan.code = chosen.code;
        plan.note = fmt::format("stored integer {}", chosen.code);
    } else {
        plan.note = fmt::format("{} number", elementTypeName(state.payload.type));
    }
    if (isFarFrom(plan.asked, plan.stored))
        noteFar(plan, heldRange(state, place, current));
    return plan;
}

std::pair<double, double> typeRange(ElementType type)
{
    constexpr double kMost = std::numeric_limits<double>::max();
    return {codeValue(type, nearestCode(type, -kMost)), codeValue(type, nearestCode(type, kMost))};
}

bool isFarFrom(double asked, double stored)
{
    constexpr double kFar = 0.01;
    return std::abs(stored - asked) > kFar * std::max(std::abs(asked), std::abs(stored)) ||
           (std::isinf(asked) && std::isfinite(stored));
}

void noteFar(EditPlan &plan, const std::pair<double, double> &range)
{
    plan.far = true;
    plan.note += fmt::format("; off by {:.4g}, the form holds {:.6g} to {:.6g} here",
                             std::abs(plan.stored - plan.asked), range.first, range.second);
}

Result<void> checkStays(const Decoder::State &state, std::uint64_t element, std::int64_t code)
{
    const ElementOrder *order = state.payload.order.get();
    if (order == nullptr)
        return {};
    if (const std::string reason = order->lockReason(); !reason.empty())
        return tl::unexpected(editFault("patch.locked", partRoleName(state.payload.role),
                                        "a form whose order is known", "another", reason));
    const bool stored = positionIn(state.payload, codeWidth(state), element).has_value();
    if (!order->skipsZeros() && stored)
        return {};
    const bool toZero = !state.palette && codeValue(state.payload.type, code) == 0.0;
    if (stored && !toZero)
        return {};
    return tl::unexpected(editFault(
        "patch.sparse_zero", partRoleName(state.payload.role),
        stored ? "a value other than zero" : "an element that is stored",
        stored ? "zero" : fmt::format("element {}, a zero that is left out", element),
        "The form leaves zeros out: moving one would change the length of its slice, and with it "
        "every size, offset and relocation behind it"));
}

void addChanges(EditPlan &plan, const Operand &operand, unsigned width, std::uint64_t index,
                std::int64_t code)
{
    for (ByteChange &change : changesOf(operand, width, index, code))
        addChange(plan, operand.role, std::move(change));
}

void addChange(EditPlan &plan, PartRole role, ByteChange change)
{
    if (!change.bytes.empty())
        plan.parts.push_back({role, change.offset, std::move(change.bytes)});
}

// Edits that change which elements a mask keeps: the survivors behind the place move.

Result<EditPlan> Editor::keep(std::uint64_t element, double value, double tolerance) const
{
    const Decoder::State &state = *m_decoder.m_state;
    const bool inside = element < state.elements;
    const ElementPlace place = inside ? elementPlace(state, element) : ElementPlace{};
    const bool kept = inside && state.skipsZeros() ? m_decoder.stored(element)
                                                   : state.mask && state.mask->test(place.dense);
    if (inside && kept)
        return setElement(element, value, tolerance);
    const auto rank = TRY(soundRank(state, element, place.dense));
    const auto chosen = TRY(decide(candidatesFor(state, place, value, std::nullopt), value,
                                   tolerance, plainType(state), partRoleName(state.payload.role)));
    EditPlan plan = elementPlan(state, place, value, chosen, std::nullopt);
    addChange(plan, PartRole::Mask, changeOfCode(state.mask->bytes(), 1, place.dense, 1));
    addTail(plan, state, repack(state, rank, 0, chosen.code));
    plan.payloadElements = ElementCount(state.payloadElements + 1);
    return plan;
}

Result<EditPlan> Editor::drop(std::uint64_t element) const
{
    const Decoder::State &state = *m_decoder.m_state;
    const ElementPlace place =
        element < state.elements ? elementPlace(state, element) : ElementPlace{};
    EditPlan plan;
    plan.note = "left out by the mask";
    if (element < state.elements && state.skipsZeros() && !m_decoder.stored(element))
        return plan;
    const auto rank = TRY(soundRank(state, element, place.dense));
    if (!state.mask->test(place.dense))
        return plan;
    if (state.palette && state.palette->vector > 1) {
        for (std::uint64_t lane = 0; lane < state.palette->vector; ++lane) {
            const ElementPlace beside{place.dense, lane, place.element};
            if (lane != place.lane && valueOfCode(state, beside, codeAt(state, rank)) != 0)
                return tl::unexpected(editFault(
                    "patch.unrepresentable", "mask",
                    fmt::format("vectors of {} whose other values are 0", state.palette->vector),
                    fmt::format("element {} beside other values", element),
                    "Dropping the element would drop the rest of its vector"));
        }
    }
    addChange(plan, PartRole::Mask, changeOfCode(state.mask->bytes(), 1, place.dense, 0));
    addTail(plan, state, repack(state, rank, 1, std::nullopt));
    plan.payloadElements = ElementCount(state.payloadElements - 1);
    return plan;
}

} // namespace kernscope::codec
