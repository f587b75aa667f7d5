// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/quantized/quantize.h"
#include "core/report/json.h"

#include <vector>

/// What `quantize` and `relayout` say of a folder.
namespace kernscope::report {

/// `[{"name","holds","padded","required","found","source"}]`
Json constraintsJson(const std::vector<codec::MxConstraint> &constraints);

/// Sizes, constraints, the instruction with its tiles and
/// devices, and what sources disagree on.
void addQuantized(Json &document, const quantized::Quantized &made);
/// Layouts before and after, files and constraints.
void addRelaid(Json &document, const quantized::Folder &before, const quantized::Relaid &after);

} // namespace kernscope::report
