// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/numeric/stream_copy.h"

#include <atomic>
#include <cstring>

#include <unistd.h>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/numeric/stream_copy.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file again for each target.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace kernscope::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Whole lines to an aligned place.
void streamLines(const std::uint8_t *from, std::uint8_t *to, std::size_t lines)
{
    const hn::CappedTag<std::uint8_t, kCacheLine> d;
    const std::size_t lanes = hn::Lanes(d);
    for (std::size_t at = 0; at < kCacheLine * lines; at += lanes)
        hn::Stream(hn::LoadU(d, from + at), d, to + at);
}

} // namespace kernscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kernscope {

HWY_EXPORT(streamLines);

namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

/// Bytes of a cache by sysconf; 0 where it does not say.
std::size_t cacheBytes([[maybe_unused]] int name)
{
    const long bytes = ::sysconf(name);
    return bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
}

std::size_t bytesByRule()
{
    std::size_t cache = 0;
#if defined(_SC_LEVEL3_CACHE_SIZE) && defined(_SC_LEVEL2_CACHE_SIZE)
    cache = cacheBytes(_SC_LEVEL3_CACHE_SIZE);
    if (cache == 0)
        cache = 8 * cacheBytes(_SC_LEVEL2_CACHE_SIZE);
#endif
    return cache == 0 ? 8 * kMiB : std::clamp(cache / 2, 4 * kMiB, 16 * kMiB);
}

std::atomic<std::size_t> chosenBytes = 0; ///< 0: by the rule

} // namespace

std::size_t streamedBytes()
{
    static const std::size_t byRule = bytesByRule();
    const std::size_t chosen = chosenBytes.load(std::memory_order_relaxed);
    return chosen != 0 ? chosen : byRule;
}

void setStreamedBytes(std::size_t bytes)
{
    chosenBytes.store(bytes, std::memory_order_relaxed);
}

void streamCopy(std::span<const std::byte> from, std::byte *to)
{
    const std::size_t head = elementsBeforeLine(std::span<const std::byte>(to, from.size()));
    if (head != 0)
        std::memcpy(to, from.data(), head);
    const std::size_t lines = (from.size() - head) / kCacheLine;
    if (lines != 0)
        HWY_DYNAMIC_DISPATCH(streamLines)
    (reinterpret_cast<const std::uint8_t *>(from.data()) + head,
     reinterpret_cast<std::uint8_t *>(to) + head, lines);
    const std::size_t done = head + lines * kCacheLine;
    if (done != from.size())
        std::memcpy(to + done, from.data() + done, from.size() - done);
}

void flushStream()
{
    hwy::FlushStream();
}

} // namespace kernscope
#endif
