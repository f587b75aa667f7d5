// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/overlaid_file.h"
#include "core/base/parallel.h"
#include "core/bundle/pair_read_lock.h"
#include "core/diff/build_pairs.h"
#include "core/diff/diff.h"
#include "core/diff/pair_figures.h"

#include <algorithm>
#include <atomic>
#include <span>
#include <utility>

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

} // namespace kernscope
