// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/patch/reencode/raise_opset.h"
#include "core/plan/plan.h"

/// Carrying out a plan: a bundle in memory with every weight in its form.
namespace kernscope::plan {

/// A model whose functions got a later operation set.
struct RaisedModel {
    std::string model, before, after;
    std::vector<OpsetChange> changes;
};

struct PlannedBundle {
    BundlePtr bundle; ///< saved by saveCopy
    /// The plan that was carried out. Where figures came of some rows of a weight, they are exact
    /// now, and other forms may have been chosen by them.
    Survey survey;
    Plan plan;
    std::vector<RaisedModel> raised;
    std::size_t changed = 0; ///< weights with another form
};

/// Encodes every weight in the form that the plan gives it, in parallel, raises operation sets as
/// far as the forms need it, and replaces all weights in one pass. Then decodes and assesses what
/// was made, and holds it against the plan: each weight's stored bytes, bytes moved, outcome and
/// time on each chip and error, and the sums.
///
/// Memory: the stored bytes of the new forms, and the new bundle. Progress advances by the elements
/// of the weights that change, twice. Errors: those of the encoders, of raiseOpset and of
/// reencodeWeights; those of solve where exact figures break the limits; "plan.verify" (the bundle
/// is not what the plan promised; a defect), "task.cancelled".
Result<PlannedBundle> carryOut(const Bundle &bundle, const SurveyOptions &options, Survey survey,
                               const Limits &limits, Plan plan);

} // namespace kernscope::plan
