// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/timing.h"

#include <algorithm>
#include <cstddef>

#include <time.h>

namespace kernscope::bench {

namespace {

bool busyMachine = false;

double now(clockid_t clock)
{
    timespec time{};
    ::clock_gettime(clock, &time);
    return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

} // namespace

double secondsOf(const std::function<void()> &work, bool wall, unsigned threads)
{
    const bool shared = wall && busyMachine;
    const clockid_t clock = shared ? CLOCK_PROCESS_CPUTIME_ID
                            : wall ? CLOCK_MONOTONIC
                                   : CLOCK_THREAD_CPUTIME_ID;
    const double start = now(clock);
    work();
    return (now(clock) - start) / (shared ? threads : 1);
}

void setBusyMachine(bool busy)
{
    busyMachine = busy;
}

double median(std::vector<double> times)
{
    const auto middle = times.begin() + std::ptrdiff_t(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    return *middle;
}

} // namespace kernscope::bench
