// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

namespace kernscope::milblob {

/// The little-endian number at `at`; the caller has checked that it lies in `bytes`.
template <std::unsigned_integral T>
T loadLittleEndian(std::span<const std::byte> bytes, std::uint64_t at)
{
    T value = 0;
    for (std::size_t i = sizeof(T); i-- > 0;)
        value =
            static_cast<T>(value << 8 | static_cast<T>(bytes[static_cast<std::size_t>(at) + i]));
    return value;
}

/// Writes `value` at `at`; the caller has checked that it fits `bytes`.
template <std::unsigned_integral T>
void storeLittleEndian(std::span<std::byte> bytes, std::uint64_t at, T value)
{
    for (std::size_t i = 0; i < sizeof(T); ++i) {
        bytes[static_cast<std::size_t>(at) + i] = static_cast<std::byte>(value & 0xFF);
        value = static_cast<T>(static_cast<std::uint64_t>(value) >> 8);
    }
}

} // namespace kernscope::milblob
