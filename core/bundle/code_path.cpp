// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/code_path.h"

#include "core/bundle/bundle.h"
#include "core/bundle/element_place.h"
#include "core/codec/decode/mask_index.h"
#include "core/numeric/bitpack.h"

#include <bit>

namespace kernscope {

namespace {

using codec::Encoding;
using codec::Operand;

const Encoding *madePayload(const Encoding &encoding)
{
    const auto *made = std::get_if<std::shared_ptr<const Encoding>>(&encoding.payload);
    return made ? made->get() : nullptr;
}

/// How the elements of a palette's vectors lie: an index stands for `vector` elements, `inner`
/// apart from each other.
struct VectorLayout {
    std::uint64_t vector = 1, inner = 1, extent = 1;

    explicit VectorLayout(const Encoding &encoding)
    {
        if (!encoding.palette || encoding.palette->vector <= 1)
            return;
        const std::uint64_t axis = encoding.palette->vectorAxis;
        if (axis >= encoding.shape.size() || encoding.shape[axis] < encoding.palette->vector)
            return; // such a weight has no decoder
        vector = encoding.palette->vector;
        extent = encoding.shape[axis];
        for (std::size_t i = axis + 1; i < encoding.shape.size(); ++i)
            inner *= std::max<std::uint64_t>(1, encoding.shape[i]);
    }
    std::uint64_t indexOf(std::uint64_t element) const
    {
        const std::uint64_t onAxis = element / inner % extent, outside = element / inner / extent;
        return (outside * (extent / vector) + onAxis / vector) * inner + element % inner;
    }
    std::uint64_t elementOf(std::uint64_t index, std::uint64_t lane) const
    {
        const std::uint64_t steps = extent / vector;
        const std::uint64_t onAxis = index / inner % steps, outside = index / inner / steps;
        return (outside * extent + onAxis * vector + lane) * inner + index % inner;
    }
};

bool rowByRow(const Operand &operand)
{
    return !operand.order && operand.place != nullptr;
}

/// The bit of a mask that is its set bit number `rank`; nothing where it has no more of them.
std::optional<std::uint64_t> setBit(std::span<const std::byte> bytes, std::uint64_t bits,
                                    std::uint64_t rank)
{
    constexpr std::uint64_t kStep = 32768;
    for (std::uint64_t at = 0; at < bits; at += kStep) {
        const std::uint64_t some = std::min(kStep, bits - at);
        const std::uint64_t set = countBits(bytes, at, some);
        if (rank >= set) {
            rank -= set;
            continue;
        }
        for (std::uint64_t bit = at; bit < at + some; ++bit) {
            if ((std::to_integer<unsigned>(bytes[bit / 8]) >> (bit % 8) & 1u) != 0 && rank-- == 0)
                return bit;
        }
    }
    return std::nullopt;
}

std::uint64_t maskBits(const Encoding &encoding, std::span<const std::byte> bytes)
{
    const auto elements = elementCount(encoding.shape);
    const std::uint64_t all = elements ? elements->value / VectorLayout(encoding).vector : 0;
    return std::min<std::uint64_t>(all, 8 * bytes.size());
}

} // namespace

std::uint64_t entryBits(const Encoding &encoding, const Operand &operand)
{
    const Encoding &storing = storingEncoding(encoding);
    for (const Encoding *at = &encoding; at != nullptr; at = madePayload(*at)) {
        if (at->mask && &*at->mask == &operand)
            return 1;
    }
    const bool indices = storing.palette && codec::storedOperand(storing.payload) == &operand;
    if (indices && std::has_single_bit(storing.palette->entries))
        return static_cast<std::uint64_t>(std::countr_zero(storing.palette->entries));
    return bitWidth(operand.type);
}

std::optional<CodeEntry> codeOfElement(const Bundle &bundle, const Encoding &encoding,
                                       std::uint64_t element, BoundOrder *order)
{
    for (const Encoding *at = &encoding; at != nullptr; at = madePayload(*at)) {
        std::uint64_t index = VectorLayout(*at).indexOf(element);
        const Operand *payload = codec::storedOperand(at->payload);
        if (payload && !rowByRow(*payload))
            return std::nullopt;
        if (at->mask) {
            if (!rowByRow(*at->mask))
                return std::nullopt;
            const auto bits = bundle.operandBytes(*at->mask);
            if (index >= maskBits(*at, bits))
                return std::nullopt;
            const bool kept = (std::to_integer<unsigned>(bits[index / 8]) >> (index % 8) & 1u) != 0;
            const bool inFile = !at->mask->place->isLiteral();
            if (inFile && (!kept || (payload && payload->place->isLiteral())))
                return CodeEntry{&*at->mask, index};
            if (!kept)
                return std::nullopt;
            const auto *ranks =
                order ? order->ranks(bundle, *at->mask, maskBits(*at, bits)) : nullptr;
            if (order && !ranks)
                return std::nullopt;
            index = ranks ? ranks->rank(index) : countBits(bits, 0, index);
        }
        if (payload)
            return payload->place->isLiteral() ? std::nullopt
                                               : std::optional(CodeEntry{payload, index});
        element = index;
    }
    return std::nullopt;
}

std::vector<std::uint64_t> elementsOfCode(const Bundle &bundle, const Encoding &encoding,
                                          const Operand &operand, std::uint64_t entry)
{
    std::vector<const Encoding *> path; // outermost first
    bool found = false, ofMask = false;
    for (const Encoding *at = &encoding; at != nullptr && !found; at = madePayload(*at)) {
        path.push_back(at);
        ofMask = at->mask && &*at->mask == &operand;
        found = ofMask || codec::storedOperand(at->payload) == &operand;
    }
    std::vector<std::uint64_t> elements{entry};
    for (std::size_t level = found ? path.size() : 0; level-- > 0;) {
        const Encoding &at = *path[level];
        const VectorLayout layout(at);
        const auto all = elementCount(at.shape);
        std::vector<std::uint64_t> outer;
        for (std::uint64_t index : elements) {
            if (at.mask && !(ofMask && level + 1 == path.size())) {
                const auto bits = bundle.operandBytes(*at.mask);
                const auto bit = setBit(bits, maskBits(at, bits), index);
                if (!bit)
                    continue;
                index = *bit;
            }
            for (std::uint64_t lane = 0; lane < layout.vector; ++lane) {
                const std::uint64_t element = layout.elementOf(index, lane);
                if (all && element < all->value)
                    outer.push_back(element);
            }
        }
        elements = std::move(outer);
    }
    return found ? elements : std::vector<std::uint64_t>();
}

} // namespace kernscope
