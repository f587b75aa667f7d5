// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kernscope {

/// "12,345".
std::string grouped(std::uint64_t number);
/// "1 byte", "12,345 bytes": for nouns whose plural is an "s" more.
std::string counted(std::uint64_t number, std::string_view one);

} // namespace kernscope
