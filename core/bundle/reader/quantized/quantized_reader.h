// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/reader/container_reader.h"

namespace kernscope {

/// A folder that `quantize` wrote: quantize.json, data.bin, and exp.bin or scale.bin and
/// offset.bin. Code: "quantize.manifest". Matrices in boxes are named and not read ("layout", a
/// warning).
const ContainerReader &quantizedReader();

} // namespace kernscope
