// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

/// What writing and applying of binary patches have in common
/// (resources/formats/binary-patches.md).
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

/// CRC-32 as zlib and BPS have it.
std::uint32_t checksumOf(std::span<const std::byte> bytes);

} // namespace kernscope::patch
