// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFontMetrics>
#include <QString>

namespace kernscope::ui {

/// Property of a view: all names are shown without what they share, not only those that are too
/// long for their column, so that a column has names of one kind.
inline constexpr char kAlwaysShort[] = "kernscopeAlwaysShort";

/// A name cut in the middle, but near its end: names differ before their common suffixes
/// ("encoder_layers_0_weight_to_fp16_quantized"), and the plain middle would cut just that out.
/// `width` in pixels; where it is very small the plain middle is cut. A name that was shortened at
/// its end before ("conv_1_weight…") is cut there. Of a file's path ("a/b/weight.bin") whole parts
/// at its beginning go first ("…/weight.bin"). The index of a place ("conv_1[3,0]=0.5") stays
/// whole.
QString elidedName(const QFontMetrics &metrics, const QString &name, int width);

} // namespace kernscope::ui
