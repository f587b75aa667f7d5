// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/mlir/cursor.h"

#include "core/base/byte_text.h"
#include "core/base/error_builder.h"
#include "core/base/little_endian.h"

#include <algorithm>
#include <bit>

namespace kernscope::mlir {

namespace {

constexpr std::uint64_t kMostAlignment = std::uint64_t{1} << 20; // section 9 of mlir-bytecode.md

} // namespace

bool FaultState::fail(std::string_view code, std::uint64_t offset, std::string_view field,
                      std::string expected, std::string found, std::string message)
{
    if (!error)
        error = valueError({std::string(file), FileOffset(offset)}, code, std::string(field),
                           expected, found, message);
    return false;
}

bool Cursor::fail(std::uint64_t at, std::string_view field, std::string expected, std::string found,
                  std::string message)
{
    if (!m_section.empty())
        message = std::string(m_section) + ": " + message;
    return m_faults->fail(m_code, at, field, std::move(expected), std::move(found),
                          std::move(message));
}

std::uint64_t Cursor::varint(std::string_view field)
{
    const std::uint64_t begin = m_at;
    if (!more()) {
        fail(begin, field, "a number", "the end of what holds it", "It ends too early");
        return 0;
    }
    const auto first = std::to_integer<unsigned>(m_bytes[static_cast<std::size_t>(m_at)]);
    const unsigned further = first == 0 ? 8u : static_cast<unsigned>(std::countr_zero(first));
    if (further >= left()) {
        fail(begin, field, std::to_string(further + 1) + " bytes", std::to_string(left()),
             "A number ends too late");
        return 0;
    }
    std::uint64_t value = 0;
    for (unsigned i = further; i > 0; --i)
        value = value << 8 |
                std::to_integer<std::uint64_t>(m_bytes[static_cast<std::size_t>(m_at) + i]);
    m_at += further + 1;
    // The first byte holds the lowest 7 - further bits above its marker.
    if (further < 7)
        value = value << (7 - further) | first >> (further + 1);
    return value;
}

std::uint64_t Cursor::signedVarint(std::string_view field)
{
    const std::uint64_t value = varint(field);
    return value >> 1 ^ (~(value & 1) + 1);
}

std::uint8_t Cursor::byte(std::string_view field)
{
    if (!more()) {
        fail(m_at, field, "a byte", "the end of what holds it", "It ends too early");
        return 0;
    }
    return std::to_integer<std::uint8_t>(m_bytes[static_cast<std::size_t>(m_at++)]);
}

std::uint32_t Cursor::checkIndex(std::string_view field, std::uint64_t value, std::uint64_t limit,
                                 std::uint64_t at)
{
    if (value < std::min<std::uint64_t>(limit, UINT32_MAX))
        return static_cast<std::uint32_t>(value);
    fail(at, field, "below " + std::to_string(limit), std::to_string(value),
         "An index is out of range");
    return 0;
}

std::uint32_t Cursor::index(std::string_view field, std::uint64_t limit)
{
    const std::uint64_t at = m_at;
    const std::uint64_t value = varint(field);
    return ok() ? checkIndex(field, value, limit, at) : 0;
}

bool Cursor::checkCount(std::string_view field, std::uint64_t count, std::uint64_t least,
                        std::uint64_t at)
{
    if (!ok() || (count <= left() / least && count < UINT32_MAX))
        return ok();
    return fail(at, field, "at most " + std::to_string(left() / least), std::to_string(count),
                "More are announced than can lie in the " + std::to_string(left()) +
                    " bytes that remain");
}

std::uint64_t Cursor::count(std::string_view field, std::uint64_t least)
{
    const std::uint64_t at = m_at;
    const std::uint64_t value = varint(field);
    return checkCount(field, value, least, at) ? value : 0;
}

ByteRange Cursor::take(std::string_view field, std::uint64_t bytes)
{
    const std::uint64_t begin = m_at;
    if (bytes > left()) {
        if (ok())
            fail(begin, field, "at most " + std::to_string(left()) + " bytes",
                 std::to_string(bytes), "It is longer than what holds it");
        return {FileOffset(begin), ByteCount(0)};
    }
    m_at += bytes;
    return {FileOffset(begin), ByteCount(bytes)};
}

std::uint64_t Cursor::alignment(std::string_view field)
{
    const std::uint64_t at = m_at;
    const std::uint64_t value = varint(field);
    if (ok() && (!std::has_single_bit(value) || value > kMostAlignment))
        fail(at, field, "a power of two of at most 1 MiB", std::to_string(value),
             "No alignment of a file");
    return ok() ? value : 1;
}

void Cursor::align(std::string_view field, std::uint64_t alignment)
{
    // An end that is aligned lies in the file or beyond; a power of two does not wrap here.
    take(field, (alignment - m_at % alignment) % alignment);
}

std::string_view Cursor::text(std::string_view field)
{
    const auto all = textInBytes(m_bytes.subspan(m_at, static_cast<std::size_t>(left())));
    const std::size_t nul = all.find('\0');
    if (nul == std::string_view::npos) {
        fail(m_at, field, "a NUL", "none", "A text does not end");
        return {};
    }
    m_at += nul + 1;
    return all.substr(0, nul);
}

bool Cursor::finish(std::string_view field)
{
    if (!more())
        return ok();
    return fail(m_at, field, "its end", std::to_string(left()) + " further bytes",
                "Bytes follow that belong to nothing");
}

unsigned varintBytes(std::uint64_t value)
{
    const auto bits = static_cast<unsigned>(std::bit_width(value | 1));
    return bits > 56 ? 9 : (bits + 6) / 7;
}

} // namespace kernscope::mlir
