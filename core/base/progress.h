// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstdint>

namespace kernscope {

/// How far a long piece of work is, and whether it is asked to stop. Shared between the thread that
/// works (which calls `advance` about every millisecond or megabyte) and the one that watches.
class Progress
{
public:
    void setTotal(std::uint64_t total) { m_total.store(total, std::memory_order_relaxed); }
    void cancel() { m_cancelled.store(true, std::memory_order_relaxed); }
    bool cancelled() const { return m_cancelled.load(std::memory_order_relaxed); }

    /// Adds `done` units of work. False where the work should stop.
    bool advance(std::uint64_t done)
    {
        m_done.fetch_add(done, std::memory_order_relaxed);
        return !cancelled();
    }

    /// 0 to 1; 0 as long as no total is known.
    double fraction() const
    {
        const auto total = m_total.load(std::memory_order_relaxed);
        const auto done = m_done.load(std::memory_order_relaxed);
        if (total == 0)
            return 0.0;
        return done >= total ? 1.0 : static_cast<double>(done) / static_cast<double>(total);
    }

private:
    std::atomic<std::uint64_t> m_done{0};
    std::atomic<std::uint64_t> m_total{0};
    std::atomic<bool> m_cancelled{false};
};

} // namespace kernscope
