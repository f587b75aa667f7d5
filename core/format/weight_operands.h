// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// Operands of program operations that are weights of a network
/// (resources/tables/weight_operands.csv), as against the settings of an operation.
namespace kernscope {

struct WeightOperand {
    std::string operation, operand;
    /// Of a constant under ten elements that is written in the program: from how many on it is a
    /// weight, and whether only floating point is.
    std::uint64_t leastElements = 1;
    bool floatingPoint = false;
    bool compressible = true; ///< may be made by a constexpr operation
    std::string note;         ///< why not; empty: nothing to say
};

/// Null where that operand is none.
const WeightOperand *weightOperand(std::string_view operation, std::string_view operand);

/// An operand that is added to what an operation makes: "bias", "bias_back", "input_bias".
bool isBiasOperand(std::string_view operand);

} // namespace kernscope
