// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/assess.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

namespace kernscope::roofline {

namespace {

using Bound = ProgramTime::Bound;

/// A layer in the runs of one entry.
struct Part {
    const LayerTime *layer = nullptr;
    const Run *run = nullptr;
};
using Parts = std::vector<Part>;

ProgramTime sumOf(const Parts &parts, const Roofs &roofs)
{
    ProgramTime program;
    program.dispatchFloorS = roofs.dispatchFloorS;
    program.dispatchSource = roofs.dispatchSource;
    for (const auto &[layer, run] : parts) {
        ++program.layers;
        program.uncounted += run->times ? 0U : 1U;
        if (!layer->timeS || !run->times)
            continue;
        program.knownS += static_cast<double>(*run->times) * *layer->timeS;
        ++program.timed;
    }
    if (program.timed == program.layers && program.layers > 0)
        program.engineTimeS = program.knownS;
    return program;
}

std::string uncountedNote(const ProgramTime &program)
{
    return fmt::format("How often a run comes to {} of {} layers is not known: the body of a loop "
                       "or of a branch, or a function that is called from one or from itself. So "
                       "the time of all layers is not known, either.",
                       program.uncounted, program.layers);
}

ProgramTime oneDispatch(const Parts &parts, const Roofs &roofs, const std::string &entry)
{
    ProgramTime program = sumOf(parts, roofs);
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
    std::map<std::pair<std::string, std::string>, std::size_t> numbers; ///< of model and entry
    std::vector<std::pair<std::string, Parts>> entries;                 ///< in order
    std::set<std::string> models;
    Parts all;
    for (const LayerTime &each : layers) {
        models.insert(each.layer->model);
        for (const Run &run : each.layer->runs) {
            const auto number =
                numbers.emplace(std::pair(each.layer->model, run.entry), entries.size());
            if (number.second)
                entries.emplace_back(run.entry, Parts());
            entries[number.first->second].second.push_back({&each, &run});
            all.push_back({&each, &run});
        }
    }
    if (entries.size() < 2)
        return oneDispatch(all, roofs, entries.empty() ? std::string() : entries[0].first);
    ProgramTime whole = sumOf(all, roofs);
    for (const auto &[entry, parts] : entries)
        whole.dispatches.push_back(oneDispatch(parts, roofs, entry));
    whole.alternatives = models.size() < entries.size();
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
