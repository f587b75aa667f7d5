// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/form/storage_form.h"

#include <cstdint>

namespace kernscope::graph {

/// 0xRRGGBB: the colour of a weight in pictures, by how it is stored; that of the window's light
/// theme (its formToken(); a test compares the two).
std::uint32_t formColor(const StorageForm &form);

} // namespace kernscope::graph
