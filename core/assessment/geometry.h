// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/target/target.h"

/// How the multiply-accumulate array takes an operation (chapter 20): output-channel groups,
/// passes, cores, accumulators, Winograd. Pure arithmetic over numbers that are typed in or come
/// from a bundle's consumer; every figure is that of the compiler's model, not a measurement.
namespace kernscope::decision {

/// The two readings of the group-size listing (resources/formats/engine.md, Geometry).
enum class OcgReading : std::uint8_t {
    Listing, ///< listing 20.1: min(floor_pow2(8/k) x channels per accumulator, cap / k)
    Formula, ///< the printed formula: min(floor_pow2(8/k), cap)
};
std::string_view ocgReadingName(OcgReading reading); ///< "listing" or "formula"

/// What one accumulator slot holds (table 20.3).
enum class SourceMode : std::uint8_t {
    Tiny,    ///< 8 channels: small-source-mode field reads 2
    Small,   ///< 4 channels: it reads 1
    Default, ///< 2 channels: fp16-packed
    Wide,    ///< 1 channel: neither format 3 nor half work unit
};
std::string_view sourceModeName(SourceMode mode); ///< "tiny", "small", "default", "other"
std::optional<SourceMode> sourceModeFromName(std::string_view name);
/// Where the table keeps that number: 0x3a8, 0x3b0, 0x3b8 or 0x3c0.
target::HalOffset accumulatorOffset(SourceMode mode);

/// Which of 0x388, 0x390, 0x398 caps a group: 32, 16 or 8 bytes a kernel element. The chapter does
/// not say which weight format reads which; by the bytes of an element is assumed here.
enum class CapClass : std::uint8_t { SixteenBit, EightBit, FourBit };
unsigned byteCap(CapClass cap); ///< 32, 16 or 8
target::HalOffset byteCapOffset(CapClass cap);

/// Size of an output-channel group: channels that one pass of one engine makes. At least 1.
/// `kernel` is kW x kH x kD (at least 1), `accumulators` HAL +0x00c (8 on every chip).
/// Integer division; floor_pow2(0) counts as 1.
std::uint64_t outputChannelGroup(std::uint64_t kernel, unsigned byteCap, unsigned perAccumulator,
                                 OcgReading reading = OcgReading::Listing,
                                 unsigned accumulators = 8);
/// ceil(channels / group): how often the input is streamed.
std::uint64_t ocgPasses(std::uint64_t channels, std::uint64_t group);
/// min(cores, next_pow2(passes)), listing 20.2. `cores` at least 1.
std::uint64_t coresLit(std::uint64_t passes, std::uint64_t cores);

/// Single-buffered up to 8 units of accumulator demand, double-buffered up to 4.
enum class Buffering : std::uint8_t { Double, Single, Exceeds };
std::string_view bufferingName(Buffering buffering);
/// One-byte activation and one-byte weight of the same class, integer or float: the multiply array
/// may run at the double rate (ZinDoubleMacMode, chapter 36). `kernelFormat` and `tensorFormat` as
/// in LayerOperation.
bool isDoubleMac(std::uint32_t kernelFormat, std::uint32_t tensorFormat);
Buffering bufferingOf(std::uint64_t demand, unsigned accumulators = 8);

/// One operation, as the geometry cares for it. Extents are at least 1; 0 is refused.
struct LayerOperation {
    std::uint64_t inputChannels = 1, outputChannels = 1; ///< input channels of one group
    std::uint64_t kernelWidth = 1, kernelHeight = 1, kernelDepth = 1;
    std::uint64_t outputWidth = 1, outputHeight = 1, outputDepth = 1;
    bool outputKnown = true; ///< false: the output's extents and the batch stand at 1, unknown
    std::uint64_t strideX = 1, strideY = 1, strideZ = 1;
    std::uint64_t batch = 1;
    std::uint64_t groups = 1;
    std::uint64_t inputElements = 0; ///< of the activation; 0: not known
    unsigned weightBits = 16;        ///< of a stored weight as the array sees it
    bool floatWeight = true;
    std::uint32_t kernelFormat = 4; ///< underlying kernel format: 4 fp16, 1 int8, 2 uint8, 5 e4m3
    std::uint32_t tensorFormat = 3; ///< of the input: 1 int8, 2 uint8, 3 fp16, 12 e4m3
    bool sparse = false, unity = false;
    std::optional<bool> unicast;      ///< not in a bundle: the compiler decides
    unsigned workUnitMode = 0;        ///< 1 and 2 raise the Winograd threshold to 32
    std::optional<double> density;    ///< share of weights that are not zero
    std::optional<double> paddedZero; ///< share of implicit zeros from strides and padding
    friend bool operator==(const LayerOperation &, const LayerOperation &) = default;
};

struct GeometryOptions {
    target::TargetChoice choice;
    OcgReading reading = OcgReading::Listing;
    std::optional<SourceMode> mode;      ///< empty: by the output's extents
    std::optional<std::uint64_t> demand; ///< accumulator demand; empty: slots of one group
};

/// One condition with its state; empty `holds`: not known.
struct Condition {
    std::string name, required, found;
    std::optional<bool> holds;
    std::string source;
    format::Confidence confidence = format::Confidence::Documented;
    std::optional<target::HalOffset> offset = {};
};

struct WinogradGate {
    std::vector<Condition> conditions; ///< table 20.4, in its order
    std::vector<Condition> selection;  ///< what rejects an eligible one
    std::uint64_t work = 0;            ///< OCG x kH x kW x kD x 2
    unsigned threshold = 16;           ///< 32, 8 or 16
    std::string thresholdReason;
    std::optional<bool> eligible; ///< empty: a condition is not known and none fails
    struct Tile {
        unsigned output = 0, input = 0; ///< F(2,3): 2 and 4; F(4,3): 4 and 6
        double saving = 0;              ///< multiplications of direct over transformed, one axis
    };
    std::vector<Tile> tiles; ///< the supported forms, where eligible or open
};

struct WorkingSet {
    std::optional<std::uint64_t> cap; ///< bytes, HAL +0x1b8; empty: unknown
    std::string source;
    std::uint64_t weightBytes = 0;
    std::optional<std::uint64_t> inputBytes, outputBytes;
    std::uint64_t largest = 0; ///< of those that are known
    std::optional<bool> fits;  ///< empty: the cap, or an operand that may be larger, is not known
};

/// Cycles of the compiler's model and what zeros take off them (chapter 25).
struct CycleEstimate {
    std::optional<std::uint64_t> macs; ///< empty: the output's extents are not known
    unsigned lanes = 4;                ///< output channels a cycle (table 20.2)
    std::string lanesReason;           ///< by which types
    bool doubleMac = false;            ///< eligible for the double-multiply mode (chapter 36)
    std::optional<std::uint64_t> fixedCycles; ///< 44 on the M1 (table 20.6); empty: not known
    /// macs / (cores x lanes) + fixed, which is left out where it is not known; empty where the
    /// cores or the output's extents are not known.
    std::optional<double> dense;
    std::optional<double> withZeroSkip;
    std::optional<double> skipShare;   ///< 1 - withZeroSkip / dense
    std::optional<double> sparseRatio; ///< 1/16 + density: bytes of the sparse store
    /// MAC/s of table 20.5 where its condition holds: a 1x1 convolution of at most four output
    /// channels, in a loop that the dispatch paces.
    std::optional<double> measuredRate;
    std::string rateSource;
};

struct Geometry {
    const target::Target *target = nullptr;
    target::ChosenFigure cores;
    SourceMode mode = SourceMode::Default;
    std::string modeReason;
    unsigned perAccumulator = 2;
    CapClass cap = CapClass::SixteenBit;
    std::uint64_t kernel = 1;
    std::uint64_t group = 1, passes = 1;
    std::optional<std::uint64_t> lit; ///< empty where the cores are not known
    OcgReading reading = OcgReading::Listing;
    std::optional<std::uint64_t> litMeasured; ///< by table 20.5, up to four output channels
    std::vector<std::string> disagreements;   ///< where tables, listings and measurements differ
    std::uint64_t otherGroup = 1, otherPasses = 1; ///< by the other reading
    std::optional<std::uint64_t> otherLit;
    std::uint64_t demand = 0;
    Buffering buffering = Buffering::Double;
    WinogradGate winograd;
    WorkingSet workingSet;
    CycleEstimate cycles;
    struct CostFact {
        std::string name, unit, source, note;
        double value = 0;
    };
    std::vector<CostFact> costed; ///< table 20.6, where the target has it
};

/// Elements of the activation that an operation reads where only its numbers are known: each output
/// extent times its stride, as with padding "same". Empty: more than 64 bits hold.
std::optional<std::uint64_t> paddedInputElements(const LayerOperation &operation);

/// Errors: "geometry.zero" (an extent of 0, named by `field`), "geometry.overflow",
/// "geometry.density" (not within 0 and 1), "target.claim".
Result<Geometry> computeGeometry(const target::Target &target, const LayerOperation &operation,
                                 const GeometryOptions &options = {});

/// Cycles of `macs` multiplications (empty: not known) on the cores that `geometry` lights.
CycleEstimate cyclesOf(const target::Target &target, const LayerOperation &operation,
                       const Geometry &geometry, const std::optional<std::uint64_t> &macs);

/// Of the products of a window with its input along one axis, the share that meets an element and
/// not the padding; empty where an extent is 0. `before`: places before the first element.
std::optional<double> insideShare(std::uint64_t input, std::uint64_t output, std::uint64_t kernel,
                                  std::uint64_t stride, std::uint64_t dilation,
                                  std::uint64_t before);
/// The same of padding "same" (or "same_lower", which pads more before): how many places are before
/// the first element.
std::uint64_t samePadding(std::uint64_t input, std::uint64_t output, std::uint64_t kernel,
                          std::uint64_t stride, std::uint64_t dilation, bool lower = false);
/// The share of implicit zeros of an operation whose padding is not known: as with padding
/// "same" and an input of each output extent times its stride.
std::optional<double> samePaddedZero(const LayerOperation &operation);

/// A row of resources/tables/geometry_facts.csv, such as those of tables 20.2, 20.5 and 20.6.
struct GeometryFact {
    std::string fact, target; ///< "*": all
    double value = 0;
    std::string unit, source, note;
    format::Confidence confidence = format::Confidence::Documented;
};

std::span<const GeometryFact> geometryFacts();
/// The fact for a target: its own, or that of all. Nothing where it is not known; figures that
/// were measured on one target are not lent to another.
const GeometryFact *geometryFact(const target::Target &target, std::string_view fact);

/// The largest operand that stays on chip. A knee that was measured
/// (resources/tables/roofline.csv, working_set_bytes) goes before the compiler's constant (HAL
/// +0x1b8, or +0x1d8 of compiler 10.26.6).
struct WorkingSetCap {
    std::optional<std::uint64_t> bytes; ///< empty: not known
    std::string source;
    std::string disagreement; ///< a sentence where both are known and differ
};
WorkingSetCap workingSetCap(const target::Target &target);

/// Whether an operand of `weight` bytes as the engine reads it, `dense` as fp16, and the
/// others stay on chip. Which of the two counts for a weight that is stored smaller is not
/// published: where the two give different answers, the result is not known. Empty operands are not
/// known.
std::optional<bool> staysOnChip(const std::optional<std::uint64_t> &cap,
                                const std::optional<std::uint64_t> &weight, std::uint64_t dense,
                                const std::optional<std::uint64_t> &input,
                                const std::optional<std::uint64_t> &output);

} // namespace kernscope::decision
