// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/shapes/rules.h"

#include <algorithm>

namespace kernscope::shapes {

namespace {

/// Adds what the letters of one operand of an einsum say; false where they do not fit.
bool addLetters(std::string_view letters, const Dims &dims, std::map<char, std::int64_t> &extents)
{
    if (letters.size() != dims.size())
        return false;
    for (std::size_t i = 0; i < letters.size(); ++i) {
        auto [at, fresh] = extents.try_emplace(letters[i], dims[i]);
        if (fresh || at->second == dims[i] || dims[i] == 1)
            continue;
        if (at->second >= 0 && dims[i] >= 0 && at->second != 1)
            return false;
        // 1 gives way to any extent, and an unknown one to a known one.
        at->second = at->second == 1 ? dims[i] : std::max(at->second, dims[i]);
    }
    return true;
}

} // namespace

/// Row: x [..., depth], weight [outputs, depth].
RuleResult linearRule(const OperationView &view, const Operands &names)
{
    const Tensor x = view.operand(names[0]), weight = view.operand(names[1]);
    if (!x.dims || !weight.dims)
        return unknown("the shape of " + names[x.dims ? 1 : 0] + " is not known");
    if (x.dims->empty() || weight.dims->size() != 2)
        return conflict(names[1], "two axes", dimsText(*weight.dims));
    const std::int64_t depth = (*weight.dims)[1];
    if (x.dims->back() >= 0 && depth >= 0 && x.dims->back() != depth)
        return conflict(names[0], "a last extent of " + std::to_string(depth), dimsText(*x.dims));
    Dims result = *x.dims;
    result.back() = weight.dims->front();
    return made(std::move(result));
}

RuleResult matmulRule(const OperationView &view, const Operands &names)
{
    const Tensor left = view.operand(names[0]), right = view.operand(names[1]);
    const auto transposeX = view.number("transpose_x", 0);
    const auto transposeY = view.number("transpose_y", 0);
    if (!left.dims || !right.dims || !transposeX || !transposeY)
        return unknown("the shape of " + names[left.dims ? 1 : 0] + " is not known");
    Dims x = *left.dims, y = *right.dims;
    if (x.empty() || y.empty())
        return conflict(names[0], "at least one axis", dimsText(x.empty() ? x : y));
    const bool row = x.size() == 1, column = y.size() == 1;
    if (row)
        x.insert(x.begin(), 1);
    else if (*transposeX != 0)
        std::swap(x[x.size() - 1], x[x.size() - 2]);
    if (column)
        y.push_back(1);
    else if (*transposeY != 0)
        std::swap(y[y.size() - 1], y[y.size() - 2]);
    const std::int64_t depth = y[y.size() - 2];
    const auto batch = broadcast(Dims(x.begin(), x.end() - 2), Dims(y.begin(), y.end() - 2));
    if (!batch || (x.back() >= 0 && depth >= 0 && x.back() != depth))
        return conflict(names[0], "extents that fit " + dimsText(*right.dims),
                        dimsText(*left.dims));
    Dims result = *batch;
    if (!row)
        result.push_back(x[x.size() - 2]);
    if (!column)
        result.push_back(y.back());
    return made(std::move(result));
}

RuleResult einsumRule(const OperationView &view, const Operands &names)
{
    std::string equation = view.text("equation", {});
    std::erase(equation, ' ');
    const std::size_t arrow = equation.find("->");
    if (arrow == std::string::npos)
        return unknown("its equation is not known");
    std::map<char, std::int64_t> extents;
    std::string_view left = std::string_view(equation).substr(0, arrow);
    const auto values = view.operands(names.front());
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::size_t comma = std::min(left.find(','), left.size());
        if (!values[i].dims)
            return unknown("the shape of an operand is not known");
        if (!addLetters(left.substr(0, comma), *values[i].dims, extents))
            return conflict(names.front(), "extents that fit " + equation,
                            dimsText(*values[i].dims));
        left.remove_prefix(std::min(comma + 1, left.size()));
    }
    Dims result;
    for (const char letter : std::string_view(equation).substr(arrow + 2)) {
        const auto extent = extents.find(letter);
        if (extent == extents.end())
            return unknown("its equation names an axis that no operand has");
        result.push_back(extent->second);
    }
    return made(std::move(result));
}

/// Row: query [..., length, depth], value [..., source length, output depth].
RuleResult attentionRule(const OperationView &view, const Operands &names)
{
    const Tensor query = view.operand(names[0]), value = view.operand(names[1]);
    if (!query.dims || !value.dims || query.dims->empty() || value.dims->empty())
        return unknown("the shape of " + names[query.dims ? 1 : 0] + " is not known");
    Dims result = *query.dims;
    result.back() = value.dims->back();
    return made(std::move(result));
}

/// Row: x [steps, batch, inputs], weight_hh [gates × hidden, hidden]. The outputs are those of all
/// steps (or the last one), then the hidden state, then the cell state of lstm.
RuleResult recurrentRule(const OperationView &view, const Operands &names)
{
    const Tensor x = view.operand(names[0]), weight = view.operand(names[1]);
    const auto all = view.number("output_sequence", 0);
    if (!x.dims || !weight.dims || !all)
        return unknown("the shape of " + names[x.dims ? 1 : 0] + " is not known");
    if (x.dims->size() != 3 || weight.dims->size() != 2)
        return conflict(names[0], "[steps, batch, inputs]", dimsText(*x.dims));
    const bool both = view.text("direction", "forward") == "bidirectional";
    const std::int64_t hidden = times(weight.dims->back(), both ? 2 : 1);
    const std::int64_t batch = (*x.dims)[1];
    RuleResult outcome = made({*all != 0 ? (*x.dims)[0] : 1, batch, hidden});
    outcome.outputs.push_back({Dims{batch, hidden}, {}});
    outcome.outputs.push_back({Dims{batch, hidden}, {}});
    return outcome;
}

} // namespace kernscope::shapes
