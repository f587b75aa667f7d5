// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/shared_bytes.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>

#include <sys/mman.h>

namespace kernscope {

std::shared_ptr<std::byte> SharedBytes::allocate(std::size_t count)
{
    constexpr std::size_t kLargePage = std::size_t{2} << 20;
    const bool large = count >= 4 * kLargePage;
    const std::size_t step = large ? kLargePage : alignof(std::max_align_t);
    if (count > SIZE_MAX - step)
        throw std::bad_alloc();
    const std::size_t whole = std::max<std::size_t>((count + step - 1) / step * step, step);
    auto *const memory = static_cast<std::byte *>(std::aligned_alloc(step, whole));
    if (memory == nullptr)
        throw std::bad_alloc();
    if (large) // a wish: without large pages it is as right
        ::madvise(memory, count / kLargePage * kLargePage, MADV_HUGEPAGE);
    return {memory, [](std::byte *bytes) { std::free(bytes); }};
}

} // namespace kernscope
