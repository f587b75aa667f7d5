// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/kernels/byte_counts.h"
#include "core/codec/kernels/palette_kernels.h"
#include "core/numeric/bitpack.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/codec/kernels/gap_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file again for each target.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace kernscope::codec::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
std::size_t clearRunOf(const std::uint8_t *mask, std::uint64_t first, const std::uint8_t *last,
                       T *out, std::size_t count)
{
    const hn::CappedTag<T, 8> d;
    const std::size_t lanes = hn::Lanes(d);
    std::size_t done = 0;
    for (; done + 8 <= count; done += 8) {
        const unsigned bits = maskByte(mask, first + done, last);
        for (std::size_t at = 0; at < 8; at += lanes) {
            // LoadMaskBits reads up to eight bytes.
            const std::uint8_t loaded[8] = {static_cast<std::uint8_t>(bits >> at)};
            const auto kept = hn::LoadMaskBits(d, loaded);
            hn::StoreU(hn::IfThenElseZero(kept, hn::LoadU(d, out + done + at)), d, out + done + at);
        }
    }
    return done;
}

std::size_t clearHalfRun(const std::uint8_t *mask, std::uint64_t first, const std::uint8_t *last,
                         std::uint16_t *out, std::size_t count)
{
    return clearRunOf(mask, first, last, out, count);
}

std::size_t clearFloatRun(const std::uint8_t *mask, std::uint64_t first, const std::uint8_t *last,
                          float *out, std::size_t count)
{
    return clearRunOf(mask, first, last, out, count);
}

} // namespace kernscope::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kernscope::codec {

HWY_EXPORT(clearHalfRun);
HWY_EXPORT(clearFloatRun);

namespace {

template <class T>
void clearRest(std::span<const std::byte> mask, std::uint64_t first, std::span<T> out,
               std::size_t done)
{
    for (; done < out.size(); ++done) {
        if (unpackCode(mask, 1, first + done) == 0)
            out[done] = T{};
    }
}

const std::uint8_t *bytesOf(std::span<const std::byte> mask)
{
    return reinterpret_cast<const std::uint8_t *>(mask.data());
}

} // namespace

void clearGaps(std::span<const std::byte> mask, std::uint64_t first, std::span<std::uint16_t> out)
{
    if (out.empty())
        return;
    const std::uint8_t *bytes = bytesOf(mask);
    clearRest(mask, first, out,
              HWY_DYNAMIC_DISPATCH(clearHalfRun)(bytes, first, bytes + mask.size() - 1, out.data(),
                                                 out.size()));
}

void clearGaps(std::span<const std::byte> mask, std::uint64_t first, std::span<float> out)
{
    if (out.empty())
        return;
    const std::uint8_t *bytes = bytesOf(mask);
    clearRest(mask, first, out,
              HWY_DYNAMIC_DISPATCH(clearFloatRun)(bytes, first, bytes + mask.size() - 1, out.data(),
                                                  out.size()));
}

} // namespace kernscope::codec
#endif
