// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/statistics.h"

#include "core/base/sha256.h"
#include "core/bundle/decode_blocks.h"
#include "core/bundle/half_counts.h"
#include "core/numeric/half.h"

#include <bit>
#include <cmath>
#include <limits>

namespace kernscope {

namespace {

void fillFigures(Statistics &statistics, std::span<const std::uint64_t> counts)
{
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    double sum = 0;
    std::uint64_t finite = 0;
    const auto forEachFinite = [&counts](const auto &visit) {
        for (std::size_t bits = 0; bits < counts.size(); ++bits) {
            const double value = halfToFloat(static_cast<std::uint16_t>(bits));
            if (counts[bits] > 0 && std::isfinite(value))
                visit(value, counts[bits]);
        }
    };
    forEachFinite([&](double value, std::uint64_t count) {
        low = std::min(low, value);
        high = std::max(high, value);
        sum += value * static_cast<double>(count);
        finite += count;
    });
    for (std::size_t bits = 0; bits < counts.size(); ++bits) {
        const std::size_t magnitude = bits & 0x7FFF;
        if (magnitude == 0)
            statistics.zeros += counts[bits];
        else if (magnitude == kHalfInfinity)
            statistics.inf += counts[bits];
        else if (magnitude > kHalfInfinity)
            statistics.nan += counts[bits];
    }
    if (finite == 0)
        return;
    statistics.min = low;
    statistics.max = high;
    statistics.mean = sum / static_cast<double>(finite);
    double squares = 0;
    forEachFinite([&](double value, std::uint64_t count) {
        const double distance = value - statistics.mean;
        squares += distance * distance * static_cast<double>(count);
    });
    statistics.standardDeviation = std::sqrt(squares / static_cast<double>(finite));
}

} // namespace

Error cancelledError()
{
    Error error;
    error.code = "task.cancelled";
    error.message = "The work was stopped.";
    return error;
}

Result<Statistics> computeStatistics(const Bundle &bundle, std::size_t weight,
                                     const StatisticsOptions &options, Progress *progress)
{
    static_assert(std::endian::native == std::endian::little,
                  "values are hashed as they lie in memory");
    const auto decoder = bundle.decoder(weight);
    if (!decoder)
        return tl::unexpected(decoder.error());
    Statistics statistics;
    statistics.elements = decoder->elements().value;
    std::optional<HalfCounts> counts;
    std::optional<Sha256> hash;
    if (options.figures)
        counts.emplace();
    if (options.hash)
        hash.emplace();
    const bool whole = decodeInBlocks(*decoder, 0, statistics.elements, progress,
                                      [&](std::uint64_t, std::span<const std::uint16_t> values) {
                                          if (counts)
                                              counts->add(values);
                                          if (hash)
                                              hash->update(std::as_bytes(values));
                                      });
    if (!whole)
        return tl::unexpected(cancelledError());
    if (counts)
        fillFigures(statistics, counts->counts());
    if (hash) {
        auto digest = hash->finishHex();
        if (!digest)
            return tl::unexpected(std::move(digest.error()));
        statistics.sha256 = std::move(*digest);
    }
    return statistics;
}

} // namespace kernscope
