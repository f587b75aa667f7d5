// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/element_place.h"

#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/codec/decode/mask_index.h"
#include "core/container/mlir/module.h"
#include "core/container/odix/field_at.h"
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

/// Bytes of an operand from one of its own bits on.
ByteRange bitsWithin(const OperandPlace &place, std::uint64_t bit, std::uint64_t width)
{
    const ByteRange own = bitsAsBytes(bit, width);
    return {FileOffset(place.dataOffset.value + own.offset.value), own.bytes};
}

/// Bytes of an entry of a part whose entries lie row by row.
std::optional<ElementBytes> bytesOfEntry(const Weight &weight, const CodeEntry &code)
{
    const OperandPlace &place = *code.operand->place;
    const std::uint64_t width = entryBits(*weight.form.encoding(), *code.operand);
    const auto bit = checkedMultiply(code.entry, width);
    if (width == 0 || !bit || place.isLiteral())
        return std::nullopt;
    const ByteRange bytes = bitsWithin(place, *bit, width);
    if (bytes.end() > place.range().end())
        return std::nullopt;
    return ElementBytes{place.file, bytes};
}

/// Entries of an operand that a byte of its file holds bits of, at most eight, ascending.
std::vector<std::uint64_t> entriesIn(const Bundle &bundle, const Weight &weight,
                                     const codec::Operand &operand, FileOffset offset,
                                     BoundOrder &order)
{
    const OperandPlace &place = *operand.place;
    std::vector<std::uint64_t> entries;
    if (operand.order) {
        const std::uint64_t width = bitWidth(operand.type);
        const auto *bound = width == 0 || !place.holds({offset, ByteCount(1)})
                                ? nullptr
                                : order.of(bundle, operand);
        for (std::uint64_t bit = 0; bound && bit < 8; bit += std::min<std::uint64_t>(width, 8)) {
            if (const auto element = bound->elementAt(8 * offset.value + bit))
                entries.push_back(*element);
        }
        return entries;
    }
    const std::uint64_t width = entryBits(*weight.form.encoding(), operand);
    if (width == 0 || !place.range().contains(offset))
        return entries;
    const std::uint64_t into = offset.value - place.dataOffset.value;
    for (std::uint64_t at = 8 * into / width; at * width < 8 * into + 8; ++at) {
        if (((at + 1) * width + 7) / 8 <= place.bytes.value)
            entries.push_back(at);
    }
    return entries;
}

/// Whether each element has an entry of the operand, alone or with the others of its vector.
bool hasElements(const Weight &weight, const Operand &operand)
{
    return isElementwise(weight, operand.role) ||
           &operand == codec::storedOperand(weight.form.encoding()->payload);
}

/// `counts`: null where a mask is counted up to the element only.
std::optional<ElementBytes> findElement(const Bundle &bundle, std::size_t at, std::uint64_t element,
                                        BoundOrder &order, BoundOrder *counts)
{
    if (at >= bundle.weights().size() || element >= bundle.weights()[at].elements.value)
        return std::nullopt;
    const Weight &weight = bundle.weights()[at];
    if (!weight.form.encoding())
        return std::nullopt;
    if (const auto code = codeOfElement(bundle, *weight.form.encoding(), element, counts))
        return bytesOfEntry(weight, *code);
    // Backwards: where mask and values lie in pieces, a stored value's place is its own.
    element = VectorLayout(*weight.form.encoding()).indexOf(element);
    for (std::size_t i = weight.operands().size(); i-- > 0;) {
        const codec::Operand &operand = weight.operands()[i];
        const OperandPlace &stored = *operand.place;
        if (stored.isLiteral() || !operand.order || !hasElements(weight, operand))
            continue;
        const std::uint64_t width = bitWidth(operand.type);
        const auto *bound = width == 0 ? nullptr : order.of(bundle, operand);
        std::uint64_t place = codec::ElementOrder::kAbsent;
        if (bound && element < bound->elements())
            bound->positions(element, std::span(&place, 1));
        if (place != codec::ElementOrder::kAbsent)
            return ElementBytes{stored.file, bitsAsBytes(place, width)};
    }
    return std::nullopt;
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
        element = codec::madeElement(*at, index);
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
            if (at.view)
                index = at.view->elementAt(8 * index).value_or(UINT64_MAX);
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

std::vector<std::uint64_t> elementPlace(const Shape &shape, std::uint64_t element)
{
    std::vector<std::uint64_t> place(shape.size());
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        const std::uint64_t extent = std::max<std::uint64_t>(shape[axis], 1);
        place[axis] = element % extent;
        element /= extent;
    }
    return place;
}

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

const mlir::Module *BoundOrder::module(const Bundle &bundle)
{
    if (!m_module && bundle.kind() == BundleKind::Aimodel && bundle.programFile() != kNoIndex) {
        const BundleFile &file = bundle.files()[bundle.programFile()];
        m_module =
            std::make_shared<const mlir::Module>(mlir::readModule(file.file->bytes(), file.path));
    }
    return m_module.get();
}

const odix::FieldMap *BoundOrder::fields(const Bundle &bundle, std::size_t file)
{
    if (bundle.kind() != BundleKind::Aimodelx)
        return nullptr;
    const auto [at, added] = m_fields.try_emplace(file);
    if (added)
        at->second = odix::FieldMap::make(bundle.files()[file].file->bytes());
    return at->second.get();
}

const codec::MaskIndex *BoundOrder::ranks(const Bundle &bundle, const codec::Operand &mask,
                                          std::uint64_t bits)
{
    if (m_counted.mask == &mask)
        return m_counted.ranks.get();
    if (bits > m_mostCounted) {
        m_wanted = {&mask, bits};
        return nullptr;
    }
    give(mask, countedMask(bundle, mask, bits));
    return m_counted.ranks.get();
}

void BoundOrder::give(const codec::Operand &mask, std::shared_ptr<const codec::MaskIndex> ranks)
{
    m_counted = {&mask, std::move(ranks)};
    if (m_wanted.mask == &mask)
        m_wanted = {};
}

void BoundOrder::clear()
{
    m_kept = {};
    m_counted = {};
    m_wanted = {};
    m_module.reset();
    m_fields.clear();
}

std::shared_ptr<const codec::MaskIndex> countedMask(const Bundle &bundle,
                                                    const codec::Operand &mask, std::uint64_t bits)
{
    auto ranks = std::make_shared<const codec::MaskIndex>(bundle.operandBytes(mask), bits);
    static_cast<void>(ranks->rank(bits)); // which walks the mask
    return ranks;
}

std::optional<ElementBytes> placeOfElement(const Bundle &bundle, std::size_t at,
                                           std::uint64_t element)
{
    BoundOrder order;
    return findElement(bundle, at, element, order, nullptr);
}

std::optional<ElementBytes> placeOfElement(const Bundle &bundle, std::size_t at,
                                           std::uint64_t element, BoundOrder &order)
{
    return findElement(bundle, at, element, order, &order);
}

std::optional<ByteOwner> ownerOfByte(const Bundle &bundle, std::size_t file, FileOffset offset,
                                     BoundOrder &order)
{
    const std::size_t section = bundle.sectionAt(file, offset);
    if (section >= bundle.sections().size())
        return std::nullopt;
    ByteOwner owner;
    owner.weight = bundle.sections()[section].weight;
    if (owner.weight >= bundle.weights().size())
        return std::nullopt;
    const Weight &weight = bundle.weights()[owner.weight];
    if (!weight.form.encoding())
        return std::nullopt;
    // Parts that lie among each other (mask bytes among their values): the one that has an entry.
    for (std::size_t i = 0; i < weight.operands().size(); ++i) {
        const codec::Operand &operand = weight.operands()[i];
        if (operand.place->isLiteral() || operand.place->file != file)
            continue;
        const auto entries = entriesIn(bundle, weight, operand, offset, order);
        if (entries.empty())
            continue;
        owner.operand = i;
        owner.entry = entries.front();
        const VectorLayout layout(*weight.form.encoding());
        for (const std::uint64_t entry : entries) {
            if (operand.order) {
                for (std::uint64_t lane = 0; lane < layout.vector && hasElements(weight, operand);
                     ++lane)
                    owner.elements.push_back(layout.elementOf(entry, lane));
                continue;
            }
            const auto some = elementsOfCode(bundle, *weight.form.encoding(), operand, entry);
            owner.elements.insert(owner.elements.end(), some.begin(), some.end());
        }
        std::ranges::sort(owner.elements);
        return owner;
    }
    return std::nullopt;
}

std::optional<ElementBytes> placeOfEntry(const Bundle &bundle, std::size_t at, std::size_t operand,
                                         std::uint64_t entry)
{
    if (at >= bundle.weights().size())
        return std::nullopt;
    const Weight &weight = bundle.weights()[at];
    if (!weight.form.encoding() || operand >= weight.operands().size() ||
        weight.operands()[operand].order)
        return std::nullopt;
    return bytesOfEntry(weight, {&weight.operands()[operand], entry});
}

} // namespace kernscope
