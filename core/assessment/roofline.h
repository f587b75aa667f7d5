// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/stream.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

/// What bounds a layer on a chip: its arithmetic, the bytes that it moves, or the dispatch.
namespace kernscope::roofline {

/// A figure that a target is held against (resources/tables/roofline.csv).
struct Ceiling {
    enum class Kind : std::uint8_t { Compute, Bandwidth, Other };
    enum class Method : std::uint8_t { Measured, Derived, Marketed };
    std::string target, name;
    Kind kind = Kind::Other;
    Method method = Method::Measured;
    double value = 0;
    std::string unit, source;
    format::Confidence confidence = format::Confidence::Documented;

    /// FLOP/s of fp16; op/s of int8 are no roof for fp16 layers.
    bool isRoof() const
    {
        return kind == Kind::Bandwidth || (kind == Kind::Compute && unit == "FLOP/s");
    }
};
std::string_view ceilingKindName(Ceiling::Kind kind);       ///< "compute", "bandwidth", "other"
std::string_view ceilingMethodName(Ceiling::Method method); ///< "measured", "derived", "marketed"

/// Every figure of a target, in the table's order; a chip's figures are not lent to another.
std::vector<Ceiling> ceilings(const target::Target &target);

/// The ceilings that a picture is drawn with.
struct Roofs {
    const target::Target *target = nullptr;
    std::vector<Ceiling> all;
    std::optional<Ceiling> compute, bandwidth;
    std::optional<double> ridge;         ///< FLOP/B: the published one where the pair has one
    std::optional<double> computedRidge; ///< compute / bandwidth
    std::string ridgeSource;
    std::optional<double> dispatchFloorS; ///< least time of a dispatch
    std::string dispatchSource;
    std::optional<double> workingSetBytes;
    std::string workingSetSource;
    std::optional<Ceiling> step; ///< compute ceiling that was measured above the working set
};
struct RoofChoice {
    std::string compute, bandwidth; ///< names of ceilings; empty: the chapters' pair
};
/// Errors: "roofline.ceiling" (the target has no such ceiling; `expected` lists them).
Result<Roofs> roofsOf(const target::Target &target, const RoofChoice &choice = {});

/// One use of a weight.
struct Layer {
    std::string name, op, param;
    std::size_t weight = 0, consumer = 0; ///< indices in the bundle
    std::optional<std::uint64_t> flops;   ///< of one dispatch at batch 1; empty: unknown
    std::optional<std::uint64_t> inputBytes, outputBytes; ///< fp16; empty: unknown
    std::uint64_t outputChannels = 0;
    /// Of the weight's bytes, those that one dispatch reads: below 1 where an embedding fetches
    /// some rows. Empty: not known.
    std::optional<double> shareRead = 1;
    decision::WeightForm form;
};

enum class Bound : std::uint8_t { Compute, Bandwidth, Unknown };
std::string_view boundName(Bound bound);

/// The layer under one form.
struct Point {
    std::string form; ///< WeightForm::key
    decision::Outcome outcome = decision::Outcome::Unknown;
    std::uint64_t weightBytes = 0;           ///< that cross to the engine
    std::optional<double> flops;             ///< empty: an extent is not known
    std::optional<double> bytes;             ///< weight and activations; empty likewise
    std::optional<double> computeS, memoryS; ///< flops and bytes at the roofs
    std::optional<double> intensity;         ///< FLOP/B
    Bound bound = Bound::Unknown;
    std::optional<double> attainable; ///< min(compute, intensity x bandwidth), FLOP/s
    std::optional<double> timeS;      ///< the longer of arithmetic and bytes
    std::optional<double> rate;       ///< flops / timeS
    bool stored = false;              ///< the form that the bundle has
};

struct Placement {
    Layer layer;
    std::vector<Point> trail; ///< stored first, dense second (once where it is stored), then others
    std::size_t dense = 0;    ///< index in the trail
    std::size_t best = 0;     ///< least time among those that the chip takes
    double largestOperand = 0;
    std::optional<bool> aboveWorkingSet;
    std::vector<std::string> above; ///< measured roofs that the attainable rate passes
    bool estimated = false;         ///< a roof that is not measured, or an operand of unknown size

    const Point &stored() const { return trail.front(); }
};

/// Errors: "roofline.batch" (0), "roofline.overflow".
Result<Placement> place(const Layer &layer, const Roofs &roofs, decision::Judge &judge,
                        std::uint64_t batch = 1);

/// A program: the sum over its layers, and what one dispatch costs at least. The floor belongs to
/// the dispatch: no layer is bound by it, a program is.
struct ProgramTime {
    enum class Bound : std::uint8_t { Engine, Dispatch, Unknown };
    std::optional<double> engineTimeS; ///< of all layers; empty: one is unknown, or there is none
    double knownS = 0;                 ///< of the layers whose time is known
    std::size_t layers = 0, timed = 0; ///< of which the time is known
    std::optional<double> dispatchFloorS;
    std::string dispatchSource;
    std::optional<double> timeS; ///< the longer of the two; empty where one is unknown
    Bound bound = Bound::Unknown;
};
std::string_view programBoundName(ProgramTime::Bound bound); ///< "engine", "dispatch", "unknown"
ProgramTime programTime(std::span<const Placement> placements, const Roofs &roofs);

/// A weight of the same values in another form, sized by that form's law. Nothing where it has no
/// such form (sparse with less than half zeros, or a density that is not known).
std::optional<decision::WeightForm> asForm(const decision::WeightForm &form, std::string_view key,
                                           std::uint64_t outputChannels);
/// "palette4", "sparse", "int8", "blockwise": those that choose and trail try.
std::span<const std::string_view> candidateForms();

} // namespace kernscope::roofline
