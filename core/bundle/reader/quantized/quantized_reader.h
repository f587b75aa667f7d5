// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/quantized/folder.h"
#include "core/form/order_layout.h"

namespace kernscope::quantized {

/// Where the numbers of a microscaled matrix lie in data.bin: null of "nd", where they lie row by
/// row. NZ: boxes of 16 rows by 32 bytes, column of boxes by column of boxes, rows padded to 16
/// (resources/formats/numbers.md). Errors: "quantize.manifest" (rows that are no whole bytes).
Result<std::shared_ptr<const codec::ElementOrder>> dataOrder(const Description &matrix);

/// The same of exp.bin, whose rows and columns are those of the groups: null of "nd"; "zz": boxes
/// of 16 lines by two groups; "interleaved": two rows of groups beside each other. Errors:
/// "quantize.manifest" (a shape that has no such layout).
Result<std::shared_ptr<const codec::ElementOrder>> exponentOrder(const Description &matrix);

} // namespace kernscope::quantized
