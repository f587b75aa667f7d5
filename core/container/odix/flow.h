// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/odix/odix.h"

#include <functional>
#include <set>

namespace kernscope::odix {

/// What each register may hold: numbers whose meaning the caller gives, several where paths meet.
class Holdings
{
public:
    void clear(std::uint32_t reg) { m_all.erase(first(reg), m_all.upper_bound({reg, UINT32_MAX})); }
    void put(std::uint32_t reg, std::uint32_t what)
    {
        clear(reg);
        m_all.emplace(reg, what);
    }
    void move(std::uint32_t from, std::uint32_t to);
    std::vector<std::uint32_t> of(std::uint32_t reg) const;
    std::size_t size() const { return m_all.size(); }
    /// Adds what another path brings; true where that is more.
    bool merge(const Holdings &other);

private:
    using Pair = std::pair<std::uint32_t, std::uint32_t>; ///< register, number
    std::set<Pair>::const_iterator first(std::uint32_t reg) const
    {
        return m_all.lower_bound({reg, 0});
    }

    std::set<Pair> m_all;
};

/// Follows every path of a function: step(holdings, index) turns what is held before an instruction
/// into what is held after it, and is called again where a jump back brings more; the last call of
/// an instruction has all that can be held there. Instructions that nothing reaches are left out.
/// Returns what is held at the end. Bounded: of functions with more than millions of registers at
/// their jumps some paths are left out.
Holdings followFlow(const Function &function, Holdings start,
                    const std::function<void(Holdings &, std::uint32_t)> &step);

} // namespace kernscope::odix
