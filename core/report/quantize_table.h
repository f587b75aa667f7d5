// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/codec/microscaled/microscaled.h"
#include "core/report/column.h"

#include <nlohmann/json.hpp>

/// What `quantize` writes, and the tiles of the instruction that would make it.
namespace kernscope::report {

/// Rows of `files` of the folder's description.
const TableOf<Json> &quantizedFileTable();
const TableOf<codec::TquantTile> &quantizeTileTable();

} // namespace kernscope::report
