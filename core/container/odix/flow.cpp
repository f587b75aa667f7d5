// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/odix/flow.h"

#include <algorithm>
#include <map>

namespace kernscope::odix {

namespace {

/// Of instructions that are followed, and numbers that are taken from one path to another.
constexpr std::uint64_t kMostSteps = 2'000'000;

} // namespace

void Holdings::move(std::uint32_t from, std::uint32_t to)
{
    const auto all = of(from);
    clear(to);
    for (const std::uint32_t each : all)
        m_all.emplace(to, each);
}

std::vector<std::uint32_t> Holdings::of(std::uint32_t reg) const
{
    std::vector<std::uint32_t> all;
    for (auto at = first(reg); at != m_all.end() && at->first == reg; ++at)
        all.push_back(at->second);
    return all;
}

bool Holdings::merge(const Holdings &other)
{
    const std::size_t before = m_all.size();
    m_all.insert(other.m_all.begin(), other.m_all.end());
    return m_all.size() > before;
}

Holdings followFlow(const Function &function, Holdings start,
                    const std::function<void(Holdings &, std::uint32_t)> &step)
{
    std::map<std::uint32_t, Holdings> brought; // by jumps, to their targets
    std::uint64_t steps = 0;
    for (;;) {
        bool again = false, reached = true;
        Holdings held = start;
        for (std::uint32_t i = 0; i < function.code.size(); ++i) {
            if (const auto found = brought.find(i); found != brought.end()) {
                if (reached)
                    held.merge(found->second);
                else
                    held = found->second;
                reached = true;
                steps += found->second.size();
            }
            if (!reached)
                continue;
            step(held, i);
            const Instruction &each = function.code[i];
            const bool jump = each.is(Opcode::Jump);
            if (jump || each.is(Opcode::Branch)) {
                steps += held.size();
                const auto target = static_cast<std::uint32_t>(each.value);
                if (steps < kMostSteps) {
                    const auto [at, isNew] = brought.try_emplace(target);
                    again |= (at->second.merge(held) || isNew) && target <= i;
                }
                reached = !jump;
            }
        }
        steps += function.code.size();
        if (!again || steps >= kMostSteps)
            return reached ? held : Holdings();
    }
}

} // namespace kernscope::odix
