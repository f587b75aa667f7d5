// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"

#include <cstddef>
#include <span>

/// A container to copy (core/README.md, "A container"; its page is page.md beside this file). A
/// header of six bytes, then fp16 numbers: two of them make ten bytes. Nothing writes such files.
namespace kernscope::skeleton {

inline constexpr std::uint64_t kHeaderBytes = 6;

/// What a file says; its payload stays where it is.
struct Tables {
    std::uint16_t numbers = 0;
    ByteRange payload; ///< of the numbers
};

/// True where the first bytes are those of this format.
bool isSkeleton(std::span<const std::byte> bytes);

/// Errors: "skeleton.header" (no such file), "skeleton.size" (its length is not what the header
/// says).
Result<Tables> readSkeleton(std::span<const std::byte> bytes, const std::string &file);

/// Writes the header from the tables, the payload from `source`: reading and writing gives the same
/// bytes. Errors: "skeleton.write" where `source` does not hold the payload.
Result<std::vector<std::byte>> writeSkeleton(const Tables &tables,
                                             std::span<const std::byte> source);

} // namespace kernscope::skeleton
