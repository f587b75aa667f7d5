// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/tile_ruler.h"
#include "widgets/weight/slice_map.h"

#include <QStringList>

#include <utility>

namespace kernscope::ui {

/// The axes of a picture of a slice, down and across, by the names of the tensor's axes. A wrapped
/// tensor has elements in both directions.
std::pair<TileAxis, TileAxis> sliceAxes(const SliceMap &map, const QStringList &names);

} // namespace kernscope::ui
