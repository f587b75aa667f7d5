// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/find.h"

#include "core/base/error_builder.h"
#include "core/base/file_descriptor.h"
#include "core/base/overlaid_file.h"
#include "core/bundle/element_place.h"
#include "core/bundle/stored_values.h"
#include "core/container/mil/program.h"
#include "core/numeric/bitpack.h"
#include "core/numeric/half.h"
#include "core/search/place.h"

#include <cmath>
#include <tuple>

#include <fmt/format.h>

namespace kernscope::search {

namespace {

constexpr std::uint64_t kBlock = 16384; ///< elements decoded at a time

/// What the weight's type makes of a value: what one that was typed in decimal is stored as.
double asStored(double value, ElementType type)
{
    const auto single = static_cast<float>(value);
    switch (type) {
    case ElementType::Fp16: return halfToFloat(doubleToHalf(value));
    case ElementType::Bf16: return bfloat16ToFloat(floatToBfloat16(single));
    case ElementType::Fp32: return single;
    case ElementType::Fp8E4M3Fn: return e4m3ToFloat(floatToE4m3(single));
    case ElementType::Fp8E5M2: return e5m2ToFloat(floatToE5m2(single));
    default: return value; // integers are what they are
    }
}

using Fits = std::function<bool(const ElementValue &)>;

Fits testOf(const Query &query, ElementType type)
{
    switch (query.what) {
    case What::NotANumber: return [](const ElementValue &of) { return std::isnan(of.value); };
    case What::Infinite: return [](const ElementValue &of) { return std::isinf(of.value); };
    case What::ZeroValues: return [](const ElementValue &of) { return of.value == 0; };
    default: break;
    }
    if (query.tolerance)
        return [wanted = query.value, within = *query.tolerance](const ElementValue &of) {
            return std::abs(of.value - wanted) <= within;
        };
    return [wanted = asStored(query.value, type), wide = query.wide](const ElementValue &of) {
        return of.wide && wide ? *of.wide == *wide : of.value == wanted;
    };
}

/// Gathers hits up to the limit.
class Gathering
{
public:
    Gathering(Found &found, std::size_t most) : m_found(found), m_most(most) {}

    /// False where there is no room for another one.
    bool add(Hit hit)
    {
        if (m_found.hits.size() >= m_most) {
            m_found.complete = false;
            return false;
        }
        m_found.hits.push_back(hit);
        return true;
    }

private:
    Found &m_found;
    std::size_t m_most;
};

Hit hitOf(std::size_t weight, std::uint64_t element, const ElementValue &value)
{
    Hit hit;
    hit.weight = weight;
    hit.element = element;
    hit.value = value.value;
    hit.wide = value.wide;
    return hit;
}

/// Runs of elements that fit, one after the other; each of its own where runs do not count.
class Runs
{
public:
    Runs(std::size_t weight, const Query &query, Gathering &out)
        : m_weight(weight), m_least(query.what == What::ZeroValues ? query.least : 1),
          m_joined(query.what == What::ZeroValues), m_out(out)
    {
    }

    bool take(std::uint64_t element, const ElementValue &value, bool fits)
    {
        if (!fits)
            return end();
        if (m_run && m_joined) {
            ++m_run->count;
            return true;
        }
        const bool room = end();
        m_run = hitOf(m_weight, element, value);
        return room;
    }
    bool end()
    {
        const auto run = std::exchange(m_run, std::nullopt);
        return !run || run->count < m_least || m_out.add(*run);
    }

private:
    std::size_t m_weight;
    std::uint64_t m_least;
    bool m_joined;
    Gathering &m_out;
    std::optional<Hit> m_run;
};

/// Calls `each(element, value)` for every element of a weight until it says false. False where it
/// did, or where asked to stop.
template <class Each>
Result<bool> eachElement(const Bundle &bundle, std::size_t index, Progress *progress,
                         const Each &each)
{
    const Weight &weight = bundle.weights()[index];
    if (weight.fault)
        return tl::unexpected(*weight.fault);
    const auto decoder = TRY(bundle.decoder(index));
    const std::uint64_t end = decoder.elements().value;
    std::vector<double> block(std::min(kBlock, end));
    const bool isUnsigned = decoder.type() == ElementType::Uint64;
    const bool wide =
        (isUnsigned || decoder.type() == ElementType::Int64) && plainOperand(decoder) != nullptr;
    std::vector<std::int64_t> codes(wide ? block.size() : 0);
    for (std::uint64_t at = 0; at < end; at += block.size()) {
        const auto some = std::span(block).first(std::min<std::uint64_t>(block.size(), end - at));
        decodeDoubles(decoder, at, some);
        if (wide)
            decoder.codes(at, std::span(codes).first(some.size()));
        for (std::size_t i = 0; i < some.size(); ++i) {
            ElementValue value{some[i], {}};
            if (wide)
                value.wide = wideInteger(codes[i], isUnsigned);
            if (!each(at + i, value))
                return false;
        }
        if (progress && !progress->advance(some.size()))
            return false;
    }
    return true;
}

/// False where the search is at its end: no room, or asked to stop.
Result<bool> findInElements(const Bundle &bundle, std::size_t index, const Query &query,
                            Gathering &out, Progress *progress)
{
    const Fits fits = testOf(query, bundle.weights()[index].type);
    Runs runs(index, query, out);
    const auto went =
        eachElement(bundle, index, progress, [&](std::uint64_t element, const ElementValue &value) {
            return runs.take(element, value, fits(value));
        });
    return went && *went ? Result<bool>(runs.end()) : went;
}

/// The same for stored codes.
Result<bool> findStrayCodes(const Bundle &bundle, std::size_t index, Gathering &out,
                            Progress *progress)
{
    return scanStrayCodes(
        bundle, index,
        [&](const StrayCode &stray) {
            Hit hit;
            hit.weight = index;
            hit.stray = stray;
            hit.file = stray.file;
            hit.bytes = stray.bytes;
            if (stray.file != kNoIndex)
                hit.section = bundle.sectionAt(stray.file, stray.bytes.offset);
            if (stray.ofMask || stray.file == kNoIndex)
                hit.element = stray.index;
            return out.add(hit);
        },
        progress);
}

Result<void> findElements(const Bundle &bundle, const Query &query, Found &found,
                          Progress *progress)
{
    Gathering out(found, query.most);
    Largest largest(query.most);
    const auto look = [&](std::size_t index) {
        if (query.what == What::OutOfRange)
            return findStrayCodes(bundle, index, out, progress);
        if (query.what != What::Largest)
            return findInElements(bundle, index, query, out, progress);
        return eachElement(bundle, index, progress,
                           [&](std::uint64_t element, const ElementValue &value) {
                               largest.take(index, element, value);
                               return true;
                           });
    };
    const bool one = query.weight != kNoIndex;
    const std::size_t begin = one ? query.weight : 0;
    const std::size_t end = one ? query.weight + 1 : bundle.weights().size();
    for (std::size_t i = begin; i < end && found.complete; ++i) {
        const auto went = look(i);
        if (!went && one)
            return tl::unexpected(went.error());
        if (!went) {
            Error fault = went.error();
            fault.message =
                fmt::format("{} is not searched: {}", bundle.weights()[i].name, fault.message);
            found.diagnostics.push_back({Severity::Error, std::move(fault)});
        }
        if (progress && progress->cancelled())
            return tl::unexpected(cancelledError());
    }
    if (query.what == What::Largest) {
        found.complete = largest.complete();
        found.hits = largest.take();
    }
    return {};
}

Result<void> findBytes(const Bundle &bundle, const Query &query, Found &found, Progress *progress)
{
    Gathering out(found, query.most);
    for (const Region &region : regionsOf(bundle, query.weight)) {
        const auto take = [&](std::uint64_t offset, std::uint64_t length) {
            Hit hit;
            hit.file = region.file;
            hit.bytes = ByteRange{FileOffset(offset), ByteCount(length)};
            hit.section = bundle.sectionAt(region.file, FileOffset(offset));
            if (hit.section < bundle.sections().size())
                hit.weight = bundle.sections()[hit.section].weight;
            return out.add(hit);
        };
        const auto bytes = bundle.files()[region.file].file->bytes();
        const bool on = query.what == What::ZeroBytes
                            ? scanZeros(bytes, region.range, query.least, take, progress)
                            : scanPattern(bytes, region.range, query.pattern, take, progress);
        if (progress && progress->cancelled())
            return tl::unexpected(cancelledError());
        if (!on)
            break;
    }
    return {};
}

Result<void> check(const Bundle &bundle, const Query &query)
{
    if (query.weight != kNoIndex && query.weight >= bundle.weights().size())
        return refused("search.weight", "weight", fmt::format("0 to {}", bundle.weights().size()),
                       fmt::format("{}", query.weight), "The bundle has no such weight");
    if (query.what == What::Bytes && query.pattern.value.empty())
        return refused("search.pattern", "pattern", "at least one byte", "none",
                       "There is nothing to search for");
    if (query.tolerance && !(*query.tolerance >= 0))
        return refused("search.pattern", "tolerance", "a number, 0 or more",
                       fmt::format("{}", *query.tolerance), "No element can be that near");
    if (query.what == What::Value && std::isnan(query.value))
        return refused("search.pattern", "value", "a number", "NaN",
                       "NaN equals nothing; NaNs are searched for by themselves");
    if (query.least == 0 || query.most == 0)
        return refused("search.pattern", query.least == 0 ? "length of a run" : "limit",
                       "1 or more", "0", "There is nothing to search for");
    return {};
}

/// A small file on the disk may have terabytes of holes, which would be read as zeros for hours.
Result<void> checkHoles(const Bundle &bundle, const Query &query)
{
    std::uint64_t holes = 0;
    for (const Region &region : regionsOf(bundle, query.weight)) {
        const OverlaidFile &file = *bundle.files()[region.file].file;
        if (region.range.bytes.value <= kMostHoles || file.path().empty())
            continue;
        holes += holeBytes(file.path(), region.range.offset.value, region.range.end(), kMostHoles);
        if (holes > kMostHoles)
            return refused({file.name()}, "search.limit", "holes of a sparse file",
                           fmt::format("at most {} bytes", kMostHoles), "more",
                           "The file is not searched: most of it is not on the disk");
    }
    return {};
}

using codec::Operand;
using codec::PartRole;

constexpr std::uint64_t kStrayBlock = 16384; ///< codes or elements at a time

/// Indices as they are stored, and how many entries each codebook has for them.
struct StoredIndices {
    const Operand *operand = nullptr;
    std::uint64_t count = 0;
    unsigned width = 0; ///< bits
    std::uint64_t entries = 0;
};

/// Entries of a codebook of shape [g0 .. g(R-1), K, V] beside indices of rank R, or [K]. Beside the
/// indices that a mask keeps R is the weight's rank.
std::optional<std::uint64_t> entriesOf(const Operand &lut)
{
    const Shape &shape = lut.shape;
    if (shape.size() == 1)
        return shape[0];
    return shape.size() > 2 ? std::optional(shape[shape.size() - 2]) : std::nullopt;
}

/// Indices that are declared as plain bytes say nothing of their width: the one for which they are
/// as long as the weight needs, of several the first that reaches every entry.
unsigned widthInBytes(std::uint64_t bytes, std::uint64_t elements, std::uint64_t entries)
{
    unsigned found = 0;
    for (const ElementType type : {ElementType::Uint1, ElementType::Uint2, ElementType::Uint3,
                                   ElementType::Uint4, ElementType::Uint6, ElementType::Uint8}) {
        const auto packed = packedBytes(ElementCount(elements), type);
        if (!packed || packed->value != bytes)
            continue;
        found = bitWidth(type);
        if (std::uint64_t{1} << found >= entries)
            break;
    }
    return found;
}

/// Nothing where the operands do not tell.
std::optional<StoredIndices> storedIndices(const Weight &weight)
{
    const Operand *indices = weight.operand(PartRole::Indices);
    const Operand *lut = weight.operand(PartRole::Lut);
    const auto entries = lut != nullptr ? entriesOf(*lut) : std::nullopt;
    const auto count = indices != nullptr ? elementCount(indices->shape) : std::nullopt;
    if (!entries || !count || bitWidth(indices->type) == 0 || bitWidth(indices->type) > 8)
        return std::nullopt;
    StoredIndices stored{indices, count->value, bitWidth(indices->type), *entries};
    const bool bytes = stored.width == 8 && indices->shape.size() == 1 &&
                       !weight.has(PartRole::Mask) && weight.elements.value != count->value;
    if (bytes) {
        stored.width = widthInBytes(count->value, weight.elements.value, *entries);
        stored.count = weight.elements.value;
    }
    return stored.width == 0 ? std::nullopt : std::optional(stored);
}

/// Where a code lies in a file; the whole literal where its elements have no places of their own.
void placeCode(std::size_t programFile, const StoredIndices &stored, StrayCode &stray)
{
    const OperandPlace &place = *stored.operand->place;
    std::uint64_t bit = stray.index * stored.width;
    if (const auto *order = stored.operand->order.get()) {
        order->positions(stray.index, std::span(&bit, 1));
        if (bit == codec::ElementOrder::kAbsent)
            return;
    }
    const ByteRange inside{FileOffset(bit / 8), ByteCount((bit + stored.width + 7) / 8 - bit / 8)};
    if (!place.isLiteral()) {
        stray.file = place.file;
        const std::uint64_t base = place.pieces.empty() ? place.dataOffset.value : 0;
        stray.bytes = {FileOffset(base + inside.offset.value), inside.bytes};
        return;
    }
    if (!place.literal || programFile == kNoIndex)
        return;
    const auto &spans = place.literal->elementSpans;
    if (place.literal->packedSpan && !spans.empty()) {
        stray.file = programFile;
        stray.bytes = {FileOffset(spans[0].offset + inside.offset.value), inside.bytes};
    } else if (stray.index < spans.size()) {
        stray.file = programFile;
        stray.bytes = {FileOffset(spans[stray.index].offset), ByteCount(spans[stray.index].length)};
    }
}

/// Whether the operand's bytes hold all codes: what a file declares may be longer than it is.
bool holdsAll(const StoredIndices &stored, std::span<const std::byte> bytes)
{
    if (const auto *order = stored.operand->order.get())
        return order->elements() >= stored.count && bytes.size() >= order->extent();
    return stored.count <= bytes.size() * std::uint64_t{8} / stored.width;
}

bool scanIndices(std::size_t programFile, const StoredIndices &stored,
                 std::span<const std::byte> bytes, const TakeStray &take, Progress *progress)
{
    Operand operand = *stored.operand;
    operand.bytes = bytes;
    std::array<std::uint8_t, kStrayBlock> codes{};
    for (std::uint64_t at = 0; at < stored.count; at += kStrayBlock) {
        const auto some = std::span(codes).first(
            static_cast<std::size_t>(std::min(kStrayBlock, stored.count - at)));
        if (!operand.order && stored.width != 5 && stored.width != 7) {
            unpackCodes(bytes, stored.width, at, some);
        } else {
            for (std::size_t i = 0; i < some.size(); ++i)
                some[i] = static_cast<std::uint8_t>(
                    codec::operandCode(operand, stored.width, at + i).value_or(0));
        }
        for (std::size_t i = 0; i < some.size(); ++i) {
            if (some[i] < stored.entries)
                continue;
            StrayCode stray;
            stray.index = at + i;
            stray.code = some[i];
            stray.entries = stored.entries;
            placeCode(programFile, stored, stray);
            if (!take(stray))
                return false;
        }
        if (progress != nullptr && !progress->advance(some.size()))
            return false;
    }
    return true;
}

/// Elements that the mask keeps from the first one on that has no value.
bool scanMask(const codec::Decoder &decoder, const TakeStray &take, Progress *progress)
{
    const std::uint64_t elements = decoder.elements().value;
    const std::uint64_t values = decoder.payloadElements().value;
    if (decoder.rank(elements) <= values)
        return progress == nullptr || progress->advance(elements);
    // The last element before which the mask keeps no more than there are values.
    std::uint64_t low = 0, high = elements;
    while (low < high) {
        const std::uint64_t middle = low + (high - low) / 2;
        if (decoder.rank(middle + 1) > values)
            high = middle;
        else
            low = middle + 1;
    }
    std::uint64_t code = values;
    if (progress != nullptr && !progress->advance(low))
        return false;
    for (std::uint64_t at = low; at < elements; ++at) {
        if (decoder.stored(at)) {
            StrayCode stray;
            stray.index = at;
            stray.ofMask = true;
            stray.code = code++;
            stray.entries = values;
            if (!take(stray))
                return false;
        }
        if (progress != nullptr && (at + 1) % kStrayBlock == 0 && !progress->advance(kStrayBlock))
            return false;
    }
    return true;
}

} // namespace

bool ofElements(What what)
{
    return what != What::Bytes && what != What::ZeroBytes;
}

std::uint64_t workOf(const Bundle &bundle, const Query &query)
{
    std::uint64_t work = 0;
    if (!ofElements(query.what)) {
        for (const Region &region : regionsOf(bundle, query.weight))
            work += region.range.bytes.value;
        return work;
    }
    for (std::size_t i = 0; i < bundle.weights().size(); ++i) {
        const Weight &weight = bundle.weights()[i];
        if (query.weight == kNoIndex || query.weight == i)
            work += query.what == What::OutOfRange ? strayWork(weight) : weight.elements.value;
    }
    return work;
}

Result<Found> find(const Bundle &bundle, const Query &query, Progress *progress)
{
    TRY(check(bundle, query));
    TRY(checkHoles(bundle, query));
    Found found;
    TRY(ofElements(query.what) ? findElements(bundle, query, found, progress)
                               : findBytes(bundle, query, found, progress));
    return found;
}

std::string Hit::valueText() const
{
    if (wide)
        return wide->text();
    return value ? fmt::format("{}", *value) : std::string();
}

std::string elementAddress(const Weight &weight, std::uint64_t element)
{
    return fmt::format("{}[{}]", weight.findableName(),
                       fmt::join(elementPlace(weight.shape, element), ","));
}

std::string byteAddress(const Bundle &bundle, const Hit &hit)
{
    return byteAddress(bundle, hit.file, hit.bytes.offset);
}

std::uint64_t strayWork(const Weight &weight)
{
    if (!weight.fault)
        return weight.has(PartRole::Mask) ? weight.elements.value : 0;
    const auto stored = storedIndices(weight);
    return stored ? stored->count : 0;
}

Result<bool> scanStrayCodes(const Bundle &bundle, std::size_t index, const TakeStray &take,
                            Progress *progress)
{
    const Weight &weight = bundle.weights()[index];
    if (!weight.fault) {
        if (!weight.has(PartRole::Mask))
            return true;
        const auto decoder = TRY(bundle.decoder(index));
        const auto &mask = decoder.encoding().mask;
        // A mask with an order of its own says nothing that its values do not.
        return mask && !mask->order ? scanMask(decoder, take, progress) : true;
    }
    if (!weight.form.isPalette() && !weight.form.isSparse() && !weight.has(PartRole::Indices))
        return true;
    const auto stored = storedIndices(weight);
    if (!stored)
        return tl::unexpected(*weight.fault);
    if (stored->entries >= std::uint64_t{1} << stored->width)
        return true; // its fault is another one
    const auto bytes = bundle.operandBytes(*stored->operand);
    if (!stored->operand->place || !holdsAll(*stored, bytes))
        return tl::unexpected(*weight.fault);
    return scanIndices(bundle.programFileOf(weight.model), *stored, bytes, take, progress);
}

bool Largest::before(const Hit &a, const Hit &b)
{
    if (larger(a, b) || larger(b, a))
        return larger(a, b);
    return std::tie(a.weight, a.element) < std::tie(b.weight, b.element);
}

/// By the doubles, which round alike, and then by what they do not hold.
bool Largest::larger(const Hit &a, const Hit &b)
{
    const double ofA = std::abs(*a.value), ofB = std::abs(*b.value);
    return ofA != ofB || !a.wide || !b.wide ? ofA > ofB : a.wide->magnitude > b.wide->magnitude;
}

void Largest::take(std::size_t weight, std::uint64_t element, const ElementValue &value)
{
    if (std::isnan(value.value))
        return;
    const bool full = m_heap.size() >= m_most;
    m_complete &= !full;
    if (full && std::abs(value.value) < std::abs(*m_heap.front().value))
        return;
    const Hit hit = hitOf(weight, element, value);
    if (full) {
        // Elements come in the order of the answer: an equal one later stays out.
        if (!larger(hit, m_heap.front()))
            return;
        std::pop_heap(m_heap.begin(), m_heap.end(), before);
        m_heap.pop_back();
    }
    m_heap.push_back(hit);
    std::push_heap(m_heap.begin(), m_heap.end(), before);
}

std::vector<Hit> Largest::take()
{
    std::sort_heap(m_heap.begin(), m_heap.end(), before);
    return std::exchange(m_heap, {});
}

} // namespace kernscope::search
