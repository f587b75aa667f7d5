// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/hex_text.h"

#include <fmt/format.h>

namespace kernscope {

std::string hexText(std::uint64_t number, int digits)
{
    return fmt::format("0x{:0{}x}", number, digits);
}

std::string hexBytesText(std::span<const std::byte> bytes, std::string_view between)
{
    std::string text;
    for (const std::byte byte : bytes)
        text +=
            fmt::format("{}{:02x}", text.empty() ? "" : between, std::to_integer<unsigned>(byte));
    return text;
}

} // namespace kernscope
