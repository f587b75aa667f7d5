// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/byte_counterpart.h"

#include "core/bundle/bundle.h"

#include <algorithm>
#include <utility>

namespace kernscope {

namespace {

/// An element of the weight of the other side that is the same one as an element of this side.
struct SameElement {
    std::size_t weight = kNoIndex;
    std::uint64_t element = 0;
};

std::optional<SameElement> sameElement(const AlignedBytes &bytes, bool ofA, std::size_t weight,
                                       std::uint64_t element)
{
    const Bundle &own = ofA ? *bytes.a : *bytes.b, &other = ofA ? *bytes.b : *bytes.a;
    const std::size_t partner = bytes.alignment.partner(ofA, weight);
    if (partner < other.weights().size()) {
        if (own.weights()[weight].elements != other.weights()[partner].elements)
            return std::nullopt;
        return SameElement{partner, element};
    }
    for (const PairSides &pair : bytes.alignment.sliced()) {
        if ((ofA ? pair.a : pair.b) != weight)
            continue;
        const auto slice = diff::sliceOf(*bytes.a, *bytes.b, pair);
        const std::size_t same = ofA ? pair.b : pair.a;
        if (pair.slice->ofA != ofA)
            return SameElement{same, slice.inWhole(element)};
        if (const auto inPart = slice.inPart(element))
            return SameElement{same, *inPart};
    }
    return std::nullopt;
}

/// Whether a weight without its elements on the other side is still set against bytes there: its
/// partner has the same form and type but another number of elements, or its section was aligned
/// by its place alone.
bool storedAlike(const AlignedBytes &bytes, bool ofA, std::size_t weight)
{
    const Bundle &own = ofA ? *bytes.a : *bytes.b, &other = ofA ? *bytes.b : *bytes.a;
    const std::size_t partner = bytes.alignment.partner(ofA, weight);
    if (partner >= other.weights().size())
        return true;
    const Weight &mine = own.weights()[weight], &theirs = other.weights()[partner];
    return mine.elements != theirs.elements && mine.form.nodes() == theirs.form.nodes() &&
           mine.form.storedType() == theirs.form.storedType();
}

/// The operand of the other weight that is what one of this weight is: of the same role, and as
/// many of that role before it.
std::optional<std::size_t> partOfPartner(const Weight &own, std::size_t operand,
                                         const Weight &other)
{
    const auto role = own.operands()[operand].role;
    std::size_t before = 0;
    for (std::size_t i = 0; i < operand; ++i)
        before += own.operands()[i].role == role ? 1 : 0;
    for (std::size_t i = 0; i < other.operands().size(); ++i) {
        if (other.operands()[i].role == role && before-- == 0)
            return i;
    }
    return std::nullopt;
}

/// Whether bytes of the two parts mean the same: a kept value is a value, but no mask.
bool comparable(const codec::Operand &mine, const codec::Operand &theirs)
{
    const auto valueRole = [](codec::PartRole role) {
        return role == codec::PartRole::NonzeroData ? codec::PartRole::Data : role;
    };
    return mine.type == theirs.type && valueRole(mine.role) == valueRole(theirs.role);
}

/// The byte alone that stands at the front of what was found can be compared.
void compareFront(ByteCounterpart &found, std::uint64_t further)
{
    found.runs.front().first += further;
    found.runs.front().length = 1;
    found.sameByte = found.runs.front();
}

} // namespace

struct ByteCounterparts::Sides {
    const Bundle &own;
    const Bundle &other;
    BoundOrder &ownOrder;
    BoundOrder &otherOrder;
    bool ofA;
};

ByteCounterpart ByteCounterparts::of(std::size_t at, std::uint64_t offset, bool ofA)
{
    ByteCounterpart found;
    if (!m_bytes || at >= m_bytes->alignment.segments().size())
        return found;
    const AlignedSegment &segment = m_bytes->alignment.segments()[at];
    if (offset >= (ofA ? segment.lengthA : segment.lengthB))
        return found;
    const AlignedFile &file = m_bytes->alignment.fileOf(segment);
    const Sides sides{ofA ? *m_bytes->a : *m_bytes->b, ofA ? *m_bytes->b : *m_bytes->a,
                      ofA ? m_orderA : m_orderB, ofA ? m_orderB : m_orderA, ofA};
    const FileOffset place((ofA ? segment.firstA : segment.firstB) + offset);
    const auto owner = ownerOfByte(sides.own, ofA ? file.a : file.b, place, sides.ownOrder);
    if (!owner) {
        byOffset(segment, at, offset, ofA, found);
    } else {
        found.weight = owner->weight;
        owner->elements.empty() ? byEntry(sides, *owner, place, found)
                                : byElement(sides, *owner, place, found);
        // No element, but an aligned section: byte against byte.
        if (found.runs.empty() && storedAlike(*m_bytes, ofA, owner->weight))
            byOffset(segment, at, offset, ofA, found);
    }
    return found;
}

void ByteCounterparts::byElement(const Sides &sides, const ByteOwner &owner, FileOffset offset,
                                 ByteCounterpart &found)
{
    found.by = ByteCounterpart::By::Element;
    found.elements = owner.elements;
    std::optional<ElementBytes> last;
    for (const std::uint64_t element : owner.elements) {
        const auto same = sameElement(*m_bytes, sides.ofA, owner.weight, element);
        if (!same)
            continue;
        found.otherWeight = same->weight;
        found.otherElements.push_back(same->element);
        last = placeOfElement(sides.other, same->weight, same->element, sides.otherOrder);
        if (last)
            add(sides, *last, found);
    }
    comparePackedByte(sides, owner, offset, found);
    // One element, in as many bytes on both sides: its first byte is the first byte there.
    if (found.byteForByte || found.elements.size() != 1 || !last || found.runs.size() != 1)
        return;
    const auto own =
        placeOfElement(sides.own, owner.weight, owner.elements.front(), sides.ownOrder);
    if (!own || own->bytes.bytes != last->bytes.bytes || offset < own->bytes.offset ||
        offset.value >= own->bytes.end())
        return;
    const auto there = ownerOfByte(sides.other, last->file, last->bytes.offset, sides.otherOrder);
    if (!there || there->weight >= sides.other.weights().size())
        return;
    found.byteForByte = comparable(sides.own.weights()[owner.weight].operands()[owner.operand],
                                   sides.other.weights()[there->weight].operands()[there->operand]);
    if (found.byteForByte)
        compareFront(found, offset.value - own->bytes.offset.value);
}

/// A byte of codes or of a mask, which several elements have bits in, against the byte over there
/// that has bits of just those elements, the first of them at the same bit.
void ByteCounterparts::comparePackedByte(const Sides &sides, const ByteOwner &owner,
                                         FileOffset offset, ByteCounterpart &found) const
{
    const codec::Operand &mine = sides.own.weights()[owner.weight].operands()[owner.operand];
    if (found.elements.size() < 2 || found.otherElements.size() != found.elements.size())
        return;
    std::optional<ElementBytes> there;
    std::uint64_t further = 0;
    if (mine.role == codec::PartRole::Mask) {
        const Weight &other = sides.other.weights()[found.otherWeight];
        const auto operand = partOfPartner(sides.own.weights()[owner.weight], owner.operand, other);
        const codec::Operand *mask = operand ? &other.operands()[*operand] : nullptr;
        if (mask != nullptr && mask->place)
            there = ElementBytes{
                mask->place->file,
                {FileOffset(mask->place->dataOffset.value + found.otherElements.front() / 8),
                 ByteCount(1)}};
    } else {
        const auto own =
            placeOfElement(sides.own, owner.weight, found.elements.front(), sides.ownOrder);
        there = placeOfElement(sides.other, found.otherWeight, found.otherElements.front(),
                               sides.otherOrder);
        if (!own || offset < own->bytes.offset)
            return;
        further = offset.value - own->bytes.offset.value;
    }
    if (!there)
        return;
    const FileOffset candidate(there->bytes.offset.value + further);
    const auto over = ownerOfByte(sides.other, there->file, candidate, sides.otherOrder);
    if (!over || over->weight != found.otherWeight || over->elements != found.otherElements)
        return;
    const codec::Operand &theirs = sides.other.weights()[over->weight].operands()[over->operand];
    const unsigned width = bitWidth(mine.type);
    const auto at = m_bytes->alignment.placeOf(!sides.ofA, there->file, candidate.value);
    if (!comparable(mine, theirs) || (owner.entry * width) % 8 != (over->entry * width) % 8 ||
        at.segment == kNoIndex)
        return;
    found.byteForByte = true;
    found.sameByte = {at.segment, at.offset, 1};
}

void ByteCounterparts::byEntry(const Sides &sides, const ByteOwner &owner, FileOffset offset,
                               ByteCounterpart &found) const
{
    found.by = ByteCounterpart::By::Entry;
    found.otherWeight = m_bytes->alignment.partner(sides.ofA, owner.weight);
    if (found.otherWeight >= sides.other.weights().size())
        return;
    const Weight &own = sides.own.weights()[owner.weight];
    const Weight &other = sides.other.weights()[found.otherWeight];
    const auto operand = partOfPartner(own, owner.operand, other);
    const auto there = operand ? placeOfEntry(sides.other, found.otherWeight, *operand, owner.entry)
                               : std::nullopt;
    if (!there)
        return;
    add(sides, *there, found);
    const auto here = placeOfEntry(sides.own, owner.weight, owner.operand, owner.entry);
    found.byteForByte = here && found.runs.size() == 1 && offset >= here->bytes.offset &&
                        offset.value < here->bytes.end() &&
                        here->bytes.bytes == there->bytes.bytes &&
                        own.operands()[owner.operand].type == other.operands()[*operand].type;
    if (found.byteForByte)
        compareFront(found, offset.value - here->bytes.offset.value);
}

void ByteCounterparts::byOffset(const AlignedSegment &segment, std::size_t at, std::uint64_t offset,
                                bool ofA, ByteCounterpart &found) const
{
    const std::uint64_t own = ofA ? segment.lengthA : segment.lengthB;
    const std::uint64_t other = ofA ? segment.lengthB : segment.lengthA;
    std::uint64_t there = offset;
    if (segment.text && own != other && offset >= segment.prefix) {
        // What a line ends with is found from its end.
        const bool ends = offset + segment.suffix >= own && other + offset >= own;
        there = ends ? other + offset - own : other;
    }
    if (there >= other)
        return;
    const AlignedFile &file = m_bytes->alignment.fileOf(segment);
    found.by = ByteCounterpart::By::Offset;
    found.file = ofA ? file.b : file.a;
    found.runs.push_back({at, there, 1});
    found.byteForByte = true;
    found.sameByte = found.runs.front();
}

/// Neighbours become one run.
void ByteCounterparts::add(const Sides &sides, const ElementBytes &place,
                           ByteCounterpart &found) const
{
    const auto at = m_bytes->alignment.placeOf(!sides.ofA, place.file, place.bytes.offset.value);
    if (at.segment == kNoIndex)
        return;
    found.file = place.file;
    SegmentRun run{at.segment, at.offset, place.bytes.bytes.value};
    if (!found.runs.empty()) {
        SegmentRun &before = found.runs.back();
        const bool touches = before.segment == run.segment && run.first >= before.first &&
                             run.first <= before.first + before.length;
        if (touches) {
            before.length = std::max(before.length, run.first + run.length - before.first);
            return;
        }
    }
    found.runs.push_back(run);
}

} // namespace kernscope
