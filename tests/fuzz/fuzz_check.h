// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

/// What fuzz targets share: input as the readers take it, and promises that they must keep.
namespace fuzz {

inline std::span<const std::byte> bytesOf(const std::uint8_t *data, std::size_t size)
{
    return std::as_bytes(std::span(data, size));
}

/// A promise of the reader; the fuzzer stops where it is broken.
inline void require(bool promise)
{
    if (!promise)
        std::abort();
}

} // namespace fuzz
