// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diff/largest_difference.h"

#include "core/diff/read_lock.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace kernscope {

namespace {

constexpr std::uint64_t kElementsAtOnce = 32768;

double distance(float a, float b)
{
    if (a == b || (std::isnan(a) && std::isnan(b)))
        return 0;
    const double between = std::abs(static_cast<double>(b) - static_cast<double>(a));
    return std::isnan(between) ? std::numeric_limits<double>::infinity() : between;
}

} // namespace

Result<std::optional<LargestDifference>> findLargestDifference(const Bundle &a, std::size_t weightA,
                                                               const Bundle &b, std::size_t weightB,
                                                               Progress &progress)
{
    const diff::ReadLock lock(a, b);
    const auto decoderA = a.decoder(weightA);
    if (!decoderA)
        return tl::unexpected(decoderA.error());
    const auto decoderB = b.decoder(weightB);
    if (!decoderB)
        return tl::unexpected(decoderB.error());
    const std::uint64_t elements = std::min(decoderA->elements().value, decoderB->elements().value);
    progress.setTotal(elements);
    std::vector<float> valuesA(std::min(kElementsAtOnce, elements)), valuesB(valuesA.size());
    std::optional<LargestDifference> found;
    double most = 0;
    for (std::uint64_t first = 0; first < elements; first += kElementsAtOnce) {
        const std::uint64_t count = std::min(kElementsAtOnce, elements - first);
        if (!progress.advance(count))
            return tl::unexpected(cancelledError("The search was cancelled"));
        decoderA->decodeFloat(first, std::span(valuesA).first(count));
        decoderB->decodeFloat(first, std::span(valuesB).first(count));
        for (std::uint64_t i = 0; i < count; ++i) {
            const double here = distance(valuesA[i], valuesB[i]);
            if (here > most) {
                most = here;
                found = LargestDifference{first + i, valuesA[i], valuesB[i]};
            }
        }
    }
    return found;
}

} // namespace kernscope
