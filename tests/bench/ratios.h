// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

namespace kernscope::bench {

/// Prints what the memory allows and the table of codecs: each as a share of that limit, and
/// against memcpy of the same fp16 bytes. Medians of interleaved rounds, buffers warm, reused and
/// out of cache, one thread but where the row says two. Returns how many rows stay below what is
/// wanted. `only`: the rows whose name contains it.
int printRatios(std::string_view only = {});

} // namespace kernscope::bench
