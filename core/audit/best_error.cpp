// SPDX-License-Identifier: GPL-3.0-or-later
// The least error that a stored form could have: of scaled codes the best of 65 scales a block, of
// tables the optimal clustering of single values, of masks the smallest elements left out, of dense
// values their rounding. Of sampled blocks, unless all are asked for.
#include "core/audit/window.h"

#include "core/bundle/bundle.h"
#include "core/codec/encode/kmeans.h"
#include "core/numeric/convert.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace kernscope::audit {

namespace {

constexpr std::uint64_t kSampledScaled = 1U << 14, kSampledTables = 1U << 15;
constexpr std::uint64_t kReadWhole = 1U << 20;

using Values = std::vector<float>;

double largestCode(ElementType type)
{
    Values probe{3e38F};
    roundToType(type, probe);
    if (std::isfinite(probe[0]) && probe[0] < 1e30F)
        return static_cast<double>(probe[0]);
    return type == ElementType::Fp8E5M2 ? 57344 : type == ElementType::Fp8E4M3Fn ? 448 : 6;
}

/// Squared error of the best of many scales for one block.
/// `top`: largest magnitude of a block of which `values` are a part; 0: they are all of it.
double bestOfScales(const StoredSteps &steps, std::span<const float> values, double top)
{
    constexpr int kTried = 65;
    constexpr double kMost = 1.04;
    // What is clipped of a block that is not seen as a whole is not known.
    const double kLeast = top > 0 ? 0.9 : 0.40;
    double low = 0, high = 0;
    for (const float value : values) {
        low = std::min(low, static_cast<double>(value));
        high = std::max(high, static_cast<double>(value));
    }
    if (std::max(-low, high) == 0)
        return 0;
    if (top > 0) {
        high = high > 0 ? top : high;
        low = low < 0 ? -top : low;
    }
    top = std::max(-low, high);
    const bool shifted = !steps.symmetric;
    const double middle = std::floor((steps.low + steps.high + 1) / 2);
    double best = HUGE_VAL;
    Values coded(steps.integers ? 0 : values.size());
    for (int i = 0; i < kTried; ++i) {
        const double factor = kLeast + (kMost - kLeast) * i / (kTried - 1);
        double error = 0;
        if (!steps.integers) {
            const double scale = top * factor / largestCode(steps.codeType);
            for (std::size_t k = 0; k < values.size(); ++k)
                coded[k] = static_cast<float>(static_cast<double>(values[k]) / scale);
            roundToType(steps.codeType, coded);
            for (std::size_t k = 0; k < values.size(); ++k) {
                const double off =
                    static_cast<double>(coded[k]) * scale - static_cast<double>(values[k]);
                error += off * off;
            }
        } else {
            const double range = steps.high - steps.low;
            const double scale =
                shifted ? (high - low) * factor / range : top * factor / (steps.high - middle);
            const double zero = shifted ? std::nearbyint(-low * factor / scale) : 0;
            const double first = shifted ? -zero : steps.low - middle,
                         last = shifted ? range - zero : steps.high - middle;
            for (const float value : values) {
                const auto wanted = static_cast<double>(value);
                const double code = std::clamp(std::nearbyint(wanted / scale), first, last);
                error += (code * scale - wanted) * (code * scale - wanted);
            }
        }
        best = std::min(best, error);
    }
    return best;
}

/// Squared error of the best table for values, each of which counts by the square of its scale.
double bestOfTable(std::uint64_t entries, const Values &values, const Values &scales)
{
    Values order = values;
    std::ranges::sort(order);
    std::vector<codec::WeightedValue> distinct;
    for (const float value : order) {
        if (distinct.empty() || distinct.back().value != value)
            distinct.push_back({value, 0});
        ++distinct.back().count;
    }
    if (distinct.size() <= entries)
        return 0;
    const std::vector<float> centres =
        codec::optimalCentres(distinct, static_cast<std::size_t>(entries));
    double error = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        auto at = std::lower_bound(centres.begin(), centres.end(), values[i]);
        double off =
            at == centres.end() ? HUGE_VAL : std::abs(static_cast<double>(*at - values[i]));
        if (at != centres.begin())
            off = std::min(off, std::abs(static_cast<double>(*(at - 1) - values[i])));
        const double scale = scales.empty() ? 1 : static_cast<double>(scales[i]);
        error += off * off * scale * scale;
    }
    return error;
}

/// Values by the block or the table that they belong to.
struct Buckets {
    std::map<std::uint64_t, Values> values;
    std::map<std::uint64_t, std::vector<std::uint64_t>> cells; ///< of scaled tables: the scale's
};

double squaredRounding(ElementType type, std::span<const float> values)
{
    Values rounded(values.begin(), values.end());
    roundToType(type, rounded);
    double error = 0;
    for (std::size_t i = 0; i < rounded.size(); ++i) {
        const double off = static_cast<double>(rounded[i]) - static_cast<double>(values[i]);
        error += std::isfinite(off) ? off * off : 0;
    }
    return error;
}

/// A pattern of n kept in each m along an axis of the window; `inner`: elements that one step
/// along the axis skips.
struct Pattern {
    std::uint64_t m = 0, inner = 1, extent = 1;
    std::uint64_t kept = 0; ///< of each m
};

template <class Each>
void eachGroup(std::uint64_t count, const Pattern &pattern, const Each &each)
{
    std::vector<std::size_t> group;
    const std::uint64_t span = pattern.inner * pattern.extent;
    for (std::uint64_t outer = 0; outer + span <= count; outer += span) {
        for (std::uint64_t in = 0; in < pattern.inner; ++in) {
            for (std::uint64_t at = 0; at + pattern.m <= pattern.extent; at += pattern.m) {
                group.clear();
                for (std::uint64_t k = 0; k < pattern.m; ++k)
                    group.push_back(
                        static_cast<std::size_t>(outer + (at + k) * pattern.inner + in));
                if (!each(group))
                    return;
            }
        }
    }
}

/// The pattern that a mask follows, if it does.
std::optional<Pattern> patternOf(const std::vector<bool> &kept, const Shape &shape,
                                 std::uint64_t firstExtent)
{
    for (const std::uint64_t m : {4U, 8U, 16U}) {
        std::uint64_t inner = 1;
        for (std::size_t axis = shape.size(); axis-- > 0; inner *= axis == 0 ? 1 : shape[axis]) {
            const std::uint64_t extent = axis == 0 ? firstExtent : shape[axis];
            if (extent < m)
                continue;
            Pattern pattern{m, inner, extent, 0};
            std::uint64_t groups = 0;
            bool regular = true;
            eachGroup(kept.size(), pattern, [&](const std::vector<std::size_t> &group) {
                const auto some = static_cast<std::uint64_t>(
                    std::ranges::count_if(group, [&](std::size_t i) { return kept[i]; }));
                if (groups++ == 0)
                    pattern.kept = some;
                return regular = some == pattern.kept;
            });
            if (regular && groups >= 16 && pattern.kept > 0 && pattern.kept < m)
                return pattern;
        }
    }
    return std::nullopt;
}

/// Which elements a mask keeps at best, as many as are kept.
std::vector<bool> bestKept(const std::vector<bool> &kept, std::span<const float> r,
                           const std::optional<Pattern> &pattern)
{
    std::vector<bool> best(kept.size(), false);
    const auto largest = [&](std::size_t a, std::size_t b) {
        return std::abs(r[a]) > std::abs(r[b]);
    };
    if (pattern) {
        best = kept; // what is left over at the end of an axis
        eachGroup(kept.size(), *pattern, [&](const std::vector<std::size_t> &group) {
            std::vector<std::size_t> order = group;
            std::ranges::sort(order, largest);
            for (std::size_t i = 0; i < order.size(); ++i)
                best[order[i]] = i < pattern->kept;
            return true;
        });
        return best;
    }
    const auto count = std::ranges::count(kept, true);
    std::vector<std::size_t> order(kept.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::nth_element(order.begin(),
                     order.begin() + std::min<std::ptrdiff_t>(
                                         count, static_cast<std::ptrdiff_t>(order.size()) - 1),
                     order.end(), largest);
    for (std::ptrdiff_t i = 0; i < count; ++i)
        best[order[static_cast<std::size_t>(i)]] = true;
    return best;
}

} // namespace

BestError bestError(const Subject &subject, double largest, bool exact)
{
    const StoredSteps &steps = subject.steps;
    BestError result;
    // Blocks that run over rows are not seen as a whole in some of the rows.
    const bool partial = steps.scaled && !steps.palette && subject.rows() > 1 &&
                         !steps.scaleShape.empty() && steps.scaleShape[0] == 1;
    const std::uint64_t most =
        exact || (partial && steps.scales.size() > 1 && subject.elements() <= kReadWhole)
            ? subject.elements()
        : steps.palette ? kSampledTables
                        : kSampledScaled;
    const auto runs = sampledRuns(subject, std::max<std::uint64_t>(most, 1));
    Buckets buckets;
    double least = 0;
    std::uint64_t read = 0;
    const bool known = (!steps.palette || steps.vector == 1) &&
                       (steps.codes || (!steps.scaled && !steps.palette)) &&
                       (steps.palette || steps.scaled || isFloatingPoint(steps.valueType));
    for (const auto &[first, count] : runs) {
        read += count;
        const Window window = load(subject, first, count, steps.masked && steps.codes);
        const PairSums sums = sumsOf(window.d, window.r);
        result.rr += sums.rr;
        result.ee += sums.ee;
        const NearestShares shares = nearestShares(subject, first, window.d, window.r);
        result.nearest.counted += shares.counted;
        result.nearest.off += shares.off;
        result.nearest.ends += shares.ends;
        if (!known)
            continue;
        Values plain;
        std::vector<bool> best;
        if (steps.masked && steps.codes) {
            std::vector<bool> kept(window.codes.size());
            for (std::size_t i = 0; i < kept.size(); ++i)
                kept[i] = window.codes[i] != codec::Decoder::kNotStored;
            best =
                bestKept(kept, window.r,
                         patternOf(kept, subject.reference->shape, count / subject.rowElements()));
        }
        for (std::size_t i = 0; i < window.r.size(); ++i) {
            const float value = window.r[i];
            if (!std::isfinite(value))
                continue;
            if (!best.empty() && !best[i]) {
                least += static_cast<double>(value) * static_cast<double>(value);
                continue;
            }
            const std::uint64_t table = steps.palette ? subject.tableOf(first + i) : 0;
            if (steps.palette && steps.sharedTable) {
                buckets.values[0].push_back(value);
                buckets.cells[0].push_back(table);
            } else if (steps.palette) {
                buckets.values[table].push_back(value);
                if (steps.scaled)
                    buckets.cells[table].push_back(steps.cellOf(first + i));
            } else if (steps.scaled) {
                buckets.values[steps.cellOf(first + i)].push_back(value);
            } else {
                plain.push_back(value);
            }
        }
        least += squaredRounding(steps.valueType, plain);
    }
    result.sampled = read < subject.elements();
    if (!known)
        return result;
    for (auto &[key, values] : buckets.values) {
        if (!steps.palette) {
            least += bestOfScales(steps, values, partial && result.sampled ? largest : 0);
            continue;
        }
        Values scales;
        if (steps.scaled || steps.sharedTable) { // by the largest magnitude of each block
            const auto &cells = buckets.cells[key];
            std::map<std::uint64_t, float> top;
            for (std::size_t i = 0; i < values.size(); ++i)
                top[cells[i]] = std::max(top[cells[i]], std::abs(values[i]));
            for (std::size_t i = 0; i < values.size(); ++i) {
                scales.push_back(top[cells[i]] > 0 ? top[cells[i]] : 1.0F);
                values[i] /= scales.back();
            }
        }
        least += bestOfTable(steps.entries, values, scales);
    }
    result.best = least;
    return result;
}

} // namespace kernscope::audit
