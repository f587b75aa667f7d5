// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

namespace kernscope::bench {

/// Prints the table of codecs against memcpy of the same fp16 bytes: medians of interleaved
/// rounds, buffers warm, reused and out of cache, one thread but where the row says two. Returns
/// how many rows stay below what is wanted. `only`: the rows whose name contains it.
int printRatios(std::string_view only = {});

} // namespace kernscope::bench
