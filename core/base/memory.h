// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace kernscope {

/// Bytes that do not change any more, in memory that several owners share: a copy costs nothing.
/// Reads as a vector does.
class SharedBytes
{
public:
    SharedBytes() = default;
    SharedBytes(std::vector<std::byte> bytes) // implicit: it stands where a vector does
    {
        const auto own = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
        m_bytes = *own;
        m_owner = own;
    }
    SharedBytes(std::initializer_list<std::byte> bytes) : SharedBytes(std::vector<std::byte>(bytes))
    {
    }
    /// `bytes` stay where they are as long as `owner` lives.
    SharedBytes(std::shared_ptr<const void> owner, std::span<const std::byte> bytes)
        : m_owner(std::move(owner)), m_bytes(bytes)
    {
    }

    /// That number of bytes, which `fill(std::span<std::byte>)` writes. Long ones lie in large
    /// pages where the system has them, which are handed out in less time.
    template <class Fill>
    static SharedBytes filled(std::size_t count, Fill fill)
    {
        const std::shared_ptr<std::byte> memory = allocate(count);
        fill(std::span(memory.get(), count));
        return {memory, std::span<const std::byte>(memory.get(), count)};
    }

    const std::byte *data() const { return m_bytes.data(); }
    std::size_t size() const { return m_bytes.size(); }
    bool empty() const { return m_bytes.empty(); }
    const std::byte &operator[](std::size_t i) const { return m_bytes[i]; }
    auto begin() const { return m_bytes.begin(); }
    auto end() const { return m_bytes.end(); }
    const std::shared_ptr<const void> &owner() const { return m_owner; }

    /// Some of them, in the same memory.
    SharedBytes part(std::size_t from, std::size_t count) const
    {
        return {m_owner, m_bytes.subspan(from, count)};
    }
    friend bool operator==(const SharedBytes &a, const SharedBytes &b)
    {
        return a.size() == b.size() &&
               (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
    }

private:
    static std::shared_ptr<std::byte> allocate(std::size_t count);

    std::shared_ptr<const void> m_owner;
    std::span<const std::byte> m_bytes;
};

/// Address space for every byte of a file; only the blocks that are kept take memory. They lie as
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

/// Blocks of at least this size are requested in large pages.
inline constexpr std::size_t kLargePageBytes = std::size_t{2} << 20;
inline constexpr std::size_t kLargeRoom = 4 * kLargePageBytes;

/// Asks for large pages for memory that is about to be written for the first time, all of it: the
/// system hands them out in a tenth of the time that it takes for as many small ones. Where it has
/// none, or for less than kLargeRoom, nothing happens.
void askLargePages(std::byte *memory, std::size_t bytes);

/// Reserves room for `bytes` bytes in all, in large pages where that pays.
void reserveLarge(std::vector<std::byte> &memory, std::size_t bytes);

} // namespace kernscope
