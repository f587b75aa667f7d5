// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "core/container/quantized/quantize.h"

#include <optional>
#include <string>
#include <vector>

/// The files of `quantize`, `relayout` and `dequantize`, and what they say to people. What they do
/// is in core/container/quantized.
namespace kernscope::cli {

/// The array to quantise. Errors: "npy.…", "io.…".
Result<quantized::QuantizeInput> readQuantizeInput(const std::string &path);

/// A folder that quantize wrote. Errors: those of quantized::readFolder, "io.…".
Result<quantized::Folder> openQuantizedFolder(const std::string &path);

/// What dequantize made of a folder.
struct Dequantized {
    quantized::Folder folder;
    std::vector<double> values;
    std::optional<quantized::ErrorFigures> figures; ///< of the reference, or as recorded
    std::string figuresFrom;                        ///< "reference" or "recorded"
    Diagnostics diagnostics;
};
/// `reference` is an array to compare with; empty: the one that was quantised, where it lies in the
/// folder and is still the same file. Errors: those of quantized::valuesOf, "io.…", "npy.…".
Result<Dequantized> dequantizeFolder(const std::string &folder, const std::string &reference);

/// Both write text for people.
std::string quantizeText(const quantized::Quantized &made,
                         const quantized::QuantizeOptions &options);
std::string dequantizeText(const Dequantized &result, const std::string &folder,
                           const std::string &output, ElementType type);

} // namespace kernscope::cli
