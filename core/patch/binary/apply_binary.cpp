// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/binary/apply_binary.h"

#include "core/patch/binary/appliers.h"

#include <algorithm>

#include <zlib.h>

namespace kernscope::patch {

namespace {

using ByteView = std::span<const std::byte>;

Result<BinaryPatchHead> readHead(ByteView patch, PatchCursor &cursor)
{
    if (cursor.magic(ips::kMagic))
        return BinaryPatchHead();
    if (cursor.magic(bps::kMagic))
        return readBpsHead(patch, cursor);
    return cursor.error("binary_patch.magic", 0)
        .expected("PATCH (IPS) or BPS1 (BPS)")
        .message("This is no IPS and no BPS patch")
        .unexpected();
}

} // namespace

std::string_view binaryFormatName(BinaryFormat format)
{
    return format == BinaryFormat::Ips ? "ips" : "bps";
}

std::uint32_t checksumOf(ByteView bytes)
{
    uLong sum = crc32(0, nullptr, 0);
    for (std::size_t at = 0; at < bytes.size();) {
        const std::size_t some = std::min<std::size_t>(bytes.size() - at, 1u << 30);
        sum =
            crc32(sum, reinterpret_cast<const Bytef *>(bytes.data() + at), static_cast<uInt>(some));
        at += some;
    }
    return static_cast<std::uint32_t>(sum);
}

bool BinaryPatchHead::isFor(ByteView file) const
{
    return sourceBytes == file.size() && sourceChecksum == checksumOf(file);
}

Result<BinaryPatchHead> readBinaryPatch(ByteView patch, std::string_view name)
{
    PatchCursor cursor(patch, name);
    return readHead(patch, cursor);
}

Result<PatchedFile> applyBinaryPatch(ByteView file, ByteView patch, std::string_view name,
                                     const PatchRoom &room, Progress *progress)
{
    PatchCursor cursor(patch, name);
    const auto head = readHead(patch, cursor);
    if (!head)
        return tl::unexpected(head.error());
    return head->format == BinaryFormat::Ips ? applyIps(file, cursor, room, progress)
                                             : applyBps(file, *head, cursor, room, progress);
}

} // namespace kernscope::patch
