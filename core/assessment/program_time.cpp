// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/assess.h"

#include <algorithm>

namespace kernscope::roofline {

namespace {

using Bound = ProgramTime::Bound;

/// Adds the times of the layers that are entered through `entry`; of all where it is null.
ProgramTime sumOf(std::span<const Placement> placements, const Roofs &roofs,
                  const std::string *entry)
{
    ProgramTime program;
    program.dispatchFloorS = roofs.dispatchFloorS;
    program.dispatchSource = roofs.dispatchSource;
    for (const Placement &placement : placements) {
        if (entry && placement.layer.entry != *entry)
            continue;
        ++program.layers;
        if (!placement.stored().timeS)
            continue;
        program.knownS += *placement.stored().timeS;
        ++program.timed;
    }
    if (program.timed == program.layers && program.layers > 0)
        program.engineTimeS = program.knownS;
    return program;
}

ProgramTime oneDispatch(std::span<const Placement> placements, const Roofs &roofs,
                        const std::string &entry)
{
    ProgramTime program = sumOf(placements, roofs, &entry);
    program.function = entry;
    if (!roofs.dispatchFloorS)
        return program;
    // Layers of unknown time can only add to a sum that is past the floor already.
    if (program.timed > 0 && program.knownS >= *roofs.dispatchFloorS)
        program.bound = Bound::Engine;
    else if (program.engineTimeS)
        program.bound = Bound::Dispatch;
    if (program.engineTimeS)
        program.timeS = std::max(*program.engineTimeS, *roofs.dispatchFloorS);
    if (program.timeS && roofs.target != nullptr)
        program.energy = programEnergy(*roofs.target, *program.engineTimeS, *program.timeS);
    return program;
}

/// Of several bounds the one that they share; of a pipeline the engine where one of them is.
Bound sharedBound(const std::vector<ProgramTime> &dispatches, bool alternatives)
{
    const auto are = [&dispatches](Bound bound) {
        return std::count_if(dispatches.begin(), dispatches.end(),
                             [bound](const ProgramTime &each) { return each.bound == bound; });
    };
    for (const Bound bound : {Bound::Engine, Bound::Dispatch}) {
        if (static_cast<std::size_t>(are(bound)) == dispatches.size())
            return bound;
    }
    return !alternatives && are(Bound::Engine) > 0 ? Bound::Engine : Bound::Unknown;
}

/// One after the other: floors and times add up.
void addUp(ProgramTime &whole, const Roofs &roofs)
{
    whole.dispatchFloorS.reset();
    if (roofs.dispatchFloorS)
        whole.dispatchFloorS = *roofs.dispatchFloorS * static_cast<double>(whole.dispatches.size());
    whole.timeS = 0.0;
    for (const ProgramTime &each : whole.dispatches)
        whole.timeS =
            whole.timeS && each.timeS ? std::optional(*whole.timeS + *each.timeS) : std::nullopt;
    if (whole.timeS && whole.engineTimeS && roofs.target != nullptr)
        whole.energy = programEnergy(*roofs.target, *whole.engineTimeS, *whole.timeS);
}

} // namespace

ProgramTime programTime(std::span<const Placement> placements, const Roofs &roofs)
{
    std::vector<std::pair<std::string, std::string>> entries; ///< entry and its model, in order
    for (const Placement &placement : placements) {
        const auto entry = std::pair(placement.layer.entry, placement.layer.model);
        if (std::find(entries.begin(), entries.end(), entry) == entries.end())
            entries.push_back(entry);
    }
    if (entries.size() < 2)
        return oneDispatch(placements, roofs, entries.empty() ? std::string() : entries[0].first);
    ProgramTime whole = sumOf(placements, roofs, nullptr);
    for (std::size_t i = 0; i < entries.size(); ++i) {
        whole.dispatches.push_back(oneDispatch(placements, roofs, entries[i].first));
        for (std::size_t before = 0; before < i; ++before)
            whole.alternatives |= entries[before].second == entries[i].second;
    }
    whole.bound = sharedBound(whole.dispatches, whole.alternatives);
    if (whole.alternatives)
        whole.engineTimeS.reset();
    else
        addUp(whole, roofs);
    return whole;
}

const ProgramTime &dispatchOf(const ProgramTime &program, const Layer &layer)
{
    const auto found =
        std::find_if(program.dispatches.begin(), program.dispatches.end(),
                     [&layer](const ProgramTime &each) { return each.function == layer.entry; });
    return found == program.dispatches.end() ? program : *found;
}

} // namespace kernscope::roofline
