// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/stream.h"

namespace kernscope::decision {

/// The conditions of chapter 25 that apply to a form, each consulted on a target.
struct GateReasons {
    std::vector<Reason> all;
    bool useFails = false;      ///< stride, dilation, overlap, mutable or not a kernel
    bool formatRefused = false; ///< the descriptor has no encoding for it
    bool formatUnknown = false; ///< it is not published how the element would be kept
    bool gateClear = false;     ///< a byte that must be set is 0
    bool gateUnknown = false;
    bool noStreamedForm = false; ///< no gate would help: four-bit blocks, E5M2
    std::vector<std::string> disagreements;
};

GateReasons consultGates(const WeightForm &form, const target::Target &target);

} // namespace kernscope::decision
