// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/kernels/encode_kernels.h"

#include "core/numeric/convert.h"

#include <algorithm>
#include <array>
#include <vector>

// AVX-512 only where VBMI2 has an instruction for this; else AVX2.
#define HWY_WANT_AVX3_DL
#define HWY_DISABLED_TARGETS HWY_AVX3
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/codec/kernels/pattern_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file again for each target.
#include <hwy/highway.h>

#include "core/codec/kernels/keep-inl.h"

#ifndef KERNSCOPE_CODEC_PATTERN_TABLES
#define KERNSCOPE_CODEC_PATTERN_TABLES
namespace kernscope::codec {

constexpr std::size_t kMaxRanked = 64; ///< a group of more is cheaper to select from one by one
constexpr std::size_t kColumns = 16;   ///< groups of a tile

/// Groups of two, four or eight halves turned round within themselves: for each turn, the byte
/// shuffle, and 1 where what comes is the earlier one.
struct Turns {
    std::array<std::array<std::uint8_t, 16>, 8> order{};
    std::array<std::array<std::int16_t, 8>, 8> earlier{};
};

constexpr Turns turnsOf(std::size_t of)
{
    Turns turns;
    for (std::size_t turn = 1; turn < of; ++turn) {
        for (std::size_t lane = 0; lane < 8; ++lane) {
            const std::size_t inGroup = lane % of;
            const std::size_t other = lane - inGroup + (inGroup + turn) % of;
            turns.order[turn][2 * lane] = static_cast<std::uint8_t>(2 * other);
            turns.order[turn][2 * lane + 1] = static_cast<std::uint8_t>(2 * other + 1);
            turns.earlier[turn][lane] = other < lane ? 1 : 0;
        }
    }
    return turns;
}
alignas(16) inline constexpr Turns kTurnsOf2 = turnsOf(2);
alignas(16) inline constexpr Turns kTurnsOf4 = turnsOf(4);
alignas(16) inline constexpr Turns kTurnsOf8 = turnsOf(8);

} // namespace kernscope::codec
#endif

HWY_BEFORE_NAMESPACE();
namespace kernscope::codec::HWY_NAMESPACE {

using RankTag = hn::RebindToSigned<SixteenHalves>;
using RankVec = hn::Vec<RankTag>;

#if HWY_TARGET == HWY_AVX3_DL
using LineTag = hn::FixedTag<std::int16_t, 32>;
HWY_INLINE hn::Vec<LineTag> lineAt(const float *in)
{
    return hn::BitCast(LineTag(), lineOfHalves(in));
}
HWY_INLINE std::uint64_t lineBits(hn::Mask<LineTag> mask)
{
    return mask.raw;
}
#else
using LineTag = RankTag;
HWY_INLINE hn::Vec<LineTag> lineAt(const float *in)
{
    return hn::BitCast(LineTag(), manyHalvesAt(in));
}
HWY_INLINE std::uint64_t lineBits(hn::Mask<LineTag> mask)
{
    return maskBitsOf(
        hn::MaskFromVec(hn::BitCast(SixteenHalves(), hn::VecFromMask(LineTag(), mask))));
}
#endif
/// Halves, as many as the widest vector has.
using LineVec = hn::Vec<LineTag>;

HWY_INLINE RankVec magnitudesOf(HalfVec halves)
{
    const RankTag d;
    return hn::And(hn::BitCast(d, halves), hn::Set(d, 0x7fff));
}

/// An element's rank is how many of its group go before it: the larger ones, and the equal ones
/// that come first. Of two, one goes before the other: each pair is compared once.
template <std::size_t Of>
HWY_INLINE LineVec ranksInGroups(LineVec magnitudes, const Turns &turns)
{
    const LineTag d;
    const hn::Repartition<std::uint8_t, LineTag> d8;
    const auto turned = [&](LineVec values, std::size_t turn) HWY_ATTR {
        const auto order = hn::LoadDup128(d8, turns.order[turn].data());
        return hn::BitCast(d, hn::TableLookupBytes(hn::BitCast(d8, values), order));
    };
    // -1 where the one that the turn brings goes before.
    const auto loses = [&](std::size_t turn) HWY_ATTR {
        // One less, so that an equal one goes before it, too, where it is the earlier.
        const auto limit = hn::Sub(magnitudes, hn::LoadDup128(d, turns.earlier[turn].data()));
        return hn::VecFromMask(d, hn::Gt(turned(magnitudes, turn), limit));
    };
    auto rank = hn::Sub(hn::Set(d, Of / 2 - 1), loses(Of / 2));
    for (std::size_t turn = 1; turn < Of / 2; ++turn) {
        const auto lost = loses(turn);
        rank = hn::Add(hn::Sub(rank, lost), turned(lost, Of - turn));
    }
    return rank;
}

/// Words of 64 values; returns how many values.
template <std::size_t Of>
HWY_INLINE std::size_t groupRunOf(const float *in, std::size_t count, std::size_t keep,
                                  const Turns &turns, std::uint8_t *mask, std::uint16_t *out,
                                  std::size_t *found)
{
    const LineTag d;
    const hn::RebindToUnsigned<LineTag> dh;
    const std::size_t lanes = hn::Lanes(d);
    const auto kept = hn::Set(d, static_cast<std::int16_t>(keep));
    const auto bits = hn::Set(d, 0x7fff);
    alignas(64) std::uint16_t halves[64];
    std::size_t next = 0;
    std::size_t at = 0;
    for (; at + 64 <= count; at += 64) {
        fetchAhead(in + at);
        std::uint64_t word = 0;
        for (std::size_t i = 0; i < 64; i += lanes) {
            const auto half = lineAt(in + at + i);
            hn::Store(hn::BitCast(dh, half), dh, halves + i);
            const auto magnitudes = hn::And(half, bits);
            // Zero is below no rank: it counts as one that goes.
            const auto wanted = hn::IfThenElseZero(hn::Gt(magnitudes, hn::Zero(d)), kept);
            word |= lineBits(hn::Lt(ranksInGroups<Of>(magnitudes, turns), wanted)) << i;
        }
        next += storeWord(halves, word, mask + at / 8, out + next);
    }
    *found = next;
    return at;
}

std::size_t groupRun(const float *in, std::size_t count, std::size_t of, std::size_t keep,
                     std::uint8_t *mask, std::uint16_t *out, std::size_t *found)
{
    switch (of) {
    case 2: return groupRunOf<2>(in, count, keep, kTurnsOf2, mask, out, found);
    case 4: return groupRunOf<4>(in, count, keep, kTurnsOf4, mask, out, found);
    case 8: return groupRunOf<8>(in, count, keep, kTurnsOf8, mask, out, found);
    default: return 0;
    }
}

/// As many groups side by side as a vector has lanes, or `width` if that is less; `rows` in each,
/// at most kMaxRanked. What is behind `width` in a vector is written as it was read.
HWY_INLINE void rankColumns(const std::uint16_t *in, std::size_t rows, std::size_t stride,
                            std::size_t width, std::size_t keep, std::uint16_t *out)
{
    const RankTag d;
    const SixteenHalves dh;
    const std::size_t lanes = hn::Lanes(d);
    alignas(64) std::uint16_t halves[kMaxRanked * hn::MaxLanes(RankTag())];
    alignas(64) std::int16_t magnitudes[kMaxRanked * hn::MaxLanes(RankTag())];
    for (std::size_t i = 0; i < rows; ++i) {
        const auto half = manyHalvesAt(in + i * stride);
        hn::Store(half, dh, halves + i * lanes);
        hn::Store(magnitudesOf(half), d, magnitudes + i * lanes);
    }
    const auto kept = hn::Set(d, static_cast<std::int16_t>(keep));
    const auto one = hn::Set(d, 1);
    const auto beyond = hn::Not(hn::FirstN(d, width));
    for (std::size_t i = 0; i < rows; ++i) {
        const auto magnitude = hn::Load(d, magnitudes + i * lanes);
        const auto less = hn::Sub(magnitude, one);
        auto rank = hn::Zero(d);
        const auto goesBefore = [&](std::size_t j, RankVec limit) HWY_ATTR {
            const auto other = hn::Load(d, magnitudes + j * lanes);
            rank = hn::Sub(rank, hn::VecFromMask(d, hn::Gt(other, limit)));
        };
        for (std::size_t j = 0; j < i; ++j)
            goesBefore(j, less);
        for (std::size_t j = i + 1; j < rows; ++j)
            goesBefore(j, magnitude);
        const auto half = hn::BitCast(d, hn::Load(dh, halves + i * lanes));
        const auto stays = hn::Or(hn::Lt(rank, kept), beyond);
        hn::StoreU(hn::BitCast(dh, hn::IfThenElseZero(stays, half)), dh, out + i * stride);
    }
}

/// As many groups side by side as LineTag has lanes, `Rows` in each.
template <std::size_t Rows>
HWY_INLINE void keepColumns(const float *in, std::size_t stride, std::size_t keep,
                            std::uint16_t *out)
{
    const LineTag d;
    const hn::RebindToUnsigned<LineTag> dh;
    LineVec half[Rows], magnitude[Rows], rank[Rows];
    HWY_UNROLL(8)
    for (std::size_t i = 0; i < Rows; ++i) {
        half[i] = lineAt(in + i * stride);
        magnitude[i] = hn::And(half[i], hn::Set(d, 0x7fff));
        rank[i] = hn::Set(d, static_cast<std::int16_t>(i));
    }
    // Each pair is compared once: of two, one goes before the other.
    HWY_UNROLL(8)
    for (std::size_t j = 1; j < Rows; ++j) {
        HWY_UNROLL(8)
        for (std::size_t i = 0; i < j; ++i) {
            const auto later = hn::VecFromMask(d, hn::Gt(magnitude[j], magnitude[i])); // -1
            rank[i] = hn::Sub(rank[i], later);
            rank[j] = hn::Add(rank[j], later);
        }
    }
    const auto kept = hn::Set(d, static_cast<std::int16_t>(keep));
    HWY_UNROLL(8)
    for (std::size_t i = 0; i < Rows; ++i) {
        const auto stays = hn::IfThenElseZero(hn::Lt(rank[i], kept), half[i]);
        hn::StoreU(hn::BitCast(dh, stays), dh, out + i * stride);
    }
}

void columnRun(std::uint16_t *halves, std::size_t rows, std::size_t stride, std::size_t width,
               std::size_t keep)
{
    const std::size_t lanes = hn::Lanes(RankTag());
    for (std::size_t at = 0; at < width; at += lanes)
        rankColumns(halves + at, rows, stride, std::min(lanes, width - at), keep, halves + at);
}

/// Only whole vectors of groups of 2, 4 or 8; false for any others.
bool floatColumnRun(const float *in, std::size_t rows, std::size_t width, std::size_t keep,
                    std::uint16_t *out)
{
    constexpr std::size_t kFetched = 512; // columns ahead
    const std::size_t lanes = hn::Lanes(LineTag());
    if (width % lanes != 0 || (rows != 2 && rows != 4 && rows != 8))
        return false;
    for (std::size_t at = 0; at < width; at += lanes) {
        // Into the second cache: in the first, lines of one column may all belong to one set.
        for (std::size_t row = 0; row < rows; ++row) {
            for (std::size_t line = 0; line < lanes; line += 16)
                __builtin_prefetch(in + row * width + at + kFetched + line, 0, 2);
        }
        switch (rows) {
        case 2: keepColumns<2>(in + at, width, keep, out + at); break;
        case 4: keepColumns<4>(in + at, width, keep, out + at); break;
        default: keepColumns<8>(in + at, width, keep, out + at);
        }
    }
    return true;
}

} // namespace kernscope::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kernscope::codec {

HWY_EXPORT(groupRun);
HWY_EXPORT(columnRun);
HWY_EXPORT(floatColumnRun);

namespace {

constexpr std::size_t kSpare = 16; ///< columnRun reads and writes that much further

/// One group of `count` halves, `step` apart, in place.
void zeroInGroup(std::uint16_t *first, std::size_t count, std::size_t step, std::size_t keep)
{
    // What goes before sorts lower: the larger magnitude, then the lower index.
    std::vector<std::uint64_t> keys(count);
    for (std::size_t i = 0; i < count; ++i)
        keys[i] = std::uint64_t{0x7fffu - (first[i * step] & 0x7fffu)} << 48 | i;
    std::nth_element(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(keep), keys.end());
    for (const std::uint64_t key : std::span(keys).subspan(keep))
        first[(key & 0xffffffffffffu) * step] = 0;
}

/// Sixteen groups at a time, side by side for as long as they are looked at.
void zeroInTiles(std::span<std::uint16_t> halves, std::size_t of, std::size_t keep)
{
    std::array<std::uint16_t, kMaxRanked * kColumns + kSpare> tile{};
    const std::size_t groups = halves.size() / of;
    for (std::size_t first = 0; first < groups; first += kColumns) {
        const std::size_t columns = std::min(kColumns, groups - first);
        std::uint16_t *const start = halves.data() + first * of;
        for (std::size_t j = 0; j < columns; ++j) {
            for (std::size_t i = 0; i < of; ++i)
                tile[i * kColumns + j] = start[j * of + i];
        }
        HWY_DYNAMIC_DISPATCH(columnRun)(tile.data(), of, kColumns, columns, keep);
        for (std::size_t j = 0; j < columns; ++j) {
            for (std::size_t i = 0; i < of; ++i)
                start[j * of + i] = tile[i * kColumns + j];
        }
    }
}

} // namespace

bool hasGroupKernel(std::size_t of)
{
    return of == 2 || of == 4 || of == 8;
}

std::size_t keepInGroups(std::span<const float> values, std::size_t of, std::size_t keep,
                         std::span<std::byte> mask, std::span<std::uint16_t> kept)
{
    std::size_t found = 0;
    auto *bits = reinterpret_cast<std::uint8_t *>(mask.data());
    const std::size_t done = HWY_DYNAMIC_DISPATCH(groupRun)(values.data(), values.size(), of, keep,
                                                            bits, kept.data(), &found);
    std::vector<std::uint16_t> rest(values.size() - done);
    zeroInGroups(values.subspan(done), of, keep, rest);
    return found + keepNonzero(rest, mask.subspan(done / 8), kept.subspan(found));
}

void zeroInGroups(std::span<const float> values, std::size_t of, std::size_t keep,
                  std::span<std::uint16_t> halves)
{
    convertFloatToHalf(values, halves);
    if (keep >= of)
        return;
    if (of <= kMaxRanked)
        return zeroInTiles(halves, of, keep);
    for (std::size_t at = 0; at < halves.size(); at += of)
        zeroInGroup(halves.data() + at, of, 1, keep);
}

void zeroInColumns(std::span<const float> values, std::size_t width, std::size_t keep,
                   std::span<std::uint16_t> halves)
{
    const std::size_t rows = values.size() / width;
    if (HWY_DYNAMIC_DISPATCH(floatColumnRun)(values.data(), rows, width, keep, halves.data()))
        return;
    convertFloatToHalf(values, halves);
    if (keep >= rows)
        return;
    if (rows <= kMaxRanked)
        return HWY_DYNAMIC_DISPATCH(columnRun)(halves.data(), rows, width, width, keep);
    for (std::size_t at = 0; at < width; ++at)
        zeroInGroup(halves.data() + at, rows, width, keep);
}

} // namespace kernscope::codec
#endif
