// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kernscope::archive {

/// Writes a zip archive of stored members from its beginning to its end, so that the output need
/// not be sought in: checksums follow the data (APPNOTE.TXT of PKWARE, 4.3.9). Zip64 where a
/// member, the archive or the number of members is too large without it.
class ZipWriter
{
public:
    using Sink = std::function<Result<void>(std::span<const std::byte>)>;
    explicit ZipWriter(Sink sink) : m_sink(std::move(sink)) {}

    /// Begins a member of exactly so many bytes; the one before it is complete.
    /// Errors: those of the sink; "zip.limit" (a path over 65,535 bytes, an archive beyond 2^64
    /// bytes), as for the others.
    Result<void> begin(std::string_view path, std::uint64_t bytes);
    /// Further bytes of the member that was begun.
    Result<void> write(std::span<const std::byte> bytes);
    /// Counts bytes that are not given to the sink: for the size of an archive beforehand.
    Result<void> count(std::uint64_t bytes);
    /// Ends the archive with its directory.
    Result<void> finish();

    /// What was written and counted so far.
    std::uint64_t bytes() const { return m_at; }

private:
    struct Member {
        std::string path;
        std::uint64_t headerAt = 0, bytes = 0;
        std::uint32_t crc = 0;
    };
    Result<void> put(std::span<const std::byte> bytes);
    Result<void> endMember();

    Sink m_sink;
    std::uint64_t m_at = 0;
    std::vector<Member> m_members;
    bool m_open = false; ///< the last member still takes bytes
};

} // namespace kernscope::archive
