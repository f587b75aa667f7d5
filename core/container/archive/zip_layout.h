// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

/// What the reader and the writer of zip archives share (APPNOTE.TXT of PKWARE, 4.3 and 4.5).
namespace kernscope::archive {

inline constexpr std::uint32_t kLocal = 0x04034b50, kEntry = 0x02014b50, kEnd = 0x06054b50,
                               kEnd64 = 0x06064b50, kLocator64 = 0x07064b50,
                               kDescriptor = 0x08074b50;
inline constexpr std::size_t kEndBytes = 22, kEntryBytes = 46, kLocalBytes = 30, kLocatorBytes = 20,
                             kEnd64Bytes = 56;
inline constexpr unsigned kExtra64 = 1; ///< tag of the numbers that 32 bits do not hold

/// CRC-32 of the bytes after those whose checksum is `before`.
std::uint32_t crcOf(std::span<const std::byte> bytes, std::uint32_t before = 0);

} // namespace kernscope::archive
