// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/parallel.h"
#include "core/bundle/bundle.h"
#include "core/bundle/statistics.h"
#include "core/compare/pair_kernels.h"
#include "core/compare/pair_reader.h"
#include "core/numeric/half.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace kernscope::diff {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double valueOf(std::uint16_t half)
{
    return static_cast<double>(halfToFloat(half));
}

using kernscope::apart;

ExactValue apart(const std::optional<ElementPair> &pair)
{
    return pair ? apart(pair->a, pair->b) : 0;
}

/// Whether fp16 rounding explains that two numbers differ: not of what it has no number for.
bool sameInHalf(double a, double b)
{
    const double x = valueOf(doubleToHalf(a)), y = valueOf(doubleToHalf(b));
    return x == y && std::isfinite(x);
}

std::uint64_t nonfiniteOf(std::span<const std::uint16_t> halves)
{
    return static_cast<std::uint64_t>(std::ranges::count_if(
        halves, [](std::uint16_t half) { return !std::isfinite(valueOf(half)); }));
}

/// Sums over the elements that are finite in both. Runs are summed as doubles where these do, and
/// the sums of runs added exactly.
template <class T>
struct PairSums {
    T abs = 0, square = 0, aa = 0, bb = 0, ab = 0, largest = 0, largestRelative = 0;
    std::uint64_t finite = 0;

    template <class Other>
    void add(const PairSums<Other> &other);
};

template <class T>
template <class Other>
void PairSums<T>::add(const PairSums<Other> &other)
{
    abs += static_cast<T>(other.abs);
    square += static_cast<T>(other.square);
    aa += static_cast<T>(other.aa);
    bb += static_cast<T>(other.bb);
    ab += static_cast<T>(other.ab);
    largest = std::max(largest, static_cast<T>(other.largest));
    largestRelative = std::max(largestRelative, static_cast<T>(other.largestRelative));
    finite += other.finite;
}

/// Gathers the figures of runs of one pair of weights. Runs may be gathered apart and merged: the
/// counts are then those of one pass, the sums the same but for rounding.
class PairGatherer
{
public:
    /// `tolerance`: |a - b| above which ValueDifference::beyondTolerance counts; not negative.
    PairGatherer(const PairReader &reader, double tolerance)
        : m_reader(&reader), m_tolerance(tolerance)
    {
        m_result.ulpType = reader.a().type();
        m_result.oneType = reader.a().type() == reader.b().type();
        m_result.ulpHistogram.assign(ulpBins(m_result.ulpType), 0);
    }

    /// Decodes and adds elements [first, first + count), at most kKernelElements.
    void add(std::uint64_t first, std::size_t count)
    {
        m_result.decoded += 2 * count;
        if (m_reader->halves())
            return addHalves(first, count);
        m_reader->wide() ? addValues(first, count, m_exactA, m_exactB)
                         : addValues(first, count, m_doublesA, m_doublesB);
    }

    /// Adds what another one found in elements after these.
    void merge(const PairGatherer &later)
    {
        const ValueDifference &other = later.m_result;
        m_result.equal += other.equal;
        m_result.changed += other.changed;
        m_result.zeroed += other.zeroed;
        m_result.revived += other.revived;
        m_result.notFinite += other.notFinite;
        m_result.nonfiniteA += other.nonfiniteA;
        m_result.nonfiniteB += other.nonfiniteB;
        m_result.unfaithful += other.unfaithful;
        m_result.decoded += other.decoded;
        m_result.beyondTolerance += other.beyondTolerance;
        m_result.maxUlp = std::max(m_result.maxUlp, other.maxUlp);
        for (std::size_t bin = 0; bin < m_result.ulpHistogram.size(); ++bin)
            m_result.ulpHistogram[bin] += other.ulpHistogram[bin];
        if (other.worst && (!m_result.worst || apart(other.worst) > apart(m_result.worst)))
            m_result.worst = other.worst;
        if (later.m_farthest > m_farthest) {
            m_farthest = later.m_farthest;
            m_farRun = later.m_farRun;
        }
        if (!m_result.counterexample)
            m_result.counterexample = other.counterexample;
        m_sums.add(later.m_sums);
    }

    ValueDifference finish()
    {
        if (m_farthest > 0)
            findWorst();
        ValueDifference result = m_result;
        if (result.notFinite > 0) {
            result.maxAbs = result.meanAbs = result.rmse = kInfinity;
            result.relativeRmse = result.maxRel = kInfinity;
            result.cosine = result.scale = std::numeric_limits<double>::quiet_NaN();
            result.snr = -kInfinity;
            return result;
        }
        const auto finite = static_cast<ExactValue>(m_sums.finite);
        if (m_sums.finite > 0) {
            result.meanAbs = static_cast<double>(m_sums.abs / finite);
            result.rmse = static_cast<double>(std::sqrt(m_sums.square / finite));
        }
        result.maxAbs = static_cast<double>(m_sums.largest);
        result.maxRel =
            result.revived > 0 ? kInfinity : static_cast<double>(m_sums.largestRelative);
        const ExactValue aa = m_sums.aa, bb = m_sums.bb;
        if (result.identical())
            result.cosine = 1;
        else if (aa > 0 && bb > 0) // rounding never makes more than 1 of it
            result.cosine = std::clamp(
                static_cast<double>(m_sums.ab / std::sqrt(aa) / std::sqrt(bb)), -1.0, 1.0);
        else
            result.cosine = aa == bb ? 1.0 : 0.0;
        result.snr = kInfinity;
        if (m_sums.square > 0) {
            result.snr = static_cast<double>(10 * std::log10(aa / m_sums.square));
            result.relativeRmse = static_cast<double>(std::sqrt(m_sums.square / aa));
        }
        if (aa > 0)
            result.scale = static_cast<double>(m_sums.ab / aa);
        return result;
    }

private:
    void addHalves(std::uint64_t first, std::size_t count)
    {
        const auto halvesA = m_reader->halvesOf(true, first, count, m_decodedA);
        const auto halvesB = m_reader->halvesOf(false, first, count, m_decodedB);
        HalfFigures figures;
        figures.largestRelative = static_cast<double>(m_sums.largestRelative);
        if (std::memcmp(halvesA.data(), halvesB.data(), halvesA.size_bytes()) == 0)
            addEqualHalves(halvesA, figures);
        else
            addHalfFigures(halvesA, halvesB, figures);
        m_sums.add(PairSums<double>{figures.abs, figures.square, figures.aa, figures.bb, figures.ab,
                                    figures.largest, figures.largestRelative, figures.finite});
        const std::uint64_t different = count - figures.equal;
        m_result.equal += figures.equal;
        m_result.zeroed += figures.zeroed;
        m_result.revived += figures.revived;
        m_result.changed += different - figures.zeroed - figures.revived;
        m_result.notFinite += figures.notFinite;
        if (figures.finite < count) {
            m_result.nonfiniteA += nonfiniteOf(halvesA);
            m_result.nonfiniteB += nonfiniteOf(halvesB);
        }
        m_result.unfaithful += different;
        if (m_result.ulpType == ElementType::Fp16) {
            m_result.maxUlp = std::max<std::uint64_t>(m_result.maxUlp, figures.maxUlp);
            for (std::size_t bin = 0; bin < figures.ulp.size(); ++bin)
                m_result.ulpHistogram[bin] += figures.ulp[bin];
        }
        if (different > 0)
            noteWorst(first, halvesA, halvesB, figures);
        else if (m_result.ulpType != ElementType::Fp16)
            m_result.ulpHistogram[0] += count;
    }

    template <class T>
    void addValues(std::uint64_t first, std::size_t count, std::vector<T> &a, std::vector<T> &b)
    {
        a.resize(count);
        b.resize(count);
        PairSums<T> sums;
        if constexpr (std::is_same_v<T, double>) {
            m_reader->readDoubles(first, a, b);
        } else {
            m_reader->readExact(true, first, a);
            m_reader->readExact(false, first, b);
        }
        for (std::size_t i = 0; i < count; ++i) {
            addValue(first + i, a[i], b[i], sums);
            noteSteps(a[i], b[i]);
        }
        m_sums.add(sums);
    }

    template <class T>
    void addValue(std::uint64_t element, T a, T b, PairSums<T> &sums)
    {
        const bool finite = std::isfinite(a) && std::isfinite(b);
        const bool same = a == b || (std::isnan(a) && std::isnan(b));
        if (same)
            ++m_result.equal;
        else if (a != 0 && b == 0)
            ++m_result.zeroed;
        else if (a == 0 && b != 0)
            ++m_result.revived;
        else
            ++m_result.changed;
        m_result.notFinite += !same && !finite;
        m_result.nonfiniteA += !std::isfinite(a);
        m_result.nonfiniteB += !std::isfinite(b);
        const T distance = apart(a, b);
        m_result.beyondTolerance += distance > static_cast<T>(m_tolerance);
        if (!same && (!m_result.worst || static_cast<ExactValue>(distance) > apart(m_result.worst)))
            m_result.worst = ElementPair{element, a, b};
        // What fp16 can hold, and all that rounds to it, doubles hold too.
        if (!same && !sameInHalf(static_cast<double>(a), static_cast<double>(b))) {
            ++m_result.unfaithful;
            if (!m_result.counterexample)
                m_result.counterexample = ElementPair{element, a, b};
        }
        if (!finite)
            return;
        ++sums.finite;
        sums.abs += distance;
        sums.square += distance * distance;
        sums.aa += a * a;
        sums.bb += b * b;
        sums.ab += a * b;
        sums.largest = std::max(sums.largest, distance);
        if (a != 0)
            sums.largestRelative = std::max(sums.largestRelative, distance / std::abs(a));
    }

    /// What needs a look at single elements. Which one is farthest off follows from the figures:
    /// only its run is kept.
    void noteWorst(std::uint64_t first, std::span<const std::uint16_t> halvesA,
                   std::span<const std::uint16_t> halvesB, const HalfFigures &figures)
    {
        const double farthest = figures.notFinite > 0 ? kInfinity : figures.largest;
        for (std::size_t i = 0; i < halvesA.size() && !m_result.counterexample; ++i) {
            const double a = valueOf(halvesA[i]), b = valueOf(halvesB[i]);
            if (apart(a, b) > 0)
                m_result.counterexample = ElementPair{first + i, a, b};
        }
        if (farthest > m_farthest) {
            m_farthest = farthest;
            m_farRun = {first, halvesA.size()};
        }
        if (m_tolerance > 0 && farthest > m_tolerance)
            noteBeyond(halvesA, halvesB);
        else if (!(m_tolerance > 0))
            m_result.beyondTolerance += halvesA.size() - figures.equal;
        for (std::size_t i = 0; m_result.ulpType != ElementType::Fp16 && i < halvesA.size(); ++i)
            noteSteps(valueOf(halvesA[i]), valueOf(halvesB[i]));
    }

    /// The first element that is farthest off. A file that another program writes meanwhile may
    /// have no such element any more.
    void findWorst()
    {
        const auto &[first, count] = m_farRun;
        const auto halvesA = m_reader->halvesOf(true, first, count, m_decodedA);
        const auto halvesB = m_reader->halvesOf(false, first, count, m_decodedB);
        for (std::size_t i = 0; i < count && !m_result.worst; ++i) {
            const double a = valueOf(halvesA[i]), b = valueOf(halvesB[i]);
            if (apart(a, b) == m_farthest)
                m_result.worst = ElementPair{first + i, a, b};
        }
    }

    void noteBeyond(std::span<const std::uint16_t> halvesA, std::span<const std::uint16_t> halvesB)
    {
        for (std::size_t i = 0; i < halvesA.size(); ++i)
            m_result.beyondTolerance +=
                apart(valueOf(halvesA[i]), valueOf(halvesB[i])) > m_tolerance ? 1U : 0U;
    }

    /// The steps of other types than fp16 between two values.
    template <class T>
    void noteSteps(T a, T b)
    {
        std::uint64_t steps = 0;
        if constexpr (std::is_same_v<T, double>)
            steps = ulpDistance(m_result.ulpType, a, b);
        else
            steps = exactUlpDistance(m_result.ulpType, a, b);
        m_result.maxUlp = std::max(m_result.maxUlp, steps);
        const std::size_t last = m_result.ulpHistogram.size() - 1;
        const auto bin = static_cast<std::size_t>(std::bit_width(steps));
        ++m_result.ulpHistogram[std::isnan(a) != std::isnan(b) ? last : std::min(last, bin)];
    }

    const PairReader *m_reader;
    double m_tolerance;
    ValueDifference m_result;
    PairSums<ExactValue> m_sums;
    double m_farthest = 0;                             ///< of fp16 values
    std::pair<std::uint64_t, std::size_t> m_farRun{};  ///< that has it
    std::vector<std::uint16_t> m_decodedA, m_decodedB; ///< where they are not stored so
    std::vector<double> m_doublesA, m_doublesB;
    std::vector<ExactValue> m_exactA, m_exactB;
};

} // namespace

} // namespace kernscope::diff

namespace kernscope {

namespace {

/// Elements between two looks at the progress.
constexpr std::uint64_t kPassStep = std::uint64_t(1) << 16;
/// Elements that are worth another thread, and stretches that a weight is cut into at most.
constexpr std::uint64_t kWorthThread = std::uint64_t(1) << 19;
constexpr std::uint64_t kMostStretches = 256;
constexpr unsigned kMostThreads = 8;

/// One pass over a pair of weights, by as many threads as there are processors. Each stretch is
/// summed apart and the stretches in their order: the figures do not depend on which thread came
/// first.
class Pass
{
public:
    Pass(const diff::PairReader &reader, double tolerance, Progress *progress)
        : m_progress(progress), m_elements(reader.elements()),
          m_stretch(std::max(kWorthThread / 2, m_elements / kMostStretches + 1)),
          m_whole(reader, tolerance), m_found((m_elements + m_stretch - 1) / m_stretch, m_whole)
    {
    }

    /// False where cancelled.
    bool run()
    {
        const std::uint64_t useful = m_elements / kWorthThread;
        const auto threads = static_cast<unsigned>(std::min<std::uint64_t>(
            {useful, kMostThreads, std::max(1u, std::thread::hardware_concurrency())}));
        onThreads(m_found.size(), std::max(1U, threads), [&](std::size_t stretch, std::size_t) {
            work(stretch);
            return !m_stopped;
        });
        return !m_stopped;
    }

    ValueDifference finish()
    {
        for (const diff::PairGatherer &found : m_found)
            m_whole.merge(found);
        return m_whole.finish();
    }

private:
    void work(std::size_t stretch)
    {
        const std::uint64_t end = std::min(m_elements, (stretch + 1) * m_stretch);
        for (std::uint64_t at = stretch * m_stretch; at < end && !m_stopped;) {
            const std::uint64_t stop = std::min(end, at + kPassStep), count = stop - at;
            for (; at < stop; at += std::min<std::uint64_t>(diff::kKernelElements, stop - at))
                m_found[stretch].add(at, static_cast<std::size_t>(std::min<std::uint64_t>(
                                             diff::kKernelElements, stop - at)));
            if (m_progress != nullptr && !m_progress->advance(count))
                m_stopped = true;
        }
    }

    Progress *m_progress;
    std::uint64_t m_elements, m_stretch;
    diff::PairGatherer m_whole;
    std::vector<diff::PairGatherer> m_found; ///< by stretch
    std::atomic<bool> m_stopped{false};
};

Result<ValueDifference> figuresOf(const Result<diff::PairReader> &reader, double tolerance,
                                  Progress *progress)
{
    if (!reader)
        return tl::unexpected(reader.error());
    Pass pass(*reader, tolerance, progress);
    if (!pass.run())
        return tl::unexpected(cancelledError("The comparison was cancelled"));
    return pass.finish();
}

/// Largest finite magnitude among the scales of a weight, where they are stored as numbers.
std::optional<double> largestScale(const Bundle &bundle, std::size_t weight)
{
    const auto decoder = bundle.decoder(weight);
    if (!decoder || !decoder->encoding().scaling)
        return std::nullopt;
    const auto *scale = std::get_if<codec::Operand>(&decoder->encoding().scaling->scale);
    const auto count = scale == nullptr ? std::nullopt : elementCount(scale->shape);
    if (!count || !isFloatingPoint(scale->type))
        return std::nullopt;
    double largest = 0;
    for (std::uint64_t i = 0; i < count->value; ++i) {
        const double value = codec::operandValue(*scale, i).value_or(0);
        if (std::isfinite(value))
            largest = std::max(largest, std::abs(value));
    }
    return largest;
}

/// Largest quantisation step of the two, as ComparedPair::step. Takes the files' locks itself.
std::optional<double> quantisationStep(const Bundle &a, std::size_t weightA, const Bundle &b,
                                       std::size_t weightB)
{
    const BundleReadLock lock(a, b);
    const auto stepA = largestScale(a, weightA), stepB = largestScale(b, weightB);
    if (!stepA || !stepB)
        return stepA ? stepA : stepB;
    return std::max(*stepA, *stepB);
}

/// Whether the values of a pair follow from its stored bytes, and what they are then: fills them
/// in without decoding anything.
bool valuesOfSameBytes(const Bundle &a, const Bundle &b, ComparedPair &pair)
{
    const Weight &from = a.weights()[pair.a], &to = b.weights()[pair.b];
    if (!pair.storedEqual || from.fault || to.fault || !from.form.encoding() ||
        !to.form.encoding() || !diff::sameDecoding(*from.form.encoding(), *to.form.encoding()))
        return false;
    {
        // What only shows when it is read, such as a mask that does not fit, is a fault of one.
        const BundleReadLock lock(a, b);
        if (!a.decoder(pair.a) || !b.decoder(pair.b))
            return false;
    }
    pair.values = std::make_shared<const ValueDifference>(
        ValueDifference::same(from.elements.value, from.type));
    pair.step = quantisationStep(a, pair.a, b, pair.b);
    return true;
}

/// What explains the values of a pair that were found.
void describeValues(const Bundle &a, const Bundle &b, ComparedPair &pair)
{
    if (pair.content == ContentKind::Exact && !pair.values->identical())
        pair.content = ContentKind::Nearest;
    if (pair.slice)
        return;
    pair.step = quantisationStep(a, pair.a, b, pair.b);
    if (pair.values->identical() || pair.values->notFinite > 0)
        return;
    {
        const BundleReadLock lock(a, b);
        pair.rule = diff::findRule(a, pair.a, b, pair.b, *pair.values);
        if (!pair.rule && !pair.order && pair.values->relativeRmse > kSimilarRmse)
            pair.order = diff::findChannelOrder(a, pair.a, b, pair.b);
    }
    if (pair.order)
        pair.reordered = diff::compareReordered(a, pair.a, b, pair.b, *pair.order, nullptr);
}

} // namespace

Result<ValueDifference> compareValues(const Bundle &a, const Bundle &b, const PairSides &sides,
                                      double tolerance, Progress *progress)
{
    const BundleReadLock lock(a, b);
    return figuresOf(diff::PairReader::make(a, b, sides), tolerance, progress);
}

bool findReshaped(const Bundle &a, const Bundle &b, ComparedPair &pair, Progress *progress)
{
    const Weight &from = a.weights()[pair.a], &to = b.weights()[pair.b];
    if (pair.shapeEqual || from.fault || to.fault || from.elements != to.elements)
        return true;
    const auto values = compareValues(a, b, pair, 0, progress);
    if (!values && values.error().code == "task.cancelled")
        return false;
    pair.reshaped = values && values->identical();
    if (!pair.reshaped) {
        const BundleReadLock lock(a, b);
        pair.rule = diff::findTransposed(a, pair.a, b, pair.b);
    }
    return true;
}

bool findValues(const Bundle &a, const Bundle &b, ComparedPair &pair, double tolerance,
                Progress *progress)
{
    if (valuesOfSameBytes(a, b, pair))
        return progress == nullptr || progress->advance(pair.values->elements());
    for (const auto &[bundle, weight] : {std::pair(&a, pair.a), std::pair(&b, pair.b)}) {
        const BundleReadLock lock(*bundle);
        if (auto fault = maskFault(*bundle, weight)) {
            pair.fault = std::make_shared<const Error>(*std::move(fault));
            return true;
        }
    }
    auto values = compareValues(a, b, pair, tolerance, progress);
    if (!values && values.error().code == "task.cancelled")
        return false;
    if (!values) {
        pair.fault = std::make_shared<const Error>(std::move(values.error()));
        return true;
    }
    pair.values = std::make_shared<const ValueDifference>(*std::move(values));
    describeValues(a, b, pair);
    return true;
}

Result<std::vector<Difference>> compareBuilds(const Bundle &base,
                                              std::span<const Bundle *const> builds,
                                              std::span<const DiffOptions> options,
                                              Progress *progress)
{
    std::vector<Difference> all;
    for (std::size_t i = 0; i < builds.size(); ++i) {
        auto difference = TRY(compareBundles(base, *builds[i], options[i], progress));
        all.push_back(std::move(difference));
    }
    return all;
}

} // namespace kernscope
