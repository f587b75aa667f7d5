// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <compare>
#include <cstdint>
#include <optional>

namespace kernscope {

/// A 64-bit count or position whose unit is part of its type, so that a byte count cannot be
/// passed where an element count is meant. Arithmetic is only by the checked functions below.
template <class Tag>
struct Quantity {
    std::uint64_t value = 0;

    constexpr Quantity() = default;
    constexpr explicit Quantity(std::uint64_t v) : value(v) {}
    friend constexpr auto operator<=>(Quantity, Quantity) = default;
};

using FileOffset = Quantity<struct FileOffsetTag>;     ///< bytes from the start of a file
using ByteCount = Quantity<struct ByteCountTag>;       ///< a size in bytes
using ElementCount = Quantity<struct ElementCountTag>; ///< elements of a tensor

/// Sum, or nothing where it would wrap around 2^64.
constexpr std::optional<std::uint64_t> checkedAdd(std::uint64_t a, std::uint64_t b)
{
    const std::uint64_t sum = a + b;
    return sum < a ? std::nullopt : std::optional(sum);
}

/// Product, or nothing where it would wrap around 2^64.
constexpr std::optional<std::uint64_t> checkedMultiply(std::uint64_t a, std::uint64_t b)
{
    if (a != 0 && b > UINT64_MAX / a)
        return std::nullopt;
    return a * b;
}

/// Smallest multiple of `step` (a power of two or any positive number) that is not below `a`.
constexpr std::optional<std::uint64_t> checkedRoundUp(std::uint64_t a, std::uint64_t step)
{
    const std::uint64_t rest = a % step;
    return rest == 0 ? std::optional(a) : checkedAdd(a, step - rest);
}

/// A run of bytes of one file.
struct ByteRange {
    FileOffset offset;
    ByteCount bytes;
    friend constexpr auto operator<=>(const ByteRange &, const ByteRange &) = default;

    /// One past the last byte; ranges are only made where this does not wrap.
    constexpr std::uint64_t end() const { return offset.value + bytes.value; }
    constexpr bool contains(FileOffset o) const
    {
        return o >= offset && o.value - offset.value < bytes.value;
    }
};

/// True where `range` lies inside a file of `size` bytes; never overflows.
constexpr bool fitsInside(ByteRange range, ByteCount size)
{
    return range.offset.value <= size.value && range.bytes.value <= size.value - range.offset.value;
}

/// Bytes of the program file that write something; length 0 where that is not known.
struct SourceSpan {
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
};

} // namespace kernscope
