// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/out_of_range.h"

#include "core/codec/decode/decoder.h"
#include "core/container/mil/program.h"
#include "core/numeric/bitpack.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace kernscope::search {

namespace {

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

/// Whether the operand's bytes hold so many codes: what a file declares may be longer than it is.
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
        const auto decoder = bundle.decoder(index);
        if (!decoder)
            return tl::unexpected(decoder.error());
        const auto &mask = decoder->encoding().mask;
        // A mask with an order of its own says nothing that its values do not.
        return mask && !mask->order ? scanMask(*decoder, take, progress) : true;
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

} // namespace kernscope::search
