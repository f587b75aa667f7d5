// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/cases.h"
#include "tests/bench/limits.h"
#include "tests/bench/timing.h"

#include <cstdio>

#include <fmt/format.h>

namespace kernscope::bench {

namespace {

constexpr std::size_t kElements = std::size_t{32} << 20; ///< 64 MiB of fp16: beyond any cache here
/// Where memcpy is slower than this share of the best fill, its loops do not go past the caches:
/// ratios to it say little.
constexpr double kSoundCopy = 0.6;

struct Measured {
    double copy = 0;
    double ours = 0;
    double plain = 0;
    double ratio = 0; ///< of copy to ours
    double share = 0; ///< of filling the result and reading the input to ours
};

/// Copy, limit and codec take turns, so that all see the same machine; ratio and share are the
/// medians of those of neighbours, which a machine that becomes slower meanwhile leaves as they
/// are.
Measured measure(const Case &work, Limits &limits)
{
    const auto copy = [&] { limits.copy(2 * work.elements); };
    const auto limit = [&] {
        if (work.threads) {
            limits.fillByTwo(work.written);
            limits.readByTwo(work.read);
        } else {
            limits.fill(work.written);
            limits.read(work.read);
        }
    };
    std::vector<double> copies;
    std::vector<double> ours;
    std::vector<double> plain;
    std::vector<double> ratios;
    std::vector<double> shares;
    work.ours();
    copy();
    const double once = secondsOf(work.ours, work.threads, 2);
    const int rounds = once > 0.3 ? 3 : once > 0.05 ? 11 : 31;
    for (int round = 0; round < rounds; ++round) {
        copies.push_back(secondsOf(copy, work.threads));
        ours.push_back(secondsOf(work.ours, work.threads, 2));
        shares.push_back(secondsOf(limit, work.threads, 2) / ours.back());
        ratios.push_back(copies.back() / ours.back());
    }
    for (int round = 0; work.plain && round < 3; ++round)
        plain.push_back(secondsOf(work.plain));
    return {median(copies), median(ours), plain.empty() ? 0 : median(plain), median(ratios),
            median(shares)};
}

/// A number, or a dash where there is none.
std::string cellOf(double value, int digits)
{
    return value > 0 ? fmt::format("{:.{}f}", value, digits) : "-";
}

/// Prints the row; returns whether it stays below what is wanted.
bool printRow(const Case &work, const Measured &times, bool judgeCopy)
{
    const bool belowCopy = judgeCopy && work.wanted > 0 && times.ratio < work.wanted;
    const bool belowLimit = work.wantedShare > 0 && times.share < work.wantedShare;
    const double bytes = 2 * double(work.elements);
    fmt::print("{:<56} {:>6} {:>6.2f} {:>6} {:>6.2f} {:>6} {:>7.2f} {:>7.2f}{}{}\n", work.name,
               cellOf(work.wantedShare, 2), times.share, cellOf(work.wanted, 2), times.ratio,
               cellOf(times.plain > 0 ? times.copy / times.plain : 0, 3), bytes / times.ours * 1e-9,
               bytes / times.copy * 1e-9, belowLimit ? "  below the share" : "",
               belowCopy ? "  below the ratio" : "");
    std::fflush(stdout);
    return belowCopy || belowLimit;
}

} // namespace

int printRatios(std::string_view only)
{
    HugeBuffer<std::uint16_t> out(kElements);
    Limits limits(2 * kElements);
    limits.print();
    const bool judgeCopy = limits.copyShare() >= kSoundCopy;
    fmt::print("share: of the time to fill the result and to read the input, at best\n"
               "ratio: to memcpy of the same fp16 bytes{}\n\n"
               "{:<56} {:>6} {:>6} {:>6} {:>6} {:>6} {:>7} {:>7}\n",
               judgeCopy ? "" : "; not judged, as memcpy is slower here than 0.6 of the best fill",
               "codec", "wanted", "share", "wanted", "ratio", "plain", "GB/s", "copy");
    int below = 0;
    const auto run = [&](const std::vector<Case> &cases) {
        for (const Case &work : cases) {
            if (work.name.find(only) != std::string::npos)
                below += printRow(work, measure(work, limits), judgeCopy) ? 1 : 0;
        }
    };
    run(decodeCases(out.span()));
    run(orderCases(out.span()));
    run(encodeCases());
    run(statisticsCases());
    run(compareCases());
    return below;
}

} // namespace kernscope::bench
