// SPDX-License-Identifier: GPL-3.0-or-later
// Histogram of a weight's values and density of its channels.
#include "core/base/error_builder.h"
#include "core/bundle/bundle.h"
#include "core/bundle/decode_blocks.h"
#include "core/bundle/half_counts.h"
#include "core/bundle/statistics.h"
#include "core/bundle/stored_values.h"
#include "core/numeric/half.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace kernscope {

namespace {

/// More channels, or bins, than any picture shows.
constexpr std::uint64_t kMaxChannels = std::uint64_t(1) << 24;

Error tooMany(std::string_view field, std::uint64_t found)
{
    return ErrorBuilder("statistics.size")
        .field(field)
        .expected(fmt::format("at most {}", kMaxChannels))
        .found(fmt::format("{}", found))
        .message("There are too many to be counted one by one.");
}

Histogram binned(std::span<const std::uint64_t> counts, std::size_t bins)
{
    Histogram histogram;
    histogram.bins.resize(bins);
    bool any = false;
    const auto forEachFinite = [&counts](const auto &visit) {
        for (std::size_t bits = 0; bits < counts.size(); ++bits) {
            const double value = halfToFloat(static_cast<std::uint16_t>(bits));
            if (counts[bits] > 0 && std::isfinite(value))
                visit(value, counts[bits]);
        }
    };
    forEachFinite([&](double value, std::uint64_t) {
        histogram.low = any ? std::min(histogram.low, value) : value;
        histogram.high = any ? std::max(histogram.high, value) : value;
        any = true;
    });
    const double width = histogram.high - histogram.low;
    forEachFinite([&](double value, std::uint64_t count) {
        const double place =
            width > 0 ? (value - histogram.low) / width * static_cast<double>(bins) : 0;
        histogram.bins[std::min(bins - 1, static_cast<std::size_t>(place))] += count;
    });
    return histogram;
}

/// The same of values that fp16 does not hold: one reading for the range, one for the bins.
Result<Histogram> binnedWide(const codec::Decoder &decoder, std::size_t bins, Progress *progress)
{
    Histogram histogram;
    histogram.bins.resize(bins);
    bool any = false;
    const auto findRange = [&](std::uint64_t, std::span<const double> values) {
        for (const double value : values) {
            if (!std::isfinite(value))
                continue;
            histogram.low = any ? std::min(histogram.low, value) : value;
            histogram.high = any ? std::max(histogram.high, value) : value;
            any = true;
        }
    };
    const auto count = [&](std::uint64_t, std::span<const double> values) {
        const double width = histogram.high - histogram.low;
        for (const double value : values) {
            if (!std::isfinite(value))
                continue;
            const double place =
                width > 0 ? (value - histogram.low) / width * static_cast<double>(bins) : 0;
            ++histogram.bins[std::min(bins - 1, static_cast<std::size_t>(place))];
        }
    };
    // The caller counts each element once: the first reading only looks whether to stop.
    Progress first;
    const auto findUnlessStopped = [&](std::uint64_t at, std::span<const double> values) {
        if (progress != nullptr && progress->cancelled())
            first.cancel();
        findRange(at, values);
    };
    if (!decodeDoublesInBlocks(decoder, &first, findUnlessStopped) ||
        !decodeDoublesInBlocks(decoder, progress, count))
        return tl::unexpected(cancelledError());
    return histogram;
}

/// Stored elements of channels [0, channels), where the mask has a bit for each element.
void densityOfMask(const codec::Decoder &decoder, std::uint64_t perChannel,
                   std::vector<std::uint64_t> &density)
{
    std::uint64_t before = 0;
    for (std::size_t i = 0; i < density.size(); ++i) {
        const std::uint64_t upTo = decoder.rank((i + 1) * perChannel);
        density[i] = upTo - before;
        before = upTo;
    }
}

} // namespace

Result<Histogram> computeHistogram(const Bundle &bundle, std::size_t weight, std::size_t bins,
                                   Progress *progress)
{
    if (bins == 0 || bins > kMaxChannels)
        return tl::unexpected(tooMany("bins", bins));
    const auto decoder = TRY(bundle.decoder(weight));
    if (!exactInHalf(decoder.type()))
        return binnedWide(decoder, bins, progress);
    HalfCounts counts;
    const bool whole = decodeInBlocks(
        decoder, 0, decoder.elements().value, progress,
        [&counts](std::uint64_t, std::span<const std::uint16_t> values) { counts.add(values); });
    if (!whole)
        return tl::unexpected(cancelledError());
    return binned(counts.counts(), bins);
}

Result<std::vector<std::uint64_t>> channelDensity(const Bundle &bundle, std::size_t weight,
                                                  Progress *progress)
{
    const auto decoder = TRY(bundle.decoder(weight));
    const codec::Encoding &encoding = decoder.encoding();
    const std::uint64_t channels = encoding.shape.empty() ? 1 : encoding.shape.front();
    if (channels > kMaxChannels)
        return tl::unexpected(tooMany("channels", channels));
    std::vector<std::uint64_t> density(channels);
    const std::uint64_t elements = decoder.elements().value;
    if (elements == 0)
        return density;
    const std::uint64_t perChannel = elements / channels;
    const bool plainMask = encoding.mask && !(encoding.palette && encoding.palette->vector > 1);
    if (plainMask) {
        densityOfMask(decoder, perChannel, density);
        if (progress)
            progress->advance(elements);
        return density;
    }
    const bool masked = encoding.mask.has_value();
    if (!masked && !exactInHalf(decoder.type())) {
        const bool counted = decodeDoublesInBlocks(
            decoder, progress, [&](std::uint64_t first, std::span<const double> values) {
                for (std::size_t i = 0; i < values.size(); ++i)
                    density[(first + i) / perChannel] += values[i] != 0;
            });
        if (!counted)
            return tl::unexpected(cancelledError());
        return density;
    }
    const bool whole =
        decodeInBlocks(decoder, 0, elements, progress,
                       [&](std::uint64_t first, std::span<const std::uint16_t> values) {
                           for (std::size_t i = 0; i < values.size(); ++i) {
                               const bool counted =
                                   masked ? decoder.stored(first + i) : (values[i] & 0x7FFF) != 0;
                               density[(first + i) / perChannel] += counted ? 1 : 0;
                           }
                       });
    if (!whole)
        return tl::unexpected(cancelledError());
    return density;
}

} // namespace kernscope
