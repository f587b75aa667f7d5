// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/large_pages.h"

#include <cstdint>

#include <sys/mman.h>

namespace kernscope {

void askLargePages(std::byte *memory, std::size_t bytes)
{
    if (bytes < kLargeRoom)
        return;
    const auto first = reinterpret_cast<std::uintptr_t>(memory);
    const std::uintptr_t begin = (first + kLargePageBytes - 1) / kLargePageBytes * kLargePageBytes;
    const std::uintptr_t end = (first + bytes) / kLargePageBytes * kLargePageBytes;
    ::madvise(reinterpret_cast<void *>(begin), end - begin, MADV_HUGEPAGE);
}

void reserveLarge(std::vector<std::byte> &memory, std::size_t bytes)
{
    if (bytes <= memory.capacity())
        return;
    memory.reserve(bytes);
    askLargePages(memory.data() + memory.size(), bytes - memory.size());
}

} // namespace kernscope
