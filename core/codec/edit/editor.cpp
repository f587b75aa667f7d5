// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/edit/editor.h"

#include "core/codec/decode/ordered.h"
#include "core/form/constant_order.h"
#include "core/numeric/bitpack.h"
#include "core/numeric/convert.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

namespace kernscope::codec {

namespace {

Error outside(std::string_view field, std::uint64_t index, std::uint64_t count)
{
    return valueError("patch.index", field, fmt::format("below {}", count),
                      fmt::format("{}", index), "The index lies outside the weight's part");
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
    return refused("patch.part", partRoleName(role), "a stored part of the weight",
                   "none of that role", "The weight stores no such part");
}

/// The largest code of a part without signs, of 64 bits as its bits.
std::int64_t mostUnsigned(const StoredPart &part)
{
    return part.type == ElementType::Bool
               ? largestCode(part.type)
               : static_cast<std::int64_t>(UINT64_MAX >> (64 - part.width));
}

/// Fits a code to a part's width.
bool codeFits(const StoredPart &part, std::int64_t code, bool beyond)
{
    if (isSignedInteger(part.type))
        return !beyond && code >= smallestCode(part.type) && code <= largestCode(part.type);
    if (part.width >= 64) // bits of floating-point numbers may have been read as a signed integer
        return beyond || code >= 0 || isFloatingPoint(part.type);
    return !beyond && code >= 0 && code <= mostUnsigned(part);
}

/// Element `index` of a codebook or scale, rounded to the part's own type.
Result<EditPlan> setTableEntry(const Decoder::State &state, PartRole role, std::uint64_t index,
                               double value, double tolerance, std::string note)
{
    const auto part = TRY(needPart(state, role));
    index = storedIndex(*part.operand, index);
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
        plan->note.replace(plan->far ? plan->note.find(';') + 2 : 0, std::string::npos, note);
    return plan;
}

/// An element that is not stored holds 0 already, or what its scale and zero point make of it.
EditPlan leftOut(double asked, double holds)
{
    EditPlan none;
    none.asked = asked;
    none.stored = holds;
    none.note = holds == 0 ? "a zero that is not stored" : "an element that is not stored";
    if (isFarFrom(none.asked, none.stored))
        noteFar(none, {holds, holds});
    return none;
}

/// A mask and what it keeps, as they are stored.
struct KeptView {
    explicit KeptView(const Decoder::State &of)
        : state(of), order(dynamic_cast<const KeptOrder *>(of.payload.order.get())),
          mask(of.mask ? &*of.mask : nullptr), values(of.payload.bytes), count(of.payloadElements)
    {
        if (!order)
            return;
        mask = &own.emplace(order->maskBits(), of.indexElements);
        count = order->kept();
        values = values.subspan(order->valuesAt(), (count * of.codeWidth() + 7) / 8);
    }
    std::uint64_t placeOf(std::uint64_t dense) const
    {
        return order ? order->storedOf(dense) : dense;
    }

    const Decoder::State &state;
    const KeptOrder *order;
    std::optional<MaskIndex> own;
    const MaskIndex *mask;
    std::span<const std::byte> values;
    std::uint64_t count;
};

/// Checks that the mask and its survivors agree, without which no place is certain.
Result<std::uint64_t> soundRank(const KeptView &kept, std::uint64_t element, std::uint64_t place)
{
    const Decoder::State &state = kept.state;
    if (state.skipsZeros() && !state.payload.lockReason().empty())
        return tl::unexpected(checkStays(state, 0, 0).error());
    if (state.skipsZeros() && !kept.order)
        return refused(
            "patch.sparse_zero", "mask", "a value other than zero of a stored element",
            "another zero",
            "The form leaves zeros out: moving one would change the length of its slice");
    if (state.payloadDecoder)
        return tl::unexpected(indirectPayload());
    if (!kept.mask)
        return refused("patch.part", "mask", "a sparse weight", "no mask",
                       "Only a sparse weight can keep or drop elements");
    if (element >= state.elements)
        return refused("patch.index", "element", fmt::format("below {}", state.elements),
                       fmt::format("{}", element), "The index lies outside the weight");
    const std::uint64_t population = kept.mask->rank(kept.mask->bits());
    if (population != kept.count)
        return refused("codec.mask", "mask", fmt::format("{} set bits", kept.count),
                       fmt::format("{} set bits", population),
                       "The mask does not match its values");
    return kept.mask->rank(place);
}

/// What a change leaves at places of the mask: a code, or nothing.
using KeptCodes = std::map<std::uint64_t, std::optional<std::int64_t>>;

/// Stored codes in a row: `width` bits each, or one a byte where several share a byte.
class CodeRun
{
public:
    explicit CodeRun(const KeptView &kept)
        : m_values(kept.values), m_width(codeWidth(kept.state)), m_bytes(std::max(1U, m_width / 8))
    {
    }
    /// Codes [first, last) of the payload.
    void copy(std::uint64_t first, std::uint64_t last)
    {
        const std::size_t at = m_codes.size();
        m_codes.resize(at + (last - first) * m_bytes);
        const auto to = std::span(m_codes).subspan(at);
        if (m_width < 8) {
            unpackCodes(m_values, m_width, first, to);
            return;
        }
        const auto from = m_values.subspan(first * m_bytes, to.size());
        std::ranges::transform(from, to.begin(),
                               [](std::byte each) { return std::to_integer<std::uint8_t>(each); });
    }
    void add(std::int64_t code)
    {
        for (unsigned i = 0; i < m_bytes; ++i)
            m_codes.push_back(
                static_cast<std::uint8_t>(static_cast<std::uint64_t>(code) >> (8 * i) & 0xFFU));
    }
    std::vector<std::byte> packed() const
    {
        std::vector<std::byte> bytes(m_width < 8 ? (m_codes.size() * m_width + 7) / 8
                                                 : m_codes.size());
        if (m_width < 8)
            packCodes(m_codes, m_width, 0, bytes);
        else
            std::transform(m_codes.begin(), m_codes.end(), bytes.begin(),
                           [](std::uint8_t each) { return static_cast<std::byte>(each); });
        return bytes;
    }

private:
    std::span<const std::byte> m_values;
    unsigned m_width;
    std::size_t m_bytes; ///< of a code here
    std::vector<std::uint8_t> m_codes;
};

void addMaskBits(EditPlan &plan, const KeptView &kept, const KeptCodes &codes)
{
    const auto before = kept.mask->bytes();
    std::map<std::uint64_t, unsigned> changed;
    for (const auto &[place, code] : codes) {
        const auto at =
            changed.try_emplace(place / 8, std::to_integer<unsigned>(before[place / 8])).first;
        const unsigned bit = 1U << (place % 8);
        at->second = code ? at->second | bit : at->second & ~bit;
    }
    const std::uint64_t from = kept.order ? kept.order->maskAt() : 0;
    for (const auto &[byte, bits] : changed) {
        if (static_cast<std::byte>(bits) != before[byte])
            addChange(plan, PartRole::Mask, {from + byte, {static_cast<std::byte>(bits)}});
    }
}

/// The survivors between the first and the last place that changes, or up to the end where their
/// number does. Groups of eight codes are whole bytes.
void addSurvivors(EditPlan &plan, const KeptView &kept, const KeptCodes &codes)
{
    const MaskIndex &mask = *kept.mask;
    const std::uint64_t count = kept.count;
    const auto added = std::ranges::count_if(
        codes, [&mask](const auto &each) { return each.second && !mask.test(each.first); });
    const auto removed = std::ranges::count_if(
        codes, [&mask](const auto &each) { return !each.second && mask.test(each.first); });
    const unsigned width = codeWidth(kept.state);
    const std::uint64_t group = width < 8 ? 8 : 1;
    const std::uint64_t first = mask.rank(codes.begin()->first) / group * group;
    const std::uint64_t changed = mask.rank(codes.rbegin()->first + 1);
    const std::uint64_t last =
        added == removed ? std::min(count, (changed + group - 1) / group * group) : count;
    CodeRun run(kept);
    std::uint64_t next = first;
    for (const auto &[place, code] : codes) {
        const std::uint64_t rank = mask.rank(place);
        run.copy(next, rank);
        next = rank + (mask.test(place) ? 1 : 0);
        if (code)
            run.add(*code);
    }
    run.copy(next, last);
    std::uint64_t offset = first * width / 8;
    std::vector<std::byte> bytes = run.packed();
    // What the file holds already is cut off; where the end moves, at the front alone.
    const auto old = kept.values.subspan(offset);
    const std::size_t common = std::min(bytes.size(), old.size());
    const auto differs = std::mismatch(
        bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(common), old.begin());
    offset += static_cast<std::uint64_t>(differs.first - bytes.begin());
    if (added == removed) {
        while (differs.first != bytes.end() &&
               bytes.back() == kept.values[first * width / 8 + bytes.size() - 1])
            bytes.pop_back();
    }
    bytes.erase(bytes.begin(), differs.first);
    offset += kept.order ? kept.order->valuesAt() : 0;
    addChange(plan, kept.state.payload.role, {offset, std::move(bytes)});
    if (added != removed)
        plan.payloadElements = ElementCount(count + static_cast<std::uint64_t>(added) -
                                            static_cast<std::uint64_t>(removed));
}

/// Changes of one vector of a palette, by lane.
using LaneChanges = std::map<std::uint64_t, const MaskChange *>;

/// The code of a vector that gives its lanes what is asked for and leaves the others as they are.
Result<CodeCandidate> vectorCode(const Decoder::State &state, const ElementPlace &place,
                                 const LaneChanges &changes, std::optional<std::int64_t> current)
{
    const PaletteState &palette = *state.palette;
    std::optional<CodeCandidate> best;
    double least = 0;
    for (std::int64_t code = 0; code < static_cast<std::int64_t>(palette.entries); ++code) {
        double error = 0;
        bool holds = true;
        for (std::uint64_t lane = 0; lane < palette.vector; ++lane) {
            const ElementPlace beside{place.dense, lane, place.element};
            const auto change = changes.find(lane);
            const bool isAsked = change != changes.end() && change->second->value;
            const double wanted = isAsked   ? *change->second->value
                                  : current ? valueOfCode(state, beside, *current)
                                            : 0;
            const double off = std::abs(valueOfCode(state, beside, code) - wanted);
            holds &= off <= (isAsked ? change->second->tolerance : 0);
            error = std::max(error, off);
        }
        if (!holds || (best && !(error < least)))
            continue;
        best = {code, valueOfCode(state, place, code)};
        least = error;
    }
    if (best)
        return *best;
    return refused("patch.unrepresentable", partRoleName(state.payload.role),
                   "values of an entry of the codebook",
                   fmt::format("{} of {} given", changes.size(), palette.vector),
                   fmt::format("An index stands for a vector of {} elements, which are kept "
                               "together: give each its value, within the tolerance of an entry",
                               palette.vector));
}

Result<EditPlan> onlyPlan(Result<std::vector<EditPlan>> plans)
{
    if (!plans)
        return tl::unexpected(std::move(plans.error()));
    return std::move(plans->front());
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
        return refused("patch.masked", "mask", "an element that the mask keeps",
                       fmt::format("element {}, which it leaves out", element),
                       "The element is not stored; keep it first to give it a "
                       "value");
    const std::uint64_t index = state.mask ? state.mask->rank(dense) : dense;
    if (index >= state.payloadElements)
        return tl::unexpected(
            outside(partRoleName(state.payload.role), index, state.payloadElements));
    return StoredPlace{state.payload.role, index};
}

Result<EditPlan> Editor::setElement(std::uint64_t element, double value, double tolerance) const
{
    const Decoder::State &state = *m_decoder.m_state;
    const auto stored = storedPlace(element);
    const bool absent = stored ? state.payload.order && !m_decoder.stored(element)
                               : stored.error().code == "patch.masked";
    if (absent) { // 0, or what scales make of it
        float holds = 0;
        m_decoder.decodeFloat(element, std::span(&holds, 1));
        if (std::abs(value - static_cast<double>(holds)) <= tolerance)
            return leftOut(value, static_cast<double>(holds));
    }
    if (!stored)
        return tl::unexpected(stored.error());
    const ElementPlace place = elementPlace(state, element);
    const std::uint64_t index = stored->index;
    const unsigned width = codeWidth(state);
    if (absent)
        return tl::unexpected(checkStays(state, index, 1).error());
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

Result<EditPlan> Editor::setStored(PartRole role, std::uint64_t index, std::int64_t code,
                                   bool beyond) const
{
    const auto part = TRY(needPart(*m_decoder.m_state, role));
    const std::string_view field = partRoleName(role);
    const std::uint64_t at = storedIndex(*part.operand, index);
    if (at >= part.count)
        return tl::unexpected(outside(field, index, part.count));
    const ElementType asked = beyond ? ElementType::Uint64 : ElementType::Int64;
    if (!codeFits(part, code, beyond)) {
        const bool isSigned = isSignedInteger(part.type);
        return refused(
            "patch.unrepresentable", field,
            isSigned ? fmt::format("{} to {}", smallestCode(part.type), largestCode(part.type))
                     : "0 to " + codeText(ElementType::Uint64, mostUnsigned(part)),
            codeText(asked, code), "The code does not fit the part's width");
    }
    EditPlan plan;
    plan.asked = plan.stored = codeValue(asked, code);
    plan.code = code;
    plan.note = fmt::format("{}[{}]", field, index);
    const bool decides = part.operand == storedOperand(m_decoder.m_state->encoding.payload) ||
                         (role == PartRole::Mask && part.operand->order);
    if (decides && code != codeIn(*part.operand, part.width, part.type, at)) {
        TRY(checkStays(*m_decoder.m_state, at, code));
    }
    addChanges(plan, *part.operand, part.width, at, code);
    return plan;
}

Result<EditPlan> Editor::setCodebookEntry(std::uint64_t codebook, std::uint64_t entry,
                                          std::uint64_t lane, double value, double tolerance) const
{
    const Decoder::State &state = *m_decoder.m_state;
    if (!state.palette)
        return refused("patch.part", "lut", "a palette", "none", "The weight has no codebook");
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

Error indirectPayload()
{
    return valueError("patch.part", "data", "codes that are stored for each element",
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
    return refused("patch.unrepresentable", field, std::move(holdable), fmt::format("{}", value),
                   "The form cannot hold the value within the tolerance");
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
        plan.note = "stored integer " + codeText(state.payload.type, chosen.code);
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

std::uint64_t storedIndex(const Operand &operand, std::uint64_t index)
{
    const auto declared = elementCount(operand.declaredShape());
    const bool one = elementCount(operand.shape) == ElementCount(1);
    return one && declared && index < declared->value ? 0 : index;
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
    // What can be typed comes first: the line may have no room for more.
    plan.note = fmt::format("the form holds {:.6g} to {:.6g} here, off by {:.4g}; {}", range.first,
                            range.second, std::abs(plan.stored - plan.asked), plan.note);
}

Result<void> checkStays(const Decoder::State &state, std::uint64_t element, std::int64_t code)
{
    const ElementOrder *order = state.payload.order.get();
    if (order == nullptr)
        return {};
    if (!state.payload.lockReason().empty())
        return refused("patch.locked", partRoleName(state.payload.role),
                       "a form whose order is known", "another",
                       std::string(state.payload.lockReason()));
    const bool stored = positionIn(state.payload, codeWidth(state), element).has_value();
    if (!order->skipsZeros() && stored)
        return {};
    const bool toZero = !state.palette && codeValue(state.payload.type, code) == 0.0;
    if (stored && !toZero)
        return {};
    return refused(
        "patch.sparse_zero", partRoleName(state.payload.role),
        stored ? "a value other than zero" : "an element that is stored",
        stored ? "zero" : fmt::format("element {}, a zero that is left out", element),
        "The form leaves zeros out: moving one would change the length of its slice, and with it "
        "every size, offset and relocation behind it");
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

Result<std::vector<EditPlan>> Editor::changeMask(std::span<const MaskChange> changes) const
{
    const Decoder::State &state = *m_decoder.m_state;
    const KeptView kept(state);
    KeptCodes codes;
    std::vector<EditPlan> plans;
    const auto placeOf = [&state](const MaskChange &change) {
        return change.element < state.elements ? elementPlace(state, change.element)
                                               : ElementPlace{};
    };
    const bool hasVectors = state.palette && state.palette->vector > 1;
    std::map<std::uint64_t, LaneChanges> vectors; // by their places
    for (const MaskChange &change : changes) {
        if (hasVectors && change.element < state.elements)
            vectors[placeOf(change).dense][placeOf(change).lane] = &change;
    }
    for (const MaskChange &change : changes) {
        const ElementPlace place = placeOf(change);
        const std::uint64_t at = kept.placeOf(place.dense);
        const auto rank = TRY(soundRank(kept, change.element, at));
        const auto before = codes.find(at);
        const auto now = [&] {
            return kept.mask->test(at)
                       ? std::optional(codeAt(state, kept.order ? place.dense : rank))
                       : std::nullopt;
        };
        const auto current = before != codes.end() ? before->second : now();
        EditPlan &plan = plans.emplace_back();
        if (change.value) {
            const auto chosen =
                TRY(hasVectors ? vectorCode(state, place, vectors[place.dense], current)
                               : decide(candidatesFor(state, place, *change.value, current),
                                        *change.value, change.tolerance, plainType(state),
                                        partRoleName(state.payload.role)));
            plan = elementPlan(state, place, *change.value, chosen, current);
            codes[at] = chosen.code;
            continue;
        }
        plan.note = "left out by the mask";
        for (std::uint64_t lane = 0; current && state.palette && lane < state.palette->vector;
             ++lane) {
            const ElementPlace beside{place.dense, lane, place.element};
            const auto other = vectors[place.dense].find(lane);
            const bool isDropped = other != vectors[place.dense].end() && !other->second->value;
            if (lane != place.lane && !isDropped && valueOfCode(state, beside, *current) != 0)
                return refused(
                    "patch.unrepresentable", "mask",
                    fmt::format("vectors of {} whose other values are 0", state.palette->vector),
                    fmt::format("element {} beside other values", change.element),
                    "Dropping the element would drop the rest of its vector: drop all of it in "
                    "the same step");
        }
        codes[at] = std::nullopt;
    }
    std::erase_if(
        codes, [&kept](const auto &each) { return !each.second && !kept.mask->test(each.first); });
    if (!codes.empty()) {
        addMaskBits(plans.back(), kept, codes);
        addSurvivors(plans.back(), kept, codes);
    }
    return plans;
}

Result<EditPlan> Editor::keep(std::uint64_t element, double value, double tolerance) const
{
    const Decoder::State &state = *m_decoder.m_state;
    const bool inside = element < state.elements;
    const bool kept =
        inside &&
        (state.skipsZeros() ? m_decoder.stored(element)
                            : state.mask && state.mask->test(elementPlace(state, element).dense));
    if (kept)
        return setElement(element, value, tolerance);
    const MaskChange one{element, value, tolerance};
    return onlyPlan(changeMask(std::span(&one, 1)));
}

Result<EditPlan> Editor::drop(std::uint64_t element) const
{
    const Decoder::State &state = *m_decoder.m_state;
    if (element < state.elements && state.skipsZeros() && !m_decoder.stored(element)) {
        EditPlan plan;
        plan.note = "left out by the mask";
        return plan;
    }
    const MaskChange one{element, std::nullopt};
    return onlyPlan(changeMask(std::span(&one, 1)));
}

} // namespace kernscope::codec
