// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/shapes/rules.h"

#include <algorithm>

namespace kernscope::shapes {

namespace {

/// Axes of `x` as a row of flags; nothing where one is unknown or does not exist.
std::optional<std::vector<bool>> reducedAxes(const OperationView &view, std::size_t rank)
{
    if (!view.has("axes"))
        return std::vector<bool>(rank, true);
    const auto axes = view.numbers("axes");
    std::vector<bool> flags(rank, false);
    for (const std::int64_t each : axes.value_or(Dims())) {
        const auto axis = axisOf(each, rank);
        if (!axis)
            return std::nullopt;
        flags[*axis] = true;
    }
    return axes ? std::optional(std::move(flags)) : std::nullopt;
}

/// One spatial axis under a window.
struct Window {
    std::int64_t kernel = 1, stride = 1, dilation = 1, before = 0, after = 0;
    bool same = false;    ///< pad_type "same" or "same_lower"
    bool ceiling = false; ///< of pooling
};

std::int64_t reach(const Window &window)
{
    return plus(times(plus(window.kernel, -1), window.dilation), 1);
}

/// Places of a window along `extent`; kUnknown where one number is, 0 or less where it does not
/// fit.
std::int64_t places(std::int64_t extent, const Window &window)
{
    const std::int64_t kernel = reach(window);
    if (extent < 0 || kernel < 0 || window.stride <= 0)
        return kUnknown;
    if (window.same)
        return over(plus(extent, window.stride - 1), window.stride);
    const std::int64_t pad = plus(window.before, window.after);
    const std::int64_t padded = plus(extent, pad);
    if (padded == kUnknown || padded < kernel)
        return 0;
    const std::int64_t rest = padded - kernel;
    if (!window.ceiling)
        return rest / window.stride + 1;
    std::int64_t count = over(plus(rest, window.stride - 1), window.stride) + 1;
    // The last window must begin within the tensor or the padding before it.
    if (pad > 0 && times(count - 1, window.stride) >= plus(extent, pad / 2))
        --count;
    return count;
}

/// Strides, dilations and padding of an operation with `axes` spatial axes; nothing where one is
/// not known.
std::optional<std::vector<Window>> windowsOf(const OperationView &view, const Dims &kernel)
{
    const std::size_t axes = kernel.size();
    const auto strides = view.numbers("strides", axes, 1);
    const auto dilations = view.numbers("dilations", axes, 1);
    const std::string padType = view.text("pad_type", "valid");
    const bool custom = padType == "custom";
    const auto pad = custom ? view.numbers("pad", 2 * axes, 0) : Dims(2 * axes, 0);
    const auto ceiling = view.number("ceil_mode", 0);
    if (!strides || !dilations || !pad || !ceiling)
        return std::nullopt;
    for (const auto *numbers : {&*strides, &*dilations, &*pad}) {
        if (!allKnown(*numbers))
            return std::nullopt;
    }
    std::vector<Window> windows(axes);
    for (std::size_t i = 0; i < axes; ++i) {
        windows[i] = {kernel[i],     (*strides)[i],     (*dilations)[i],
                      (*pad)[2 * i], (*pad)[2 * i + 1], padType.starts_with("same"),
                      *ceiling != 0};
    }
    return windows;
}

/// `result` with the places of each window; a conflict where one does not fit.
RuleResult placed(const std::string &name, Dims result, const Dims &x,
                  const std::vector<Window> &windows)
{
    for (std::size_t i = 0; i < windows.size(); ++i) {
        const std::int64_t extent = x[i + 2];
        const std::int64_t count = places(extent, windows[i]);
        if (count == 0)
            return conflict(name, "an extent that the window fits",
                            std::to_string(extent) + " on axis " + std::to_string(i + 2));
        result.push_back(count);
    }
    return made(std::move(result));
}

/// x and weight of a convolution, of one rank, and how the kernel goes over x.
struct Convolution {
    Dims x, weight;
    std::vector<Window> windows;
    std::int64_t groups = 1;
};

std::optional<Convolution> convolutionOf(const OperationView &view, const Operands &names,
                                         RuleResult &fault)
{
    const Tensor x = view.operand(names[0]), weight = view.operand(names[1]);
    if (!x.dims || !weight.dims) {
        fault = unknown("the shape of " + names[x.dims ? 1 : 0] + " is not known");
        return std::nullopt;
    }
    if (x.dims->size() != weight.dims->size() || x.dims->size() < 3) {
        fault =
            conflict(names[0], std::to_string(weight.dims->size()) + " axes", dimsText(*x.dims));
        return std::nullopt;
    }
    auto windows = windowsOf(view, Dims(weight.dims->begin() + 2, weight.dims->end()));
    const auto groups = view.number("groups", 1);
    if (!windows || !groups) {
        fault = unknown("strides, dilations, padding or groups are not known");
        return std::nullopt;
    }
    return Convolution{*x.dims, *weight.dims, std::move(*windows), *groups};
}

bool differ(std::int64_t a, std::int64_t b)
{
    return a >= 0 && b >= 0 && a != b;
}

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

/// Every output has the shape of the operand that the row names; of several names, output by
/// output.
RuleResult sameRule(const OperationView &view, const Operands &names)
{
    RuleResult outcome;
    for (const std::string &name : names) {
        const auto values = view.operands(name);
        outcome.outputs.insert(outcome.outputs.end(), values.begin(), values.end());
        if (values.empty())
            outcome.outputs.push_back(view.operand(name));
    }
    for (Tensor &each : outcome.outputs)
        each.numbers.reset();
    return outcome;
}

RuleResult broadcastRule(const OperationView &view, const Operands &names)
{
    Dims result;
    for (const std::string &name : names) {
        const Tensor each = view.operand(name);
        if (!each.dims)
            return unknown("the shape of " + name + " is not known");
        const auto wider = broadcast(result, *each.dims);
        if (!wider)
            return conflict(name, "extents that fit " + dimsText(result), dimsText(*each.dims));
        result = *wider;
    }
    return made(std::move(result));
}

RuleResult reduceRule(const OperationView &view, const Operands &names)
{
    const Tensor x = view.operand(names.front());
    const auto keep = view.number("keep_dims", 0);
    const auto axes = x.dims ? reducedAxes(view, x.dims->size()) : std::nullopt;
    if (!axes || !keep)
        return unknown("axes or keep_dims are not known");
    Dims result;
    for (std::size_t i = 0; i < x.dims->size(); ++i) {
        if (!(*axes)[i])
            result.push_back((*x.dims)[i]);
        else if (*keep != 0)
            result.push_back(1);
    }
    return made(std::move(result));
}

RuleResult argumentRule(const OperationView &view, const Operands &names)
{
    const Tensor x = view.operand(names.front());
    const auto keep = view.number("keep_dims", 0);
    const auto number = view.number("axis", -1);
    const auto axis = x.dims && number ? axisOf(*number, x.dims->size()) : std::nullopt;
    if (!axis || !keep)
        return unknown("axis or keep_dims are not known");
    Dims result = *x.dims;
    if (*keep != 0)
        result[*axis] = 1;
    else
        result.erase(result.begin() + static_cast<std::ptrdiff_t>(*axis));
    return made(std::move(result));
}

// Convolutions and pooling (coremltools, ops/defs/_utils.py: spatial_dimensions_out_shape).

/// Row: x, weight [output channels, input channels of a group, kernel …].
RuleResult convRule(const OperationView &view, const Operands &names)
{
    RuleResult fault;
    const auto of = convolutionOf(view, names, fault);
    if (!of)
        return fault;
    const std::int64_t channels = times(of->weight[1], of->groups);
    if (differ(of->x[1], channels))
        return conflict(names[0], std::to_string(channels) + " channels", dimsText(of->x));
    return placed(names[0], {of->x[0], of->weight[0]}, of->x, of->windows);
}

/// Row: x, weight [input channels, output channels of a group, kernel …].
RuleResult convTransposeRule(const OperationView &view, const Operands &names)
{
    if (view.has("output_shape")) {
        auto given = view.numbers("output_shape");
        return given ? made(std::move(*given)) : unknown("output_shape is not known");
    }
    RuleResult fault;
    const auto of = convolutionOf(view, names, fault);
    if (!of)
        return fault;
    if (differ(of->x[1], of->weight[0]))
        return conflict(names[0], std::to_string(of->weight[0]) + " channels", dimsText(of->x));
    Dims result{of->x[0], times(of->weight[1], of->groups)};
    for (std::size_t i = 0; i < of->windows.size(); ++i) {
        const Window &window = of->windows[i];
        const std::int64_t extent = of->x[i + 2];
        std::int64_t out = times(extent, window.stride);
        if (!window.same && out >= 0)
            out = plus(plus(plus(out, -window.stride), reach(window)),
                       -plus(window.before, window.after));
        result.push_back(out < 0 ? kUnknown : out);
    }
    return made(std::move(result));
}

RuleResult poolRule(const OperationView &view, const Operands &names)
{
    const Tensor x = view.operand(names.front());
    if (!x.dims)
        return unknown("the shape of " + names.front() + " is not known");
    const auto kernel = view.numbers("kernel_sizes");
    const auto windows = kernel ? windowsOf(view, *kernel) : std::nullopt;
    if (!windows)
        return unknown("kernel_sizes, strides or padding are not known");
    if (x.dims->size() != kernel->size() + 2)
        return conflict(names.front(), std::to_string(kernel->size() + 2) + " axes",
                        dimsText(*x.dims));
    return placed(names.front(), {(*x.dims)[0], (*x.dims)[1]}, *x.dims, *windows);
}

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

constexpr NamedRule kProductRules[] = {
    {"same", sameRule},         {"broadcast", broadcastRule}, {"reduce", reduceRule},
    {"argument", argumentRule}, {"conv", convRule},           {"conv_transpose", convTransposeRule},
    {"pool", poolRule},         {"linear", linearRule},       {"matmul", matmulRule},
    {"einsum", einsumRule},     {"attention", attentionRule}, {"recurrent", recurrentRule},
};

} // namespace

std::span<const NamedRule> productRules()
{
    return kProductRules;
}

} // namespace kernscope::shapes
