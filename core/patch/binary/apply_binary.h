// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "core/base/progress.h"
#include "core/patch/binary/binary_format.h"

#include <functional>

namespace kernscope::patch {

/// What a patch says of itself, without the file that it is for.
struct BinaryPatchHead {
    BinaryFormat format = BinaryFormat::Ips;
    /// Of BPS: what the file must be, and what comes of it. IPS says nothing of either.
    std::optional<std::uint64_t> sourceBytes, targetBytes;
    std::optional<std::uint32_t> sourceChecksum, targetChecksum;
    /// Length and checksum are those of the file that the patch is for. Of IPS: never known.
    bool isFor(std::span<const std::byte> file) const;
};

/// What came of a patch.
struct PatchedFile {
    BinaryFormat format = BinaryFormat::Ips;
    std::uint64_t bytes = 0;                           ///< of the new file
    std::uint64_t steps = 0;                           ///< records of IPS, steps of BPS
    bool sourceChecked = false, targetChecked = false; ///< by the patch's checksums: BPS
};

/// Gives the place where a new file is made. Asked once: the file has at most this many bytes, and
/// lies at its start. Its errors are handed on.
using PatchRoom = std::function<Result<std::span<std::byte>>(std::uint64_t bytes)>;

/// Bytes that a BPS patch may make: at least kLeastLimit, else kMostGrowth times what the file and
/// the patch have. A few bytes of a patch could ask for any number of them.
inline constexpr std::uint64_t kLeastLimit = std::uint64_t(64) << 20, kMostGrowth = 16;

/// Reads the head of a patch and, of BPS, checks its own checksum. Errors name the place in the
/// patch, whose name is `name`: "binary_patch.magic", "binary_patch.cut", "binary_patch.number",
/// "binary_patch.checksum" (the patch is damaged).
Result<BinaryPatchHead> readBinaryPatch(std::span<const std::byte> patch, std::string_view name);

/// Applies a patch to a file; takes no memory of its own. Errors: those of readBinaryPatch and
/// `room`;
/// "binary_patch.source" (BPS: this is not the file that the patch is for; IPS: a record begins
/// behind the end of the file), "binary_patch.range" (a step leaves the file or what there is of
/// the new one, or makes more than the patch says), "binary_patch.record" (an empty run; bytes
/// behind the end), "binary_patch.limit", "binary_patch.target" (the result is not what the patch
/// says), "task.cancelled". Progress in bytes of the new file.
Result<PatchedFile> applyBinaryPatch(std::span<const std::byte> file,
                                     std::span<const std::byte> patch, std::string_view name,
                                     const PatchRoom &room, Progress *progress = nullptr);

} // namespace kernscope::patch
