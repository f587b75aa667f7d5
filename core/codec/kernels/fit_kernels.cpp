// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/kernels/encode_kernels.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/codec/kernels/fit_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file again for each target.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace kernscope::codec::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kFitSums = 4; ///< of each lane, of which three count

/// Adding it to a number below 2^22 rounds that to a whole one, ties to even.
constexpr float kWhole = 12582912.0f;

/// Eight times the sums of error, cross and square, and a zero, into `sums`.
void fitRun(const float *values, const float *masses, std::size_t count, float scale, float low,
            float high, float *sums)
{
    const hn::CappedTag<float, kFitLanes> d;
    const std::size_t lanes = hn::Lanes(d);
    const auto step = hn::Set(d, scale);
    const auto inverse = hn::Set(d, 1.0f / scale);
    const auto least = hn::Set(d, low);
    const auto most = hn::Set(d, high);
    const auto whole = hn::Set(d, kWhole);
    for (std::size_t lane = 0; lane < kFitLanes; lane += lanes) {
        auto error = hn::Zero(d);
        auto cross = hn::Zero(d);
        auto square = hn::Zero(d);
        for (std::size_t at = lane; at < count; at += kFitLanes) {
            const auto value = hn::LoadU(d, values + at);
            const auto mass = hn::LoadU(d, masses + at);
            const auto steps = hn::Min(hn::Max(hn::Mul(value, inverse), least), most);
            const auto code = hn::Sub(hn::Add(steps, whole), whole);
            const auto off = hn::Sub(value, hn::Mul(code, step));
            const auto weighed = hn::Mul(mass, code);
            error = hn::Add(error, hn::Mul(hn::Mul(mass, off), off));
            cross = hn::Add(cross, hn::Mul(weighed, value));
            square = hn::Add(square, hn::Mul(weighed, code));
        }
        hn::StoreInterleaved4(error, cross, square, hn::Zero(d), d, sums + kFitSums * lane);
    }
}

/// Adds them up, one after the other.
void addFits(const float *sums, double *totals)
{
    const hn::CappedTag<double, kFitSums> d;
    const hn::Rebind<float, decltype(d)> narrow;
    for (std::size_t i = 0; i < kFitSums; i += hn::Lanes(d)) {
        auto total = hn::LoadU(d, totals + i);
        for (std::size_t lane = 0; lane < kFitLanes; ++lane)
            total = hn::Add(total, hn::PromoteTo(d, hn::LoadU(narrow, sums + kFitSums * lane + i)));
        hn::StoreU(total, d, totals + i);
    }
}

void fitMany(const float *values, const float *masses, std::size_t count, const FitSteps *steps,
             std::size_t many, FitSums *found)
{
    constexpr std::size_t kRun = 4096;
    HWY_ALIGN float sums[kFitSums * kFitLanes];
    for (std::size_t i = 0; i < many; ++i) {
        double totals[kFitSums] = {};
        for (std::size_t at = 0; at < count; at += kRun) {
            fitRun(values + at, masses + at, std::min(kRun, count - at), steps[i].scale,
                   steps[i].low, steps[i].high, sums);
            addFits(sums, totals);
        }
        found[i] = {totals[0], totals[1], totals[2]};
    }
}

} // namespace kernscope::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kernscope::codec {

HWY_EXPORT(fitMany);

FitSums sumFit(std::span<const float> values, std::span<const float> masses, const FitSteps &steps)
{
    FitSums sums;
    sumFits(values, masses, std::span(&steps, 1), std::span(&sums, 1));
    return sums;
}

void sumFits(std::span<const float> values, std::span<const float> masses,
             std::span<const FitSteps> steps, std::span<FitSums> sums)
{
    HWY_DYNAMIC_DISPATCH(fitMany)
    (values.data(), masses.data(), values.size(), steps.data(), steps.size(), sums.data());
}

} // namespace kernscope::codec
#endif
