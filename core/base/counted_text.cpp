// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/counted_text.h"

namespace kernscope {

std::string grouped(std::uint64_t number)
{
    std::string text = std::to_string(number);
    for (std::size_t at = text.size(); at > 3; at -= 3)
        text.insert(at - 3, ",");
    return text;
}

std::string counted(std::uint64_t number, std::string_view one)
{
    return grouped(number) + " " + std::string(one) + (number == 1 ? "" : "s");
}

} // namespace kernscope
