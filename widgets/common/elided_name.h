// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFontMetrics>
#include <QString>

namespace kernscope::ui {

/// A name cut in the middle, but near its end: names differ before their common suffixes
/// ("encoder_layers_0_weight_to_fp16_quantized"), and the plain middle would cut just that out.
/// `width` in pixels; where it is very small the plain middle is cut. A name that was shortened at
/// its end before ("conv_1_weight…") is cut there. Of a file's path ("a/b/weight.bin") whole parts
/// at its beginning go first ("…/weight.bin").
QString elidedName(const QFontMetrics &metrics, const QString &name, int width);

} // namespace kernscope::ui
