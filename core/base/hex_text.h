// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace kernscope {

/// "0x02b080": at least `digits` lower-case digits.
std::string hexText(std::uint64_t number, int digits = 1);
/// Two lower-case digits a byte, with `between` between them.
std::string hexBytesText(std::span<const std::byte> bytes, std::string_view between = " ");

} // namespace kernscope
