// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/container_reader.h"

namespace kernscope {

/// A file of the format to copy (skeleton.h): one dense weight. Not in the registry; tests open it
/// with OpenOptions::reader.
const ContainerReader &skeletonReader();

} // namespace kernscope
