// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/pair_read_lock.h"
#include "core/diff/diff.h"
#include "core/diff/pair_figures.h"
#include "core/diff/pair_slice.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

namespace kernscope {

namespace {

/// Elements between two looks at the progress.
constexpr std::uint64_t kPassStep = std::uint64_t(1) << 16;
/// Elements that are worth another thread, and stretches that a weight is cut into at most.
constexpr std::uint64_t kWorthThread = std::uint64_t(1) << 19;
constexpr std::uint64_t kMostStretches = 256;
constexpr unsigned kMostThreads = 8;

/// One pass over a pair, by as many threads as there are processors. Each stretch is summed apart
/// and the stretches in their order: the figures do not depend on which thread came first.
class Pass
{
public:
    Pass(const diff::PairReader &reader, double tolerance, Progress *progress)
        : m_reader(reader), m_progress(progress),
          m_stretch(std::max(kWorthThread / 2, reader.elements() / kMostStretches + 1)),
          m_found((reader.elements() + m_stretch - 1) / m_stretch,
                  diff::PairGatherer(reader, tolerance))
    {
    }

    /// False where cancelled.
    bool run()
    {
        const std::uint64_t useful = m_reader.elements() / kWorthThread;
        const auto threads = static_cast<unsigned>(std::min<std::uint64_t>(
            {useful, kMostThreads, std::max(1u, std::thread::hardware_concurrency())}));
        std::vector<std::thread> helpers;
        for (unsigned i = 1; i < threads; ++i)
            helpers.emplace_back([this] { work(); });
        work();
        for (std::thread &helper : helpers)
            helper.join();
        return !m_stopped;
    }

    ValueDifference finish(diff::PairGatherer whole)
    {
        for (const diff::PairGatherer &found : m_found)
            whole.merge(found);
        return whole.finish();
    }

private:
    void work()
    {
        for (std::size_t i = m_next++; i < m_found.size() && !m_stopped; i = m_next++) {
            const std::uint64_t end = std::min(m_reader.elements(), (i + 1) * m_stretch);
            for (std::uint64_t at = i * m_stretch; at < end && !m_stopped; at += kPassStep) {
                const std::uint64_t count = std::min(kPassStep, end - at);
                m_found[i].add(at, count);
                if (m_progress != nullptr && !m_progress->advance(count))
                    m_stopped = true;
            }
        }
    }

    const diff::PairReader &m_reader;
    Progress *m_progress;
    std::uint64_t m_stretch;
    std::vector<diff::PairGatherer> m_found;
    std::atomic<std::size_t> m_next{0};
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
    return pass.finish(diff::PairGatherer(*reader, tolerance));
}

} // namespace

Result<ValueDifference> compareValues(const Bundle &a, std::size_t weightA, const Bundle &b,
                                      std::size_t weightB, double tolerance, Progress *progress)
{
    const PairReadLock lock(a, b);
    return figuresOf(diff::PairReader::make(a, weightA, b, weightB), tolerance, progress);
}

Result<ValueDifference> diff::compareSlice(const Bundle &a, std::size_t weightA, const Bundle &b,
                                           std::size_t weightB, const Slice &slice, bool ofA,
                                           double tolerance, Progress *progress)
{
    const PairReadLock lock(a, b);
    return figuresOf(PairReader::make(a, weightA, b, weightB, slice, ofA), tolerance, progress);
}

} // namespace kernscope
