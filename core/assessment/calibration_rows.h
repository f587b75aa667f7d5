// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/calibrate.h"
#include "core/assessment/measured.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The measurements that calibrate() predicts, and the layers that they are about.
namespace kernscope::roofline::calibration {

/// A row of measurements.csv: a time of some layers that are alike.
struct Timed {
    std::string group, target, name, op, form, quantity, condition, source;
    std::uint64_t kernelWidth = 1, kernelHeight = 1, inputs = 1, outputs = 1;
    std::uint64_t width = 1, height = 1, layers = 1, engines = 1;
    double seconds = 0;
};

/// All rows of the table, in its order.
const std::vector<Timed> &timedRows();

/// One of its layers, with dense weights.
Layer layerOf(const Timed &row);

/// "int8", "palette4", "sparse75" (percent of zeros), "sparse50+palette4", "w8a8". Nothing for a
/// form that is not modelled.
std::optional<decision::WeightForm> formNamed(const Layer &layer, std::string_view name);

/// Stored bytes over those of fp16 by the law of a published form (listing 25.3 for masks; tables
/// apart): "int8", "palette4 grouped", "sparse50+palette4", "sparse" by the zeros that are
/// published for the chip. Empty: no law, or zeros that are not published.
std::optional<double> storedRatio(std::string_view target, std::string_view form);

/// What a row of measurements is about, by the keys of model_effects.csv: "group" ("ratio" of
/// ratios), "form", "op", "side" (channels), "kernel" ("WxH"), "kernel_w", "height" (rows of the
/// map), "layers", "engines".
using Subject = std::map<std::string, std::string, std::less<>>;
Subject subjectOf(const Timed &row);

/// The effect that the model leaves out, by the first row of the table that is about it.
void nameMissing(CalibrationRow &row, const Subject &subject);

} // namespace kernscope::roofline::calibration
