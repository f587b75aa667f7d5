// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/geometry.h"
#include "core/assessment/stream.h"

#include <set>

/// What a chip is held against, and the layers that are held against it. The answer: assess.h.
namespace kernscope::roofline {

/// A figure that a target is held against (resources/tables/roofline.csv).
struct Ceiling {
    enum class Kind : std::uint8_t { Compute, Bandwidth, Other };
    enum class Method : std::uint8_t { Measured, Derived, Marketed };
    std::string target, name;
    std::string chip; ///< product that the figure is of, "M1"
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

/// The ceiling that a kind of layer is held against, for its arithmetic or for one of its streams
/// (resources/tables/layer_roofs.csv).
struct LayerRoof {
    enum class Kind : std::uint8_t { Compute, Weights, Activations };
    Kind kind = Kind::Compute;
    Ceiling ceiling;
    std::string form, conditions, source, note;
    format::Confidence confidence = format::Confidence::Assumed;

    bool isOfAll() const { return form.empty() && conditions.empty(); } ///< of every other layer
};

/// The ceilings that a picture is drawn with: those of layers that no other row is about, and of
/// operands that do not stay on chip.
struct Roofs {
    const target::Target *target = nullptr;
    std::vector<Ceiling> all;
    std::optional<Ceiling> compute, bandwidth;
    std::set<std::string> taken; ///< names of those that some layer or stream is held against
    /// In place of the rule, where a user chose one. They live as long as the program.
    const LayerRoof *chosenCompute = nullptr, *chosenBandwidth = nullptr;
    std::optional<double> ridge; ///< FLOP/B: compute / bandwidth
    std::string ridgeSource;     ///< with the published one, where that is of another pair
    format::Confidence ridgeConfidence = format::Confidence::Assumed; ///< the lesser of the two
    std::optional<double> dispatchFloorS;                             ///< least time of a dispatch
    std::optional<double> callFixedS; ///< of a dispatch, beside its layers
    std::string dispatchSource;
    std::optional<double> workingSetBytes;
    std::string workingSetSource;
    std::optional<Ceiling> step; ///< compute ceiling that was measured above the working set
};
struct RoofChoice {
    std::string compute, bandwidth; ///< names of ceilings; empty: by kind of layer and stream
};
/// Errors: "roofline.ceiling" (the target has no such ceiling; `expected` lists them).
Result<Roofs> roofsOf(const target::Target &target, const RoofChoice &choice = {});

/// The backend of the engine, as `call(…)[backend = "ane"]` of a segmented program names it.
inline constexpr std::string_view kEngineBackend = "ane";

/// How execution reaches a layer.
struct LayerRun {
    std::string entry{}; ///< address of the function that is entered
    /// Executions per run of the entry. Empty: not known, as in the body of a loop or a branch.
    std::optional<std::uint64_t> times = 1;
    /// The function that is launched with the layer in it: `entry`, or one that a call launches on
    /// the backend that it names. Empty `backend`: no call names one.
    std::string launch{}, backend{};
    /// Launches of `launch`, and all launches of the engine that calls name, in one run of the
    /// entry. Empty: not known.
    std::optional<std::uint64_t> launches = 1, allLaunches = 0;

    bool onEngine() const { return backend.empty() || backend == kEngineBackend; }
    friend bool operator==(const LayerRun &, const LayerRun &) = default;
};

/// One use of a weight.
struct Layer {
    std::string name, op, param;
    std::size_t weight = 0, consumer = 0; ///< indices in the bundle
    std::optional<std::uint64_t> flops;   ///< of one dispatch at batch 1; empty: unknown
    std::optional<std::uint64_t> inputBytes, outputBytes; ///< fp16; empty: unknown
    /// As the array takes it; empty where the extents are not known or it is no array operation.
    std::optional<decision::LayerOperation> operation;
    /// Of the weight's bytes, those that one dispatch reads: below 1 where an embedding fetches
    /// some rows. Empty: not known.
    std::optional<double> shareRead = 1;
    decision::WeightForm form;
    std::string function; ///< "MODEL/FUNCTION" whose statement reads it; without the empty parts
    std::string model;
    std::vector<LayerRun> runs{
        LayerRun()};        ///< one for each function that a run enters to get there
    bool ofSeveral = false; ///< other layers of the bundle belong to other functions

    /// Whether any of its runs is on the engine.
    bool onEngine() const;
    /// Of `bytes` of its weight those that a dispatch of `batch` inputs reads. Empty: not known.
    std::optional<std::uint64_t> bytesRead(std::uint64_t bytes, std::uint64_t batch = 1) const;
    /// What one run takes (seconds, FLOP), times the number of `runs` on the engine. Empty: not
    /// known, or it runs elsewhere only.
    std::optional<double> ofRuns(const std::optional<double> &once) const;
    /// Its name, with the function where the bundle has layers of several.
    std::string label() const { return ofSeveral ? function + "/" + name : name; }
    friend bool operator==(const Layer &, const Layer &) = default;
};
std::size_t hashOf(const Layer &layer);

enum class Bound : std::uint8_t { Compute, Bandwidth, Unknown };
std::string_view boundName(Bound bound);

} // namespace kernscope::roofline
