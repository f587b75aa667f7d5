// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/kernels/fit_kernels.h"

#include <algorithm>
#include <array>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/codec/kernels/fit_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file again for each target.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace kernscope::codec::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Adding it to a number below 2^22 rounds that to a whole one, ties to even.
constexpr float kWhole = 12582912.0f;

#if HWY_TARGET != HWY_SCALAR

/// Eight sums each of error, cross and square into `sums`.
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
        hn::StoreU(error, d, sums + lane);
        hn::StoreU(cross, d, sums + kFitLanes + lane);
        hn::StoreU(square, d, sums + 2 * kFitLanes + lane);
    }
}

#else

void fitRun(const float *values, const float *masses, std::size_t count, float scale, float low,
            float high, float *sums)
{
    const float inverse = 1.0f / scale;
    std::fill(sums, sums + 3 * kFitLanes, 0.0f);
    for (std::size_t at = 0; at < count; ++at) {
        float *const to = sums + at % kFitLanes;
        const float steps = std::min(std::max(values[at] * inverse, low), high);
        const float code = (steps + kWhole) - kWhole;
        const float off = values[at] - code * scale;
        const float weighed = masses[at] * code;
        to[0] += masses[at] * off * off;
        to[kFitLanes] += weighed * values[at];
        to[2 * kFitLanes] += weighed * code;
    }
}

#endif

} // namespace kernscope::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kernscope::codec {

HWY_EXPORT(fitRun);

FitSums sumFit(std::span<const float> values, std::span<const float> masses, const FitSteps &steps)
{
    constexpr std::size_t kRun = 4096;
    FitSums total;
    std::array<float, 3 * kFitLanes> sums;
    for (std::size_t at = 0; at < values.size(); at += kRun) {
        HWY_DYNAMIC_DISPATCH(fitRun)
        (values.data() + at, masses.data() + at, std::min(kRun, values.size() - at), steps.scale,
         steps.low, steps.high, sums.data());
        for (std::size_t lane = 0; lane < kFitLanes; ++lane) {
            total.error += static_cast<double>(sums[lane]);
            total.cross += static_cast<double>(sums[kFitLanes + lane]);
            total.square += static_cast<double>(sums[2 * kFitLanes + lane]);
        }
    }
    return total;
}

} // namespace kernscope::codec
#endif
