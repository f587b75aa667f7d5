// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/byte_scan.h"

#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <tuple>

namespace kernscope::search {

namespace {

constexpr std::uint64_t kStep = 1U << 20; ///< bytes between two looks at the progress

/// A byte of the pattern without wildcards, and best not the zero that files are full of.
std::optional<std::size_t> anchorOf(const BytePattern &pattern)
{
    std::optional<std::size_t> anchor;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        if (pattern.mask[i] != std::byte{0xFF})
            continue;
        if (pattern.value[i] != std::byte{0})
            return i;
        if (!anchor)
            anchor = i;
    }
    return anchor;
}

const std::byte *findByte(const std::byte *from, const std::byte *end, std::byte value)
{
    return static_cast<const std::byte *>(
        std::memchr(from, static_cast<int>(value), static_cast<std::size_t>(end - from)));
}

/// First place from `from` to before `end` (places where a pattern begins) that fits.
std::optional<std::uint64_t> nextFit(std::span<const std::byte> bytes, std::uint64_t from,
                                     std::uint64_t end, const BytePattern &pattern,
                                     std::optional<std::size_t> anchor)
{
    const std::byte *base = bytes.data();
    while (from < end) {
        if (anchor) {
            const std::byte *at =
                findByte(base + from + *anchor, base + end + *anchor, pattern.value[*anchor]);
            if (!at)
                return std::nullopt;
            from = static_cast<std::uint64_t>(at - base) - *anchor;
        }
        if (pattern.fits(bytes.subspan(from, pattern.size())))
            return from;
        ++from;
    }
    return std::nullopt;
}

} // namespace

std::vector<Region> regionsOf(const Bundle &bundle, std::size_t weight)
{
    std::vector<Region> regions;
    if (weight >= bundle.weights().size()) {
        for (std::size_t file = 0; file < bundle.files().size(); ++file)
            regions.push_back(
                {file, {FileOffset(0), ByteCount(bundle.files()[file].file->size().value)}});
        return regions;
    }
    for (const codec::Operand &operand : bundle.weights()[weight].operands()) {
        const OperandPlace &place = *operand.place;
        if (place.isLiteral())
            continue;
        std::vector<ByteRange> pieces = place.pieces;
        if (pieces.empty())
            pieces.push_back(place.range());
        pieces.insert(pieces.end(), place.copies.begin(), place.copies.end());
        for (const ByteRange &piece : pieces)
            regions.push_back({place.file, piece});
    }
    std::sort(regions.begin(), regions.end(), [](const Region &a, const Region &b) {
        return std::tuple(a.file, a.range.offset.value) < std::tuple(b.file, b.range.offset.value);
    });
    std::vector<Region> merged;
    for (const Region &region : regions) {
        const std::uint64_t size = bundle.files()[region.file].file->size().value;
        const std::uint64_t begin = std::min(region.range.offset.value, size);
        const std::uint64_t end = begin + std::min(region.range.bytes.value, size - begin);
        // Parts that lie among each other, or one behind the other, are one run of bytes.
        if (!merged.empty() && merged.back().file == region.file &&
            merged.back().range.end() >= begin) {
            ByteRange &last = merged.back().range;
            last.bytes = ByteCount(std::max(last.end(), end) - last.offset.value);
        } else if (end > begin) {
            merged.push_back({region.file, {FileOffset(begin), ByteCount(end - begin)}});
        }
    }
    return merged;
}

bool scanPattern(std::span<const std::byte> bytes, ByteRange range, const BytePattern &pattern,
                 const TakeBytes &take, Progress *progress)
{
    const std::uint64_t first = range.offset.value, length = range.bytes.value;
    const std::uint64_t places = length < pattern.size() ? 0 : length - pattern.size() + 1;
    const auto anchor = anchorOf(pattern);
    for (std::uint64_t done = 0; done < length; done += kStep) {
        const std::uint64_t end = first + std::min(done + kStep, places);
        std::uint64_t from = first + done;
        while (const auto at = nextFit(bytes, from, end, pattern, anchor)) {
            if (!take(*at, pattern.size()))
                return false;
            from = *at + 1;
        }
        if (progress && !progress->advance(std::min(kStep, length - done)))
            return false;
    }
    return true;
}

bool scanZeros(std::span<const std::byte> bytes, ByteRange range, std::uint64_t least,
               const TakeBytes &take, Progress *progress)
{
    const std::uint64_t first = range.offset.value, end = range.end();
    std::uint64_t run = 0; // zeros right before `at`
    const auto close = [&](std::uint64_t at) {
        const bool on = run < least || take(at - run, run);
        run = 0;
        return on;
    };
    for (std::uint64_t done = first; done < end; done += kStep) {
        const std::uint64_t stop = std::min(done + kStep, end);
        for (std::uint64_t at = done; at < stop; ++at) {
            if (bytes[at] == std::byte{0}) {
                ++run;
                continue;
            }
            if (run > 0 && !close(at))
                return false;
            // On to the next zero.
            const std::byte *zero = findByte(bytes.data() + at, bytes.data() + stop, std::byte{0});
            at = zero ? static_cast<std::uint64_t>(zero - bytes.data()) - 1 : stop - 1;
        }
        if (progress && !progress->advance(stop - done))
            return false;
    }
    return run == 0 || close(end);
}

} // namespace kernscope::search
