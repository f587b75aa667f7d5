// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/assess.h"
#include "core/base/progress.h"
#include "core/bundle/bound_shapes.h"
#include "core/plan/weight_error.h"

/// Every form that the weights of a network may take, with its figures: what a plan chooses from.
namespace kernscope::plan {

/// A weight in a form on a chip: sums over the layers that read it.
struct ChipFigures {
    decision::Outcome outcome = decision::Outcome::Unknown;
    /// Bytes of the weight that are read in a dispatch, as decide has them; empty: refused, not
    /// known.
    std::optional<std::uint64_t> moved = 0;
    std::uint64_t movedAtMost = 0; ///< the same, with all bytes where it is not known
    std::optional<double> timeS;   ///< by the roofs, of all runs; empty: not known
    /// Of one run of each of the weight's layers, in their order.
    std::vector<std::optional<double>> layerS;
    std::string refusal;                              ///< roofline::refusalOf it
    std::shared_ptr<const decision::Verdict> verdict; ///< that `outcome` is of

    friend bool operator==(const ChipFigures &, const ChipFigures &) = default;
};
/// Adds bytes to a sum of them: unknown from the first ones on that are not known.
inline void addBytes(std::optional<std::uint64_t> &sum, const std::optional<std::uint64_t> &bytes)
{
    sum = sum && bytes ? std::optional(*sum + *bytes) : std::nullopt;
}
/// Adds a layer's time to a sum of them: unknown from the first one on that is not known.
inline void addTime(std::optional<double> &sum, const std::optional<double> &time)
{
    sum = sum && time ? std::optional(*sum + *time) : std::nullopt;
}

/// What a form makes of a weight, but for the error: the same for most weights of a shape.
struct TriedForm {
    std::string name; ///< formName, or "keep"
    /// Null: stays as it is. One of a list that all weights of a shape share.
    std::shared_ptr<const codec::FormSpec> spec;
    decision::WeightForm form;
    std::uint64_t stored = 0;                                ///< bytes
    std::vector<ChipFigures> chips;                          ///< in the order of the targets
    codec::EncodeMethod method = codec::EncodeMethod::Plain; ///< by which the error is least
    bool sampled = false; ///< error, and bytes of sparse forms, from some rows
    std::string refused;  ///< why it cannot be chosen; empty where it can

    friend bool operator==(const TriedForm &, const TriedForm &) = default;
};
std::size_t hashOf(const TriedForm &tried);

/// A form of a weight.
struct Candidate {
    std::shared_ptr<const TriedForm> tried; ///< null: there is no candidate
    double error = 0; ///< relative, without the sensitivity; 0 of a form that is refused

    explicit operator bool() const { return tried != nullptr; }
    const TriedForm *operator->() const { return tried.get(); }
};
using CandidateList = std::vector<Candidate>;

/// One weight and what may become of it.
struct Row {
    std::size_t weight = 0;
    std::size_t item = 0; ///< weights that lie at the same place are one item
    /// "MODEL/FUNCTION" that reads it, without the parts that are empty.
    std::string function;
    std::string stored; ///< the form that it has
    /// The first one keeps the form. Shared by weights that hold the same and are used alike.
    std::shared_ptr<const CandidateList> candidates;
    double energy = 0;                   ///< sum of squared values, weighted like the error
    double sensitivity = 1;              ///< its relative error is multiplied by it
    std::string fixed;                   ///< why it stays as it is; empty where it is planned
    Axes axes;                           ///< of its channels
    bool unread = false;                 ///< its stored bytes are not known
    std::vector<ChipFigures> fixedChips; ///< of a weight that stays: by target
};

struct SurveyOptions {
    std::vector<const target::Target *> targets; ///< at least one
    target::TargetChoice choice;
    std::uint64_t batch = 1;
    /// Shapes of inputs whose extents the program leaves open: layers are assessed with them.
    std::vector<shapes::ShapeBinding> shapes;
    /// They are the model's own defaults: another build that they do not fit is taken as it is.
    bool defaultShapes = false;
    std::vector<std::string> forms; ///< patterns of the names of forms to try; empty: all
    /// Forms by hand: pattern of weights' names and a form, which is tried for them as well.
    std::vector<std::pair<std::string, std::string>> forced;
    /// By weight (readActivations): what flows into its layer; null or none: all inputs count
    /// alike.
    std::vector<std::shared_ptr<const codec::InputStatistics>> inputs;
    std::vector<double> sensitivity; ///< by weight; empty: 1
    ErrorModel model = ErrorModel::Weights;
    std::uint64_t mostElements = std::uint64_t(1) << 18; ///< more are judged by some rows
    unsigned threads = 0;                                ///< 0: one a processor
    Progress *progress = nullptr; ///< advances by the elements of every candidate
};

/// Bytes of a weight as it is stored.
struct PartBytes {
    std::size_t number = 0; ///< the same for parts that lie at the same place
    bool shared = false;    ///< another item has it as well
    std::uint64_t bytes = 0;
};

using LayersByWeight = std::vector<std::vector<roofline::Layer>>;

struct Survey {
    std::vector<const target::Target *> targets;
    std::vector<roofline::Roofs> roofs; ///< by target
    std::vector<Row> rows;              ///< all weights, in the bundle's order
    std::vector<std::string> names;     ///< by row, by which its weight is found
    /// By weight, its layers: only model and run information.
    std::vector<std::vector<std::shared_ptr<const roofline::Layer>>> layers;
    std::size_t items = 0;
    ErrorModel model = ErrorModel::Weights;
    std::vector<std::vector<PartBytes>> parts; ///< by item
    std::vector<ChipFigures> fixed; ///< by target: sums of the weights that stay as they are
    std::uint64_t denseBytes = 0;   ///< of all weights as fp16
    std::size_t unread = 0;         ///< weights whose stored bytes are not known: none of `parts`
    std::size_t contents = 0;       ///< weights of different content that were judged
    std::size_t encodings = 0;      ///< candidates that were encoded
    StoredParts storedParts;        ///< of weights in new forms
    /// The bundle with the shapes that were given; nothing where none were.
    std::optional<BoundShapes> shaped;
    bool defaultShapes = false; ///< SurveyOptions
};

/// The chips whose ceilings, or some times, are known: only they have a part in times.
std::vector<const target::Target *> timedTargets(const Survey &survey);

/// Bytes that a weight takes as it is stored. Empty: not known.
std::optional<std::uint64_t> ownBytes(const Survey &survey, const Row &row);

/// Judges every form of every weight, in parallel. Weights with the same bytes, shape and use are
/// judged once. A form may be chosen that the encoders of all targets write, that none of them
/// refuses, and whose operation set the program has or can be raised to.
///
/// Memory: a block of `mostElements` values and three encodings of it a thread, besides the answer.
/// Errors: those of bindShapes, "plan.target" (none), "plan.program" (no program whose statements
/// can be replaced), "plan.form", "plan.activations" (statistics that do not fit the weight),
/// "task.cancelled".
Result<Survey> survey(const Bundle &bundle, const SurveyOptions &options);

/// The statistics of a weight; null where there are none.
std::shared_ptr<const codec::InputStatistics> inputsOf(const SurveyOptions &options,
                                                       std::size_t weight);

/// The layers of all weights: with the shapes of the options bound. Errors: those of bindShapes.
Result<LayersByWeight> layersByWeight(const Bundle &bundle, const SurveyOptions &options);

/// The forms that are tried for a weight of that shape, without "keep".
std::vector<codec::FormSpec> triedForms(const Shape &shape, const Axes &axes);

} // namespace kernscope::plan
