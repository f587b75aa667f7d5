// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/winograd.h"

#include "core/assessment/geometry_facts.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::decision {

namespace {

using format::Confidence;
constexpr std::string_view kTable = "table 20.4";

Condition condition(std::string name, std::string required, std::string found,
                    std::optional<bool> holds, std::string source = std::string(kTable))
{
    Condition made;
    made.name = std::move(name);
    made.required = std::move(required);
    made.found = std::move(found);
    made.holds = holds;
    made.source = std::move(source);
    return made;
}

Condition enableBit(const target::Target &target)
{
    const target::HalValue *value =
        target::halValue(target, target::HalLayout::Chapters, target::hal::kWinograd);
    const auto bit = target::halBit(target, target::hal::kWinograd);
    Condition made = condition("enable bit", "hal[0x680] & 1", bit ? (*bit ? "1" : "0") : "unknown",
                               bit, value ? value->source : std::string(kTable));
    made.offset = target::hal::kWinograd;
    made.confidence = value ? value->confidence : Confidence::Documented;
    return made;
}

Condition workCondition(const target::Target &target, const LayerOperation &operation,
                        WinogradGate &gate)
{
    const bool workUnit = operation.workUnitMode == 1 || operation.workUnitMode == 2;
    const char *name = workUnit                ? "winograd_threshold_work_unit"
                       : operation.floatWeight ? "winograd_threshold_float"
                                               : "winograd_threshold_integer";
    if (const GeometryFact *fact = geometryFact(target, name)) {
        gate.threshold = static_cast<unsigned>(fact->value);
        gate.thresholdReason = fact->note;
    }
    return condition("work", fmt::format("at least {} ({})", gate.threshold, gate.thresholdReason),
                     fmt::format("{}", gate.work), gate.work >= gate.threshold);
}

void addShape(const LayerOperation &operation, WinogradGate &gate)
{
    const std::uint64_t w = operation.kernelWidth;
    const std::uint64_t h = operation.kernelHeight;
    const bool three = w == 3 || h == 3;
    const std::uint64_t orthogonal = w == 3 ? h : w;
    gate.conditions.push_back(condition("one axis is 3", "kernel width or height 3",
                                        fmt::format("{} x {}", w, h), three));
    gate.conditions.push_back(
        condition("orthogonal axis", "below 6", fmt::format("{}", orthogonal), orthogonal < 6));
    gate.conditions.push_back(condition("no depth", "kernel depth 1",
                                        fmt::format("{}", operation.kernelDepth),
                                        operation.kernelDepth == 1));
    const bool unit = operation.strideX == 1 && operation.strideY == 1 && operation.strideZ == 1;
    gate.conditions.push_back(
        condition("unit stride", "stride 1",
                  fmt::format("{} x {}", operation.strideX, operation.strideY), unit));
}

void addSelection(const LayerOperation &operation, Buffering buffering, WinogradGate &gate)
{
    const std::string source = "chapter 20, Winograd selection";
    gate.selection.push_back(condition(
        "not unicast", "multicast convolution",
        operation.unicast ? (*operation.unicast ? "unicast" : "multicast") : "not in the bundle",
        operation.unicast ? std::optional(!*operation.unicast) : std::nullopt, source));
    gate.selection.push_back(condition("not sparse", "a weight that is not sparse",
                                       operation.sparse ? "sparse" : "not sparse",
                                       !operation.sparse, "chapters 20 and 25"));
    const bool saturates = buffering == Buffering::Double;
    gate.selection.push_back(condition(
        "beats double-buffering", "double-buffering does not saturate the array",
        saturates ? "double-buffering is possible: the cost model decides" : "not double-buffered",
        saturates ? std::nullopt : std::optional(true), source));
    gate.selection.push_back(condition("beats direct convolution", "lower modelled cost",
                                       "the cost model's figures are not published", std::nullopt,
                                       source));
}

} // namespace

WinogradGate winogradGate(const target::Target &target, const LayerOperation &operation,
                          std::uint64_t group, Buffering buffering)
{
    WinogradGate gate;
    // Group and kernel are bounded by the checks of computeGeometry.
    gate.work = group * operation.kernelWidth * operation.kernelHeight * operation.kernelDepth * 2;
    gate.conditions.push_back(enableBit(target));
    const std::uint32_t format = operation.kernelFormat;
    gate.conditions.push_back(condition("kernel type",
                                        "underlying type not 5 (e4m3), not 2 (uint8), not unity",
                                        operation.unity ? "unity" : fmt::format("{}", format),
                                        format != 5 && format != 2 && !operation.unity));
    gate.conditions.push_back(condition("input format", "tensor format not 12 (e4m3)",
                                        fmt::format("{}", operation.tensorFormat),
                                        operation.tensorFormat != 12));
    addShape(operation, gate);
    gate.conditions.push_back(workCondition(target, operation, gate));
    addSelection(operation, buffering, gate);

    const auto fails = [](const Condition &c) { return c.holds && !*c.holds; };
    const auto open = [](const Condition &c) { return !c.holds; };
    const bool refused =
        std::any_of(gate.conditions.begin(), gate.conditions.end(), fails) || operation.sparse;
    if (refused)
        gate.eligible = false;
    else if (std::none_of(gate.conditions.begin(), gate.conditions.end(), open))
        gate.eligible = true;
    if (!refused) {
        // F(2,3) spends 4 products where direct spends 6; F(4,3) 6 where direct spends 12.
        gate.tiles = {{2, 4, 6.0 / 4.0}, {4, 6, 12.0 / 6.0}};
    }
    return gate;
}

} // namespace kernscope::decision
