// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/target/target.h"

#include <string>

namespace kernscope::roofline {

/// How good the predictions for a chip are, in a sentence: how far they are off from the published
/// measurements (predictionError), or that none tells. Whoever shows a predicted time or speed-up
/// shows it.
std::string predictionNote(const target::Target &target);

} // namespace kernscope::roofline
