// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/assess.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::roofline {

namespace {

using Bound = ProgramTime::Bound;

/// Adds the times of the layers that are entered through `entry`; of all where it is null. A layer
/// that several functions reach counts for each.
ProgramTime sumOf(std::span<const LayerTime> layers, const Roofs &roofs, const std::string *entry)
{
    ProgramTime program;
    program.dispatchFloorS = roofs.dispatchFloorS;
    program.dispatchSource = roofs.dispatchSource;
    for (const LayerTime &each : layers) {
        for (const Run &run : each.layer->runs) {
            if (entry && run.entry != *entry)
                continue;
            ++program.layers;
            program.uncounted += run.times ? 0U : 1U;
            if (!each.timeS || !run.times)
                continue;
            program.knownS += static_cast<double>(*run.times) * *each.timeS;
            ++program.timed;
        }
    }
    if (program.timed == program.layers && program.layers > 0)
        program.engineTimeS = program.knownS;
    return program;
}

std::string uncountedNote(const ProgramTime &program)
{
    return fmt::format("How often a run comes to {} of {} layers is not known: the body of a loop "
                       "or of a branch. So the time of all layers is not known, either.",
                       program.uncounted, program.layers);
}

ProgramTime oneDispatch(std::span<const LayerTime> layers, const Roofs &roofs,
                        const std::string &entry)
{
    ProgramTime program = sumOf(layers, roofs, &entry);
    program.function = entry;
    if (program.uncounted > 0)
        program.notes.push_back(uncountedNote(program));
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

std::optional<double> Layer::ofRuns(const std::optional<double> &once) const
{
    std::optional<double> sum = 0.0;
    for (const Run &run : runs)
        sum = sum && once && run.times
                  ? std::optional(*sum + static_cast<double>(*run.times) * *once)
                  : std::nullopt;
    return sum;
}

ProgramTime programTime(std::span<const LayerTime> layers, const Roofs &roofs)
{
    std::vector<std::pair<std::string, std::string>> entries; ///< entry and its model, in order
    for (const LayerTime &each : layers) {
        for (const Run &run : each.layer->runs) {
            const auto entry = std::pair(run.entry, each.layer->model);
            if (std::find(entries.begin(), entries.end(), entry) == entries.end())
                entries.push_back(entry);
        }
    }
    if (entries.size() < 2)
        return oneDispatch(layers, roofs, entries.empty() ? std::string() : entries[0].first);
    ProgramTime whole = sumOf(layers, roofs, nullptr);
    for (std::size_t i = 0; i < entries.size(); ++i) {
        whole.dispatches.push_back(oneDispatch(layers, roofs, entries[i].first));
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

ProgramTime programTime(std::span<const Placement> placements, const Roofs &roofs)
{
    std::vector<LayerTime> layers;
    layers.reserve(placements.size());
    for (const Placement &placement : placements)
        layers.push_back({&placement.layer, placement.stored().timeS});
    return programTime(layers, roofs);
}

std::vector<std::string> programNotes(const ProgramTime &program)
{
    std::vector<std::string> notes = program.notes;
    for (const ProgramTime &each : program.dispatches) {
        for (const std::string &note : programNotes(each)) {
            std::string named = each.function.empty() ? note : each.function + ": " + note;
            notes.push_back(std::move(named));
        }
    }
    return notes;
}

const ProgramTime &dispatchOf(const ProgramTime &program, const Run &run)
{
    const auto found =
        std::find_if(program.dispatches.begin(), program.dispatches.end(),
                     [&run](const ProgramTime &each) { return each.function == run.entry; });
    return found == program.dispatches.end() ? program : *found;
}

} // namespace kernscope::roofline
