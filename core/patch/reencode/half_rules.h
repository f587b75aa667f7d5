// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/patch/reencode/convert_half.h"

/// What may be fp16, and what numbers become of it (resources/tables/half_operands.csv).
namespace kernscope::patch {

/// Whether operands and results of that operation are known.
bool isKnownOperation(std::string_view operation);

/// Why an operand ("*": the whole operation) stays as it is in an operation set; null: it does not.
const std::string *whyStays(std::string_view operation, std::string_view operand, unsigned opset);

/// A finite number that fp16 does not hold and that does not stand for infinity.
bool isTooLarge(float value);

/// The fp16 of a number of a constant of `size` numbers, counted.
std::uint16_t halved(float value, std::uint64_t size, HalvedNumbers &counts);

/// Adds what each weight of fp32 became. Errors: "encode.verify" (a weight is gone, or is not what
/// it was, rounded; the new bundle has errors that the old one has not).
Result<void> measureWeights(const Bundle &bundle, HalfBundle &result);

} // namespace kernscope::patch
