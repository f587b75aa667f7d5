// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/pair_sample.h"

#include "core/base/overlaid_file.h"
#include "core/bundle/pair_read_lock.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace kernscope {

namespace {

constexpr std::uint64_t kRun = 32;
constexpr double kPercentile = 0.995;

double rangeOf(std::vector<double> magnitudes)
{
    if (magnitudes.empty())
        return 1;
    const auto at =
        magnitudes.begin() +
        static_cast<std::ptrdiff_t>(kPercentile * static_cast<double>(magnitudes.size() - 1));
    std::nth_element(magnitudes.begin(), at, magnitudes.end());
    return *at;
}

void addMagnitude(std::vector<double> &to, double value)
{
    if (std::isfinite(value) && value != 0)
        to.push_back(std::abs(value));
}

/// Magnitudes that the colours are scaled by; of doubles, for the largest of them are no floats.
struct Magnitudes {
    std::vector<double> values, differences, relatives;

    void add(std::span<const double> a, std::span<const double> b)
    {
        for (std::size_t i = 0; i < a.size(); ++i) {
            addMagnitude(values, a[i]);
            addMagnitude(values, b[i]);
            addMagnitude(differences, b[i] - a[i]);
            addMagnitude(relatives, (b[i] - a[i]) / a[i]); // of a zero in A no finite number
        }
    }
};

/// A place in the i-th stratum that follows no period of the data (multiplicative hashing).
std::uint64_t spread(std::uint64_t i, std::uint64_t stratum, std::uint64_t run)
{
    const std::uint64_t mixed = ((i + 1) * 0x9E3779B97F4A7C15u) >> 17;
    return i * stratum + mixed % (stratum - run + 1);
}

} // namespace

namespace {

Result<PairSample> sampleOf(const diff::PairReader &reader, Progress &progress)
{
    const std::uint64_t elements = reader.elements();
    PairSample sample;
    sample.whole = elements <= PairSample::kMost;
    const std::uint64_t run = std::min(elements, kRun);
    const std::uint64_t runs =
        sample.whole ? (elements + kRun - 1) / kRun : PairSample::kMost / kRun;
    const std::uint64_t stratum = elements / std::max<std::uint64_t>(runs, 1);
    std::vector<double> valuesA(static_cast<std::size_t>(run)), valuesB(valuesA.size());
    Magnitudes magnitudes;
    progress.setTotal(runs);
    for (std::uint64_t i = 0; i < runs; ++i) {
        if (!progress.advance(1))
            return tl::unexpected(cancelledError("The sample was cancelled"));
        const std::uint64_t first = sample.whole ? i * kRun : spread(i, stratum, run);
        const auto count = static_cast<std::size_t>(std::min(run, elements - first));
        const auto a = std::span(valuesA).first(count), b = std::span(valuesB).first(count);
        reader.readDoubles(first, a, b);
        magnitudes.add(a, b);
        for (std::size_t k = 0; k < count; ++k) {
            sample.elements.push_back(first + k);
            sample.a.push_back(static_cast<float>(a[k]));
            sample.b.push_back(static_cast<float>(b[k]));
        }
    }
    sample.valueRange = rangeOf(std::move(magnitudes.values));
    if (!magnitudes.differences.empty())
        sample.differenceRange = rangeOf(std::move(magnitudes.differences));
    if (!magnitudes.relatives.empty())
        sample.relativeRange = std::min(1.0, rangeOf(std::move(magnitudes.relatives)));
    return sample;
}

} // namespace

Result<PairSample> samplePair(const Bundle &a, const Bundle &b, const PairSides &sides,
                              Progress &progress)
{
    const PairReadLock lock(a, b);
    const auto reader = diff::PairReader::make(a, b, sides);
    return reader ? sampleOf(*reader, progress) : tl::unexpected(reader.error());
}

double diff::sampledRange(const PairReader &reader)
{
    const std::uint64_t elements = reader.elements();
    const bool whole = elements <= PairSample::kMost;
    const std::uint64_t run = std::min(elements, kRun);
    const std::uint64_t runs = whole ? (elements + kRun - 1) / kRun : PairSample::kMost / kRun;
    const std::uint64_t stratum = elements / std::max<std::uint64_t>(runs, 1);
    std::vector<double> magnitudes;
    std::vector<double> values(run);
    for (std::uint64_t i = 0; i < runs; ++i) {
        const std::uint64_t first = whole ? i * kRun : spread(i, stratum, run);
        const auto some =
            std::span(values).first(static_cast<std::size_t>(std::min(run, elements - first)));
        for (const bool ofA : {true, false}) {
            reader.readDoubles(ofA, first, some);
            for (const double value : some)
                addMagnitude(magnitudes, value);
        }
    }
    return rangeOf(std::move(magnitudes));
}

} // namespace kernscope
