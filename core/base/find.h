// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <ranges>
#include <type_traits>
#include <vector>

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

/// What `make` gives for each of `list`, in that order.
template <std::ranges::input_range List, class Make>
auto mapped(const List &list, Make make)
{
    std::vector<std::remove_cvref_t<std::invoke_result_t<Make &, decltype(*list.begin())>>> all;
    for (const auto &each : list)
        all.push_back(std::invoke(make, each));
    return all;
}

/// The same for the numbers below `count`.
template <class Make>
auto mapped(std::size_t count, Make make)
{
    std::vector<std::remove_cvref_t<std::invoke_result_t<Make &, std::size_t>>> all;
    for (std::size_t i = 0; i < count; ++i)
        all.push_back(std::invoke(make, i));
    return all;
}

} // namespace kernscope
