// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/assess.h"
#include "core/base/error.h"
#include "core/base/find.h"
#include "core/base/hash.h"
#include "core/format/table_rows.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

namespace kernscope::roofline {

namespace {

struct Figures {
    std::vector<Ceiling> ceilings;
    std::vector<LayerRoof> roofs;  ///< in the table's order
    std::vector<LayerRoof> chosen; ///< each ceiling, as a user may choose it
};

Ceiling::Kind kindFromName(std::string_view name)
{
    return name == "compute"     ? Ceiling::Kind::Compute
           : name == "bandwidth" ? Ceiling::Kind::Bandwidth
                                 : Ceiling::Kind::Other;
}

Ceiling::Method methodFromName(std::string_view name)
{
    return name == "measured"  ? Ceiling::Method::Measured
           : name == "derived" ? Ceiling::Method::Derived
                               : Ceiling::Method::Marketed;
}

constexpr std::array<std::string_view, 3> kRoofKinds{"compute", "weights", "activations"};

void readKind(LayerRoof &row, std::string_view cell)
{
    const auto at = std::ranges::find(kRoofKinds, cell);
    row.kind = LayerRoof::Kind(at - kRoofKinds.begin());
}

Figures readFigures()
{
    Figures read;
    read.ceilings = tables::loadRows<Ceiling>(
        "roofline",
        {{"target", &Ceiling::target},
         {"chip", &Ceiling::chip},
         {"quantity", &Ceiling::name},
         {"kind", [](Ceiling &row, std::string_view cell) { row.kind = kindFromName(cell); }},
         {"method", [](Ceiling &row, std::string_view cell) { row.method = methodFromName(cell); }},
         {"value", &Ceiling::value},
         {"unit", &Ceiling::unit},
         {"source", &Ceiling::source},
         {"confidence", &Ceiling::confidence}});
    read.roofs = tables::loadRows<LayerRoof>(
        "layer_roofs",
        {{"target", [](LayerRoof &row, std::string_view cell) { row.ceiling.target = cell; }},
         {"kind", readKind},
         {"ceiling", [](LayerRoof &row, std::string_view cell) { row.ceiling.name = cell; }},
         {"form", &LayerRoof::form},
         {"conditions", &LayerRoof::conditions},
         {"source", &LayerRoof::source},
         {"confidence", &LayerRoof::confidence},
         {"note", &LayerRoof::note}});
    for (const Ceiling &ceiling : read.ceilings) {
        for (LayerRoof &row : read.roofs) {
            if (row.ceiling.target == ceiling.target && row.ceiling.name == ceiling.name)
                row.ceiling = ceiling;
        }
        LayerRoof &row = read.chosen.emplace_back();
        row.ceiling = ceiling;
        row.note = "chosen";
    }
    return read;
}

const Figures &figures()
{
    static const Figures read = readFigures();
    return read;
}

std::optional<Ceiling> named(const std::vector<Ceiling> &all, std::string_view name)
{
    for (const Ceiling &ceiling : all) {
        if (ceiling.name == name)
            return ceiling;
    }
    return std::nullopt;
}

/// The ceiling that a user named; null where none was.
Result<const LayerRoof *> chosenRoof(const Roofs &roofs, Ceiling::Kind kind,
                                     const std::string &wanted)
{
    if (wanted.empty())
        return nullptr;
    std::string published;
    for (const LayerRoof &row : figures().chosen) {
        const Ceiling &ceiling = row.ceiling;
        if (ceiling.target != roofs.target->name || ceiling.kind != kind || !ceiling.isRoof())
            continue;
        if (ceiling.name == wanted && ceiling.value > 0)
            return &row;
        published += (published.empty() ? "" : ", ") + ceiling.name;
    }
    return refused("roofline.ceiling", ceilingKindName(kind),
                   published.empty() ? "none is published" : published, wanted,
                   fmt::format("{} has no {} ceiling of that name.", roofs.target->name,
                               ceilingKindName(kind)));
}

/// That of every layer which no other row is about.
const LayerRoof *roofOfAll(const target::Target &target, LayerRoof::Kind kind)
{
    for (const LayerRoof &row : figures().roofs) {
        if (row.kind == kind && row.ceiling.target == target.name && row.isOfAll())
            return &row;
    }
    return nullptr;
}

/// What conditions of roofs and parameters are evaluated on.
decision::MeasuredSubject subjectOf(const Layer &layer, const decision::WeightForm &form,
                                    const Roofs &roofs, std::uint64_t batch)
{
    decision::MeasuredSubject subject;
    subject.op = layer.op;
    subject.operation = layer.operation ? &*layer.operation : nullptr;
    const double times = static_cast<double>(batch);
    const auto above = [&](const std::optional<std::uint64_t> &bytes, double factor) {
        return bytes && static_cast<double>(*bytes) * factor > *roofs.workingSetBytes;
    };
    // The weight as the array takes it, so that all its forms are held against one roof.
    if (roofs.workingSetBytes)
        subject.aboveWorkingSet = above(form.denseBytes, 1) || above(layer.inputBytes, times) ||
                                  above(layer.outputBytes, times);
    return subject;
}

void setRidge(Roofs &roofs, const LayerRoof *compute, const LayerRoof *bandwidth)
{
    if (compute == nullptr || bandwidth == nullptr)
        return;
    roofs.ridge = compute->ceiling.value / bandwidth->ceiling.value;
    roofs.ridgeConfidence = std::max(compute->confidence, bandwidth->confidence);
    roofs.ridgeSource = compute->ceiling.name + " / " + bandwidth->ceiling.name;
    const auto published = named(roofs.all, "ridge_flop_per_byte");
    if (published && std::abs(published->value - *roofs.ridge) > 0.5)
        roofs.ridgeSource += fmt::format("; published of another pair: {:g} FLOP/B ({})",
                                         published->value, published->source);
}

using Bound = ProgramTime::Bound;

/// A layer in the runs of one entry.
struct Part {
    const LayerTime *layer = nullptr;
    const LayerRun *run = nullptr;
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
        if (!layer->refusal.empty()) {
            ++program.refused;
            program.refusals.insert(layer->refusal);
        }
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
    return fmt::format(
        "The number of executions of {} of {} layers is not known: the body of a loop "
        "or of a branch, or a function that is called from one or from itself. So "
        "the time of all layers is not known, either.",
        program.uncounted, program.layers);
}

std::string refusedNote(const ProgramTime &program, const Roofs &roofs)
{
    std::string which;
    for (const std::string &refusal : program.refusals)
        which += (which.empty() ? "" : "; ") + refusal;
    return fmt::format("The compiler for {} refuses the weights of {} of {} layers ({}): the "
                       "program has no time on it.",
                       roofs.target != nullptr ? roofs.target->name : "the chip", program.refused,
                       program.layers, which);
}

/// Layers that the compiler gives another backend, one by one: no call says a launch.
std::string elsewhereNote(std::size_t elsewhere, std::size_t layers)
{
    return fmt::format("By the compiler's choice of a backend (SelectedBackend) {} of {} layers "
                       "run elsewhere than on the engine: they have no part in these times.",
                       elsewhere, layers);
}

/// Layers whose run comes more than once to the engine: what is known of their bytes.
std::string repeatedNote(std::size_t repeated, std::size_t layers)
{
    return fmt::format(
        "{} of {} layers run more than once, or it is not known how often. Bytes moved "
        "count a weight once for each layer; times count its bytes in each "
        "run. Whether a weight stays on the chip from one run to the next is not "
        "known.",
        repeated, layers);
}

/// How many launches of the engine, by what, and what has no part in the times.
std::string launchNote(const ProgramTime &program, std::size_t elsewhere)
{
    const std::string source =
        program.dispatchSource.empty() ? "which is not known here" : program.dispatchSource;
    std::string text = program.launches == std::uint64_t(1) ? "A run launches the engine once"
                       : program.launches
                           ? fmt::format("A run launches the engine {} times", *program.launches)
                           : "How often a run launches the engine is not known";
    text += fmt::format(": so the calls in the program say, which name the backend \"{}\". Each "
                        "launch has the floor of a dispatch ({}); Launch_ane_ms in a program is "
                        "the compiler's estimate, no measurement, and is not used. What runs on "
                        "another backend has no part in these times",
                        kEngineBackend, source);
    return text + (elsewhere > 0 ? fmt::format(": {} of the layers.", elsewhere) : ".");
}

/// Of that number of launches; what is not known of one is not known of all.
std::optional<double> ofLaunches(const std::optional<double> &one,
                                 const std::optional<std::uint64_t> &launches)
{
    return one && launches ? std::optional(*one * static_cast<double>(*launches)) : std::nullopt;
}

/// The launches of one function in one run; `launches`: how many.
ProgramTime launchesOf(const Parts &parts, const Roofs &roofs, const std::string &function,
                       const std::optional<std::uint64_t> &launches)
{
    ProgramTime program = sumOf(parts, roofs);
    program.function = function;
    program.launches = launches;
    program.dispatchFloorS = ofLaunches(roofs.dispatchFloorS, launches);
    program.callFixedS = ofLaunches(roofs.callFixedS, launches).value_or(0);
    if (program.refused > 0)
        program.notes.push_back(refusedNote(program, roofs));
    if (program.uncounted > 0)
        program.notes.push_back(uncountedNote(program));
    const auto repeated = std::ranges::count_if(
        parts, [](const Part &part) { return part.run->times != std::uint64_t(1); });
    if (repeated > 0)
        program.notes.push_back(repeatedNote(static_cast<std::size_t>(repeated), parts.size()));
    if (!program.dispatchFloorS || program.refused > 0)
        return program;
    const double known = program.knownS + program.callFixedS;
    // Layers of unknown time can only add to a sum that is past the floor already.
    if (program.timed > 0 && known >= *program.dispatchFloorS &&
        program.knownS >= program.callFixedS)
        program.bound = Bound::Engine;
    else if (program.engineTimeS)
        program.bound = Bound::Dispatch;
    if (program.engineTimeS)
        program.timeS = callTime(program.knownS, program.callFixedS, *program.dispatchFloorS);
    if (program.timeS && roofs.target != nullptr)
        program.energy = programEnergy(*roofs.target, *program.engineTimeS, *program.timeS);
    return program;
}

/// Of several bounds the one that they share; of a pipeline the engine where one of them is.
Bound sharedBound(const std::vector<ProgramTime> &dispatches, bool alternatives)
{
    const auto are = [&dispatches](Bound bound) {
        return std::ranges::count(dispatches, bound, &ProgramTime::bound);
    };
    for (const Bound bound : {Bound::Engine, Bound::Dispatch}) {
        if (!dispatches.empty() && static_cast<std::size_t>(are(bound)) == dispatches.size())
            return bound;
    }
    return !alternatives && are(Bound::Engine) > 0 ? Bound::Engine : Bound::Unknown;
}

/// One after the other: launches, floors and times add up.
void addUp(ProgramTime &whole, const Roofs &roofs)
{
    whole.launches = 0;
    whole.timeS = 0.0;
    for (const ProgramTime &each : whole.dispatches) {
        whole.launches = whole.launches && each.launches
                             ? checkedAdd(*whole.launches, *each.launches)
                             : std::nullopt;
        whole.timeS =
            whole.timeS && each.timeS ? std::optional(*whole.timeS + *each.timeS) : std::nullopt;
    }
    whole.dispatchFloorS = ofLaunches(roofs.dispatchFloorS, whole.launches);
    whole.callFixedS = ofLaunches(roofs.callFixedS, whole.launches).value_or(0);
    if (whole.timeS && whole.engineTimeS && roofs.target != nullptr)
        whole.energy = programEnergy(*roofs.target, *whole.engineTimeS, *whole.timeS);
}

/// Launches of functions without a layer: nothing is known of them but the floor.
ProgramTime bareLaunches(const Roofs &roofs, const std::optional<std::uint64_t> &launches)
{
    ProgramTime bare;
    bare.function = "(no layer)";
    bare.launches = launches;
    bare.dispatchFloorS = ofLaunches(roofs.dispatchFloorS, launches);
    bare.callFixedS = ofLaunches(roofs.callFixedS, launches).value_or(0);
    bare.dispatchSource = roofs.dispatchSource;
    bare.engineTimeS = 0.0;
    if (bare.dispatchFloorS)
        bare.timeS = callTime(0, bare.callFixedS, *bare.dispatchFloorS);
    bare.bound = bare.timeS ? Bound::Dispatch : Bound::Unknown;
    return bare;
}

/// Layers of an entry that run on the engine, by the function that is launched.
struct Launched {
    std::vector<std::string> functions; ///< in order
    std::map<std::string, Parts> parts;
    Parts engine; ///< all of them
};

Launched launchedOf(const Parts &parts)
{
    Launched launched;
    for (const Part &part : parts) {
        if (!part.run->onEngine())
            continue;
        launched.engine.push_back(part);
        const auto [at, isNew] = launched.parts.try_emplace(part.run->launch);
        if (isNew)
            launched.functions.push_back(part.run->launch);
        at->second.push_back(part);
    }
    return launched;
}

/// The launches that calls of the program name, `total` of them in all, one after the other.
ProgramTime ofCalls(const Launched &launched, const Roofs &roofs,
                    std::optional<std::uint64_t> total)
{
    std::vector<ProgramTime> dispatches;
    std::optional<std::uint64_t> withLayers = 0;
    for (const std::string &function : launched.functions) {
        const Parts &own = launched.parts.at(function);
        const LayerRun &run = *own.front().run;
        if (run.backend.empty() && total) // layers of the entry itself are a launch of their own
            total = checkedAdd(*total, 1);
        dispatches.push_back(launchesOf(own, roofs, function, run.launches));
        withLayers =
            withLayers && run.launches ? checkedAdd(*withLayers, *run.launches) : std::nullopt;
    }
    if (dispatches.size() == 1 && total == withLayers)
        return std::move(dispatches.front());
    ProgramTime whole = sumOf(launched.engine, roofs);
    whole.dispatchFloorS.reset();
    if (!total || !withLayers)
        dispatches.push_back(bareLaunches(roofs, std::nullopt));
    else if (*total > *withLayers)
        dispatches.push_back(bareLaunches(roofs, *total - *withLayers));
    whole.dispatches = std::move(dispatches);
    whole.bound = sharedBound(whole.dispatches, false);
    if (!whole.dispatches.empty())
        addUp(whole, roofs);
    else
        whole.launches = 0; // all of it runs elsewhere
    return whole;
}

/// A run of one entry: one launch where the program names no backend, else those that it calls.
ProgramTime ofEntry(const Parts &parts, const Roofs &roofs, const std::string &entry)
{
    const Launched launched = launchedOf(parts);
    const std::size_t elsewhere = parts.size() - launched.engine.size();
    const auto total =
        parts.empty() ? std::optional<std::uint64_t>(0) : parts.front().run->allLaunches;
    const bool calls = total != std::uint64_t(0);
    if (!calls && (elsewhere == 0 || !launched.engine.empty())) {
        // The program says nothing of launches.
        ProgramTime whole = launchesOf(launched.engine, roofs, entry, 1);
        if (elsewhere > 0)
            whole.notes.push_back(elsewhereNote(elsewhere, parts.size()));
        return whole;
    }
    ProgramTime whole = ofCalls(launched, roofs, total);
    whole.function = entry;
    whole.notes.push_back(calls ? launchNote(whole, elsewhere)
                                : elsewhereNote(elsewhere, parts.size()));
    return whole;
}

} // namespace

std::string_view ceilingKindName(Ceiling::Kind kind)
{
    static constexpr std::array<std::string_view, 3> kNames{"compute", "bandwidth", "other"};
    return kNames[std::size_t(kind)];
}

std::string_view ceilingMethodName(Ceiling::Method method)
{
    static constexpr std::array<std::string_view, 3> kNames{"measured", "derived", "marketed"};
    return kNames[std::size_t(method)];
}

std::vector<Ceiling> ceilings(const target::Target &target)
{
    std::vector<Ceiling> all;
    for (const Ceiling &ceiling : figures().ceilings) {
        if (ceiling.target == target.name)
            all.push_back(ceiling);
    }
    return all;
}

Result<Roofs> roofsOf(const target::Target &target, const RoofChoice &choice)
{
    Roofs roofs;
    roofs.target = &target;
    roofs.all = ceilings(target);
    const auto compute = TRY(chosenRoof(roofs, Ceiling::Kind::Compute, choice.compute));
    const auto bandwidth = TRY(chosenRoof(roofs, Ceiling::Kind::Bandwidth, choice.bandwidth));
    roofs.chosenCompute = compute;
    roofs.chosenBandwidth = bandwidth;
    const LayerRoof *computes =
        compute != nullptr ? compute : roofOfAll(target, LayerRoof::Kind::Compute);
    const LayerRoof *streams =
        bandwidth != nullptr ? bandwidth : roofOfAll(target, LayerRoof::Kind::Activations);
    if (computes != nullptr)
        roofs.compute = computes->ceiling;
    if (streams != nullptr)
        roofs.bandwidth = streams->ceiling;
    for (const LayerRoof &row : figures().roofs) {
        if (row.ceiling.target != target.name)
            continue;
        if (row.conditions.find("working_set=above") != std::string::npos)
            roofs.step = row.ceiling;
        if ((row.kind == LayerRoof::Kind::Compute ? compute : bandwidth) == nullptr)
            roofs.taken.insert(row.ceiling.name);
    }
    for (const LayerRoof *chosen : {compute, bandwidth}) {
        if (chosen != nullptr)
            roofs.taken.insert(chosen->ceiling.name);
    }
    setRidge(roofs, computes, streams);
    if (const auto fixed = named(roofs.all, "call_fixed_s"))
        roofs.callFixedS = fixed->value;
    if (const auto floor = named(roofs.all, "dispatch_floor_s")) {
        roofs.dispatchFloorS = floor->value;
        roofs.dispatchSource = floor->source;
    }
    const auto set = decision::workingSetCap(target);
    if (set.bytes)
        roofs.workingSetBytes = static_cast<double>(*set.bytes);
    roofs.workingSetSource = set.source;
    if (!set.disagreement.empty())
        roofs.workingSetSource += "; contested: " + set.disagreement;
    return roofs;
}

const LayerRoof *layerRoof(LayerRoof::Kind kind, const Layer &layer,
                           const decision::WeightForm &form, const Roofs &roofs,
                           std::uint64_t batch)
{
    const bool computes = kind == LayerRoof::Kind::Compute;
    if (const LayerRoof *chosen = computes ? roofs.chosenCompute : roofs.chosenBandwidth)
        return chosen;
    if (roofs.target == nullptr)
        return nullptr;
    const auto subject = subjectOf(layer, form, roofs, batch);
    for (const LayerRoof &row : figures().roofs) {
        if (row.kind == kind && row.ceiling.target == roofs.target->name &&
            decision::isKnownToHold(row.form, row.conditions, form, subject))
            return &row;
    }
    return nullptr;
}

const ModelParameter *modelParameter(std::string_view name, const Layer &layer,
                                     const decision::WeightForm &form, const Roofs &roofs)
{
    static const auto parameters = tables::loadRows<ModelParameter>(
        "model_parameters", {{"parameter", &ModelParameter::name},
                             {"target", &ModelParameter::target},
                             {"form", &ModelParameter::form},
                             {"conditions", &ModelParameter::conditions},
                             {"unit", &ModelParameter::unit},
                             {"fitted_on", &ModelParameter::fittedOn},
                             {"source", &ModelParameter::source},
                             {"note", &ModelParameter::note},
                             {"value", &ModelParameter::value}});
    const auto subject = subjectOf(layer, form, roofs, 1);
    for (const ModelParameter &row : parameters) {
        if (row.name == name && row.target == roofs.target->name &&
            decision::isKnownToHold(row.form, row.conditions, form, subject))
            return &row;
    }
    return nullptr;
}

bool Layer::onEngine() const
{
    return std::ranges::any_of(runs, &LayerRun::onEngine);
}

std::optional<double> Layer::ofRuns(const std::optional<double> &once) const
{
    std::optional<double> sum = onEngine() ? std::optional(0.0) : std::nullopt;
    for (const LayerRun &run : runs)
        sum = !run.onEngine() ? sum
              : sum && once && run.times
                  ? std::optional(*sum + static_cast<double>(*run.times) * *once)
                  : std::nullopt;
    return sum;
}

std::size_t hashOf(const Layer &layer)
{
    HashSum hash(layer.op, layer.param, layer.function, layer.model, layer.flops, layer.inputBytes,
                 layer.form);
    for (const LayerRun &run : layer.runs) {
        hash.add(run.entry);
        hash.add(run.times);
    }
    return hash.value();
}

double callTime(double layersS, double fixedS, double floorS)
{
    return std::max(layersS + fixedS, floorS);
}

ProgramTime programTime(std::span<const LayerTime> layers, const Roofs &roofs)
{
    std::map<std::pair<std::string, std::string>, std::size_t> numbers; ///< of model and entry
    std::vector<std::pair<std::string, Parts>> entries;                 ///< in order
    std::set<std::string> models;
    Parts all;
    for (const LayerTime &each : layers) {
        models.insert(each.layer->model);
        for (const LayerRun &run : each.layer->runs) {
            const auto number =
                numbers.emplace(std::pair(each.layer->model, run.entry), entries.size());
            if (number.second)
                entries.emplace_back(run.entry, Parts());
            entries[number.first->second].second.push_back({&each, &run});
            all.push_back({&each, &run});
        }
    }
    if (entries.size() < 2)
        return ofEntry(all, roofs, entries.empty() ? std::string() : entries[0].first);
    ProgramTime whole = sumOf(all, roofs);
    for (const auto &[entry, parts] : entries)
        whole.dispatches.push_back(ofEntry(parts, roofs, entry));
    whole.alternatives = models.size() < entries.size();
    whole.bound = sharedBound(whole.dispatches, whole.alternatives);
    if (!whole.alternatives) {
        addUp(whole, roofs);
        return whole;
    }
    whole.engineTimeS.reset();
    whole.launches.reset();
    whole.dispatchFloorS.reset();
    return whole;
}

ProgramTime programTime(std::span<const Placement> placements, const Roofs &roofs)
{
    std::vector<LayerTime> layers;
    layers.reserve(placements.size());
    for (const Placement &placement : placements)
        layers.push_back(
            {&placement.layer, placement.stored().timeS, refusalOf(placement.stored())});
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

const ProgramTime &dispatchOf(const ProgramTime &program, const LayerRun &run)
{
    const auto part = [](const ProgramTime &whole, const std::string &function) {
        const auto *found = findBy(whole.dispatches, &ProgramTime::function, function);
        return !found ? &whole : found;
    };
    // Of a program with one entry the whole is what is entered.
    const ProgramTime *entry = program.function == run.entry ? &program : part(program, run.entry);
    return *part(*entry, run.launch);
}

void LayerTimes::add(const Layer &layer, std::optional<double> timeS, std::string refusal)
{
    m_times.push_back({kept(layer), timeS, std::move(refusal)});
}

const Layer *LayerTimes::kept(const Layer &layer)
{
    // From the last one on: the layers of a function follow each other.
    const auto at = std::find_if(m_kept.rbegin(), m_kept.rend(), [&layer](const Layer &known) {
        return known.model == layer.model && known.runs == layer.runs;
    });
    if (at != m_kept.rend())
        return &*at;
    Layer &added = m_kept.emplace_back();
    added.model = layer.model;
    added.runs = layer.runs;
    return &added;
}

} // namespace kernscope::roofline
