// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/geometry.h"

#include "core/assessment/roofline.h"
#include "core/format/table_rows.h"

#include <algorithm>
#include <bit>

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
            return refused("geometry.zero", std::string(name), "at least 1", "0",
                           fmt::format("The {} cannot be 0.", name));
    }
    for (const auto &share : {operation.density, operation.paddedZero}) {
        if (share && !(*share >= 0 && *share <= 1))
            return refused("geometry.density", "density", "0 to 1", fmt::format("{}", *share),
                           "A share lies within 0 and 1.");
    }
    return {};
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

using format::Confidence;
constexpr std::string_view kTable = "table 20.4";

Condition condition(std::string name, std::string required, std::string found,
                    std::optional<bool> holds, std::string source = std::string(kTable))
{
    return {std::move(name), std::move(required), std::move(found), holds, std::move(source)};
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

/// A row of resources/tables/ocg_figures.csv, in the order of SourceMode or of CapClass.
struct OcgFigure {
    std::string kind, name;
    unsigned figure = 0;
    std::uint32_t offset = 0; ///< HAL place of the figure
};

std::vector<OcgFigure> figuresOf(std::string_view kind)
{
    auto rows = tables::loadRows<OcgFigure>("ocg_figures", {{"kind", &OcgFigure::kind},
                                                            {"name", &OcgFigure::name},
                                                            {"figure", &OcgFigure::figure},
                                                            {"offset", &OcgFigure::offset}});
    std::erase_if(rows, [kind](const OcgFigure &row) { return row.kind != kind; });
    return rows;
}

/// Table 20.3.
const std::vector<OcgFigure> &modes()
{
    static const auto rows = figuresOf("mode");
    return rows;
}

/// Byte caps of a kernel element.
const std::vector<OcgFigure> &caps()
{
    static const auto rows = figuresOf("cap");
    return rows;
}

/// CanUseWinogradMode, table 20.4, for an operation with that group size and buffering.
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
    const bool refused = std::ranges::any_of(gate.conditions, fails) || operation.sparse;
    if (refused)
        gate.eligible = false;
    else if (std::ranges::none_of(gate.conditions, open))
        gate.eligible = true;
    if (!refused) {
        // F(2,3) spends 4 products where direct spends 6; F(4,3) 6 where direct spends 12.
        gate.tiles = {{2, 4, 6.0 / 4.0}, {4, 6, 12.0 / 6.0}};
    }
    return gate;
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
    TRY(checkExtents(operation));
    const auto cores = TRY(target::cores(target, options.choice));
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
        return refused("geometry.overflow", "extents", "products below 2^57", "more",
                       "The extents multiply to more than 64 bits hold.");
    Geometry geometry;
    geometry.target = &target;
    geometry.cores = cores;
    geometry.kernel = *kernel;
    geometry.cap = operation.weightBits > 8   ? CapClass::SixteenBit
                   : operation.weightBits > 4 ? CapClass::EightBit
                                              : CapClass::FourBit;
    chooseMode(target, operation, options, geometry);
    geometry.perAccumulator = modes()[std::size_t(geometry.mode)].figure; // 8, 4, 2 or 1
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

std::span<const GeometryFact> geometryFacts()
{
    static const auto facts = tables::loadRows<GeometryFact>(
        "geometry_facts", {{"fact", &GeometryFact::fact},
                           {"target", &GeometryFact::target},
                           {"value", &GeometryFact::value},
                           {"unit", &GeometryFact::unit},
                           {"source", &GeometryFact::source},
                           {"note", &GeometryFact::note},
                           {"confidence", &GeometryFact::confidence}});
    return facts;
}

const GeometryFact *geometryFact(const target::Target &target, std::string_view name)
{
    const GeometryFact *found = nullptr;
    for (const GeometryFact &fact : geometryFacts()) {
        if (fact.fact != name)
            continue;
        if (fact.target == target.name)
            return &fact;
        if (fact.target == "*")
            found = &fact;
    }
    return found;
}

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

// Group size, passes, cores and buffering: listings 20.1 and 20.2.

std::string_view ocgReadingName(OcgReading reading)
{
    return reading == OcgReading::Listing ? "listing" : "formula";
}

std::string_view sourceModeName(SourceMode mode)
{
    return modes()[std::size_t(mode)].name;
}

std::optional<SourceMode> sourceModeFromName(std::string_view name)
{
    for (std::size_t i = 0; i < modes().size(); ++i) {
        if (modes()[i].name == name)
            return SourceMode(i);
    }
    return std::nullopt;
}

target::HalOffset accumulatorOffset(SourceMode mode)
{
    return {modes()[std::size_t(mode)].offset};
}

unsigned byteCap(CapClass cap)
{
    return caps()[std::size_t(cap)].figure;
}

target::HalOffset byteCapOffset(CapClass cap)
{
    return {caps()[std::size_t(cap)].offset};
}

std::uint64_t outputChannelGroup(std::uint64_t kernel, unsigned cap, unsigned perAccumulator,
                                 OcgReading reading, unsigned accumulators)
{
    const std::uint64_t k = std::max<std::uint64_t>(kernel, 1);
    const std::uint64_t budget = std::bit_floor(std::max<std::uint64_t>(accumulators / k, 1));
    const std::uint64_t group = reading == OcgReading::Listing
                                    ? std::min<std::uint64_t>(budget * perAccumulator, cap / k)
                                    : std::min<std::uint64_t>(budget, cap);
    return std::max<std::uint64_t>(group, 1);
}

std::uint64_t ocgPasses(std::uint64_t channels, std::uint64_t group)
{
    const std::uint64_t size = std::max<std::uint64_t>(group, 1);
    return channels / size + (channels % size == 0 ? 0 : 1);
}

std::uint64_t coresLit(std::uint64_t passes, std::uint64_t cores)
{
    // bit_ceil past 2^63 has no value; that number of passes uses every core.
    if (passes >= cores)
        return cores;
    return std::min(cores, std::bit_ceil(std::max<std::uint64_t>(passes, 1)));
}

std::string_view bufferingName(Buffering buffering)
{
    switch (buffering) {
    case Buffering::Double: return "double";
    case Buffering::Single: return "single";
    case Buffering::Exceeds: break;
    }
    return "exceeds";
}

Buffering bufferingOf(std::uint64_t demand, unsigned accumulators)
{
    if (demand <= accumulators / 2)
        return Buffering::Double;
    return demand <= accumulators ? Buffering::Single : Buffering::Exceeds;
}

} // namespace kernscope::decision
