// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/program_tree.h"

#include <QString>

#include <vector>

namespace kernscope::ui {

/// A run of one row's text: how it is coloured, and where it leads.
struct ProgramSpan {
    enum class Kind : std::uint8_t {
        Plain,
        Keyword, ///< the type of an operation
        Name,    ///< what the row makes
        Value,   ///< a value that another row makes
        Weight,
        Literal,
        Faint, ///< types, counts
    };
    QString text;
    Kind kind = Kind::Plain;
    std::size_t node = ProgramTree::kNone;   ///< the row that a link leads to
    std::size_t weight = ProgramTree::kNone; ///< the weight that it leads to

    bool isLink() const { return node != ProgramTree::kNone || weight != ProgramTree::kNone; }
};

/// The text of a row: "conv y (x = x_1, weight = w, strides = [1])   fp16 [1, 8, 4]".
std::vector<ProgramSpan> programSpans(const ProgramTree &tree, std::size_t row);
QString programText(const std::vector<ProgramSpan> &spans);
/// "fp16 [1, 8, ?]"
QString programType(const mil::ValueType &type);
/// "[1, 1]", "0.5", "\"same\"", "[0, 1, 2, …] (512 values)": at most eight values.
QString programLiteral(const mil::Literal &literal);

} // namespace kernscope::ui
