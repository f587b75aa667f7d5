// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/bundle/weight.h"

namespace kernscope {

class Progress;

/// What became of fp32 numbers that were written as fp16.
struct HalvedNumbers {
    std::uint64_t elements = 0;
    std::uint64_t infinite = 0; ///< finite numbers beyond fp16 that became infinities
    std::uint64_t zeroed = 0;   ///< numbers too small for fp16 that became zeros
    std::uint64_t raised = 0;   ///< those that became its smallest number, so that they divide
};

/// Operations of one type that went the same way.
struct HalfOperations {
    std::string type; ///< "conv"
    std::string why;  ///< why they stay fp32; empty: they are fp16 now
    std::size_t count = 0;
};

/// A weight that is fp16 now, against what it was.
struct HalfWeight {
    std::size_t before = 0, after = 0; ///< its index in the bundles
    HalvedNumbers counts;
    double maxAbs = 0, rmse = 0;
    double relative = 0; ///< root of the squares of the errors over that of the values
};

/// A bundle in memory whose programs calculate in fp16.
struct HalfBundle {
    BundlePtr made;
    std::vector<HalfWeight> weights;
    std::vector<std::size_t> kept;          ///< weights that stay fp32, by their index before
    std::vector<HalfOperations> operations; ///< those with fp32 operands, by type and reason
    std::size_t constants = 0;              ///< constants that are fp16 now, weights among them
    std::size_t constantsKept = 0;          ///< those that something reads as fp32
    HalvedNumbers numbers;                  ///< of all constants that are fp16 now
    std::size_t castsIn = 0;                ///< fp32 values that are cast for operations of fp16
    std::size_t castsOut = 0;               ///< results of fp16 that are cast for what reads fp32
};

/// Every fp32 ML program of the bundle (model.mil, or the model of an .mlpackage) as coremltools
/// makes it for FLOAT16: operations whose operands may be fp16 get them, with their constants
/// rounded to nearest even; inputs and outputs of functions keep their types, with casts behind the
/// inputs and before the outputs. What cannot be fp16 (resources/tables/half_operands.csv),
/// operations that are not known, and those with a finite constant that fp16 does not hold
/// (magnitudes of 1e38 and more mean infinity) stay as they are, between casts. Of constants of
/// fewer than 400 numbers those too small become the smallest number of fp16, not zero.
/// Saved by saveCopy. Errors: "convert.program" (no ML program, or nothing of fp32 in it),
/// "encode.blob", "encode.program", "encode.size", "encode.verify", "task.cancelled".
Result<HalfBundle> convertToHalf(const Bundle &bundle, Progress *progress = nullptr);

} // namespace kernscope
