// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

} // namespace kernscope::archive
