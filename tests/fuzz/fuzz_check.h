// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>

/// What fuzz targets share: input as the readers take it, and promises that they must keep.
namespace fuzz {

inline std::span<const std::byte> bytesOf(const std::uint8_t *data, std::size_t size)
{
    return std::as_bytes(std::span(data, size));
}

/// A promise of the reader; the fuzzer stops where it is broken, and says where that is.
inline void require(bool promise, const char *file = __builtin_FILE(), int line = __builtin_LINE())
{
    if (promise)
        return;
    std::fprintf(stderr, "%s:%d: a promise is broken\n", file, line);
    std::abort();
}

} // namespace fuzz
