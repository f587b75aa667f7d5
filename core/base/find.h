// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <functional>
#include <ranges>

namespace kernscope {

/// The first of `list` whose member (or what its function without arguments gives) equals `value`;
/// null where there is none.
template <std::ranges::borrowed_range List, class Member, class Value>
auto findBy(List &&list, Member member, const Value &value) -> decltype(&*list.begin())
{
    const auto found = std::find_if(list.begin(), list.end(), [&](const auto &each) {
        return std::invoke(member, each) == value;
    });
    return found == list.end() ? nullptr : &*found;
}

} // namespace kernscope
