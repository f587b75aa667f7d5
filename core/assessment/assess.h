// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/measured.h"

#include <algorithm>
#include <deque>

/// The one answer for a layer, a form of its weight and a chip. Whatever a command or a dock says
/// of them comes from here; none computes anything of its own.
namespace kernscope::roofline {

/// A parameter of the model that was fitted (resources/tables/model_parameters.csv).
struct ModelParameter {
    std::string name, target, form, conditions, unit, fittedOn, source, note;
    double value = 0;
};

/// One layer with its weight in one form, stored or proposed, on one chip.
struct Assessment {
    decision::WeightForm weight; ///< the form that was assessed
    std::string form;            ///< WeightForm::key
    /// Legality and gates with their reasons, kernel memory, bytes that are moved.
    decision::Decision decision;
    decision::Outcome outcome = decision::Outcome::Unknown; ///< that of the decision

    /// That cross to the engine; open: as if dense; of a table the rows that are fetched. Empty:
    /// refused, or not known, and with it the bytes, the times and what follows from them.
    std::optional<std::uint64_t> weightBytes;
    std::optional<double> flops; ///< empty: an extent is not known
    /// Of those, inputs and outputs that do not stay on chip: larger than the working set.
    std::optional<double> activationBytes;
    std::optional<double> bytes;             ///< weight and `activationBytes`; empty likewise
    std::optional<double> computeS, memoryS; ///< flops and bytes at the roofs
    /// The roofs that were taken; null: none is published. They live as long as the program.
    const LayerRoof *computeRoof = nullptr, *weightRoof = nullptr, *activationRoof = nullptr;
    /// Fitted parameters that the times were made with; they live as long.
    std::vector<const ModelParameter *> parameters;
    std::optional<double> intensity; ///< FLOP/B
    Bound bound = Bound::Unknown;
    std::optional<double> attainable; ///< what the roofs leave at that intensity, FLOP/s
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
    /// Of a call that runs this layer alone (callTime), and its time with the same values stored
    /// dense over this one. Empty as well where it is not known what a call takes beside its
    /// layers.
    std::optional<double> callS, predictedCallSpeedup;

    /// Derived: power that was measured on the chip times `timeS`. Apart from it, ratios of energy
    /// to dense fp16 that were measured of this form here.
    std::optional<Energy> energy;
    std::vector<decision::Measurement> energyMeasured;

    bool stored = false; ///< the form that the bundle has
};

/// The one rule: what a layer with its weight in `form` is held against, for its arithmetic or one
/// of its streams. The roof that was chosen, else the first row of the chip whose conditions are
/// all known to hold; null where it has none. `batch` as of assess().
const LayerRoof *layerRoof(LayerRoof::Kind kind, const Layer &layer,
                           const decision::WeightForm &form, const Roofs &roofs,
                           std::uint64_t batch = 1);

/// The first of that name that is about the layer; null where the target has none. Parameters are
/// not lent to another chip.
const ModelParameter *modelParameter(std::string_view name, const Layer &layer,
                                     const decision::WeightForm &form, const Roofs &roofs);

/// Why the compiler refuses the weight in that form, "lut6: odd index width"; empty: it does not.
std::string refusalOf(const Assessment &assessment);

/// Bytes of a weight that all layers on the engine that use it read in one dispatch; of a weight
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
    /// Index of the least time among those that the chip takes, of equal ones the least bytes;
    /// where no time is known, of the least bytes.
    /// Empty: the bytes of the stored form are not known, so that nothing can be held against it.
    std::optional<std::size_t> best;
    double largestOperand = 0; ///< bytes; of the operands that are known
    /// Empty: the working set, or an operand that may be larger, is not known.
    std::optional<bool> aboveWorkingSet;
    std::vector<std::string> above; ///< measured roofs that the attainable rate passes
    bool estimated = false;         ///< a roof that is not measured, or an operand of unknown size
    bool openForms = false;         ///< the time of one that reads fewer bytes is not known

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
    std::size_t layers = 0, timed = 0; ///< `timed`: layers whose time is known
    /// Launches of the engine: the calls of the program that name its backend; 1 where none does.
    /// Empty: not known, or `alternatives`.
    std::optional<std::uint64_t> launches = 1;
    std::optional<double> dispatchFloorS; ///< of all `launches`
    double callFixedS = 0;                ///< that they take beside the layers, where that is known
    std::string dispatchSource;
    /// The longer of floor, and layers with what is fixed. Empty: one is unknown, or the compiler
    /// refuses a weight.
    std::optional<double> timeS;
    Bound bound = Bound::Unknown;
    std::optional<Energy> energy; ///< derived, of one run; empty where `timeS` is
    /// Layers whose number of executions is not known.
    std::size_t uncounted = 0;
    std::size_t refused = 0;        ///< those whose weight the compiler refuses
    std::set<std::string> refusals; ///< as refusalOf names them
    std::vector<std::string> notes; ///< what is to be known of these figures, in a sentence each

    std::string function; ///< that is entered or launched; of a whole with several entries empty
    /// Several functions that are entered: the dispatch of each. A run of a pipeline makes all of
    /// them and the figures above are their sums; of several functions of one model a run enters
    /// one (`alternatives`), so no figure above but `knownS` and the counts is known, nor a bound
    /// that they do not share. Of one entry: the functions that it launches, all in one run.
    std::vector<ProgramTime> dispatches;
    bool alternatives = false;

    /// The floor is what one waits for; of `alternatives` whichever is entered.
    bool hidesGains() const
    {
        if (alternatives)
            return std::ranges::all_of(dispatches, &ProgramTime::hidesGains);
        return bound == Bound::Dispatch && timeS && *timeS <= *dispatchFloorS * (1 + 1e-9);
    }
};
std::string_view programBoundName(ProgramTime::Bound bound); ///< "engine", "dispatch", "unknown"
/// Time of a call: layers and fixed time, or the floor where that is longer. The figures are those
/// of one call, or of all calls of a run.
double callTime(double layersS, double fixedS, double floorS);
/// A layer with the time of one of its runs, in the form that is looked at.
struct LayerTime {
    const Layer *layer = nullptr;
    std::optional<double> timeS;
    std::string refusal; ///< refusalOf that form
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

/// The times of a program's layers, collected one after the other. Of the layers it keeps what
/// programTime asks them, equal ones once: a layer takes a kilobyte.
class LayerTimes
{
public:
    LayerTimes() = default;
    LayerTimes(const LayerTimes &) = delete; // the times point into the layers kept
    LayerTimes &operator=(const LayerTimes &) = delete;

    /// In the program's order, in the form that is looked at.
    void add(const Layer &layer, const Assessment &assessment)
    {
        add(layer, assessment.timeS, refusalOf(assessment));
    }
    /// `timeS`: of one run, empty where it is not known.
    void add(const Layer &layer, std::optional<double> timeS, std::string refusal);
    ProgramTime total(const Roofs &roofs) const { return programTime(m_times, roofs); }
    std::span<const LayerTime> layers() const { return m_times; }

private:
    const Layer *kept(const Layer &layer);

    std::deque<Layer> m_kept; ///< model and runs only; few: one a function and way to reach it
    std::vector<LayerTime> m_times;
};

/// The layer's operation with the weight as the array gets it: one that folds is dense fp16. Only
/// for layers that have an operation.
decision::LayerOperation arrayOperation(const Layer &layer, const Assessment &assessment);

/// Weights of a width that was typed in, 1 to 16 bits. A width below 8 is that of a palette's
/// index, whose entries are fp16 (chapter 25, four codecs); 8 bits are int8.
void setWeightBits(decision::LayerOperation &operation, unsigned bits);

/// How the array takes a layer, in the form that was assessed on that chip: `computeGeometry` of
/// its `arrayOperation`, with the operands and the arithmetic of the assessment, so that both say
/// the same.
/// Errors: "geometry.none" (the MAC array does not run the operation) and those of computeGeometry.
Result<decision::Geometry> geometryOf(const Layer &layer, const Assessment &assessment,
                                      const target::Target &target,
                                      const decision::GeometryOptions &options = {});

} // namespace kernscope::roofline
