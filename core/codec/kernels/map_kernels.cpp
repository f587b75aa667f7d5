// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/kernels/map_kernels.h"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/codec/kernels/map_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file again for each target.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace kernscope::codec::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Returns how many codes were set or kept, from the first one on; `same`: how many were kept.
std::size_t setHalfRun(const std::byte *codes, std::size_t count, const HalfFill &fill,
                       std::byte *out, std::uint64_t *same)
{
    std::size_t at = 0;
#if HWY_TARGET != HWY_SCALAR
    constexpr std::size_t kAhead = 4096; // the next page, where processors stop
    const hn::CappedTag<std::uint16_t, 32> d;
    const std::size_t lanes = hn::Lanes(d);
    const auto becomes = hn::Set(d, fill.becomes);
    const auto kept0 = hn::Set(d, fill.kept[0]), kept1 = hn::Set(d, fill.kept[1]);
    const auto kept2 = hn::Set(d, fill.kept[2]), kept3 = hn::Set(d, fill.kept[3]);
    std::uint64_t keptCodes = 0;
    for (; at + lanes <= count; at += lanes) {
        __builtin_prefetch(codes + 2 * at + kAhead);
        const auto before = hn::LoadU(d, reinterpret_cast<const std::uint16_t *>(codes + 2 * at));
        const auto keeps = hn::Or(hn::Or(hn::Eq(before, kept0), hn::Eq(before, kept1)),
                                  hn::Or(hn::Eq(before, kept2), hn::Eq(before, kept3)));
        keptCodes += hn::CountTrue(d, keeps);
        hn::StoreU(hn::IfThenElse(keeps, before, becomes), d,
                   reinterpret_cast<std::uint16_t *>(out + 2 * at));
    }
    *same = keptCodes;
#else
    static_cast<void>(codes);
    static_cast<void>(count);
    static_cast<void>(fill);
    static_cast<void>(out);
    static_cast<void>(same);
#endif
    return at;
}

/// Returns how many were compared; `same`: how many are.
std::size_t sameHalfRun(const std::byte *codes, const std::byte *other, std::size_t count,
                        std::uint64_t *same)
{
    std::size_t at = 0;
#if HWY_TARGET != HWY_SCALAR
    const hn::CappedTag<std::uint16_t, 32> d;
    std::uint64_t found = 0;
    for (; at + hn::Lanes(d) <= count; at += hn::Lanes(d)) {
        const auto one = hn::LoadU(d, reinterpret_cast<const std::uint16_t *>(codes + 2 * at));
        const auto two = hn::LoadU(d, reinterpret_cast<const std::uint16_t *>(other + 2 * at));
        found += hn::CountTrue(d, hn::Eq(one, two));
    }
    *same = found;
#else
    static_cast<void>(codes);
    static_cast<void>(other);
    static_cast<void>(count);
    static_cast<void>(same);
#endif
    return at;
}

} // namespace kernscope::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kernscope::codec {

HWY_EXPORT(setHalfRun);
HWY_EXPORT(sameHalfRun);

std::uint64_t fillHalves(std::span<const std::byte> codes, const HalfFill &fill,
                         std::span<std::byte> out)
{
    const std::size_t count = codes.size() / 2;
    std::uint64_t same = 0;
    std::size_t at = HWY_DYNAMIC_DISPATCH(setHalfRun)(codes.data(), count, fill, out.data(), &same);
    for (; at < count; ++at) {
        std::uint16_t code = 0;
        std::memcpy(&code, codes.data() + 2 * at, sizeof code);
        const bool keeps = std::find(fill.kept.begin(), fill.kept.end(), code) != fill.kept.end();
        same += keeps ? 1 : 0;
        std::memcpy(out.data() + 2 * at, keeps ? &code : &fill.becomes, sizeof code);
    }
    return count - same;
}

// The others are loops of plain words: measured, gathers of vectors take longer than as many loads.
namespace {

std::uint64_t changedHalves(std::span<const std::byte> codes, std::span<const std::byte> after)
{
    const std::size_t count = codes.size() / 2;
    std::uint64_t same = 0;
    std::size_t at = HWY_DYNAMIC_DISPATCH(sameHalfRun)(codes.data(), after.data(), count, &same);
    for (; at < count; ++at)
        same += std::memcmp(codes.data() + 2 * at, after.data() + 2 * at, 2) == 0 ? 1 : 0;
    return count - same;
}

/// Bytes of two words that differ.
std::uint64_t bytesThatDiffer(std::uint64_t before, std::uint64_t after)
{
    constexpr std::uint64_t kOnes = 0x0101010101010101, kLows = 0x7f * kOnes;
    const std::uint64_t differs = before ^ after;
    const std::uint64_t highest = ((differs & kLows) + kLows) | differs;
    return ((highest >> 7 & kOnes) * kOnes) >> 56; // the product adds them up
}

} // namespace

MappedRun mapHalves(std::span<const std::byte> codes, HalfMap map, std::span<std::byte> out)
{
    constexpr std::size_t kLine = 64, kAhead = 4096; // the next page, where processors stop
    MappedRun mapped;
    std::uint32_t all = 0;
    const auto mapFour = [&](std::size_t at) {
        std::uint64_t before = 0;
        std::memcpy(&before, codes.data() + at, sizeof before);
        const std::uint32_t first = map[before & 0xffff], second = map[before >> 16 & 0xffff];
        const std::uint32_t third = map[before >> 32 & 0xffff], fourth = map[before >> 48];
        all |= first | second | third | fourth;
        const std::uint64_t after = (first & 0xffff) | (second & 0xffff) << 16 |
                                    std::uint64_t{third & 0xffff} << 32 |
                                    std::uint64_t{fourth} << 48;
        std::memcpy(out.data() + at, &after, sizeof after);
    };
    std::size_t at = 0;
    for (; at + kLine <= codes.size(); at += kLine) {
        __builtin_prefetch(codes.data() + at + kAhead);
        for (std::size_t word = 0; word < kLine; word += 8)
            mapFour(at + word);
    }
    for (; at + 2 <= codes.size(); at += 2) {
        std::uint16_t before = 0;
        std::memcpy(&before, codes.data() + at, sizeof before);
        const std::uint32_t found = map[before];
        const auto after = static_cast<std::uint16_t>(found & 0xffff);
        all |= found;
        std::memcpy(out.data() + at, &after, sizeof after);
    }
    mapped.changed = changedHalves(codes, out);
    mapped.marked = all >> 16 != 0;
    return mapped;
}

MappedRun mapBytes(std::span<const std::uint8_t> codes, const ByteMap &map,
                   std::span<std::uint8_t> out)
{
    MappedRun mapped;
    unsigned all = 0;
    std::size_t at = 0;
    for (; at + 8 <= codes.size(); at += 8) {
        std::uint64_t before = 0, after = 0;
        std::memcpy(&before, codes.data() + at, sizeof before);
        for (unsigned i = 0; i < 64; i += 8) {
            const unsigned found = map[before >> i & 0xff];
            all |= found;
            after |= std::uint64_t{found & 0xff} << i;
        }
        std::memcpy(out.data() + at, &after, sizeof after);
        mapped.changed += bytesThatDiffer(before, after);
    }
    for (; at < codes.size(); ++at) {
        const unsigned found = map[codes[at]];
        all |= found;
        out[at] = static_cast<std::uint8_t>(found & 0xff);
        mapped.changed += out[at] != codes[at] ? 1 : 0;
    }
    mapped.marked = all >> 8 != 0;
    return mapped;
}

} // namespace kernscope::codec
#endif
