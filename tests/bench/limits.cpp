// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/limits.h"

#include "tests/bench/timing.h"

#include <atomic>
#include <cstdint>
#include <cstring>
#include <thread>

#include <fmt/format.h>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/bench/limits.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file again for each target.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace kernscope::bench::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// The compiler must neither leave out a store nor replace a loop of them by a call of memset.
HWY_INLINE void keepStores()
{
    __asm__ volatile("" : : : "memory");
}

template <std::size_t Width>
void fillOf(std::uint8_t *out, std::size_t bytes, bool streamed)
{
    const hn::CappedTag<std::uint8_t, Width> d;
    const std::size_t lanes = hn::Lanes(d);
    const auto value = hn::Set(d, 3);
    if (streamed) {
        for (std::size_t at = 0; at < bytes; at += lanes) {
            hn::Stream(value, d, out + at);
            keepStores();
        }
        hwy::FlushStream();
        return;
    }
    for (std::size_t at = 0; at < bytes; at += lanes) {
        hn::Store(value, d, out + at);
        keepStores();
    }
}

/// `width` 16, 32 or 64, or the widest below it that the processor has.
void fillWith(std::byte *out, std::size_t bytes, std::size_t width, bool streamed)
{
    auto *to = reinterpret_cast<std::uint8_t *>(out);
    switch (width) {
    case 16: fillOf<16>(to, bytes, streamed); return;
    case 32: fillOf<32>(to, bytes, streamed); return;
    default: fillOf<64>(to, bytes, streamed); return;
    }
}

/// Bytes of a vector of at most 64.
std::size_t widestVector()
{
    return hn::Lanes(hn::CappedTag<std::uint8_t, 64>());
}

/// Reads in four streams of additions that do not wait for one another.
std::uint8_t readAll(const std::byte *in, std::size_t bytes)
{
    const hn::CappedTag<std::uint8_t, 64> d;
    const std::size_t lanes = hn::Lanes(d);
    const auto *from = reinterpret_cast<const std::uint8_t *>(in);
    auto a = hn::Zero(d);
    auto b = a;
    auto c = a;
    auto e = a;
    for (std::size_t at = 0; at + 4 * lanes <= bytes; at += 4 * lanes) {
        a = hn::Xor(a, hn::LoadU(d, from + at));
        b = hn::Xor(b, hn::LoadU(d, from + at + lanes));
        c = hn::Xor(c, hn::LoadU(d, from + at + 2 * lanes));
        e = hn::Xor(e, hn::LoadU(d, from + at + 3 * lanes));
    }
    alignas(64) std::uint8_t sums[64] = {};
    hn::Store(hn::Xor(hn::Xor(a, b), hn::Xor(c, e)), d, sums);
    std::uint8_t all = 0;
    for (const std::uint8_t sum : sums)
        all ^= sum;
    return all;
}

} // namespace kernscope::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kernscope::bench {

HWY_EXPORT(fillWith);
HWY_EXPORT(widestVector);
HWY_EXPORT(readAll);

namespace {

std::uint8_t readBytes(const std::byte *in, std::size_t bytes)
{
    return HWY_DYNAMIC_DISPATCH(readAll)(in, bytes);
}

/// Half of `work(first, bytes)` in a second thread; the halves begin at whole lines.
template <class Work>
void byTwo(std::size_t bytes, Work work)
{
    const std::size_t half = bytes / 2 / 64 * 64;
    std::thread other([&] { work(half, bytes - half); });
    work(std::size_t{0}, half);
    other.join();
}

std::atomic<std::uint8_t> readSink = 0; ///< what is read counts as used

} // namespace

Limits::Limits(std::size_t bytes) : m_in(bytes), m_out(bytes)
{
    const std::size_t widest = HWY_DYNAMIC_DISPATCH(widestVector)();
    const auto vectors = [&](std::string_view name, std::size_t width, bool streamed) {
        if (width <= widest)
            m_stores.push_back({name, [=](std::byte *out, std::size_t count) {
                                    HWY_DYNAMIC_DISPATCH(fillWith)(out, count, width, streamed);
                                }});
    };
    vectors("plain stores of 16 bytes", 16, false);
    vectors("plain stores of 32 bytes", 32, false);
    vectors("plain stores of 64 bytes", 64, false);
    vectors("non-temporal stores of 16 bytes", 16, true);
    vectors("non-temporal stores of 32 bytes", 32, true);
    vectors("non-temporal stores of 64 bytes", 64, true);
    m_stores.push_back(
        {"memset", [](std::byte *out, std::size_t count) { std::memset(out, 3, count); }});
#if HWY_ARCH_X86
    m_stores.push_back(
        {"rep stosb", [](std::byte *out, std::size_t count) {
             __asm__ volatile("rep stosb" : "+D"(out), "+c"(count) : "a"(3) : "memory");
         }});
#endif
    // All kinds take turns, so that each sees the same machine.
    constexpr int kRounds = 15;
    std::vector<std::vector<double>> times(m_stores.size() + 2);
    for (int round = 0; round < kRounds; ++round) {
        for (std::size_t i = 0; i < m_stores.size(); ++i)
            times[i].push_back(secondsOf([&] { m_stores[i].fill(m_out.data(), bytes); }));
        times[m_stores.size()].push_back(secondsOf([&] { read(bytes); }));
        times[m_stores.size() + 1].push_back(secondsOf([&] { copy(bytes); }));
    }
    const auto rate = [&](std::size_t i) { return double(bytes) / median(times[i]); };
    for (std::size_t i = 0; i < m_stores.size(); ++i) {
        m_stores[i].rate = rate(i);
        if (m_stores[i].rate > m_stores[m_best].rate)
            m_best = i;
    }
    m_readRate = rate(m_stores.size());
    m_copyRate = rate(m_stores.size() + 1);
}

void Limits::read(std::size_t bytes)
{
    readSink = readBytes(m_in.data(), bytes);
}

void Limits::copy(std::size_t bytes)
{
    std::memcpy(m_out.data(), m_in.data(), bytes);
}

void Limits::fillByTwo(std::size_t bytes)
{
    byTwo(bytes, [&](std::size_t first, std::size_t count) {
        m_stores[m_best].fill(m_out.data() + first, count);
    });
}

void Limits::readByTwo(std::size_t bytes)
{
    byTwo(bytes, [&](std::size_t first, std::size_t count) {
        readSink = readBytes(m_in.data() + first, count);
    });
}

void Limits::print() const
{
    fmt::print("what the memory allows, {} MiB                                 GB/s\n",
               m_out.size() >> 20);
    const auto line = [](std::string_view name, double rate, std::string_view note) {
        fmt::print("{:<56} {:>8.2f}{}\n", name, rate * 1e-9, note);
    };
    for (std::size_t i = 0; i < m_stores.size(); ++i)
        line(m_stores[i].name, m_stores[i].rate, i == m_best ? "  best fill" : "");
    line("reading", m_readRate, "");
    line("memcpy", m_copyRate, fmt::format("  {:.2f} of the best fill", copyShare()));
    fmt::print("\n");
}

} // namespace kernscope::bench
#endif
