// SPDX-License-Identifier: GPL-3.0-or-later
// Edits that change which elements a mask keeps: the survivors behind the place move.
#include "core/codec/edit/edit_common.h"
#include "core/numeric/bitpack.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::codec {

namespace {

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

Result<EditPlan> Editor::keep(std::uint64_t element, double value, double tolerance) const
{
    const Decoder::State &state = *m_decoder.m_state;
    const bool inside = element < state.elements;
    const ElementPlace place = inside ? elementPlace(state, element) : ElementPlace{};
    const bool kept = inside && state.skipsZeros() ? m_decoder.stored(element)
                                                   : state.mask && state.mask->test(place.dense);
    if (inside && kept)
        return setElement(element, value, tolerance);
    const auto rank = soundRank(state, element, place.dense);
    if (!rank)
        return tl::unexpected(rank.error());
    const auto chosen = decide(candidatesFor(state, place, value, std::nullopt), value, tolerance,
                               plainType(state), partRoleName(state.payload.role));
    if (!chosen)
        return tl::unexpected(chosen.error());
    EditPlan plan = elementPlan(state, place, value, *chosen, std::nullopt);
    addChange(plan, PartRole::Mask, changeOfCode(state.mask->bytes(), 1, place.dense, 1));
    addTail(plan, state, repack(state, *rank, 0, chosen->code));
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
    const auto rank = soundRank(state, element, place.dense);
    if (!rank)
        return tl::unexpected(rank.error());
    if (!state.mask->test(place.dense))
        return plan;
    if (state.palette && state.palette->vector > 1) {
        for (std::uint64_t lane = 0; lane < state.palette->vector; ++lane) {
            const ElementPlace beside{place.dense, lane, place.element};
            if (lane != place.lane && valueOfCode(state, beside, codeAt(state, *rank)) != 0)
                return tl::unexpected(editFault(
                    "patch.unrepresentable", "mask",
                    fmt::format("vectors of {} whose other values are 0", state.palette->vector),
                    fmt::format("element {} beside other values", element),
                    "Dropping the element would drop the rest of its vector"));
        }
    }
    addChange(plan, PartRole::Mask, changeOfCode(state.mask->bytes(), 1, place.dense, 0));
    addTail(plan, state, repack(state, *rank, 1, std::nullopt));
    plan.payloadElements = ElementCount(state.payloadElements - 1);
    return plan;
}

} // namespace kernscope::codec
