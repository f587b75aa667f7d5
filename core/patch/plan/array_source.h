// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle.h"
#include "core/numeric/npy.h"

#include <string>

namespace kernscope::patch {

/// The values that an edit takes from a file: "a.npy", or a tensor of a checkpoint or another
/// bundle, "a.safetensors#encoder.weight" (without '#': the one of the weight's own name). The
/// shape must be that of the weight but for extents of 1. Tensors are taken at fp32. Errors: those
/// of readNpy, Bundle::open and findWeight, "patch.shape".
Result<NpyArray> readArraySource(const std::string &source, const Weight &weight);

} // namespace kernscope::patch
