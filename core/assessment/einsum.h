// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/quantity.h"
#include "core/bundle/bundle_fwd.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kernscope {

/// The letters of an einsum's equation: those of each operand, and of the output.
struct Equation {
    std::vector<std::string> operands;
    std::string output;
};
/// Nothing where the text has no arrow.
std::optional<Equation> equationOf(std::string_view text);

/// An einsum of two operands as a product of matrices, by the letters of the one that is the
/// weight.
struct EquationRoles {
    std::string batches; ///< of both operands and the output: products apart
    std::string outputs; ///< of the weight and the output: its output channels
    std::string summed;  ///< of both, not of the output: its input channels
    std::string pixels;  ///< of the other operand and the output
};
/// Nothing where the equation is no product of matrices: not two operands, a letter twice in an
/// operand, a letter of one operand alone that is summed over, or none that both sum over.
std::optional<EquationRoles> equationRoles(const Equation &equation, std::size_t weight);

/// Channels of the einsum that reads the weight, and how many values each output channel has in
/// all products together.
struct EinsumProduct {
    std::uint64_t inputChannels = 1, outputChannels = 1;
    std::optional<std::uint64_t> pixels; ///< empty: an extent is not known
};
/// Nothing where it is no product of matrices, or an extent of the weight's channels is not known.
std::optional<EinsumProduct> einsumProduct(const Weight &weight, const Consumer &consumer);

} // namespace kernscope
