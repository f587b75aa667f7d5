// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

namespace kernscope::bench {

/// Prints what each method of encoding loses against the plainest encoder at the same bytes, and
/// how fast it is: on weights with normal and Laplace distributions, and on those of a bundle.
/// `bundle`: empty for the largest weights of the dense silero network below $KERNSCOPE_DATA, if it
/// is there. Inputs are made up: rectified, correlated, of log-normal power. Returns how many rows
/// lose more than the plain encoder.
int printErrors(std::string_view bundle = {});

} // namespace kernscope::bench
