// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/shared_bytes.h"

#include "core/base/large_pages.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace kernscope {

std::shared_ptr<std::byte> SharedBytes::allocate(std::size_t count)
{
    const std::size_t step = count >= kLargeRoom ? kLargePageBytes : alignof(std::max_align_t);
    if (count > SIZE_MAX - step)
        throw std::bad_alloc();
    const std::size_t whole = std::max<std::size_t>((count + step - 1) / step * step, step);
    auto *const memory = static_cast<std::byte *>(std::aligned_alloc(step, whole));
    if (memory == nullptr)
        throw std::bad_alloc();
    askLargePages(memory, count);
    return {memory, [](std::byte *bytes) { std::free(bytes); }};
}

} // namespace kernscope
