// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diff/diff.h"
#include "core/diff/read_lock.h"

#include "core/numeric/convert.h"
#include "core/numeric/half.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

namespace kernscope {

namespace {

constexpr std::size_t kBlock = 32768;
constexpr std::size_t kLanes = 8;
constexpr std::uint32_t kMagnitude = 0x7fff;

/// fp16 bits as integers in the order of the numbers; both zeros are 0.
constexpr std::int32_t ordered(std::uint32_t bits)
{
    const auto magnitude = static_cast<std::int32_t>(bits & kMagnitude);
    return (bits & 0x8000u) != 0 ? -magnitude : magnitude;
}

/// Sums that one pass over a block adds to, a lane each so that the compiler can do several at
/// once without changing the order of any sum.
struct Sums {
    std::array<double, kLanes> abs{}, square{}, aa{}, bb{}, ab{};
    std::array<double, kLanes> largest{};
    std::array<std::uint64_t, kLanes> finite{}, beyond{};

    static double total(const std::array<double, kLanes> &lanes)
    {
        double sum = 0;
        for (const double lane : lanes)
            sum += lane;
        return sum;
    }
    static std::uint64_t total(const std::array<std::uint64_t, kLanes> &lanes)
    {
        std::uint64_t sum = 0;
        for (const std::uint64_t lane : lanes)
            sum += lane;
        return sum;
    }
};

class Comparison
{
public:
    explicit Comparison(double tolerance) : m_tolerance(tolerance) {}

    std::span<std::uint16_t> bufferA(std::size_t n) { return std::span(m_bitsA).first(n); }
    std::span<std::uint16_t> bufferB(std::size_t n) { return std::span(m_bitsB).first(n); }

    /// Adds the first n elements of the buffers.
    void add(std::size_t n)
    {
        const bool same = std::memcmp(m_bitsA.data(), m_bitsB.data(), n * 2) == 0;
        convertHalfToFloat(std::span<const std::uint16_t>(m_bitsA).first(n),
                           std::span(m_a).first(n));
        if (same) {
            m_result.equal += n;
            m_result.ulpHistogram[0] += n;
            m_b = m_a;
        } else {
            convertHalfToFloat(std::span<const std::uint16_t>(m_bitsB).first(n),
                               std::span(m_b).first(n));
            classify(n);
            countDistances(n);
        }
        addFigures(n);
    }

    ValueDifference finish();

private:
    void classify(std::size_t n);
    void countDistances(std::size_t n);
    void addFigures(std::size_t n);

    double m_tolerance;
    ValueDifference m_result;
    Sums m_sums;
    std::vector<std::uint16_t> m_bitsA = std::vector<std::uint16_t>(kBlock);
    std::vector<std::uint16_t> m_bitsB = std::vector<std::uint16_t>(kBlock);
    std::vector<float> m_a = std::vector<float>(kBlock), m_b = std::vector<float>(kBlock);
};

void Comparison::classify(std::size_t n)
{
    std::uint32_t equal = 0, zeroed = 0, revived = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t a = m_bitsA[i], b = m_bitsB[i];
        const std::uint32_t zeroA = (a & kMagnitude) == 0, zeroB = (b & kMagnitude) == 0;
        const std::uint32_t nanBoth =
            ((a & kMagnitude) > kHalfInfinity) & ((b & kMagnitude) > kHalfInfinity);
        equal += (a == b) | (zeroA & zeroB) | nanBoth;
        zeroed += zeroB & (zeroA ^ 1u);
        revived += zeroA & (zeroB ^ 1u);
    }
    m_result.equal += equal;
    m_result.zeroed += zeroed;
    m_result.revived += revived;
    m_result.changed += n - equal - zeroed - revived;
}

void Comparison::countDistances(std::size_t n)
{
    std::array<std::array<std::uint32_t, 17>, 4> bins{};
    std::uint32_t largest = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const bool nanA = (m_bitsA[i] & kMagnitude) > kHalfInfinity;
        const bool nanB = (m_bitsB[i] & kMagnitude) > kHalfInfinity;
        const std::uint32_t distance = nanA && nanB ? 0 : ulpDistance(m_bitsA[i], m_bitsB[i]);
        largest = std::max(largest, nanA || nanB ? 0 : distance);
        const auto bin = nanA != nanB ? 16u : static_cast<unsigned>(std::bit_width(distance));
        ++bins[i % 4][bin];
    }
    m_result.maxUlp = std::max(m_result.maxUlp, largest);
    for (const auto &part : bins) {
        for (std::size_t bin = 0; bin < part.size(); ++bin)
            m_result.ulpHistogram[bin] += part[bin];
    }
}

void Comparison::addFigures(std::size_t n)
{
    const auto addLane = [this](std::size_t i, std::size_t lane) {
        const bool finite =
            (m_bitsA[i] & kMagnitude) < kHalfInfinity && (m_bitsB[i] & kMagnitude) < kHalfInfinity;
        const double a = finite ? static_cast<double>(m_a[i]) : 0.0;
        const double b = finite ? static_cast<double>(m_b[i]) : 0.0;
        const double distance = std::abs(a - b);
        m_sums.abs[lane] += distance;
        m_sums.square[lane] += distance * distance;
        m_sums.aa[lane] += a * a;
        m_sums.bb[lane] += b * b;
        m_sums.ab[lane] += a * b;
        m_sums.largest[lane] = std::max(m_sums.largest[lane], distance);
        m_sums.finite[lane] += finite;
        const bool otherNotFinite =
            !finite && m_bitsA[i] != m_bitsB[i] && !(std::isnan(m_a[i]) && std::isnan(m_b[i]));
        m_sums.beyond[lane] += (distance > m_tolerance) | otherNotFinite;
    };
    std::size_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
        for (std::size_t lane = 0; lane < kLanes; ++lane)
            addLane(i + lane, lane);
    }
    for (; i < n; ++i)
        addLane(i, i % kLanes);
}

ValueDifference Comparison::finish()
{
    const auto finite = static_cast<double>(Sums::total(m_sums.finite));
    if (finite > 0) {
        m_result.meanAbs = Sums::total(m_sums.abs) / finite;
        m_result.rmse = std::sqrt(Sums::total(m_sums.square) / finite);
    }
    m_result.maxAbs = *std::max_element(m_sums.largest.begin(), m_sums.largest.end());
    const double aa = Sums::total(m_sums.aa), bb = Sums::total(m_sums.bb);
    if (aa > 0 && bb > 0) {
        // Equal tensors give exactly 1, and rounding never more than that.
        const double cosine = Sums::total(m_sums.ab) / std::sqrt(aa) / std::sqrt(bb);
        m_result.cosine = m_result.identical() ? 1.0 : std::clamp(cosine, -1.0, 1.0);
    } else {
        m_result.cosine = aa == bb ? 1.0 : 0.0;
    }
    m_result.beyondTolerance = Sums::total(m_sums.beyond);
    return m_result;
}

tl::unexpected<Error> shapeFault(const Weight &a, const Weight &b)
{
    Error error;
    error.code = "diff.shape";
    error.field = b.name;
    error.expected = shapeText(a.shape);
    error.found = shapeText(b.shape);
    error.message = "The two weights have different shapes";
    return tl::unexpected(std::move(error));
}

} // namespace

std::uint32_t ulpDistance(std::uint16_t a, std::uint16_t b)
{
    return static_cast<std::uint32_t>(std::abs(ordered(a) - ordered(b)));
}

Result<ValueDifference> compareValues(const Bundle &a, std::size_t weightA, const Bundle &b,
                                      std::size_t weightB, double tolerance, Progress *progress)
{
    const diff::ReadLock lock(a, b);
    const auto decoderA = a.decoder(weightA);
    if (!decoderA)
        return tl::unexpected(decoderA.error());
    const auto decoderB = b.decoder(weightB);
    if (!decoderB)
        return tl::unexpected(decoderB.error());
    const std::uint64_t elements = decoderA->elements().value;
    if (elements != decoderB->elements().value)
        return shapeFault(a.weights()[weightA], b.weights()[weightB]);
    Comparison comparison(tolerance);
    for (std::uint64_t first = 0; first < elements; first += kBlock) {
        const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(kBlock, elements - first));
        decoderA->decodeHalf(first, comparison.bufferA(n));
        decoderB->decodeHalf(first, comparison.bufferB(n));
        comparison.add(n);
        if (progress != nullptr && !progress->advance(n)) {
            Error error;
            error.code = "task.cancelled";
            error.message = "The comparison was cancelled";
            return tl::unexpected(std::move(error));
        }
    }
    return comparison.finish();
}

} // namespace kernscope
