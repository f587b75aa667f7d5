// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/patch/edit/edit_parser.h"

namespace kernscope::patch {

/// A formula of one value: numbers, w (the element as it is), + - * /, brackets, and the functions
/// abs, sign, sqrt, exp, log, tanh, floor, ceil, round (halves to even), min(a,b), max(a,b),
/// clip(x,low,high). Computed in double precision; what comes out of range is what IEEE 754 says.
class Expression
{
public:
    static constexpr std::size_t kMostSteps = 256; ///< numbers, names and operators in all
    static constexpr int kMostNested = 32;         ///< brackets in brackets

    /// Errors: "patch.syntax" with the place.
    static Result<Expression> parse(const Piece &text);

    /// Computes it of each value, in place.
    void apply(std::span<double> values) const;

    /// Opcode of one step of the reversed notation.
    enum class Op : std::uint8_t {
        Number,
        Value,
        Negate,
        Add,
        Subtract,
        Multiply,
        Divide,
        Abs,
        Sign,
        Sqrt,
        Exp,
        Log,
        Tanh,
        Floor,
        Ceil,
        Round,
        Min,
        Max,
        Clip,
    };

private:
    friend class ExpressionParser;
    struct Step {
        Op op = Op::Number;
        double number = 0;
    };
    std::size_t depth() const; ///< values that are kept at a time, at most
    std::vector<Step> m_steps;
};

} // namespace kernscope::patch
