// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/kernels/map_kernels.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/codec/kernels/map_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file again for each target.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace kernscope::codec::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Returns how many codes were mapped, from the first one on.
std::size_t mapHalfRun(const std::byte *codes, std::size_t count, const std::uint32_t *map,
                       std::byte *out, MappedRun *mapped)
{
    std::size_t at = 0;
#if HWY_TARGET <= HWY_AVX2 // which gather
    const hn::CappedTag<std::uint32_t, 16> d;
    const hn::RebindToSigned<decltype(d)> di;
    const hn::Rebind<std::uint16_t, decltype(d)> dh;
    const std::size_t lanes = hn::Lanes(d);
    auto all = hn::Zero(d);
    std::uint64_t same = 0;
    for (; at + lanes <= count; at += lanes) {
        const auto *in = reinterpret_cast<const std::uint16_t *>(codes + 2 * at);
        const auto before = hn::PromoteTo(d, hn::LoadU(dh, in));
        const auto found = hn::GatherIndex(d, map, hn::BitCast(di, before));
        all = hn::Or(all, found);
        const auto after = hn::And(found, hn::Set(d, 0xffffU));
        same += hn::CountTrue(d, hn::Eq(before, after));
        hn::StoreU(hn::TruncateTo(dh, after), dh, reinterpret_cast<std::uint16_t *>(out + 2 * at));
    }
    mapped->changed = at - same;
    mapped->marked = !hn::AllTrue(d, hn::Eq(hn::ShiftRight<16>(all), hn::Zero(d)));
#else
    static_cast<void>(codes);
    static_cast<void>(count);
    static_cast<void>(map);
    static_cast<void>(out);
    static_cast<void>(mapped);
#endif
    return at;
}

} // namespace kernscope::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kernscope::codec {

HWY_EXPORT(mapHalfRun);

MappedRun mapHalves(std::span<const std::byte> codes, HalfMap map, std::span<std::byte> out)
{
    MappedRun mapped;
    const std::size_t count = codes.size() / 2;
    std::size_t at =
        HWY_DYNAMIC_DISPATCH(mapHalfRun)(codes.data(), count, map.data(), out.data(), &mapped);
    std::uint32_t all = 0;
    for (; at < count; ++at) {
        std::uint16_t code = 0;
        std::memcpy(&code, codes.data() + 2 * at, sizeof code);
        const std::uint32_t found = map[code];
        const auto after = static_cast<std::uint16_t>(found);
        all |= found;
        mapped.changed += after != code ? 1 : 0;
        std::memcpy(out.data() + 2 * at, &after, sizeof after);
    }
    mapped.marked = mapped.marked || all >> 16 != 0;
    return mapped;
}

/// Eight codes to a word: a load each, and no table of vectors is long enough for less.
MappedRun mapBytes(std::span<const std::uint8_t> codes, const ByteMap &map,
                   std::span<std::uint8_t> out)
{
    constexpr std::uint64_t kOnes = 0x0101010101010101, kLow = 0x7f * kOnes;
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
        // The highest bit of each byte that is not zero; the product adds the bytes up.
        const std::uint64_t differs = before ^ after;
        const std::uint64_t highest = ((differs & kLow) + kLow) | differs;
        mapped.changed += ((highest >> 7 & kOnes) * kOnes) >> 56;
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
