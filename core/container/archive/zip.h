// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"

#include <cstddef>
#include <functional>
#include <span>

/// Zip archives (APPNOTE.TXT of PKWARE, with Zip64): packages that were zipped, and .npz files.
namespace kernscope::archive {

struct ZipMember {
    std::string path; ///< as written; '/' between folders
    std::uint64_t headerOffset = 0;
    std::uint64_t dataOffset = 0;
    std::uint64_t storedBytes = 0; ///< in the archive
    std::uint64_t bytes = 0;       ///< unpacked
    std::uint32_t crc = 0;
    unsigned method = 0; ///< 0: stored, 8: deflated
    bool encrypted = false;

    bool isFolder() const { return path.ends_with('/'); }
};

/// True where the bytes begin as a zip archive does.
bool isZip(std::span<const std::byte> bytes);

/// The members, by the central directory at the end. Errors: "zip.directory" (none, or beyond the
/// file), "zip.entry" (an entry that leaves the file), "zip.limit" (over a million members),
/// "zip.overlap" (two members have bytes in common).
Result<std::vector<ZipMember>> readZip(std::span<const std::byte> archive,
                                       std::string_view fileName);

/// The bytes of a member. Errors: "zip.method" (neither stored nor deflated, or encrypted),
/// "zip.data" (not as long as the directory says, or another checksum), "zip.limit" (over `limit`).
Result<std::vector<std::byte>> unpack(std::span<const std::byte> archive, const ZipMember &member,
                                      std::uint64_t limit, std::string_view fileName);

/// Whether a member has as many bytes unpacked as it says, and no more than `limit`, as far as its
/// entry tells. Errors: those of unpack.
Result<void> checkSize(const ZipMember &member, std::uint64_t limit, std::string_view fileName);

/// Error "zip.data" of a member.
tl::unexpected<Error> damagedMember(const ZipMember &member, std::string_view fileName,
                                    std::string found);

/// The first bytes of a member, at most `most`, unchecked; fewer where it is damaged.
/// Errors: "zip.method".
Result<std::vector<std::byte>> unpackHead(std::span<const std::byte> archive,
                                          const ZipMember &member, std::size_t most,
                                          std::string_view fileName);

/// True for a path that stays within the folder that it is unpacked to.
bool isSafePath(std::string_view path);

/// Writes a zip archive of stored members from its beginning to its end, so that the output need
/// not be sought in: checksums follow the data (APPNOTE.TXT of PKWARE, 4.3.9). Zip64 where a
/// member, the archive or the number of members is too large without it.
class ZipWriter
{
public:
    using Sink = std::function<Result<void>(std::span<const std::byte>)>;
    explicit ZipWriter(Sink sink) : m_sink(std::move(sink)) {}

    /// Begins a member of exactly that number of bytes; the one before it is complete.
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
