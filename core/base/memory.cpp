// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/memory.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>

#include <sys/mman.h>
#include <unistd.h>

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

std::shared_ptr<BlockStore> BlockStore::make(std::size_t bytes)
{
    void *room = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED)
        return nullptr;
    return std::shared_ptr<BlockStore>(new BlockStore(static_cast<std::byte *>(room), bytes));
}

BlockStore::~BlockStore()
{
    ::munmap(m_room, m_bytes);
}

/// Asks for all pages of a run at once, in place of a fault each; where the system knows no such
/// call, the faults come. Who keeps on and on gets some more, fewer than are kept right before.
void BlockStore::fetchRoom(std::size_t offset, std::size_t bytes)
{
#ifdef MADV_POPULATE_WRITE
    constexpr std::size_t kLong = 32768, kMostAhead = std::size_t{1} << 18;
    static const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const std::size_t most = std::min(offset, kMostAhead) / kBlock;
    std::size_t before = 0;
    while (before < most && m_kept[offset / kBlock - 1 - before])
        ++before;
    const std::size_t end = std::min(offset + bytes + before * kBlock, m_bytes);
    const bool isThere = before > 0 && offset + bytes <= m_fetchedEnd;
    if (isThere || end - offset < kLong)
        return;
    const std::size_t start = before > 0 ? std::clamp(m_fetchedEnd, offset, end) : offset;
    const auto first = reinterpret_cast<std::uintptr_t>(m_room + start) / page * page;
    const auto last = reinterpret_cast<std::uintptr_t>(m_room + end);
    ::madvise(reinterpret_cast<void *>(first), last - first, MADV_POPULATE_WRITE);
    m_fetchedEnd = end;
#else
    static_cast<void>(offset);
    static_cast<void>(bytes);
#endif
}

const std::byte *BlockStore::keep(std::size_t offset, std::span<const std::byte> bytes)
{
    std::byte *const to = m_room + offset;
    fetchRoom(offset, bytes.size());
    for (std::size_t at = 0; at < bytes.size(); at += kBlock) {
        auto isKept = m_kept[(offset + at) / kBlock];
        if (!isKept)
            std::memcpy(to + at, bytes.data() + at, std::min(kBlock, bytes.size() - at));
        isKept = true;
    }
    return to;
}

void askLargePages(std::byte *memory, std::size_t bytes)
{
#ifdef MADV_HUGEPAGE
    if (bytes < kLargeRoom)
        return;
    const auto first = reinterpret_cast<std::uintptr_t>(memory);
    const std::uintptr_t begin = (first + kLargePageBytes - 1) / kLargePageBytes * kLargePageBytes;
    const std::uintptr_t end = (first + bytes) / kLargePageBytes * kLargePageBytes;
    ::madvise(reinterpret_cast<void *>(begin), end - begin, MADV_HUGEPAGE);
#else
    static_cast<void>(memory);
    static_cast<void>(bytes);
#endif
}

void reserveLarge(std::vector<std::byte> &memory, std::size_t bytes)
{
    if (bytes <= memory.capacity())
        return;
    memory.reserve(bytes);
    askLargePages(memory.data() + memory.size(), bytes - memory.size());
}

} // namespace kernscope
