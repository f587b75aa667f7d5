// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/form_reader.h"

namespace kernscope {

using Detail = std::vector<std::pair<std::string, DetailValue>>;

/// Appends the figures whose keys are not there yet.
void mergeDetail(Detail &detail, Detail more);

/// Appends the names of a form that makes an operand ("dense-…" aside) and merges its figures.
void adoptNames(StoredForm &form, const StoredForm &inner);

/// The survivors of a mask: one dimension, no more than the mask has elements.
/// Errors: "codec.mask".
Result<void> checkSurvivors(const OperandReader &operands, const mil::Operation &operation,
                            const Shape &survivors, const Shape &mask);

} // namespace kernscope
