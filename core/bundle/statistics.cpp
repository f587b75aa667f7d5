// SPDX-License-Identifier: GPL-3.0-or-later
// Histogram of a weight's values and density of its channels.
#include "core/bundle/statistics.h"

#include "core/base/error_builder.h"
#include "core/base/parallel.h"
#include "core/base/sha256.h"
#include "core/bundle/bundle.h"
#include "core/bundle/diagnostic_log.h"
#include "core/bundle/stored_values.h"
#include "core/numeric/half.h"
#include "core/numeric/half_counts.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace kernscope {

namespace {

/// The fp16 values that occur, by their bits in rising order, with how often.
using HalfRuns = std::vector<std::pair<std::uint16_t, std::uint64_t>>;

/// Counts values: few of them in a list, for the table of every fp16 value costs more than the
/// statistics of a small weight; many in that table.
class FigureCounts
{
public:
    void add(std::span<const std::uint16_t> values)
    {
        if (!m_table && m_few.size() + values.size() <= kMostListed) {
            m_few.insert(m_few.end(), values.begin(), values.end());
            return;
        }
        if (!m_table) {
            m_table.emplace();
            m_table->add(m_few);
        }
        m_table->add(values);
    }

    HalfRuns runs()
    {
        HalfRuns found;
        if (m_table) {
            const auto counts = m_table->counts();
            for (std::size_t bits = 0; bits < counts.size(); ++bits) {
                if (counts[bits] > 0)
                    found.emplace_back(static_cast<std::uint16_t>(bits), counts[bits]);
            }
            return found;
        }
        std::ranges::sort(m_few);
        for (const std::uint16_t bits : m_few) {
            if (found.empty() || found.back().first != bits)
                found.emplace_back(bits, 0);
            ++found.back().second;
        }
        return found;
    }

private:
    static constexpr std::size_t kMostListed = 4096;
    std::vector<std::uint16_t> m_few;
    std::optional<HalfCounts> m_table;
};

void fillFigures(Statistics &statistics, const HalfRuns &runs)
{
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    double sum = 0;
    std::uint64_t finite = 0;
    for (const auto &[bits, count] : runs) {
        const std::size_t magnitude = bits & 0x7FFF;
        if (magnitude == 0)
            statistics.zeros += count;
        else if (magnitude == kHalfInfinity)
            statistics.inf += count;
        else if (magnitude > kHalfInfinity)
            statistics.nan += count;
        if (magnitude >= kHalfInfinity)
            continue;
        const double value = halfToFloat(bits);
        low = std::min(low, value);
        high = std::max(high, value);
        sum += value * static_cast<double>(count);
        finite += count;
    }
    if (finite == 0)
        return;
    statistics.min = low;
    statistics.max = high;
    statistics.mean = sum / static_cast<double>(finite);
    double squares = 0;
    for (const auto &[bits, count] : runs) {
        if ((bits & 0x7FFF) >= kHalfInfinity)
            continue;
        const double distance = static_cast<double>(halfToFloat(bits)) - statistics.mean;
        squares += distance * distance * static_cast<double>(count);
    }
    statistics.standardDeviation = std::sqrt(squares / static_cast<double>(finite));
}

std::uint64_t distinctValues(const HalfRuns &runs)
{
    std::uint64_t numbers = 0;
    bool zero = false, nan = false;
    for (const auto &[bits, count] : runs) {
        const std::size_t magnitude = bits & 0x7FFF;
        zero = zero || magnitude == 0;
        nan = nan || magnitude > kHalfInfinity;
        numbers += magnitude > 0 && magnitude <= kHalfInfinity ? 1 : 0;
    }
    return numbers + (zero ? 1 : 0) + (nan ? 1 : 0);
}

/// The different values among those that fp16 does not hold, up to a number that memory allows.
class WideDistinct
{
public:
    void add(std::span<const double> values)
    {
        for (const double value : values) {
            if (m_many || (m_any && std::bit_cast<std::uint64_t>(value) == m_last))
                continue; // neighbours are often the same: masks, palettes
            m_any = true;
            m_last = std::bit_cast<std::uint64_t>(value);
            m_seen.insert(std::isnan(value) ? kNotANumber : value == 0 ? 0 : m_last);
            if (m_seen.size() > Statistics::kMostDistinct) {
                m_many = true;
                m_seen = {};
            }
        }
    }
    std::optional<std::uint64_t> count() const
    {
        return m_many ? std::nullopt : std::optional<std::uint64_t>(m_seen.size());
    }

private:
    static constexpr std::uint64_t kNotANumber = 0x7FF8'0000'0000'0000;
    std::unordered_set<std::uint64_t> m_seen;
    std::uint64_t m_last = 0;
    bool m_any = false, m_many = false;
};

/// Figures of values that fp16 does not hold. Each block has its own mean and sum of squares about
/// it; blocks are joined by the formula of Chan, Golub and LeVeque, which loses no digits.
class WideFigures
{
public:
    void add(std::span<const double> values, Statistics &statistics)
    {
        double sum = 0;
        std::uint64_t finite = 0;
        for (const double value : values) {
            statistics.zeros += value == 0;
            statistics.nan += std::isnan(value);
            statistics.inf += std::isinf(value);
            if (!std::isfinite(value))
                continue;
            m_low = std::min(m_low, value);
            m_high = std::max(m_high, value);
            sum += value;
            ++finite;
        }
        if (finite == 0)
            return;
        const double mean = sum / static_cast<double>(finite);
        double squares = 0;
        for (const double value : values)
            squares += std::isfinite(value) ? (value - mean) * (value - mean) : 0;
        const auto before = static_cast<double>(m_finite), more = static_cast<double>(finite);
        const double between = mean - m_mean;
        m_squares += squares + between * between * before * more / (before + more);
        m_mean += between * more / (before + more);
        m_finite += finite;
    }

    void finish(Statistics &statistics) const
    {
        if (m_finite == 0)
            return;
        statistics.min = m_low;
        statistics.max = m_high;
        statistics.mean = m_mean;
        statistics.standardDeviation = std::sqrt(m_squares / static_cast<double>(m_finite));
    }

private:
    double m_low = std::numeric_limits<double>::infinity();
    double m_high = -std::numeric_limits<double>::infinity();
    double m_mean = 0, m_squares = 0;
    std::uint64_t m_finite = 0;
};

/// What is asked of one weight, gathered block by block.
class Gathering
{
public:
    Gathering(const codec::Decoder &decoder, const StatisticsOptions &options)
        : m_decoder(decoder), m_distinct(options.distinct),
          m_wide(options.figures && !exactInHalf(decoder.type()))
    {
        m_statistics.elements = decoder.elements().value;
        if (options.figures && !m_wide)
            m_counts.emplace();
        if (options.hash)
            m_hash.emplace();
    }

    /// False where the work was stopped.
    bool read(Progress *progress)
    {
        const auto wide = [this](std::uint64_t, std::span<const double> block) { addWide(block); };
        const auto halves = [this](std::uint64_t first, std::span<const std::uint16_t> block) {
            addHalves(first, block);
        };
        return m_wide && !m_hash
                   ? decodeDoublesInBlocks(m_decoder, progress, wide)
                   : decodeInBlocks(m_decoder, 0, m_statistics.elements, progress, halves);
    }

    Result<Statistics> finish();

private:
    void addWide(std::span<const double> block)
    {
        m_wideFigures.add(block, m_statistics);
        if (m_distinct)
            m_wideDistinct.add(block);
    }
    void addHalves(std::uint64_t first, std::span<const std::uint16_t> block)
    {
        if (m_counts)
            m_counts->add(block);
        if (m_hash)
            m_hash->update(std::as_bytes(block));
        if (m_wide) {
            m_values.resize(block.size());
            decodeDoubles(m_decoder, first, m_values);
            addWide(m_values);
        }
    }

    const codec::Decoder &m_decoder;
    bool m_distinct, m_wide; ///< wide: fp16 does not hold every value
    Statistics m_statistics;
    std::optional<FigureCounts> m_counts;
    std::optional<Sha256> m_hash;
    WideFigures m_wideFigures;
    WideDistinct m_wideDistinct;
    std::vector<double> m_values;
};

Result<Statistics> Gathering::finish()
{
    if (m_counts) {
        const HalfRuns runs = m_counts->runs();
        fillFigures(m_statistics, runs);
        if (m_distinct)
            m_statistics.distinct = distinctValues(runs);
    } else if (m_wide) {
        m_wideFigures.finish(m_statistics);
        if (m_distinct)
            m_statistics.distinct = m_wideDistinct.count();
    }
    if (m_hash) {
        m_statistics.sha256 = TRY(m_hash->finishHex());
    }
    return std::move(m_statistics);
}

/// Sound weights, the largest first, so that the threads end together.
std::vector<std::size_t> orderOfWork(const Bundle &bundle)
{
    const std::vector<Weight> &weights = bundle.weights();
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        if (!weights[i].fault)
            order.push_back(i);
    }
    std::ranges::stable_sort(order, [&weights](std::size_t a, std::size_t b) {
        return weights[a].elements > weights[b].elements;
    });
    return order;
}

/// More channels, or bins, than any picture shows.
constexpr std::uint64_t kMaxChannels = std::uint64_t(1) << 24;

Error tooMany(std::string_view field, std::uint64_t found)
{
    return valueError("statistics.size", field, fmt::format("at most {}", kMaxChannels),
                      fmt::format("{}", found), "There are too many to be counted one by one.");
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

Error cancelledError()
{
    return ErrorBuilder("task.cancelled").message("The work was stopped.");
}

Result<Statistics> computeStatistics(const Bundle &bundle, std::size_t weight,
                                     const StatisticsOptions &options, Progress *progress)
{
    static_assert(std::endian::native == std::endian::little,
                  "values are hashed as they lie in memory");
    const auto decoder = TRY(bundle.decoder(weight));
    Gathering gathering(decoder, options);
    if (!gathering.read(progress))
        return tl::unexpected(cancelledError());
    return gathering.finish();
}

AllStatistics computeAllStatistics(const Bundle &bundle, const StatisticsOptions &options,
                                   Progress *progress)
{
    AllStatistics all;
    all.weights.resize(bundle.weights().size());
    const std::vector<std::size_t> order = orderOfWork(bundle);
    std::mutex mutex;
    DiagnosticLog log;
    inParallel(order.size(), 0, [&](std::size_t i) {
        auto result = computeStatistics(bundle, order[i], options, progress);
        if (result) {
            all.weights[order[i]] = std::move(*result);
            return true;
        }
        if (result.error().code == "task.cancelled")
            return false;
        const std::lock_guard lock(mutex);
        log.add(Severity::Error, std::move(result.error()));
        return true;
    });
    all.diagnostics = log.take();
    return all;
}

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
