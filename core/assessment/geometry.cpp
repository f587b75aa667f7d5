// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/geometry.h"

#include "core/assessment/geometry_cycles.h"
#include "core/assessment/geometry_facts.h"
#include "core/assessment/winograd.h"
#include "core/assessment/working_set.h"

#include <algorithm>
#include <array>
#include <initializer_list>

#include <fmt/format.h>

namespace kernscope::decision {

namespace {

using Count = std::optional<std::uint64_t>;

Count product(std::initializer_list<std::uint64_t> factors)
{
    Count result = 1;
    for (const std::uint64_t factor : factors)
        result = result ? checkedMultiply(*result, factor) : std::nullopt;
    return result;
}

Result<void> checkExtents(const LayerOperation &operation)
{
    const std::array<std::pair<std::string_view, std::uint64_t>, 13> extents{
        {{"input channels", operation.inputChannels},
         {"output channels", operation.outputChannels},
         {"kernel width", operation.kernelWidth},
         {"kernel height", operation.kernelHeight},
         {"kernel depth", operation.kernelDepth},
         {"output width", operation.outputWidth},
         {"output height", operation.outputHeight},
         {"output depth", operation.outputDepth},
         {"stride x", operation.strideX},
         {"stride y", operation.strideY},
         {"stride z", operation.strideZ},
         {"batch", operation.batch},
         {"groups", operation.groups}}};
    for (const auto &[name, extent] : extents) {
        if (extent == 0)
            return tl::unexpected(valueError("geometry.zero", std::string(name), "at least 1", "0",
                                             fmt::format("The {} cannot be 0.", name)));
    }
    for (const auto &share : {operation.density, operation.paddedZero}) {
        if (share && !(*share >= 0 && *share <= 1))
            return tl::unexpected(valueError("geometry.density", "density", "0 to 1",
                                             fmt::format("{}", *share),
                                             "A share lies within 0 and 1."));
    }
    return {};
}

CapClass capOf(unsigned bits)
{
    return bits > 8 ? CapClass::SixteenBit : bits > 4 ? CapClass::EightBit : CapClass::FourBit;
}

/// ComputeSmallSourceMode: only the tiny case is published in full.
void chooseMode(const target::Target &target, const LayerOperation &operation,
                const GeometryOptions &options, Geometry &geometry)
{
    if (options.mode) {
        geometry.mode = *options.mode;
        geometry.modeReason = "chosen by hand";
        return;
    }
    const target::HalValue *limit =
        target::halValue(target, target::HalLayout::Chapters, target::hal::kTinySource);
    const std::uint64_t source = std::max(operation.outputWidth, operation.outputHeight);
    if (!operation.outputKnown) {
        geometry.mode = SourceMode::Default;
        geometry.modeReason = "default: the output's extents are not known";
        return;
    }
    if (limit && limit->number && source >= 2 && source <= std::uint64_t(*limit->number)) {
        geometry.mode = SourceMode::Tiny;
        geometry.modeReason =
            fmt::format("source {} is at least 2 and fits hal[0x338] = {}", source, limit->text);
        return;
    }
    geometry.mode = SourceMode::Default;
    geometry.modeReason = limit ? "default: the rule for small sources is not published"
                                : "default: hal[0x338] is unknown on this target";
}

WorkingSet workingSet(const target::Target &target, const LayerOperation &operation,
                      std::uint64_t weights, Count outputs)
{
    WorkingSet set;
    const WorkingSetCap cap = workingSetCap(target);
    set.cap = cap.bytes;
    set.source = cap.source;
    set.weightBytes = weights / 8 * operation.weightBits + weights % 8 * operation.weightBits / 8;
    if (operation.inputElements != 0 && operation.inputElements <= UINT64_MAX / 2)
        set.inputBytes = operation.inputElements * 2;
    if (outputs)
        set.outputBytes = *outputs * 2;
    set.largest =
        std::max({set.weightBytes, set.inputBytes.value_or(0), set.outputBytes.value_or(0)});
    set.fits = staysOnChip(set.cap, set.weightBytes, weights * 2, set.inputBytes, set.outputBytes);
    return set;
}

/// The row of table 20.5 for an operation that it is about.
const GeometryFact *tableRate(const target::Target &target, const LayerOperation &operation)
{
    const bool pointwise =
        operation.kernelWidth == 1 && operation.kernelHeight == 1 && operation.kernelDepth == 1;
    // The table has a row for each number of channels that was measured.
    return pointwise ? geometryFact(target, fmt::format("throughput_{}", operation.outputChannels))
                     : nullptr;
}

/// Where what was measured contradicts what the listings give for the operation.
void addDisagreements(const target::Target &target, const LayerOperation &operation,
                      Geometry &geometry)
{
    if (tableRate(target, operation) != nullptr) {
        geometry.litMeasured = operation.outputChannels;
        if (geometry.lit && geometry.litMeasured != geometry.lit)
            geometry.disagreements.push_back(fmt::format(
                "Table 20.5 measured {} cores lit for {} output channels; listing 20.2 (next power "
                "of two of the passes) lights {}.",
                *geometry.litMeasured, operation.outputChannels, *geometry.lit));
    }
    const GeometryFact *low = geometryFact(target, "pass_step_channels_low");
    const GeometryFact *high = geometryFact(target, "pass_step_channels_high");
    const GeometryFact *before = geometryFact(target, "pass_step_time_low");
    const GeometryFact *after = geometryFact(target, "pass_step_time_high");
    const bool shape = geometry.kernel == 1 && operation.outputWidth == 32 &&
                       operation.outputHeight == 32 && low && high && before && after;
    if (shape && double(operation.outputChannels) >= low->value &&
        double(operation.outputChannels) <= high->value)
        geometry.disagreements.push_back(fmt::format(
            "Measured on {}: from {:.0f} to {:.0f} channels (1x1, fp16, 32x32) a layer goes from "
            "{:.0f} to {:.0f} us, the passes from 1 to 2; listing 20.1 gives {} passes here "
            "(12 and 16 at its ends).",
            target.name, low->value, high->value, 1e6 * before->value, 1e6 * after->value,
            geometry.passes));
}

void addCostFacts(const target::Target &target, Geometry &geometry)
{
    for (const GeometryFact &fact : geometryFacts()) {
        const bool costed = fact.fact.starts_with("costed_") || fact.fact == "silicon_cores" ||
                            fact.fact == "registry_cores" || fact.fact == "kernel_memory_units" ||
                            fact.fact == "layer_overhead_cycles";
        if (costed && fact.target == target.name)
            geometry.costed.push_back({fact.fact, fact.unit, fact.source, fact.note, fact.value});
    }
}

void groupsAndCores(const LayerOperation &operation, const GeometryOptions &options,
                    Geometry &geometry)
{
    const OcgReading other =
        options.reading == OcgReading::Listing ? OcgReading::Formula : OcgReading::Listing;
    const unsigned cap = byteCap(geometry.cap);
    const unsigned per = geometry.perAccumulator;
    geometry.reading = options.reading;
    geometry.group = outputChannelGroup(geometry.kernel, cap, per, options.reading);
    geometry.otherGroup = outputChannelGroup(geometry.kernel, cap, per, other);
    geometry.passes = ocgPasses(operation.outputChannels, geometry.group);
    geometry.otherPasses = ocgPasses(operation.outputChannels, geometry.otherGroup);
    if (geometry.cores.value) {
        geometry.lit = coresLit(geometry.passes, *geometry.cores.value);
        geometry.otherLit = coresLit(geometry.otherPasses, *geometry.cores.value);
    }
    // The demand of an operation is not published: here, the slots that one group takes.
    geometry.demand = options.demand.value_or((geometry.group + per - 1) / per);
    geometry.buffering = bufferingOf(geometry.demand);
}

} // namespace

CycleEstimate cyclesOf(const target::Target &target, const LayerOperation &operation,
                       const Geometry &geometry, const Count &macs)
{
    CycleEstimate cycles;
    cycles.macs = macs;
    cycles.doubleMac = isDoubleMac(operation.kernelFormat, operation.tensorFormat);
    if (const GeometryFact *lanes =
            geometryFact(target, cycles.doubleMac ? "lanes_int8" : "lanes_fp16")) {
        cycles.lanes = static_cast<unsigned>(lanes->value);
        cycles.lanesReason =
            cycles.doubleMac ? "one-byte activation and weight of one class: " + lanes->note
                             : "the activation is not one byte wide as the weight is: fp16 path";
    }
    const GeometryFact *fixed = geometryFact(target, "layer_overhead_cycles");
    if (fixed != nullptr)
        cycles.fixedCycles = static_cast<std::uint64_t>(fixed->value);
    if (operation.density)
        cycles.sparseRatio = 1.0 / 16 + *operation.density;
    if (macs && geometry.lit && *geometry.lit > 0) {
        const double array = double(*macs) / (double(*geometry.lit) * cycles.lanes);
        const double start = double(cycles.fixedCycles.value_or(0));
        cycles.dense = array + start;
        if (operation.density || operation.paddedZero.value_or(0) > 0) {
            // Zeros that are not known are none: what is skipped is then a lower bound.
            const double kept =
                operation.density.value_or(1) * (1 - operation.paddedZero.value_or(0));
            cycles.withZeroSkip = array * kept + start;
            cycles.skipShare = *cycles.dense > 0 ? 1 - *cycles.withZeroSkip / *cycles.dense : 0;
        }
    }
    if (const GeometryFact *rate = tableRate(target, operation)) {
        cycles.measuredRate = rate->value;
        cycles.rateSource = rate->source;
    }
    return cycles;
}

bool isDoubleMac(std::uint32_t kernelFormat, std::uint32_t tensorFormat)
{
    constexpr std::uint32_t kInt8 = 1, kUint8 = 2, kE4m3Kernel = 5, kE4m3Tensor = 12;
    const bool integers = (kernelFormat == kInt8 || kernelFormat == kUint8) &&
                          (tensorFormat == kInt8 || tensorFormat == kUint8);
    return integers || (kernelFormat == kE4m3Kernel && tensorFormat == kE4m3Tensor);
}

std::optional<double> insideShare(std::uint64_t input, std::uint64_t output, std::uint64_t kernel,
                                  std::uint64_t stride, std::uint64_t dilation,
                                  std::uint64_t before)
{
    constexpr std::uint64_t kMost = std::uint64_t(1) << 20; // further extents are none of a layer
    if (input == 0 || output == 0 || kernel == 0 || stride == 0 || dilation == 0 ||
        std::max({input, output, kernel, stride, dilation, before}) > kMost)
        return std::nullopt;
    double inside = 0;
    for (std::uint64_t tap = 0; tap < kernel; ++tap) {
        // Windows o with before <= o * stride + tap * dilation < before + input.
        const std::uint64_t at = tap * dilation;
        const auto windowsBelow = [&](std::uint64_t place) {
            return place <= at ? 0 : std::min(output, (place - at - 1) / stride + 1);
        };
        inside += double(windowsBelow(before + input) - windowsBelow(before));
    }
    return inside / (double(output) * double(kernel));
}

std::uint64_t samePadding(std::uint64_t input, std::uint64_t output, std::uint64_t kernel,
                          std::uint64_t stride, std::uint64_t dilation, bool lower)
{
    if (input == 0 || output == 0 || kernel == 0)
        return 0;
    const std::uint64_t reach = (output - 1) * stride + (kernel - 1) * dilation + 1;
    const std::uint64_t whole = reach > input ? reach - input : 0;
    return lower ? whole - whole / 2 : whole / 2;
}

std::optional<double> samePaddedZero(const LayerOperation &operation)
{
    const auto axis = [](std::uint64_t output, std::uint64_t kernel, std::uint64_t stride) {
        const auto input = checkedMultiply(output, stride);
        return input ? insideShare(*input, output, kernel, stride, 1,
                                   samePadding(*input, output, kernel, stride, 1))
                     : std::nullopt;
    };
    const auto x = axis(operation.outputWidth, operation.kernelWidth, operation.strideX);
    const auto y = axis(operation.outputHeight, operation.kernelHeight, operation.strideY);
    const auto z = axis(operation.outputDepth, operation.kernelDepth, operation.strideZ);
    return x && y && z ? std::optional(1 - *x * *y * *z) : std::nullopt;
}

std::optional<std::uint64_t> paddedInputElements(const LayerOperation &operation)
{
    return product({operation.inputChannels, operation.outputWidth, operation.outputHeight,
                    operation.outputDepth, operation.strideX, operation.strideY,
                    operation.strideZ});
}

Result<Geometry> computeGeometry(const target::Target &target, const LayerOperation &operation,
                                 const GeometryOptions &options)
{
    if (const auto checked = checkExtents(operation); !checked)
        return tl::unexpected(checked.error());
    const auto cores = target::cores(target, options.choice);
    if (!cores)
        return tl::unexpected(cores.error());
    const Count kernel =
        product({operation.kernelWidth, operation.kernelHeight, operation.kernelDepth});
    const Count outputs = product({operation.batch, operation.outputChannels, operation.outputWidth,
                                   operation.outputHeight, operation.outputDepth});
    const Count weights =
        kernel ? product({operation.outputChannels, operation.inputChannels, *kernel})
               : std::nullopt;
    const Count macs =
        kernel && outputs ? product({*outputs, operation.inputChannels, *kernel}) : std::nullopt;
    // Headroom for bits a weight, bytes an activation and the Winograd work.
    constexpr std::uint64_t kLimit = UINT64_MAX / 128;
    if (!macs || !weights || *macs > kLimit || *weights > kLimit)
        return tl::unexpected(valueError("geometry.overflow", "extents", "products below 2^57",
                                         "more",
                                         "The extents multiply to more than 64 bits hold."));
    Geometry geometry;
    geometry.target = &target;
    geometry.cores = *cores;
    geometry.kernel = *kernel;
    geometry.cap = capOf(operation.weightBits);
    chooseMode(target, operation, options, geometry);
    geometry.perAccumulator = channelsPerAccumulator(geometry.mode);
    groupsAndCores(operation, options, geometry);
    geometry.winograd = winogradGate(target, operation, geometry.group, geometry.buffering);
    const bool known = operation.outputKnown;
    geometry.workingSet = workingSet(target, operation, *weights, known ? outputs : std::nullopt);
    geometry.cycles = cyclesOf(target, operation, geometry, known ? macs : std::nullopt);
    addCostFacts(target, geometry);
    addDisagreements(target, operation, geometry);
    if (auto line = workingSetCap(target).disagreement; !line.empty())
        geometry.disagreements.push_back(std::move(line));
    return geometry;
}

} // namespace kernscope::decision
