// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <vector>

namespace kernscope {

/// From so many bytes on memory is asked for in large pages.
inline constexpr std::size_t kLargePageBytes = std::size_t{2} << 20;
inline constexpr std::size_t kLargeRoom = 4 * kLargePageBytes;

/// Asks for large pages for memory that is about to be written for the first time, all of it: the
/// system hands them out in a tenth of the time that it takes for as many small ones. Where it has
/// none, or for less than kLargeRoom, nothing happens.
void askLargePages(std::byte *memory, std::size_t bytes);

/// Reserves room for `bytes` bytes in all, in large pages where that pays.
void reserveLarge(std::vector<std::byte> &memory, std::size_t bytes);

} // namespace kernscope
