// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/overlaid_file.h"
#include "core/base/parallel.h"
#include "core/bundle/bundle.h"
#include "core/bundle/pair_read_lock.h"
#include "core/codec/decode/decoder.h"
#include "core/compare/compare.h"
#include "core/compare/pair_figures.h"
#include "core/compare/value_difference.h"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace kernscope::diff {

/// A weight of the base in one of several builds.
struct BuildPair {
    const Bundle *build = nullptr;
    ComparedPair *pair = nullptr; ///< gets the values, or the fault
    double tolerance = 0;
};

/// Values of one weight of the base against those of several builds; the base is decoded once.
/// False where cancelled. Takes the files' locks itself. Progress in elements, of every pair.
bool compareWithBase(const Bundle &base, std::size_t weight, std::span<const BuildPair> pairs,
                     Progress *progress);

/// Whether the values of a pair follow from its stored bytes, and what they are then: fills them
/// in without decoding anything.
bool valuesOfSameBytes(const Bundle &a, const Bundle &b, ComparedPair &pair);

} // namespace kernscope::diff

namespace kernscope {

namespace {

/// Elements between two looks at the progress.
constexpr std::uint64_t kPassStep = std::uint64_t(1) << 16;
/// Elements that are worth another thread, and stretches that a weight is cut into at most.
constexpr std::uint64_t kWorthThread = std::uint64_t(1) << 19;
constexpr std::uint64_t kMostStretches = 256;
constexpr unsigned kMostThreads = 8;

/// One pass over the pairs of one weight of A, by as many threads as there are processors: A is
/// decoded once. Each stretch is summed apart and the stretches in their order: the figures do not
/// depend on which thread came first.
class Pass
{
public:
    Pass(std::span<const diff::PairReader> readers, std::span<const double> tolerances,
         Progress *progress)
        : m_progress(progress), m_elements(readers.front().elements()),
          m_stretch(std::max(kWorthThread / 2, m_elements / kMostStretches + 1))
    {
        for (std::size_t i = 0; i < readers.size(); ++i)
            m_empty.emplace_back(readers[i], tolerances[i]);
        m_found.assign((m_elements + m_stretch - 1) / m_stretch, m_empty);
    }

    /// False where cancelled.
    bool run()
    {
        const std::uint64_t useful = m_elements / kWorthThread;
        const auto threads = static_cast<unsigned>(std::min<std::uint64_t>(
            {useful, kMostThreads, std::max(1u, std::thread::hardware_concurrency())}));
        std::vector<diff::BaseRun> bases(std::max(1U, threads));
        onThreads(m_found.size(), bases.size(), [&](std::size_t stretch, std::size_t thread) {
            work(stretch, bases[thread]);
            return !m_stopped;
        });
        return !m_stopped;
    }

    ValueDifference finish(std::size_t pair) const
    {
        diff::PairGatherer whole = m_empty[pair];
        for (const Gatherers &found : m_found)
            whole.merge(found[pair]);
        return whole.finish();
    }

private:
    using Gatherers = std::vector<diff::PairGatherer>; ///< one a pair

    void work(std::size_t stretch, diff::BaseRun &base)
    {
        const std::uint64_t end = std::min(m_elements, (stretch + 1) * m_stretch);
        for (std::uint64_t at = stretch * m_stretch; at < end && !m_stopped;) {
            const std::uint64_t stop = std::min(end, at + kPassStep);
            const std::uint64_t count = stop - at;
            for (; at < stop; at += base.count()) {
                base.begin(at, static_cast<std::size_t>(
                                   std::min<std::uint64_t>(diff::kKernelElements, stop - at)));
                for (diff::PairGatherer &pair : m_found[stretch])
                    pair.add(base);
            }
            if (m_progress != nullptr && !m_progress->advance(count * m_empty.size()))
                m_stopped = true;
        }
    }

    Progress *m_progress;
    std::uint64_t m_elements, m_stretch;
    Gatherers m_empty;
    std::vector<Gatherers> m_found; ///< by stretch
    std::atomic<bool> m_stopped{false};
};

Result<ValueDifference> figuresOf(const Result<diff::PairReader> &reader, double tolerance,
                                  Progress *progress)
{
    if (!reader)
        return tl::unexpected(reader.error());
    Pass pass(std::span(&*reader, 1), std::span(&tolerance, 1), progress);
    if (!pass.run())
        return tl::unexpected(cancelledError("The comparison was cancelled"));
    return pass.finish(0);
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

tl::unexpected<Error> buildsCancelled()
{
    return tl::unexpected(cancelledError("The comparison was cancelled"));
}

/// The pairs of every weight of the base whose values have to be decoded.
std::vector<std::vector<diff::BuildPair>> pairsByWeight(const Bundle &base,
                                                        std::span<const Bundle *const> builds,
                                                        std::span<const DiffOptions> options,
                                                        std::vector<Difference> &all,
                                                        Progress *progress)
{
    std::vector<std::vector<diff::BuildPair>> pairs(base.weights().size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!options[i].values)
            continue;
        for (ComparedPair &pair : all[i].weights) {
            if (!findReshaped(base, *builds[i], pair, progress))
                return {};
            if (!pair.slice && pair.shapeEqual && !diff::valuesOfSameBytes(base, *builds[i], pair))
                pairs[pair.a].push_back({builds[i], &pair, options[i].tolerance});
        }
    }
    return pairs;
}

} // namespace

Result<ValueDifference> compareValues(const Bundle &a, const Bundle &b, const PairSides &sides,
                                      double tolerance, Progress *progress)
{
    const PairReadLock lock(a, b);
    return figuresOf(diff::PairReader::make(a, b, sides), tolerance, progress);
}

bool diff::compareWithBase(const Bundle &base, std::size_t weight, std::span<const BuildPair> pairs,
                           Progress *progress)
{
    std::vector<const Bundle *> bundles{&base};
    for (const BuildPair &pair : pairs)
        bundles.push_back(pair.build);
    const PairReadLock lock(bundles);
    std::vector<PairReader> readers;
    std::vector<double> tolerances;
    std::vector<ComparedPair *> compared;
    for (const BuildPair &pair : pairs) {
        auto reader = PairReader::make(base, *pair.build, {weight, pair.pair->b});
        if (!reader) {
            pair.pair->fault = std::move(reader.error());
            continue;
        }
        readers.push_back(*std::move(reader));
        tolerances.push_back(pair.tolerance);
        compared.push_back(pair.pair);
    }
    if (readers.empty())
        return true;
    Pass pass(readers, tolerances, progress);
    if (!pass.run())
        return false;
    for (std::size_t i = 0; i < compared.size(); ++i)
        compared[i]->values = pass.finish(i);
    return true;
}

std::optional<double> quantisationStep(const Bundle &a, std::size_t weightA, const Bundle &b,
                                       std::size_t weightB)
{
    const PairReadLock lock(a, b);
    const auto stepA = largestScale(a, weightA), stepB = largestScale(b, weightB);
    if (!stepA || !stepB)
        return stepA ? stepA : stepB;
    return std::max(*stepA, *stepB);
}

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
        const PairReadLock lock(a, b);
        pair.rule = diff::findRule(a, pair.a, b, pair.b, *pair.values);
        if (!pair.rule && !pair.order && pair.values->relativeRmse > kSimilarRmse)
            pair.order = diff::findChannelOrder(a, pair.a, b, pair.b);
    }
    if (pair.order)
        pair.reordered = diff::compareReordered(a, pair.a, b, pair.b, *pair.order, nullptr);
}

bool diff::valuesOfSameBytes(const Bundle &a, const Bundle &b, ComparedPair &pair)
{
    const Weight &from = a.weights()[pair.a], &to = b.weights()[pair.b];
    if (!pair.storedEqual || from.fault || to.fault || !from.form.encoding() ||
        !to.form.encoding() || !sameDecoding(*from.form.encoding(), *to.form.encoding()))
        return false;
    {
        // What only shows when it is read, such as a mask that does not fit, is a fault of one.
        const PairReadLock lock(a, b);
        if (!a.decoder(pair.a) || !b.decoder(pair.b))
            return false;
    }
    pair.values = ValueDifference::same(from.elements.value, from.type);
    pair.step = quantisationStep(a, pair.a, b, pair.b);
    return true;
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
        const PairReadLock lock(a, b);
        pair.rule = diff::findTransposed(a, pair.a, b, pair.b);
    }
    return true;
}

bool findValues(const Bundle &a, const Bundle &b, ComparedPair &pair, double tolerance,
                Progress *progress)
{
    if (diff::valuesOfSameBytes(a, b, pair))
        return progress == nullptr || progress->advance(pair.values->elements());
    auto values = compareValues(a, b, pair, tolerance, progress);
    if (!values && values.error().code == "task.cancelled")
        return false;
    if (!values) {
        pair.fault = std::move(values.error());
        return true;
    }
    pair.values = *std::move(values);
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
        DiffOptions stored = options[i];
        stored.values = false;
        auto difference = TRY(compareBundles(base, *builds[i], stored, progress));
        all.push_back(std::move(difference));
    }
    const auto pairs = pairsByWeight(base, builds, options, all, progress);
    if (progress != nullptr && progress->cancelled())
        return buildsCancelled();
    for (std::size_t weight = 0; weight < pairs.size(); ++weight) {
        if (pairs[weight].empty())
            continue;
        if (!diff::compareWithBase(base, weight, pairs[weight], progress))
            return buildsCancelled();
        for (const diff::BuildPair &one : pairs[weight]) {
            if (one.pair->values)
                describeValues(base, *one.build, *one.pair);
        }
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
        for (ComparedPair &pair : all[i].weights) {
            if (options[i].values && pair.slice &&
                !findValues(base, *builds[i], pair, options[i].tolerance, progress))
                return buildsCancelled();
        }
    }
    return all;
}

} // namespace kernscope
