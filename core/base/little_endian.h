// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

namespace kernscope {

/// The little-endian number at `at`; the caller has checked that it lies in `bytes`.
template <std::unsigned_integral T>
constexpr T loadLittle(std::span<const std::byte> bytes, std::uint64_t at)
{
    std::uint64_t value = 0;
    for (std::size_t i = sizeof(T); i-- > 0;)
        value =
            value << 8 | std::to_integer<std::uint64_t>(bytes[static_cast<std::size_t>(at) + i]);
    return static_cast<T>(value);
}

/// Writes `value` at `at`; the caller has checked that it fits `bytes`.
template <std::unsigned_integral T>
constexpr void storeLittle(std::span<std::byte> bytes, std::uint64_t at, T value)
{
    for (std::size_t i = 0; i < sizeof(T); ++i)
        bytes[static_cast<std::size_t>(at) + i] =
            static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8 * i) & 0xFF);
}

} // namespace kernscope
