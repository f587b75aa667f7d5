// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/numeric/half_counts.h"
#include "tests/bench/cases.h"

#include <algorithm>
#include <thread>

namespace kernscope::bench {

namespace {

constexpr std::size_t kBlock = 32768; ///< values at a time, as computeStatistics decodes them

std::uint64_t zerosOf(std::span<const std::uint16_t> values)
{
    HalfCounts counts;
    for (std::size_t at = 0; at < values.size(); at += kBlock)
        counts.add(values.subspan(at, std::min(kBlock, values.size() - at)));
    return counts.counts()[0];
}

/// fp16 numbers of magnitudes from 2^-11 to 2^-3 whose order no processor foresees; of every ten
/// `zeros` are 0.
std::shared_ptr<HugeBuffer<std::uint16_t>> someHalves(std::size_t count, unsigned zeros)
{
    auto values = std::make_shared<HugeBuffer<std::uint16_t>>(count);
    std::uint64_t state = 1;
    for (std::uint16_t &value : values->span()) {
        state = state * 6364136223846793005u + 1442695040888963407u; // Knuth's MMIX generator
        const auto bits = std::uint16_t(state >> 40);
        const bool zero = (state >> 33) % 10 < zeros;
        value = zero ? std::uint16_t{0} : std::uint16_t((bits & 0x9fff) + 0x1000);
    }
    return values;
}

} // namespace

std::vector<Case> statisticsCases()
{
    constexpr std::size_t kElements = std::size_t{32} << 20;
    constexpr double kWanted = 0.5;
    std::vector<Case> cases;
    for (const unsigned zeros : {0u, 6u}) {
        const auto values = someHalves(kElements, zeros);
        Case one;
        one.name = zeros == 0 ? "statistics of dense values" : "statistics of values, 60 % zeros";
        one.wanted = kWanted;
        one.elements = kElements;
        one.read = 2 * kElements;
        one.ours = [values = values.get()] { zerosOf(values->span()); };
        one.data = values;
        Case two = one;
        two.name += ", two threads";
        two.threads = true;
        two.ours = [values = values.get()] {
            const auto all = std::span<const std::uint16_t>(values->span());
            std::thread other([&] { zerosOf(all.subspan(all.size() / 2)); });
            zerosOf(all.first(all.size() / 2));
            other.join();
        };
        one.wanted = 0; // wanted of weights side by side, as all processors take them
        cases.push_back(std::move(one));
        cases.push_back(std::move(two));
    }
    return cases;
}

} // namespace kernscope::bench
