// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diff/byte_tally.h"

#include "core/base/counted_text.h"

namespace kernscope {

std::string tallyText(const ByteTally &tally)
{
    std::string text;
    const auto add = [&text](std::uint64_t count, const char *what) {
        if (count == 0)
            return;
        text += text.empty() ? counted(count, "byte") : ", " + grouped(count);
        text += what;
    };
    add(tally.changed, " changed");
    add(tally.onlyA, " only in A");
    add(tally.onlyB, " only in B");
    return text.empty() ? "no byte differs" : text;
}

} // namespace kernscope
