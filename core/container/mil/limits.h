// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>

namespace kernscope::mil {

/// Of a program's text; the largest real ones have some dozens of MiB.
inline constexpr std::size_t kMaxTextBytes = std::size_t(512) << 20;
/// How deep types, values and blocks may nest; real programs stay below ten.
inline constexpr int kMaxDepth = 200;
/// Values, types, dimensions and strings that one program may hold; bounds memory for a file that
/// is nothing but the smallest of them. Real programs hold some ten thousand.
inline constexpr std::size_t kMaxNodes = 2'000'000;

} // namespace kernscope::mil
