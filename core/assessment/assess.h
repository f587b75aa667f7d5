// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/energy.h"
#include "core/assessment/measured.h"
#include "core/assessment/roofline.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The one answer for a layer, a form of its weight and a chip. Whatever a command or a dock says
/// of them comes from here; none computes anything of its own.
namespace kernscope::roofline {

/// One layer with its weight in one form, stored or proposed, on one chip.
struct Assessment {
    decision::WeightForm weight; ///< the form that was assessed
    std::string form;            ///< WeightForm::key
    /// Legality and gates with their reasons, kernel memory, bytes that are moved.
    decision::Decision decision;
    decision::Outcome outcome = decision::Outcome::Unknown; ///< that of the decision

    /// That cross to the engine; refused or open: as if dense; of a table the rows that are
    /// fetched. Empty: not known, and with it the bytes, the times and what follows from them.
    std::optional<std::uint64_t> weightBytes;
    std::optional<double> flops;             ///< empty: an extent is not known
    std::optional<double> bytes;             ///< weight and activations; empty likewise
    std::optional<double> computeS, memoryS; ///< flops and bytes at the roofs
    /// A rate that was measured for this very case, in place of the compute roof
    /// (resources/tables/compute_rates.csv).
    std::optional<Ceiling> computeRate;
    std::optional<double> intensity; ///< FLOP/B
    Bound bound = Bound::Unknown;
    std::optional<double> attainable; ///< min(compute, intensity x bandwidth), FLOP/s
    std::optional<double> timeS;      ///< the longer of arithmetic and bytes
    std::optional<double> rate;       ///< flops / timeS

    /// What was measured of this form here, each condition evaluated on this layer; and what of it
    /// may be quoted.
    std::vector<decision::Measurement> measured;
    std::optional<decision::Speedup> speedup;
    /// The time with the same values stored dense in fp16 over this one, by the roofs; apart from
    /// what was measured. Empty as well where the form is refused, or its outcome unknown.
    std::optional<double> predictedSpeedup;
    /// The same against dense weights without zeros, as before pruning: another figure where a chip
    /// was measured to skip multiplications by zero, or to take Winograd without them.
    std::optional<double> predictedOverUnpruned;

    /// Derived: power that was measured on the chip times `timeS`. Apart from it, ratios of energy
    /// to dense fp16 that were measured of this form here.
    std::optional<Energy> energy;
    std::vector<decision::Measurement> energyMeasured;

    bool stored = false; ///< the form that the bundle has
};

/// The rate that was measured for dense arithmetic of this case and passes the compute roof, such
/// as that of Winograd; nothing where a condition of it does not hold or is not known.
std::optional<Ceiling> computeRateOf(const Layer &layer, const decision::WeightForm &form,
                                     const Roofs &roofs);

/// Bytes of a weight that cross in a dispatch to all layers on the engine that read it; of a weight
/// in no layer, all of them once. None of what only runs elsewhere. `decided` is that of the whole
/// weight in `form`. Empty: refused, or not known.
std::optional<std::uint64_t> bytesMoved(std::span<const Layer> layers,
                                        const decision::WeightForm &form,
                                        const decision::Decision &decided, std::uint64_t batch = 1);

/// `batch` inputs a dispatch, at least 1.
Assessment assess(const Layer &layer, const decision::WeightForm &form, const Roofs &roofs,
                  decision::Judge &judge, std::uint64_t batch = 1);

/// A layer under several forms.
struct Placement {
    Layer layer;
    std::vector<Assessment> trail; ///< stored first, dense second (once where it is stored), others
    std::size_t dense = 0;         ///< index in the trail
    /// Index of the least time among those that the chip takes, of equal ones the least bytes.
    /// Empty: the bytes of the stored form are not known, so that nothing can be held against it.
    std::optional<std::size_t> best;
    double largestOperand = 0; ///< bytes; of the operands that are known
    /// Empty: the working set, or an operand that may be larger, is not known.
    std::optional<bool> aboveWorkingSet;
    std::vector<std::string> above; ///< measured roofs that the attainable rate passes
    bool estimated = false;         ///< a roof that is not measured, or an operand of unknown size

    const Assessment &stored() const { return trail.front(); }
    const Assessment *bestForm() const { return best ? &trail[*best] : nullptr; }
};

/// Errors: "roofline.batch" (0, or above 10^9).
Result<Placement> place(const Layer &layer, const Roofs &roofs, decision::Judge &judge,
                        std::uint64_t batch = 1);

/// A program: the sum over its layers, and what its dispatches cost at least. The floor belongs to
/// the dispatch: no layer is bound by it, a program is. Bound of a pipeline: the engine where one
/// of its models is, so that `hidesGains` says whether any gain is hidden.
struct ProgramTime {
    enum class Bound : std::uint8_t { Engine, Dispatch, Unknown };
    /// Of all runs of all layers; empty: one is unknown, or there is none.
    std::optional<double> engineTimeS;
    double knownS = 0; ///< of the layers whose time is known, and how often they run
    std::size_t layers = 0, timed = 0; ///< of which the time is known
    /// Launches of the engine: as many as the program's calls name its backend for, one where they
    /// name none. Empty: not known, or `alternatives`.
    std::optional<std::uint64_t> launches = 1;
    std::optional<double> dispatchFloorS; ///< of all `launches`
    std::string dispatchSource;
    std::optional<double> timeS; ///< the longer of the two; empty where one is unknown
    Bound bound = Bound::Unknown;
    std::optional<Energy> energy; ///< derived, of one run; empty where `timeS` is
    /// Of `layers`, those of which it is not known how often a run comes to them.
    std::size_t uncounted = 0;
    std::vector<std::string> notes; ///< what is to be known of these figures, in a sentence each

    std::string function; ///< that is entered or launched; of a whole with several entries empty
    /// Several functions that are entered: the dispatch of each. A run of a pipeline makes all of
    /// them and the figures above are their sums; of several functions of one model a run enters
    /// one (`alternatives`), so no figure above but `knownS` and the counts is known, nor a bound
    /// that they do not share. Of one entry: the functions that it launches, all in one run.
    std::vector<ProgramTime> dispatches;
    bool alternatives = false;

    bool hidesGains() const
    {
        return bound == Bound::Dispatch;
    } ///< the floor is what one waits for
};
std::string_view programBoundName(ProgramTime::Bound bound); ///< "engine", "dispatch", "unknown"
/// A layer with the time of one of its runs, in the form that is looked at.
struct LayerTime {
    const Layer *layer = nullptr;
    std::optional<double> timeS;
};
/// The one sum over layers: every command and dock that adds up a program calls this.
ProgramTime programTime(std::span<const LayerTime> layers, const Roofs &roofs);
/// With every weight as it is stored.
ProgramTime programTime(std::span<const Placement> placements, const Roofs &roofs);
/// The notes of a program and of its dispatches, with the names of these.
std::vector<std::string> programNotes(const ProgramTime &program);
/// The dispatch of one of a layer's runs: one of `dispatches`, or the whole where there are none.
const ProgramTime &dispatchOf(const ProgramTime &program, const LayerRun &run);

/// A network on a chip. Errors: "roofline.batch".
struct NetworkAssessment {
    Roofs roofs;
    std::vector<Placement> placements;
    ProgramTime program;
};
Result<NetworkAssessment> assessNetwork(std::span<const Layer> layers, const Roofs &roofs,
                                        decision::Judge &judge, std::uint64_t batch = 1);

/// A weight of the same values in another form: as formSpecOf asks for it, with the bytes that the
/// encoder makes of it. Nothing where it has no such form (blocks of a weight without axis 1,
/// sparse of an unknown density).
std::optional<decision::WeightForm> sizedForm(const decision::WeightForm &form,
                                              std::string_view key);
/// The same; nothing for sparse with less than half zeros either, which saves too little.
std::optional<decision::WeightForm> asForm(const decision::WeightForm &form, std::string_view key);
/// "palette4", "palette8", "sparse", "int8", "blockwise": those that choose and trail try.
std::span<const std::string_view> candidateForms();

} // namespace kernscope::roofline
