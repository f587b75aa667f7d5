// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/numeric/stream_copy.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/numeric/stream_copy.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file again for each target.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace kernscope::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Whole lines of 64 bytes to an aligned place.
void streamLines(const std::uint8_t *from, std::uint8_t *to, std::size_t lines)
{
    const hn::CappedTag<std::uint8_t, 64> d;
    const std::size_t lanes = hn::Lanes(d);
    for (std::size_t at = 0; at < 64 * lines; at += lanes)
        hn::Stream(hn::LoadU(d, from + at), d, to + at);
    hwy::FlushStream();
}

} // namespace kernscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kernscope {

HWY_EXPORT(streamLines);

void streamCopy(std::span<const std::byte> from, std::byte *to)
{
    constexpr std::size_t kLine = 64;
    const std::size_t off = reinterpret_cast<std::uintptr_t>(to) % kLine;
    const std::size_t head = std::min(from.size(), off == 0 ? 0 : kLine - off);
    if (head != 0)
        std::memcpy(to, from.data(), head);
    const std::size_t lines = (from.size() - head) / kLine;
    if (lines != 0)
        HWY_DYNAMIC_DISPATCH(streamLines)
    (reinterpret_cast<const std::uint8_t *>(from.data()) + head,
     reinterpret_cast<std::uint8_t *>(to) + head, lines);
    const std::size_t done = head + lines * kLine;
    if (done != from.size())
        std::memcpy(to + done, from.data() + done, from.size() - done);
}

} // namespace kernscope
#endif
