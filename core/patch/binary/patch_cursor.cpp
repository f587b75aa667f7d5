// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/binary/patch_cursor.h"

#include <fmt/format.h>

namespace kernscope::patch {

ErrorBuilder PatchCursor::error(std::string_view code, std::uint64_t at) const
{
    ErrorBuilder builder(code);
    builder.file(m_name).at(FileOffset(at));
    return builder;
}

Result<std::span<const std::byte>> PatchCursor::take(std::uint64_t count, std::string_view what)
{
    if (count > left())
        return error("binary_patch.cut", m_at)
            .field(std::string(what))
            .expected(fmt::format("{} bytes", count))
            .found(fmt::format("{} bytes", left()))
            .message("The patch ends too early")
            .unexpected();
    const auto taken = m_bytes.subspan(m_at, count);
    m_at += count;
    return taken;
}

Result<std::uint64_t> PatchCursor::big(std::uint64_t bytes, std::string_view what)
{
    const auto taken = take(bytes, what);
    if (!taken)
        return tl::unexpected(taken.error());
    std::uint64_t value = 0;
    for (const std::byte byte : *taken)
        value = value << 8 | std::to_integer<std::uint64_t>(byte);
    return value;
}

Result<std::uint64_t> PatchCursor::number(std::string_view what)
{
    const std::uint64_t first = m_at;
    std::uint64_t value = 0, unit = 1;
    const auto tooLarge = [&] {
        return error("binary_patch.number", first)
            .field(std::string(what))
            .expected("a number of 64 bits")
            .message("A number of the patch is too large")
            .unexpected();
    };
    while (true) {
        const auto taken = take(1, what);
        if (!taken)
            return tl::unexpected(taken.error());
        const auto byte = std::to_integer<std::uint64_t>(taken->front());
        std::uint64_t digit = 0;
        if (__builtin_mul_overflow(byte & 0x7F, unit, &digit) ||
            __builtin_add_overflow(value, digit, &value))
            return tooLarge();
        if ((byte & 0x80) != 0)
            return value;
        if (unit >> (64 - 7) != 0 || __builtin_add_overflow(value, unit << 7, &value))
            return tooLarge();
        unit <<= 7;
    }
}

bool PatchCursor::magic(std::string_view text)
{
    if (left() < text.size())
        return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (m_bytes[m_at + i] != static_cast<std::byte>(text[i]))
            return false;
    }
    m_at += text.size();
    return true;
}

} // namespace kernscope::patch
