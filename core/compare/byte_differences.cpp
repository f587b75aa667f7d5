// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/byte_differences.h"
#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"

#include <cstring>

namespace kernscope {

namespace {

constexpr std::uint64_t kSmallestBlock = 64 * 1024;
constexpr std::uint64_t kMostBlocks = 4096;
constexpr std::uint64_t kCompareStep = 4096;
/// How far a difference is followed to its ends: a longer one counts as several.
constexpr std::uint64_t kReach = 4 * 1024 * 1024;

/// The bytes of one segment on both sides.
struct Sides {
    std::span<const std::byte> a, b;
    const AlignedSegment *segment = nullptr;

    std::uint64_t common() const { return std::min(a.size(), b.size()); }
    std::uint64_t length() const { return std::max(a.size(), b.size()); }
    /// Lines of other lengths differ between what they begin and end with alike.
    bool trimmed() const { return segment->text && a.size() != b.size(); }

    bool differs(std::uint64_t at) const
    {
        if (trimmed())
            return at >= segment->prefix && at < length() - segment->suffix;
        return segment->otherwise || at >= common() || a[at] != b[at];
    }
    /// First differing byte of [from, end); `end` where there is none.
    std::uint64_t firstIn(std::uint64_t from, std::uint64_t end) const
    {
        if (trimmed()) {
            const std::uint64_t first = std::max(from, segment->prefix);
            return first < end && differs(first) ? first : end;
        }
        while (!segment->otherwise && from < end && from < common()) {
            const std::uint64_t n = std::min({kCompareStep, end - from, common() - from});
            if (std::memcmp(a.data() + from, b.data() + from, n) != 0) {
                while (a[from] == b[from])
                    ++from;
                return from;
            }
            from += n;
        }
        return from;
    }
    /// One past the last differing byte of [from, end); `from` where there is none.
    std::uint64_t lastIn(std::uint64_t from, std::uint64_t end) const
    {
        if (trimmed()) {
            const std::uint64_t last = std::min(end, length() - segment->suffix);
            return last > std::max(from, segment->prefix) ? last : from;
        }
        while (end > from && !differs(end - 1)) {
            const bool whole = end <= common() && end - from >= kCompareStep;
            const bool skip =
                whole && std::memcmp(a.data() + end - kCompareStep, b.data() + end - kCompareStep,
                                     kCompareStep) == 0;
            end -= skip ? kCompareStep : 1;
        }
        return end;
    }
    std::uint64_t countIn(std::uint64_t from, std::uint64_t end) const
    {
        if (trimmed()) {
            const std::uint64_t last = length() - std::min(length(), segment->suffix);
            const std::uint64_t first = std::max(from, segment->prefix);
            return std::min(end, last) > first ? std::min(end, last) - first : 0;
        }
        if (segment->otherwise)
            return end - from;
        std::uint64_t count = 0;
        const std::uint64_t both = std::min(end, std::max(from, common()));
        for (std::uint64_t i = from; i < both; ++i)
            count += a[i] != b[i] ? 1u : 0u;
        return count + (end - both);
    }
    /// `different` of [from, end) that countIn() found, by side.
    ByteTally tallyOf(std::uint64_t from, std::uint64_t end, std::uint64_t different) const
    {
        // What a line of text has more of counts at the end of what differs.
        const std::uint64_t suffix = trimmed() ? std::min(common(), segment->suffix) : 0;
        const std::uint64_t first = std::max(from, common() - suffix);
        const std::uint64_t last = std::min(end, length() - suffix);
        const std::uint64_t alone = last > first ? last - first : 0;
        return a.size() > b.size() ? ByteTally{different - alone, alone, 0}
                                   : ByteTally{different - alone, 0, alone};
    }
    /// One past the end of the difference that begins at `first`.
    std::uint64_t endOfRun(std::uint64_t first) const
    {
        const std::uint64_t reach = std::min(length(), first + kReach);
        std::uint64_t end = first + 1;
        for (std::uint64_t at = end; at < reach && at - end < ByteDifferences::kJoin; ++at)
            end = differs(at) ? at + 1 : end;
        return end;
    }
    std::uint64_t startOfRun(std::uint64_t last) const
    {
        const std::uint64_t reach = last > kReach ? last - kReach : 0;
        std::uint64_t start = last;
        for (std::uint64_t at = last; at-- > reach && start - at <= ByteDifferences::kJoin;)
            start = differs(at) ? at : start;
        return start;
    }
};

Sides sidesOf(const AlignedBytes &bytes, std::size_t segment)
{
    const AlignedSegment &s = bytes.alignment.segments()[segment];
    return {bytes.bytesA(s), bytes.bytesB(s), &s};
}

std::span<const std::byte> bytesOf(const BundlePtr &bundle, std::size_t file, std::uint64_t first,
                                   std::uint64_t length)
{
    if (!bundle || file >= bundle->files().size() || length == 0)
        return {};
    const auto all = bundle->files()[file].file->bytes();
    return first <= all.size() && length <= all.size() - first ? all.subspan(first, length)
                                                               : std::span<const std::byte>();
}

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

AlignedBytes alignBytes(const BundlePtr &a, const BundlePtr &b, std::span<const ComparedPair> pairs)
{
    const BundleReadLock lock(*a, *b);
    return {a, b, ByteAlignment(*a, *b, pairs)};
}

std::span<const std::byte> AlignedBytes::bytesA(const AlignedSegment &segment) const
{
    return bytesOf(a, alignment.fileOf(segment).a, segment.firstA, segment.lengthA);
}

std::span<const std::byte> AlignedBytes::bytesB(const AlignedSegment &segment) const
{
    return bytesOf(b, alignment.fileOf(segment).b, segment.firstB, segment.lengthB);
}

std::optional<ByteDifferences> ByteDifferences::find(const AlignedBytes &bytes, Progress &progress)
{
    const BundleReadLock lock(*bytes.a, *bytes.b);
    const auto &segments = bytes.alignment.segments();
    std::uint64_t total = 0;
    for (const AlignedSegment &segment : segments)
        total += segment.length();
    progress.setTotal(total);
    const std::uint64_t blockBytes =
        std::max(kSmallestBlock, (total / kMostBlocks / kCompareStep + 1) * kCompareStep);
    ByteDifferences result;
    result.m_bySection.resize(bytes.alignment.sections().size());
    for (std::size_t i = 0; i < segments.size(); ++i) {
        const Sides sides = sidesOf(bytes, i);
        ByteTally tally;
        for (std::uint64_t first = 0; first < sides.length(); first += blockBytes) {
            const std::uint64_t end = std::min(sides.length(), first + blockBytes);
            if (!progress.advance(end - first))
                return std::nullopt;
            const std::uint64_t different = sides.countIn(first, end);
            if (different == 0)
                continue;
            result.m_blocks.push_back({i, first, end - first, different});
            tally += sides.tallyOf(first, end, different);
        }
        result.m_bySection[segments[i].section] += tally;
        result.m_tally += tally;
    }
    return result;
}

std::size_t ByteDifferences::blockOf(std::size_t segment, std::uint64_t offset) const
{
    const auto at = std::partition_point(m_blocks.begin(), m_blocks.end(), [&](const Block &block) {
        return block.segment < segment ||
               (block.segment == segment && block.first + block.length <= offset);
    });
    return static_cast<std::size_t>(at - m_blocks.begin());
}

std::optional<DifferenceRun>
ByteDifferences::firstFrom(const AlignedBytes &bytes, std::size_t block, std::uint64_t offset) const
{
    for (; block < m_blocks.size(); ++block, offset = 0) {
        const Block &at = m_blocks[block];
        const Sides sides = sidesOf(bytes, at.segment);
        const std::uint64_t end = std::min(at.first + at.length, sides.length());
        const std::uint64_t first = sides.firstIn(std::max(offset, at.first), end);
        if (first < end)
            return DifferenceRun{at.segment, first, sides.endOfRun(first) - first};
    }
    return std::nullopt;
}

std::optional<DifferenceRun> ByteDifferences::lastBefore(const AlignedBytes &bytes,
                                                         std::size_t block,
                                                         std::uint64_t offset) const
{
    for (std::size_t i = std::min(block + 1, m_blocks.size()); i-- > 0; offset = UINT64_MAX) {
        const Block &at = m_blocks[i];
        const Sides sides = sidesOf(bytes, at.segment);
        const std::uint64_t end = std::min({at.first + at.length, sides.length(), offset});
        const std::uint64_t past = end > at.first ? sides.lastIn(at.first, end) : at.first;
        if (past > at.first) {
            const std::uint64_t first = sides.startOfRun(past - 1);
            return DifferenceRun{at.segment, first, sides.endOfRun(first) - first};
        }
    }
    return std::nullopt;
}

std::optional<DifferenceRun> ByteDifferences::next(const AlignedBytes &bytes, std::size_t segment,
                                                   std::uint64_t offset) const
{
    if (segment >= bytes.alignment.segments().size())
        return first(bytes);
    const Sides sides = sidesOf(bytes, segment);
    std::uint64_t from = offset + 1;
    if (offset < sides.length() && sides.differs(offset))
        from = sides.endOfRun(offset);
    const std::size_t block = blockOf(segment, from);
    const bool here = block < m_blocks.size() && m_blocks[block].segment == segment;
    return firstFrom(bytes, block, here ? from : 0);
}

std::optional<DifferenceRun> ByteDifferences::previous(const AlignedBytes &bytes,
                                                       std::size_t segment,
                                                       std::uint64_t offset) const
{
    if (segment >= bytes.alignment.segments().size())
        return last(bytes);
    const std::size_t block = blockOf(segment, offset);
    const bool here = block < m_blocks.size() && m_blocks[block].segment == segment;
    if (here)
        return lastBefore(bytes, block, offset);
    return block == 0 ? std::nullopt : lastBefore(bytes, block - 1, UINT64_MAX);
}

std::optional<ByteDifferences::Runs>
ByteDifferences::list(const AlignedBytes &bytes, std::size_t most, const Progress &progress) const
{
    Runs found;
    for (auto run = first(bytes); run;) {
        if (progress.cancelled())
            return std::nullopt;
        const bool joined = !found.runs.empty() && found.runs.back().segment == run->segment &&
                            found.runs.back().end() == run->first;
        if (!joined && found.runs.size() == most) {
            found.cut = true;
            break;
        }
        if (joined)
            found.runs.back().length += run->length;
        else
            found.runs.push_back(*run);
        const std::size_t block = blockOf(run->segment, run->end());
        const bool here = block < m_blocks.size() && m_blocks[block].segment == run->segment;
        run = firstFrom(bytes, block, here ? run->end() : 0);
    }
    return found;
}

std::optional<DifferenceRun> ByteDifferences::firstIn(const AlignedBytes &bytes,
                                                      std::size_t section) const
{
    const AlignedSection &in = bytes.alignment.sections()[section];
    const auto found = firstFrom(bytes, blockOf(in.firstSegment, 0), 0);
    return found && found->segment < in.firstSegment + in.segments ? found : std::nullopt;
}

std::optional<DifferenceRun> ByteDifferences::first(const AlignedBytes &bytes) const
{
    return firstFrom(bytes, 0, 0);
}

std::optional<DifferenceRun> ByteDifferences::last(const AlignedBytes &bytes) const
{
    return m_blocks.empty() ? std::nullopt : lastBefore(bytes, m_blocks.size() - 1, UINT64_MAX);
}

bool byteDiffers(const AlignedBytes &bytes, const AlignedSegment &segment, std::uint64_t offset,
                 bool ofA)
{
    if (segment.text && segment.lengthA != segment.lengthB) {
        const std::uint64_t length = ofA ? segment.lengthA : segment.lengthB;
        return offset >= segment.prefix && offset + segment.suffix < length;
    }
    if (segment.otherwise)
        return offset < segment.lengthOn(ofA);
    const auto a = bytes.bytesA(segment), b = bytes.bytesB(segment);
    return offset >= std::min(a.size(), b.size()) || a[offset] != b[offset];
}

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
