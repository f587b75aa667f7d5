// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/byte_ranges.h"

#include "core/base/text.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace kernscope::diff {

namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20;
constexpr std::size_t kRangeStep = 256;

static_assert(std::endian::native == std::endian::little, "the first byte is the lowest");

std::uint64_t wordAt(const std::byte *at)
{
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    return word;
}

/// First place from `at` on where the two differ; n where there is none.
std::size_t nextDifferent(const std::byte *a, const std::byte *b, std::size_t at, std::size_t n)
{
    while (n - at >= kRangeStep && std::memcmp(a + at, b + at, kRangeStep) == 0)
        at += kRangeStep;
    for (; n - at >= 8; at += 8) {
        const std::uint64_t different = wordAt(a + at) ^ wordAt(b + at);
        if (different != 0)
            return at + static_cast<std::size_t>(std::countr_zero(different)) / 8;
    }
    while (at < n && a[at] == b[at])
        ++at;
    return at;
}

/// First place from `at` on where the two agree; n where there is none.
std::size_t nextEqual(const std::byte *a, const std::byte *b, std::size_t at, std::size_t n)
{
    constexpr std::uint64_t kLow = 0x0101010101010101, kHigh = 0x8080808080808080;
    for (; n - at >= 8; at += 8) {
        const std::uint64_t different = wordAt(a + at) ^ wordAt(b + at);
        // Marks the zero bytes; the lowest mark is exact.
        const std::uint64_t equal = (different - kLow) & ~different & kHigh;
        if (equal != 0)
            return at + static_cast<std::size_t>(std::countr_zero(equal)) / 8;
    }
    while (at < n && a[at] != b[at])
        ++at;
    return at;
}

} // namespace

std::optional<DifferentBytes> findDifferentBytes(std::span<const std::byte> a,
                                                 std::span<const std::byte> b, std::size_t most,
                                                 Progress *progress)
{
    DifferentBytes found;
    const std::size_t common = std::min(a.size(), b.size()), whole = std::max(a.size(), b.size());
    const auto add = [&](std::size_t from, std::size_t to) {
        if (!found.ranges.empty() && found.ranges.back().end() == from) {
            found.ranges.back().bytes.value += to - from; // goes on from the block before
        } else if (found.ranges.size() == most) {
            found.cut = true;
            found.ranges.back().bytes = ByteCount(whole - found.ranges.back().offset.value);
        } else {
            found.ranges.push_back({FileOffset(from), ByteCount(to - from)});
        }
    };
    for (std::size_t start = 0; start < common && !found.cut; start += kBlock) {
        const std::size_t end = std::min(common, start + kBlock);
        for (std::size_t at = start; a.data() != b.data() && !found.cut;) {
            at = nextDifferent(a.data(), b.data(), at, end);
            if (at == end)
                break;
            const std::size_t stop = nextEqual(a.data(), b.data(), at, end);
            add(at, stop);
            at = stop;
        }
        if (progress != nullptr && !progress->advance(end - start))
            return std::nullopt;
    }
    if (whole > common && !found.cut)
        add(common, whole);
    return found;
}

ByteTally differentBytes(std::span<const std::byte> a, std::span<const std::byte> b)
{
    const std::size_t common = std::min(a.size(), b.size());
    ByteTally tally{0, a.size() - common, b.size() - common};
    for (std::size_t at = 0; at < common && a.data() != b.data(); at += kRangeStep) {
        const std::size_t n = std::min(kRangeStep, common - at);
        if (std::memcmp(a.data() + at, b.data() + at, n) == 0)
            continue;
        std::uint32_t count = 0;
        for (std::size_t i = at; i < at + n; ++i)
            count += a[i] != b[i] ? 1u : 0u;
        tally.changed += count;
    }
    return tally;
}

std::optional<bool> sameBytes(std::span<const std::byte> a, std::span<const std::byte> b,
                              Progress *progress)
{
    if (a.size() != b.size())
        return false;
    for (std::size_t at = 0; at < a.size() && a.data() != b.data(); at += kBlock) {
        const std::size_t n = std::min(kBlock, a.size() - at);
        if (std::memcmp(a.data() + at, b.data() + at, n) != 0)
            return false;
        if (progress != nullptr && !progress->advance(n))
            return std::nullopt;
    }
    return true;
}

std::optional<bool> sameRuns(const ByteRuns &a, const ByteRuns &b, Progress *progress)
{
    const auto sizeOf = [](const ByteRuns &runs) {
        std::uint64_t size = 0;
        for (const auto run : runs)
            size += run.size(); // runs of one file that do not overlap
        return size;
    };
    if (sizeOf(a) != sizeOf(b))
        return false;
    std::size_t ofB = 0, intoB = 0;
    for (const auto run : a) {
        for (std::size_t at = 0; at < run.size();) {
            if (intoB == b[ofB].size()) {
                ++ofB;
                intoB = 0;
                continue;
            }
            const std::size_t n = std::min(run.size() - at, b[ofB].size() - intoB);
            const auto same = sameBytes(run.subspan(at, n), b[ofB].subspan(intoB, n), progress);
            if (!same || !*same)
                return same;
            at += n;
            intoB += n;
        }
    }
    return true;
}

} // namespace kernscope::diff

namespace kernscope {

std::string tallyText(const ByteTally &tally)
{
    std::string text;
    const auto add = [&text](std::uint64_t count, const char *what) {
        if (count == 0)
            return;
        text += text.empty() ? counted(count, "byte") : ", " + grouped(count);
        text += what;
    };
    add(tally.changed, " changed");
    add(tally.onlyA, " only in A");
    add(tally.onlyB, " only in B");
    return text.empty() ? "no byte differs" : text;
}

} // namespace kernscope
