// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/ratios.h"

#include "tests/bench/cases.h"
#include "tests/bench/huge_buffer.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>

#include <time.h>

#include <fmt/format.h>

namespace kernscope::bench {

namespace {

constexpr std::size_t kElements = std::size_t{32} << 20; ///< 64 MiB of fp16: beyond any cache here

double now(clockid_t clock)
{
    timespec time{};
    ::clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Time of this thread, so that other work on the machine counts as little as can be; by the clock
/// on the wall where the work has threads of its own.
double secondsOf(const std::function<void()> &work, bool wall = false)
{
    const clockid_t clock = wall ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID;
    const double start = now(clock);
    work();
    return now(clock) - start;
}

double median(std::vector<double> times)
{
    std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2),
                     times.end());
    return times[times.size() / 2];
}

struct Measured {
    double copy = 0;
    double ours = 0;
    double plain = 0;
    double ratio = 0; ///< of copy to ours
};

/// Copy and codec take turns, so that both see the same machine; the ratio is the median of those
/// of neighbours, which a machine that becomes slower meanwhile leaves as it is.
Measured measure(const Case &work, const std::function<void()> &copy)
{
    std::vector<double> copies;
    std::vector<double> ours;
    std::vector<double> plain;
    std::vector<double> ratios;
    work.ours();
    copy();
    const double once = secondsOf(work.ours, work.threads);
    const int rounds = once > 0.3 ? 3 : once > 0.05 ? 11 : 31;
    for (int round = 0; round < rounds; ++round) {
        copies.push_back(secondsOf(copy, work.threads));
        ours.push_back(secondsOf(work.ours, work.threads));
        ratios.push_back(copies.back() / ours.back());
    }
    for (int round = 0; work.plain && round < 3; ++round)
        plain.push_back(secondsOf(work.plain));
    return {median(copies), median(ours), plain.empty() ? 0 : median(plain), median(ratios)};
}

} // namespace

int printRatios(std::string_view only)
{
    HugeBuffer<std::uint16_t> from(kElements);
    HugeBuffer<std::uint16_t> out(kElements);
    fmt::print("{:<56} {:>8} {:>8} {:>8} {:>9} {:>9}\n", "codec, memcpy of the fp16 bytes = 1",
               "wanted", "ours", "plain", "GB/s", "copy GB/s");
    int below = 0;
    const auto run = [&](const std::vector<Case> &cases) {
        for (const Case &work : cases) {
            if (work.name.find(only) == std::string::npos)
                continue;
            const std::size_t bytes = 2 * work.elements;
            const Measured times =
                measure(work, [&] { std::memcpy(out.data(), from.data(), bytes); });
            const bool falls = work.wanted > 0 && times.ratio < work.wanted;
            below += falls ? 1 : 0;
            const auto rate = [bytes](double seconds) {
                return static_cast<double>(bytes) / seconds * 1e-9;
            };
            fmt::print("{:<56} {:>8} {:>8.3f} {:>8} {:>9.2f} {:>9.2f}{}\n", work.name,
                       work.wanted > 0 ? fmt::format("{:.2f}", work.wanted) : "-", times.ratio,
                       times.plain > 0 ? fmt::format("{:.3f}", times.copy / times.plain) : "-",
                       rate(times.ours), rate(times.copy), falls ? "  below" : "");
            std::fflush(stdout);
        }
    };
    run(decodeCases(out.span()));
    run(encodeCases());
    return below;
}

} // namespace kernscope::bench
