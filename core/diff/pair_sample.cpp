// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diff/pair_sample.h"

#include "core/bundle/pair_read_lock.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace kernscope {

namespace {

constexpr std::uint64_t kRun = 32;
constexpr double kPercentile = 0.995;

double rangeOf(std::vector<float> magnitudes)
{
    if (magnitudes.empty())
        return 1;
    const auto at =
        magnitudes.begin() +
        static_cast<std::ptrdiff_t>(kPercentile * static_cast<double>(magnitudes.size() - 1));
    std::nth_element(magnitudes.begin(), at, magnitudes.end());
    return static_cast<double>(*at);
}

void addMagnitude(std::vector<float> &to, float value)
{
    if (std::isfinite(value) && value != 0.0f)
        to.push_back(std::abs(value));
}

void findRanges(PairSample &sample)
{
    std::vector<float> values, differences;
    for (std::size_t i = 0; i < sample.a.size(); ++i) {
        addMagnitude(values, sample.a[i]);
        addMagnitude(values, sample.b[i]);
        addMagnitude(differences, sample.b[i] - sample.a[i]);
    }
    sample.valueRange = rangeOf(std::move(values));
    sample.differenceRange = rangeOf(std::move(differences));
}

/// A place in the i-th stratum that follows no period of the data (multiplicative hashing).
std::uint64_t spread(std::uint64_t i, std::uint64_t stratum, std::uint64_t run)
{
    const std::uint64_t mixed = ((i + 1) * 0x9E3779B97F4A7C15u) >> 17;
    return i * stratum + mixed % (stratum - run + 1);
}

} // namespace

Result<PairSample> samplePair(const Bundle &a, std::size_t weightA, const Bundle &b,
                              std::size_t weightB, Progress &progress)
{
    const PairReadLock lock(a, b);
    const auto decoderA = a.decoder(weightA);
    if (!decoderA)
        return tl::unexpected(decoderA.error());
    const auto decoderB = b.decoder(weightB);
    if (!decoderB)
        return tl::unexpected(decoderB.error());
    const std::uint64_t elements = std::min(decoderA->elements().value, decoderB->elements().value);
    PairSample sample;
    sample.whole = elements <= PairSample::kMost;
    const std::uint64_t run = std::min(elements, kRun);
    const std::uint64_t runs =
        sample.whole ? (elements + kRun - 1) / kRun : PairSample::kMost / kRun;
    const std::uint64_t stratum = elements / std::max<std::uint64_t>(runs, 1);
    progress.setTotal(runs);
    for (std::uint64_t i = 0; i < runs; ++i) {
        if (!progress.advance(1))
            return tl::unexpected(cancelledError("The sample was cancelled"));
        const std::uint64_t first = sample.whole ? i * kRun : spread(i, stratum, run);
        const std::uint64_t count = std::min(run, elements - first);
        const std::size_t at = sample.a.size();
        sample.a.resize(at + count);
        sample.b.resize(at + count);
        decoderA->decodeFloat(first, std::span(sample.a).subspan(at));
        decoderB->decodeFloat(first, std::span(sample.b).subspan(at));
        for (std::uint64_t k = 0; k < count; ++k)
            sample.elements.push_back(first + k);
    }
    findRanges(sample);
    return sample;
}

double diff::sampledRange(const PairReader &reader)
{
    const std::uint64_t elements = reader.elements();
    const bool whole = elements <= PairSample::kMost;
    const std::uint64_t run = std::min(elements, kRun);
    const std::uint64_t runs = whole ? (elements + kRun - 1) / kRun : PairSample::kMost / kRun;
    const std::uint64_t stratum = elements / std::max<std::uint64_t>(runs, 1);
    std::vector<float> magnitudes;
    std::vector<double> values(run);
    for (std::uint64_t i = 0; i < runs; ++i) {
        const std::uint64_t first = whole ? i * kRun : spread(i, stratum, run);
        const auto some =
            std::span(values).first(static_cast<std::size_t>(std::min(run, elements - first)));
        for (const bool ofA : {true, false}) {
            reader.readDoubles(ofA, first, some);
            for (const double value : some)
                addMagnitude(magnitudes, static_cast<float>(value));
        }
    }
    return rangeOf(std::move(magnitudes));
}

} // namespace kernscope
