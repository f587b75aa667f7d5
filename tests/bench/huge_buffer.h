// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>

#include <sys/mman.h>

namespace kernscope::bench {

/// Memory on huge pages where the system has them, written once: warm from the first use on.
template <class T>
class HugeBuffer
{
public:
    explicit HugeBuffer(std::size_t count) : m_count(count)
    {
        constexpr std::size_t kHugePage = std::size_t{2} << 20;
        const std::size_t bytes = (count * sizeof(T) + kHugePage) / kHugePage * kHugePage;
        m_memory.reset(static_cast<T *>(std::aligned_alloc(kHugePage, bytes)));
        if (m_memory == nullptr)
            std::abort();
        ::madvise(m_memory.get(), bytes, MADV_HUGEPAGE);
        std::memset(static_cast<void *>(m_memory.get()), 1, bytes);
    }

    std::span<T> span() { return {m_memory.get(), m_count}; }
    std::span<const T> span() const { return {m_memory.get(), m_count}; }
    std::span<const std::byte> bytes() const { return std::as_bytes(span()); }
    T *data() { return m_memory.get(); }
    std::size_t size() const { return m_count; }

private:
    struct Free {
        void operator()(T *memory) const { std::free(memory); }
    };
    std::unique_ptr<T, Free> m_memory;
    std::size_t m_count;
};

} // namespace kernscope::bench
