// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Private to hardware containers: what the codes of their tables are called.
namespace kernscope::hwx {

/// A row of resources/tables/hwx_codes.csv.
struct HwxCode {
    std::string kind; ///< "command", "section", "section flag", "segment flag", "symbol"
    std::uint32_t code = 0;
    std::string name;
};

/// The name of a code; empty where it is not known.
std::string_view codeName(std::string_view kind, std::uint32_t code);
/// The names of the bits that are set, as far as they have one.
std::vector<std::string_view> bitNames(std::string_view kind, std::uint32_t bits);

} // namespace kernscope::hwx
