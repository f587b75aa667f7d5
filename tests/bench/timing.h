// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <vector>

namespace kernscope::bench {

/// Processor time of this thread, so that other work on the machine counts as little as can be; by
/// the clock on the wall where the work has threads of its own (`wall`), `threads` of them.
double secondsOf(const std::function<void()> &work, bool wall = false, unsigned threads = 1);

/// For a machine whose processors do other work: threads are timed by their processor time shared
/// out among them, as if each had a processor of its own. What they wait for is then left out.
void setBusyMachine(bool busy);

/// The upper one of an even number. `times` is not empty.
double median(std::vector<double> times);

} // namespace kernscope::bench
