// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/diff/diff.h"

#include <string>

namespace kernscope::cli {

/// What `diff` prints for people: the files, then a table of the weights with their verdicts.
std::string differenceText(const Bundle &a, const Bundle &b, const Difference &difference,
                           const DiffOptions &options);

} // namespace kernscope::cli
