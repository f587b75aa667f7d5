// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/pattern.h"

#include "core/base/overlaid_file.h"
#include "core/base/parts.h"
#include "core/bundle/bundle.h"

#include <algorithm>
#include <cstring>
#include <tuple>

#include <fmt/format.h>

namespace kernscope::search {

namespace {

constexpr std::uint64_t kExact = std::uint64_t(1) << 53; ///< a double holds all integers up to here

tl::unexpected<Error> badPattern(std::string_view found, std::string expected)
{
    return refused("search.pattern", "pattern", std::move(expected), std::string(found),
                   "This cannot be searched for");
}

/// 0 to 15, or 16 for '?'; nothing for any other character.
std::optional<unsigned> hexDigit(char character)
{
    if (character >= '0' && character <= '9')
        return static_cast<unsigned>(character - '0');
    if (character >= 'a' && character <= 'f')
        return static_cast<unsigned>(character - 'a' + 10);
    if (character >= 'A' && character <= 'F')
        return static_cast<unsigned>(character - 'A' + 10);
    if (character == '?')
        return 16;
    return std::nullopt;
}

/// Digits of one word, "0x" before them left out, as whole bytes.
bool addWord(std::string_view word, BytePattern &pattern)
{
    if (word.starts_with("0x") || word.starts_with("0X"))
        word.remove_prefix(2);
    if (word.size() % 2 != 0)
        return false;
    for (std::size_t i = 0; i < word.size(); i += 2) {
        const auto high = hexDigit(word[i]), low = hexDigit(word[i + 1]);
        if (!high || !low)
            return false;
        const unsigned mask = (*high > 15 ? 0U : 0xF0U) | (*low > 15 ? 0U : 0x0FU);
        const unsigned value = ((*high & 15U) << 4U) | (*low & 15U);
        pattern.mask.push_back(static_cast<std::byte>(mask));
        pattern.value.push_back(static_cast<std::byte>(value & mask));
    }
    return true;
}

struct Integer {
    std::uint64_t magnitude = 0;
    bool negative = false;
};

std::optional<Integer> parseMagnitude(std::string_view text)
{
    Integer number;
    if (text.starts_with('-') || text.starts_with('+')) {
        number.negative = text.front() == '-';
        text.remove_prefix(1);
    }
    const bool hex = text.starts_with("0x") || text.starts_with("0X");
    if (hex)
        text.remove_prefix(2);
    const auto magnitude = digitsOf(text, hex ? 16 : 10);
    number.magnitude = magnitude.value_or(0);
    return magnitude ? std::optional(number) : std::nullopt;
}

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

std::optional<WideInteger> wideInteger(std::int64_t code, bool isUnsigned)
{
    const bool negative = !isUnsigned && code < 0;
    const auto bits = static_cast<std::uint64_t>(code);
    const WideInteger wide{negative, negative ? 0 - bits : bits};
    return wide.magnitude > kExact ? std::optional(wide) : std::nullopt;
}

std::optional<WideInteger> wideInteger(std::string_view text)
{
    WideInteger wide;
    if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
        wide.negative = text.front() == '-';
        text.remove_prefix(1);
    }
    wide.magnitude = digitsOf(text).value_or(0);
    const bool fits = !wide.negative || wide.magnitude <= std::uint64_t(1) << 63;
    return fits && wide.magnitude > kExact ? std::optional(wide) : std::nullopt;
}

bool BytePattern::fits(std::span<const std::byte> bytes) const
{
    for (std::size_t i = 0; i < value.size(); ++i) {
        if ((bytes[i] & mask[i]) != value[i])
            return false;
    }
    return true;
}

Result<BytePattern> parseBytePattern(std::string_view text)
{
    constexpr std::string_view kExpected = "pairs of hexadecimal digits, ? for any digit";
    constexpr std::string_view kBetween = " ,\t\n";
    BytePattern pattern;
    std::size_t at = 0;
    while ((at = text.find_first_not_of(kBetween, at)) != std::string_view::npos) {
        const std::size_t end = std::min(text.find_first_of(kBetween, at), text.size());
        if (!addWord(text.substr(at, end - at), pattern))
            return badPattern(text, std::string(kExpected));
        at = end;
    }
    const bool any =
        std::ranges::any_of(pattern.mask, [](std::byte mask) { return mask != std::byte{0}; });
    if (!any)
        return badPattern(text, pattern.value.empty()
                                    ? std::string(kExpected)
                                    : std::string("a digit beside the wildcards"));
    return pattern;
}

Result<BytePattern> textPattern(std::string_view text)
{
    if (text.empty())
        return badPattern(text, "a text of at least one character");
    const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
    return BytePattern{{bytes.begin(), bytes.end()},
                       std::vector<std::byte>(bytes.size(), std::byte{0xFF})};
}

Result<BytePattern> integerPattern(std::string_view text, unsigned width, bool bigEndian)
{
    const auto number = parseMagnitude(text);
    if (!number)
        return badPattern(text, "an integer of up to 64 bits, decimal or 0x and hexadecimal");
    if (width != 1 && width != 2 && width != 4 && width != 8)
        return refused("search.width", "width", "1, 2, 4 or 8 bytes", std::to_string(width),
                       "Integers have no such width");
    const unsigned bits = 8 * width;
    const std::uint64_t most = bits == 64 ? UINT64_MAX : (std::uint64_t{1} << bits) - 1;
    const std::uint64_t deepest = std::uint64_t{1} << (bits - 1);
    if (number->magnitude > (number->negative ? deepest : most))
        return refused("search.width", "width", fmt::format("-{} to {}", deepest, most),
                       std::string(text), fmt::format("An integer of {} bits cannot be it", bits));
    const std::uint64_t value =
        (number->negative ? ~number->magnitude + 1 : number->magnitude) & most;
    BytePattern pattern;
    pattern.mask.assign(width, std::byte{0xFF});
    for (unsigned i = 0; i < width; ++i) {
        const unsigned place = bigEndian ? width - 1 - i : i;
        pattern.value.push_back(static_cast<std::byte>(value >> (8 * place)));
    }
    return pattern;
}

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
    std::ranges::sort(regions, [](const Region &a, const Region &b) {
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
