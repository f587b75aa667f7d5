// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace kernscope::bench {

/// Prints the table of codecs against memcpy of the same fp16 bytes: medians of interleaved
/// rounds, buffers warm, reused and out of cache, one thread but where the row says two. Returns
/// how many rows stay below what is wanted.
int printRatios();

} // namespace kernscope::bench
