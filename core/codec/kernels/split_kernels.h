// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

/// Private to the codec: rows of the dynamic programme that finds the best codebook of single
/// values (optimal_centres.cpp).
namespace kernscope::codec {

/// What lies behind the last number of running sums and of a row's `before`, in numbers: read, and
/// of no influence.
inline constexpr std::size_t kSplitPadding = 8;

/// Sums over the first 0, 1, ... values: of their masses, of mass x value, of mass x value². Where
/// values of very different size meet, the sums are kept in two parts, of which the second ones
/// hold what rounding took from the first ones; null where they are not.
struct RunningSums {
    const double *mass = nullptr;
    const double *sum = nullptr;
    const double *square = nullptr;
    const double *sumRest = nullptr;
    const double *squareRest = nullptr;
};

/// Which number stands for a run of values: their mean, or the fp16 number nearest to it.
enum class RunCentre : std::uint8_t { Mean, Half };

/// One row: of `count` values, for every number `end` of first ones from `clusters` on, the split
/// before which all but the last of `clusters` (at least 2) clusters lie.
struct SplitRow {
    RunningSums sums;
    std::size_t count = 0;
    std::size_t clusters = 2;
    const double *before = nullptr;       ///< by end: least error in one cluster fewer
    const std::uint32_t *least = nullptr; ///< by end: split of that row, which none lies before
    double *best = nullptr;               ///< by end: least error
    std::uint32_t *split = nullptr;       ///< by end: the first of the best ones
};

/// Squared error, by mass, of values [first, end) around their centre.
double runError(const RunningSums &sums, RunCentre centre, std::size_t first, std::size_t end);
/// Their centre: within 2^-53 of their mean, or an fp16 number.
double runCentre(const RunningSums &sums, RunCentre centre, std::size_t first, std::size_t end);

/// Fills a row. `near`: splits are expected to lie within a few values behind those of the row
/// before. The same bits by every instruction set and either way. Returns how far they lie behind
/// them, on the average.
double fillSplits(const SplitRow &row, RunCentre centre, bool near);

} // namespace kernscope::codec
