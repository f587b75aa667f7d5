// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/ratios.h"

#include "tests/bench/cases.h"
#include "tests/bench/huge_buffer.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

#include <fmt/format.h>

namespace kernscope::bench {

namespace {

constexpr std::size_t kElements = std::size_t{32} << 20; ///< 64 MiB of fp16: beyond any cache here

double secondsOf(const std::function<void()> &work)
{
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
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
};

/// Copy and codec take turns, so that both see the same machine.
Measured measure(const Case &work, const std::function<void()> &copy)
{
    std::vector<double> copies;
    std::vector<double> ours;
    std::vector<double> plain;
    work.ours();
    copy();
    const double once = secondsOf(work.ours);
    const int rounds = once > 0.3 ? 3 : once > 0.05 ? 9 : 21;
    for (int round = 0; round < rounds; ++round) {
        copies.push_back(secondsOf(copy));
        ours.push_back(secondsOf(work.ours));
    }
    for (int round = 0; work.plain && round < 3; ++round)
        plain.push_back(secondsOf(work.plain));
    return {median(copies), median(ours), plain.empty() ? 0 : median(plain)};
}

} // namespace

int printRatios()
{
    HugeBuffer<std::uint16_t> from(kElements);
    HugeBuffer<std::uint16_t> out(kElements);
    fmt::print("{:<56} {:>8} {:>8} {:>8} {:>9} {:>9}\n", "codec, memcpy of the fp16 bytes = 1",
               "wanted", "ours", "plain", "GB/s", "copy GB/s");
    int below = 0;
    const auto run = [&](const std::vector<Case> &cases) {
        for (const Case &work : cases) {
            const std::size_t bytes = 2 * work.elements;
            const Measured times =
                measure(work, [&] { std::memcpy(out.data(), from.data(), bytes); });
            const double ratio = times.copy / times.ours;
            const bool falls = work.wanted > 0 && ratio < work.wanted;
            below += falls ? 1 : 0;
            const auto rate = [bytes](double seconds) {
                return static_cast<double>(bytes) / seconds * 1e-9;
            };
            fmt::print("{:<56} {:>8} {:>8.3f} {:>8} {:>9.2f} {:>9.2f}{}\n", work.name,
                       work.wanted > 0 ? fmt::format("{:.2f}", work.wanted) : "-", ratio,
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
