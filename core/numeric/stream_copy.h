// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

/// Results that outgrow the caches are stored past them (non-temporal stores where the processor
/// has them): memory that is written whole is then not read first, and what the caches hold stays.
namespace kernscope {

/// A line of the cache, in bytes. Stores past the caches go to whole lines.
inline constexpr std::size_t kCacheLine = 64;

/// Results of at least this size use non-temporal stores: half of the third level cache as the
/// system states it (four times the second level where there is no third), but at least 4 MiB and
/// at most 16 MiB; 8 MiB where the system states nothing. Measured: a smaller result is read faster
/// by its user from the caches; systems state the caches of all cores together, hence the limit.
std::size_t streamedBytes();
/// Another size for this process, for tests and benchmarks; 0: the size of the rule again.
void setStreamedBytes(std::size_t bytes);

/// Elements of two or four bytes before the first whole line of `out`, at most out.size().
template <class T>
std::size_t elementsBeforeLine(std::span<const T> out)
{
    const std::size_t off = reinterpret_cast<std::uintptr_t>(out.data()) % kCacheLine;
    return std::min(out.size(), off == 0 ? 0 : (kCacheLine - off) / sizeof(T));
}

/// Copies past the caches. `to` holds as many bytes as `from`, both at any address; they do not
/// overlap. Other threads see the bytes after flushStream().
void streamCopy(std::span<const std::byte> from, std::byte *to);

/// Makes what this thread has stored past the caches visible to threads that it hands over to.
void flushStream();

/// Fills `out` past the caches by way of a block that the first cache holds: `fill(first, block)`
/// makes elements [first, first + block.size()) of `out`. Ends with flushStream().
template <class T, class Fill>
void fillPastCaches(std::span<T> out, Fill fill)
{
    constexpr std::size_t kBlock = 8192 / sizeof(T);
    alignas(kCacheLine) std::array<T, kBlock> block;
    std::size_t at = elementsBeforeLine(std::span<const T>(out));
    if (at != 0)
        fill(std::size_t{0}, out.first(at));
    for (std::size_t count = 0; at < out.size(); at += count) {
        count = std::min(kBlock, out.size() - at);
        const auto some = std::span(block).first(count);
        fill(at, some);
        streamCopy(std::as_bytes(some), reinterpret_cast<std::byte *>(out.data() + at));
    }
    flushStream();
}

} // namespace kernscope
