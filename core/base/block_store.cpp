// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/block_store.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include <sys/mman.h>
#include <unistd.h>

namespace kernscope {

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

const std::byte *BlockStore::keep(std::size_t offset, std::span<const std::byte> bytes)
{
    std::byte *const to = m_room + offset;
#ifdef MADV_POPULATE_WRITE
    // All pages of a long run at once, in place of a fault each; where the system knows no such
    // call, the faults come.
    constexpr std::size_t kLong = 32768;
    static const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    if (bytes.size() >= kLong) {
        const auto first = reinterpret_cast<std::uintptr_t>(to) / page * page;
        const auto end = reinterpret_cast<std::uintptr_t>(to) + bytes.size();
        ::madvise(reinterpret_cast<void *>(first), end - first, MADV_POPULATE_WRITE);
    }
#endif
    for (std::size_t at = 0; at < bytes.size(); at += kBlock) {
        auto isKept = m_kept[(offset + at) / kBlock];
        if (!isKept)
            std::memcpy(to + at, bytes.data() + at, std::min(kBlock, bytes.size() - at));
        isKept = true;
    }
    return to;
}

} // namespace kernscope
