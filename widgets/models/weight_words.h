// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/bundle/weight.h"

#include <QString>
#include <QStringList>

namespace kernscope::ui {

/// What the axes of a weight are called, by the op that uses it: "out channel", "in channel",
/// "ky", "kx"; "axis 2" where that is not known. One name an axis.
QStringList axisNames(const Weight &weight);
/// "128×64×3"; "scalar" for an empty shape.
QString shapeWords(const Shape &shape);
/// "conv conv_6 (weight)", at most three and a count of the rest.
QStringList consumerNames(const Weight &weight);
/// The same, joined by commas.
QString consumerWords(const Weight &weight);
/// "165,888 B (0.431)", "unknown": stored bytes of a weight and their ratio to dense fp16.
QString storedWords(const Weight &weight);
/// One line: form, shape, type, elements, stored bytes of dense fp16 bytes, ratio.
QString weightFacts(const Weight &weight);
/// The same without the form, for where that stands beside the name.
QString tensorFacts(const Weight &weight);

/// Whether weight `index` is the same weight in both: of the same file, with the same name and
/// shape, whatever its values.
bool isSameWeight(const BundlePtr &before, const BundlePtr &now, std::size_t index);

/// A number that holds every fp16 and fp32 exactly enough to be read: five significant digits.
QString valueText(double value);

} // namespace kernscope::ui
