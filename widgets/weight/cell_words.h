// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/tile_view.h"
#include "widgets/models/weight_reader.h"

#include <QString>

#include <functional>

namespace kernscope::ui {

/// What a picture of a weight says of one cell: `withValue` adds the cell's value to the indices of
/// its element, "[3,0,1,1]". It is not asked, and the indices stand alone, where `known` is false:
/// the tile has not come yet. Empty without a reader.
QString cellWords(const WeightReaderPtr &reader, const Cell &cell, bool known,
                  const std::function<QString(const QString &indices)> &withValue);

} // namespace kernscope::ui
