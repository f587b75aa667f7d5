// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/element_place.h"

#include "core/base/quantity.h"

#include <bit>
#include <span>
#include <utility>

namespace kernscope {

namespace {

constexpr int kMostNested = 8;

const codec::Operand *operandIn(const codec::Encoding &encoding, codec::PartRole role, int depth);

const codec::Operand *operandIn(const codec::OperandSource &source, codec::PartRole role, int depth)
{
    if (const auto *operand = std::get_if<codec::Operand>(&source))
        return operand->role == role ? operand : nullptr;
    const auto &nested = std::get<std::shared_ptr<const codec::Encoding>>(source);
    return nested && depth > 0 ? operandIn(*nested, role, depth - 1) : nullptr;
}

/// The operand of that role as the codec reads it: packed indices have their true width here,
/// where the record says bytes.
const codec::Operand *operandIn(const codec::Encoding &encoding, codec::PartRole role, int depth)
{
    if (encoding.mask && encoding.mask->role == role)
        return &*encoding.mask;
    const codec::Operand *found = operandIn(encoding.payload, role, depth);
    if (!found && encoding.palette)
        found = operandIn(encoding.palette->lut, role, depth);
    if (!found && encoding.scaling)
        found = operandIn(encoding.scaling->scale, role, depth);
    if (!found && encoding.scaling && encoding.scaling->offset)
        found = operandIn(*encoding.scaling->offset, role, depth);
    return found;
}

/// Bytes of a part from one of its own bits on.
ByteRange bitsWithin(const Part &part, std::uint64_t bit, std::uint64_t width)
{
    const ByteRange own = bitsAsBytes(bit, width);
    return {FileOffset(part.dataOffset.value + own.offset.value), own.bytes};
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
    const Part *mask = weight.part(codec::PartRole::Mask);
    const auto *payload = codec::storedOperand(encoding->payload);
    const Part *values = payload ? weight.part(payload->role) : nullptr;
    if (!mask || !values || mask->order || values->order || values->isLiteral() ||
        bitWidth(storedType(weight, *mask)) != 1)
        return std::nullopt;
    const auto bits = bundle.partBytes(*mask);
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
    const std::uint64_t width = bitWidth(storedType(weight, *values));
    const auto bit = checkedMultiply(rank, width);
    if (width == 0 || !bit)
        return std::nullopt;
    const ByteRange bytes = bitsWithin(*values, *bit, width);
    if (bytes.end() > values->range().end())
        return std::nullopt;
    return ElementBytes{values->file, bytes};
}

} // namespace

ElementType storedType(const Weight &weight, const Part &part)
{
    const codec::Operand *operand = weight.form.encoding()
                                        ? operandIn(*weight.form.encoding(), part.role, kMostNested)
                                        : nullptr;
    return operand ? operand->type : part.type;
}

bool isElementwise(const Weight &weight, codec::PartRole role)
{
    if (!weight.form.encoding())
        return false;
    const codec::Encoding &encoding = *weight.form.encoding();
    if (role == codec::PartRole::Mask)
        return encoding.mask.has_value();
    const Part *stored = weight.part(role);
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

const codec::ElementOrder *BoundOrder::of(const Bundle &bundle, const Part &part)
{
    if (!part.order)
        return nullptr;
    for (const Kept &kept : m_kept) {
        if (kept.part == &part)
            return kept.order.get();
    }
    m_kept[1] = std::exchange(m_kept[0], {&part, nullptr});
    const auto bytes = bundle.partBytes(part);
    if (bytes.size() < part.order->extent())
        return nullptr;
    if (auto bound = part.order->bound(bytes))
        m_kept[0].order = *bound ? std::move(*bound) : part.order;
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
    for (std::size_t i = weight.parts.size(); i-- > 0;) {
        const Part &part = weight.parts[i];
        if (part.isLiteral() || !isElementwise(weight, part.role))
            continue;
        const std::uint64_t width = bitWidth(storedType(weight, part));
        if (part.order) {
            const auto *bound = width == 0 ? nullptr : order.of(bundle, part);
            std::uint64_t place = codec::ElementOrder::kAbsent;
            if (bound && element < bound->elements())
                bound->positions(element, std::span(&place, 1));
            if (place != codec::ElementOrder::kAbsent)
                return ElementBytes{part.file, bitsAsBytes(place, width)};
            continue;
        }
        const auto bit = checkedMultiply(element, width);
        if (width == 0 || !bit)
            continue;
        const ByteRange bytes = bitsWithin(part, *bit, width);
        if (bytes.end() <= part.range().end())
            return ElementBytes{part.file, bytes};
    }
    return std::nullopt;
}

} // namespace kernscope
