// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/quantity.h"

#include <cstddef>
#include <span>

namespace kernscope {

/// A private, read-only mapping of a file whose reads never end the process.
///
/// Memory that is mapped from a file has nothing behind it where the file became shorter (or its
/// disk cannot be read): the system answers a read of such a page with SIGBUS. One handler, set up
/// with the first mapping, finds the mapping that the address belongs to, lays zero pages over it
/// from that page on, and records the loss; the read goes on and finds zeros. Code that makes an
/// answer from the bytes calls `lost()` (or OverlaidFile::state()) before giving it out. A SIGBUS
/// at any other address goes to the handler that was there before.
///
/// Written pages are anonymous memory, not copy-on-write pages of the file: the system drops the
/// latter as well when the file becomes shorter, and with them what was written.
class GuardedMapping
{
public:
    GuardedMapping() = default;
    ~GuardedMapping();
    GuardedMapping(const GuardedMapping &) = delete;
    GuardedMapping &operator=(const GuardedMapping &) = delete;

    /// Maps the first `bytes` (more than zero) of the file. Returns 0 or the system's error number.
    int map(int descriptor, std::size_t bytes);
    bool mapped() const { return m_place != nullptr; }
    std::span<const std::byte> bytes() const { return m_bytes; }

    /// Makes the run writable, and what it holds independent of the file. Only the caller may
    /// read it meanwhile. Returns 0 or the system's error number.
    int makeWritable(std::size_t offset, std::size_t bytes);
    std::byte *writable(std::size_t offset);
    /// Gives the memory of whole pages inside of the run back: what they hold then is not defined.
    void giveUp(std::size_t offset, std::size_t bytes);

    /// Bytes that could not be read from the file any more: from the first such page to the end.
    std::optional<ByteRange> lost() const;

    struct Place; ///< of the registry that the signal handler reads; private to the source

private:
    int detach(std::size_t offset, std::size_t bytes);
    std::size_t ownBefore(std::size_t index) const;

    std::span<const std::byte> m_bytes;
    Place *m_place = nullptr;
};

} // namespace kernscope
