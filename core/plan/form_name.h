// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/weight_facts.h"
#include "core/base/error.h"
#include "core/codec/encode/form_spec.h"

#include <string>
#include <string_view>

/// Names of forms that a plan may give a weight, as people type them.
namespace kernscope::plan {

/// Where a weight's channels lie: what per-channel scales, blocks and patterns run along.
using Axes = ChannelAxes;

/// "keep": the form that the weight has now.
constexpr std::string_view kKeep = "keep";

/// "dense", "int8", "int8-offset", "int8-tensor", "palette4", "palette4-g8" (8 codebooks),
/// "palette4-v2" (vectors of 2), "palette4-int8" (its entries), "blockwise-int4-32",
/// "blockwise-int8-32-offset", "sparse" (every value that is not zero), "sparse-0.5" (density),
/// "sparse-2:4", and "sparse-0.5+palette4", "sparse-0.5+blockwise-int8-32".
std::string formName(const codec::FormSpec &spec);

/// The form of that name. Errors: "plan.form".
Result<codec::FormSpec> formFromName(std::string_view name, const Axes &axes = {0, 1, 0, 1});

/// The name of a form that a weight has, as decisions call it ("palette4", "int8").
std::string storedFormName(const decision::WeightForm &form);

/// What a chip's decision needs to know of a proposed form of a weight of `type`. Its sizes are
/// those of `stored`; how many values it keeps is open.
decision::WeightForm proposedForm(const codec::FormSpec &spec, const decision::WeightForm &stored,
                                  ElementType type);

} // namespace kernscope::plan
