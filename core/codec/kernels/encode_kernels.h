// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// Private to the codec: the loops of the encoders, by vector instructions chosen at run time.
namespace kernscope::codec {

/// Least and largest finite value of a run; 0 and 0 where it has none, and both sides of 0 else.
struct RunRange {
    float least = 0;
    float largest = 0;
};
/// The range of `values`, widened by `before`.
RunRange rangeOf(std::span<const float> values, RunRange before);

/// Codes of the steps scale * (code - zero): the nearest one, ties to even (by the exact quotient),
/// within [low, high]; NaN becomes the zero. `scale` is an fp16 number, low and high are codes of
/// int8 or uint8; out[i] holds the low byte of the code.
struct StepRun {
    float scale = 1;
    std::int32_t zero = 0;
    std::int32_t low = -128;
    std::int32_t high = 127;
    std::size_t ahead = 0; ///< values that far on are wanted next: brought near meanwhile; 0: none
};
void quantizeSteps(std::span<const float> values, const StepRun &steps,
                   std::span<std::uint8_t> out);

/// The definition that quantizeSteps reproduces, for one value.
std::int32_t stepCode(float value, const StepRun &steps);

/// Steps scale * code with codes from `low` to `high` (whole numbers around 0, below 2^22).
struct FitSteps {
    float scale = 1;
    float low = -127;
    float high = 127;
};
/// Sums over values w with masses m and the nearest codes c.
struct FitSums {
    double error = 0;  ///< m (w - scale c)²
    double cross = 0;  ///< m w c
    double square = 0; ///< m c²
};
/// `values` (finite) and `masses` are equally long, a multiple of kFitLanes. The same bits by every
/// instruction set: sums of each eighth value in fp32, a few thousand at a time.
FitSums sumFit(std::span<const float> values, std::span<const float> masses, const FitSteps &steps);
inline constexpr std::size_t kFitLanes = 8;

/// The same for several sizes of steps: sums[i] = sumFit(values, masses, steps[i]).
void sumFits(std::span<const float> values, std::span<const float> masses,
             std::span<const FitSteps> steps, std::span<FitSums> sums);

/// Scales of a run of elements: element i uses number (phase + i) / block of `scales` and of
/// `offsets` (empty: no offset). With `roundDifference`, q - offset is rounded to fp16 first.
struct ScaleRun {
    std::span<const float> scales;
    std::span<const float> offsets;
    std::uint64_t phase = 0; ///< below `block`
    std::uint64_t block = 1;
    bool roundDifference = false;
    /// The result outgrows the caches: from the first line of each block on it is stored past them.
    /// flushStream() is the caller's.
    bool streamed = false;
};

/// fp32 arithmetic, one rounding of each product to fp16.
void scaleToHalf(std::span<const std::int8_t> codes, const ScaleRun &run,
                 std::span<std::uint16_t> out);
void scaleToHalf(std::span<const std::uint8_t> codes, const ScaleRun &run,
                 std::span<std::uint16_t> out);
/// Nibbles from element `first` of a packed stream on, two's complement or unsigned.
void scaleNibblesToHalf(std::span<const std::byte> stream, std::uint64_t first, bool twosComplement,
                        const ScaleRun &run, std::span<std::uint16_t> out);
/// In place, in fp32.
void scaleFloats(std::span<float> values, const ScaleRun &run);

// Private to the codec: places of fp16 numbers among ascending bounds, and the codes that edits
// choose, by vector instructions.

/// The bits of an fp16 number as an integer in the order of its value; -0 is just below 0.
constexpr std::int16_t halfOrder(std::uint16_t half)
{
    return static_cast<std::int16_t>((half & 0x8000u) != 0 ? half ^ 0x7fffu : half);
}

/// out[i]: how many bounds, at most 255 of them in halfOrder, lie below halves[i].
void countBelow(std::span<const std::uint16_t> halves, std::span<const std::int16_t> bounds,
                std::span<std::uint8_t> out);

/// What the codes chosen for a run have in common.
struct ChosenRun {
    std::uint64_t changed = 0; ///< codes that are not the ones held
    double worst = 0;          ///< the largest error
    bool sure = true;          ///< false: nothing is known of some of them, what was stored is void
};

/// The nearest fp16 number to each value, rounded once, and in `next` as fp32; a zero for a zero
/// keeps the sign held. Sure where each value and its number are finite.
ChosenRun chooseHalves(std::span<const double> values, std::span<const std::uint16_t> held,
                       std::span<std::uint16_t> chosen, std::span<float> next);

/// Values of integer codes of at most 8 bits under one scale and offset.
struct CodeScale {
    float scale = 1, offset = 0;
    bool addsOffset = false; ///< scale * code + offset; else scale * (code - offset)
    bool roundDifference = false, roundResult = false; ///< to fp16
    std::int32_t low = 0, high = 255;                  ///< all codes
    std::uint32_t mask = 255;                          ///< of the bits that are stored
    double absolute = 0, relative = 0;                 ///< how far a value may be off
};
/// The nearest code to each value, and in `next` what it decodes to; of two equally near ones the
/// code held, or the lower one. Sure where no third one is as near and each is near enough.
ChosenRun chooseScaled(std::span<const double> values, const CodeScale &scale,
                       std::span<const std::uint8_t> held, std::span<std::uint8_t> chosen,
                       std::span<float> next);

/// Brings together the values whose bits of `mask`, from bit `first` on, are set; `kept` has room
/// for all and 8 more. Nothing where one of the others is not zero.
std::optional<std::size_t> keepMasked(std::span<const double> values,
                                      std::span<const std::byte> mask, std::uint64_t first,
                                      std::span<double> kept);

// Private to the codec: distances of many points to the entries of a vector codebook.

/// Points of some values each, as fp64: the first values of all, then the second ones, and so on.
class PointColumns
{
public:
    /// `points` and, where there are any, `masses` (one a value) hold whole points.
    PointColumns(std::span<const float> points, std::span<const float> masses, std::size_t vector);

    std::size_t count() const { return m_count; }
    /// Room for one number a point, as the kernels fill it: a few more than count().
    std::size_t padded() const { return m_padded; }
    std::size_t vector() const { return m_vector; }
    const double *values() const { return m_values.data(); }
    /// Null where all values count alike.
    const double *masses() const { return m_masses.empty() ? nullptr : m_masses.data(); }

private:
    std::size_t m_count, m_padded, m_vector;
    std::vector<double> m_values;
    std::vector<double> m_masses;
};

/// The nearest of the centres for every point, the first of equally near ones: its number, and the
/// sum of the squared differences, each times its mass, in the order of the values. `centres` holds
/// whole ones, at least one; `nearest` and `distances` have padded() places. The same bits by every
/// instruction set.
void nearestCentres(const PointColumns &points, std::span<const float> centres,
                    std::span<std::uint32_t> nearest, std::span<double> distances);

/// distances[i] = the lesser of it and the distance of point i to the centre.
void lowerDistances(const PointColumns &points, std::span<const float> centre,
                    std::span<double> distances);

// Private to the codec: loops that bring survivors together, by vector instructions chosen at run
// time. Each writes a bit of `mask` for every value, least significant first, and what is kept
// into `kept`, which has room for all values and 32 more; a run has a multiple of 8 values, or is
// the last one of its mask.

/// Halves of the values whose magnitude is at least `threshold` (or NaN) and that are not zero in
/// fp16, one after the other. Returns how many were kept.
std::size_t keepLarge(std::span<const float> values, float threshold, std::span<std::byte> mask,
                      std::span<std::uint16_t> kept);

/// A value that was kept, but whose magnitude is below a limit.
struct NearValue {
    std::uint32_t position = 0; ///< among the values of the run
    std::uint32_t survivor = 0; ///< among those of them that were kept
};
/// How many values were kept, and how many of them are near.
struct KeptCounts {
    std::size_t kept = 0;
    std::size_t near = 0;
};
/// keepLarge that also says which of the values it keeps are below `limit`, in their order. `near`
/// has room for all values.
KeptCounts keepLarge(std::span<const float> values, float threshold, float limit,
                     std::span<std::byte> mask, std::span<std::uint16_t> kept,
                     std::span<NearValue> near);

/// The halves that are not zero. Returns how many.
std::size_t keepNonzero(std::span<const std::uint16_t> halves, std::span<std::byte> mask,
                        std::span<std::uint16_t> kept);

// Private to the codec: n:m patterns, by vector instructions chosen at run time. All keep those of
// the largest magnitude in fp16 (magnitudes are in the order of their bits, NaN above the rest)
// and of equal ones the first. `keep` is at most the size of a group.

/// Whether keepInGroups has a kernel for groups of that many.
bool hasGroupKernel(std::size_t of);

/// Groups of `of` values (one that has a kernel), one after the other: mask and survivors, without
/// zeros, as by keepNonzero. values.size() is a multiple of `of` and of 8.
std::size_t keepInGroups(std::span<const float> values, std::size_t of, std::size_t keep,
                         std::span<std::byte> mask, std::span<std::uint16_t> kept);

/// Groups of `of` values of any number, one after the other: halves, zero where they go.
/// values.size() is a multiple of `of`.
void zeroInGroups(std::span<const float> values, std::size_t of, std::size_t keep,
                  std::span<std::uint16_t> halves);

/// `width` groups side by side: element i of group j is values[i * width + j], and there are
/// values.size() / width in a group. Halves, zero where they go; behind them is room for 16 more.
void zeroInColumns(std::span<const float> values, std::size_t width, std::size_t keep,
                   std::span<std::uint16_t> halves);

} // namespace kernscope::codec
