// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace kernscope {

/// Room for every byte of a file, of which only the blocks that are kept take memory. They lie as
/// in the file, so that neighbours are one run of bytes.
class BlockStore
{
public:
    /// Null where the system refuses so large a room.
    static std::shared_ptr<BlockStore> make(std::size_t bytes);
    ~BlockStore();
    BlockStore(const BlockStore &) = delete;
    BlockStore &operator=(const BlockStore &) = delete;

    static constexpr std::size_t kBlock = 4096;

    /// Keeps a run of the file, from a multiple of kBlock to another or to the end of the file;
    /// returns where it lies. Blocks that are kept already stay as they are: others may read them.
    const std::byte *keep(std::size_t offset, std::span<const std::byte> bytes);

private:
    BlockStore(std::byte *room, std::size_t bytes)
        : m_room(room), m_bytes(bytes), m_kept(bytes / kBlock + 1)
    {
    }

    void fetchRoom(std::size_t offset, std::size_t bytes);

    std::byte *m_room;
    std::size_t m_bytes;
    std::size_t m_fetchedEnd = 0; ///< up to there, from what was kept last, pages are there
    std::vector<bool> m_kept;     ///< by block
};

} // namespace kernscope
