// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error_builder.h"
#include "core/base/progress.h"

#include <cstddef>
#include <functional>
#include <span>

namespace kernscope::patch {

/// Formats of patches of single files that other programs write and apply.
enum class BinaryFormat : std::uint8_t { Ips, Bps };
/// "ips", "bps".
std::string_view binaryFormatName(BinaryFormat format);

namespace ips {
inline constexpr std::string_view kMagic = "PATCH", kEnd = "EOF";
/// Offsets have 24 bits, lengths 16.
inline constexpr std::uint64_t kMostOffset = 0xFFFFFF, kMostLength = 0xFFFF;
/// An offset that reads as kEnd.
inline constexpr std::uint64_t kEndOffset = 0x454F46;
} // namespace ips

namespace bps {
inline constexpr std::string_view kMagic = "BPS1";
/// CRC-32 of the file, of the new file and of the patch up to there, lowest byte first.
inline constexpr std::size_t kChecksums = 3 * 4;
/// What a step does: the low bits of its number; the rest is its length less one.
enum Step : std::uint64_t { SourceRead = 0, TargetRead = 1, SourceCopy = 2, TargetCopy = 3 };
inline constexpr unsigned kStepBits = 2;
} // namespace bps

/// CRC-32 as zlib and BPS have it. Cancelled, it is that of the beginning.
std::uint32_t checksumOf(std::span<const std::byte> bytes, const Progress *progress = nullptr);

/// A checksum reads a file whole, the holes of a sparse one too: patches and files of more bytes
/// than this are refused ("binary_patch.limit").
inline constexpr std::uint64_t kMostPatch = std::uint64_t(2) << 30, kMostPatched = std::uint64_t(64)
                                                                                   << 30;

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
/// "binary_patch.checksum" (the patch is damaged), "binary_patch.limit", "task.cancelled".
Result<BinaryPatchHead> readBinaryPatch(std::span<const std::byte> patch, std::string_view name,
                                        const Progress *progress = nullptr);

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

/// Reads a binary patch from its start on. Every error names the place in the patch.
class PatchCursor
{
public:
    PatchCursor(std::span<const std::byte> bytes, std::string_view name)
        : m_bytes(bytes), m_name(name)
    {
    }

    std::uint64_t at() const { return m_at; }
    std::uint64_t left() const { return m_bytes.size() - m_at; }
    const std::string &name() const { return m_name; }

    /// Error "binary_patch.cut".
    Result<std::span<const std::byte>> take(std::uint64_t count, std::string_view what);
    /// A number of that width, the highest byte first. Error "binary_patch.cut".
    Result<std::uint64_t> big(std::uint64_t bytes, std::string_view what);
    /// A number of BPS. Errors: "binary_patch.cut", "binary_patch.number" (beyond 64 bits).
    Result<std::uint64_t> number(std::string_view what);
    /// Whether these bytes come next; goes past them.
    bool magic(std::string_view text);

    /// An error at a place in the patch.
    ErrorBuilder error(std::string_view code, std::uint64_t at) const;

private:
    std::span<const std::byte> m_bytes;
    std::string m_name;
    std::uint64_t m_at = 0;
};

Result<PatchedFile> applyIps(std::span<const std::byte> file, PatchCursor &patch,
                             const PatchRoom &room, Progress *progress);

/// The head of a BPS patch; the cursor then stands at the first step.
Result<BinaryPatchHead> readBpsHead(std::span<const std::byte> patch, PatchCursor &cursor,
                                    const Progress *progress);
Result<PatchedFile> applyBps(std::span<const std::byte> file, const BinaryPatchHead &head,
                             PatchCursor &patch, const PatchRoom &room, Progress *progress);

} // namespace kernscope::patch
