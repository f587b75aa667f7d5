// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/reader/container_reader.h"

namespace kernscope {

/// A compiled Core AI program: a folder with a .odix and mostly a .dbginfo, or the .odix alone.
const ContainerReader &odixReader();

} // namespace kernscope
