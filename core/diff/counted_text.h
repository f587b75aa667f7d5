// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kernscope::diff {

/// "12,345".
std::string grouped(std::uint64_t number);
/// "1 byte", "12,345 bytes".
std::string counted(std::uint64_t number, std::string_view one);

} // namespace kernscope::diff
