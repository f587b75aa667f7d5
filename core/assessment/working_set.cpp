// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/working_set.h"

#include "core/assessment/roofline.h"
#include "core/target/hal.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::decision {

namespace {

struct NamedCap {
    std::uint64_t bytes = 0;
    std::string source;
};

std::optional<NamedCap> compilersCap(const target::Target &target)
{
    const target::HalValue *value =
        target::halValue(target, target::HalLayout::Chapters, target::hal::kWorkingSet);
    std::string where = "+0x1b8: ";
    if (value == nullptr) {
        value = target::halValue(target, target::HalLayout::Later, target::hal::kLaterWorkingSet);
        where = "compiler 10.26.6, +0x1d8: ";
    }
    if (value == nullptr || !value->number)
        return std::nullopt;
    return NamedCap{static_cast<std::uint64_t>(*value->number), where + value->source};
}

std::optional<NamedCap> measuredCap(const target::Target &target)
{
    for (const roofline::Ceiling &figure : roofline::ceilings(target)) {
        if (figure.name == "working_set_bytes")
            return NamedCap{static_cast<std::uint64_t>(figure.value), figure.source};
    }
    return std::nullopt;
}

} // namespace

WorkingSetCap workingSetCap(const target::Target &target)
{
    const auto compilers = compilersCap(target), measured = measuredCap(target);
    const auto &first = measured ? measured : compilers;
    if (!first)
        return {};
    WorkingSetCap cap{first->bytes, first->source, {}};
    if (measured && compilers && measured->bytes != compilers->bytes)
        cap.disagreement =
            fmt::format("the largest operand that stays on chip: {} bytes ({}), {} bytes ({})",
                        measured->bytes, measured->source, compilers->bytes, compilers->source);
    return cap;
}

std::optional<bool> staysOnChip(const std::optional<std::uint64_t> &cap,
                                const std::optional<std::uint64_t> &weight, std::uint64_t dense,
                                const std::optional<std::uint64_t> &input,
                                const std::optional<std::uint64_t> &output)
{
    if (!cap)
        return std::nullopt;
    if (std::max({weight.value_or(0), input.value_or(0), output.value_or(0)}) > *cap)
        return false;
    if (!input || !output || std::max(dense, weight.value_or(dense)) > *cap)
        return std::nullopt;
    return true;
}

} // namespace kernscope::decision
