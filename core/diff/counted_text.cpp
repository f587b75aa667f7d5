// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diff/counted_text.h"

#include "core/diff/byte_tally.h"

namespace kernscope {

std::string diff::grouped(std::uint64_t number)
{
    std::string text = std::to_string(number);
    for (std::size_t at = text.size(); at > 3; at -= 3)
        text.insert(at - 3, ",");
    return text;
}

std::string diff::counted(std::uint64_t number, std::string_view one)
{
    return grouped(number) + " " + std::string(one) + (number == 1 ? "" : "s");
}

std::string tallyText(const ByteTally &tally)
{
    std::string text;
    const auto add = [&text](std::uint64_t count, const char *what) {
        if (count == 0)
            return;
        text += text.empty() ? diff::counted(count, "byte") : ", " + diff::grouped(count);
        text += what;
    };
    add(tally.changed, " changed");
    add(tally.onlyA, " only in A");
    add(tally.onlyB, " only in B");
    return text.empty() ? "no byte differs" : text;
}

} // namespace kernscope
