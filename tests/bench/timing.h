// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <vector>

namespace kernscope::bench {

/// Processor time of this thread, so that other work on the machine counts as little as can be; by
/// the clock on the wall where the work has threads of its own.
double secondsOf(const std::function<void()> &work, bool wall = false);

/// The upper one of an even number. `times` is not empty.
double median(std::vector<double> times);

} // namespace kernscope::bench
