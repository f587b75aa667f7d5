// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/reader/container_reader.h"
#include "core/container/hwx/cover.h"

namespace kernscope {

/// What readers of hardware images share: the weights of the tasks, and as sections the `spans` of
/// the tables with the slices of the kernels in them. `image` is kept in `out`.
void addHardware(hwx::Container image, const std::vector<hwx::CoverSpan> &spans, BundleFile &file,
                 ContainerContents &out);

} // namespace kernscope
