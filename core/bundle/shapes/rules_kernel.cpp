// SPDX-License-Identifier: GPL-3.0-or-later
// Convolutions and pooling (coremltools, ops/defs/_utils.py: spatial_dimensions_out_shape).
#include "core/bundle/shapes/rules.h"

namespace kernscope::shapes {

namespace {

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

} // namespace

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

} // namespace kernscope::shapes
