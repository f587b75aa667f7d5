// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/edit/edit_common.h"

#include "core/base/error_builder.h"
#include "core/codec/decode/ordered.h"
#include "core/numeric/bitpack.h"
#include "core/numeric/convert.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace kernscope::codec {

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

} // namespace kernscope::codec
