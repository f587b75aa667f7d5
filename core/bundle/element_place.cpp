// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/element_place.h"

#include "core/base/quantity.h"

#include <bit>
#include <span>
#include <utility>

namespace kernscope {

namespace {

/// Bytes of an operand from one of its own bits on.
ByteRange bitsWithin(const OperandPlace &place, std::uint64_t bit, std::uint64_t width)
{
    const ByteRange own = bitsAsBytes(bit, width);
    return {FileOffset(place.dataOffset.value + own.offset.value), own.bytes};
}

/// Where the value of a kept element of a sparse weight lies, whose mask and values are rows of
/// elements: as many values before it as the mask keeps. Nothing for every other weight, and where
/// the mask leaves the element out. Reads the mask up to the element.
std::optional<ElementBytes> placeOfKeptValue(const Bundle &bundle, const Weight &weight,
                                             std::uint64_t element)
{
    const auto &encoding = weight.form.encoding();
    if (!encoding || !encoding->mask || (encoding->palette && encoding->palette->vector != 1))
        return std::nullopt;
    const codec::Operand &mask = *encoding->mask;
    const auto *values = codec::storedOperand(encoding->payload);
    if (!values || mask.order || values->order || values->place->isLiteral() ||
        bitWidth(mask.type) != 1)
        return std::nullopt;
    const auto bits = bundle.operandBytes(mask);
    const auto keeps = [&](std::uint64_t i) {
        return (std::to_integer<unsigned>(bits[i / 8]) >> (i % 8) & 1u) != 0;
    };
    if (element / 8 >= bits.size() || !keeps(element))
        return std::nullopt;
    std::uint64_t rank = 0;
    for (std::uint64_t byte = 0; byte < element / 8; ++byte)
        rank += static_cast<unsigned>(std::popcount(std::to_integer<unsigned>(bits[byte])));
    for (std::uint64_t i = element / 8 * 8; i < element; ++i)
        rank += keeps(i) ? 1 : 0;
    const std::uint64_t width = bitWidth(values->type);
    const auto bit = checkedMultiply(rank, width);
    if (width == 0 || !bit)
        return std::nullopt;
    const ByteRange bytes = bitsWithin(*values->place, *bit, width);
    if (bytes.end() > values->place->range().end())
        return std::nullopt;
    return ElementBytes{values->place->file, bytes};
}

} // namespace

bool isElementwise(const Weight &weight, codec::PartRole role)
{
    if (!weight.form.encoding())
        return false;
    const codec::Encoding &encoding = *weight.form.encoding();
    if (role == codec::PartRole::Mask)
        return encoding.mask.has_value();
    const codec::Operand *stored = weight.operand(role);
    if (encoding.mask && (!stored || !stored->order)) // survivors in a row: their rank decides
        return false;
    // Only the weight's own payload: a scale or codebook may be a coded tensor of its own.
    const auto *payload = std::get_if<codec::Operand>(&encoding.payload);
    return payload && payload->role == role && (!encoding.palette || encoding.palette->vector == 1);
}

ByteRange bitsAsBytes(std::uint64_t bit, std::uint64_t width)
{
    return {FileOffset(bit / 8), ByteCount((bit + width + 7) / 8 - bit / 8)};
}

const codec::ElementOrder *BoundOrder::of(const Bundle &bundle, const codec::Operand &operand)
{
    if (!operand.order)
        return nullptr;
    for (const Kept &kept : m_kept) {
        if (kept.operand == &operand)
            return kept.order.get();
    }
    m_kept[1] = std::exchange(m_kept[0], {&operand, nullptr});
    const auto bytes = bundle.operandBytes(operand);
    if (bytes.size() < operand.order->extent())
        return nullptr;
    if (auto bound = operand.order->bound(bytes))
        m_kept[0].order = *bound ? std::move(*bound) : operand.order;
    return m_kept[0].order.get();
}

void BoundOrder::clear()
{
    m_kept = {};
}

std::optional<ElementBytes> placeOfElement(const Bundle &bundle, std::size_t at,
                                           std::uint64_t element)
{
    BoundOrder order;
    return placeOfElement(bundle, at, element, order);
}

std::optional<ElementBytes> placeOfElement(const Bundle &bundle, std::size_t at,
                                           std::uint64_t element, BoundOrder &order)
{
    if (at >= bundle.weights().size() || element >= bundle.weights()[at].elements.value)
        return std::nullopt;
    const Weight &weight = bundle.weights()[at];
    if (const auto kept = placeOfKeptValue(bundle, weight, element))
        return kept;
    // Backwards: where mask and values lie in pieces, a stored value's place is its own.
    for (std::size_t i = weight.operands().size(); i-- > 0;) {
        const codec::Operand &operand = weight.operands()[i];
        const OperandPlace &stored = *operand.place;
        if (stored.isLiteral() || !isElementwise(weight, operand.role))
            continue;
        const std::uint64_t width = bitWidth(operand.type);
        if (operand.order) {
            const auto *bound = width == 0 ? nullptr : order.of(bundle, operand);
            std::uint64_t place = codec::ElementOrder::kAbsent;
            if (bound && element < bound->elements())
                bound->positions(element, std::span(&place, 1));
            if (place != codec::ElementOrder::kAbsent)
                return ElementBytes{stored.file, bitsAsBytes(place, width)};
            continue;
        }
        const auto bit = checkedMultiply(element, width);
        if (width == 0 || !bit)
            continue;
        const ByteRange bytes = bitsWithin(stored, *bit, width);
        if (bytes.end() <= stored.range().end())
            return ElementBytes{stored.file, bytes};
    }
    return std::nullopt;
}

} // namespace kernscope
