// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace kernscope {

/// Bytes of the program file that write something; length 0 where that is not known.
struct SourceSpan {
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
};

} // namespace kernscope
