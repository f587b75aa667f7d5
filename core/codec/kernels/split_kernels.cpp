// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/kernels/split_kernels.h"

#include "core/codec/kernels/run_error.h"

#include <algorithm>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/codec/kernels/split_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file again for each target.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace kernscope::codec::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::CappedTag<double, 8>;
using Nearby = hn::CappedTag<double, 4>;
static_assert(kSplitPadding >= 8);

template <class D>
HWY_INLINE hn::Vec<D> nearestHalf(D d, hn::Vec<D> value)
{
    const hn::Repartition<std::uint64_t, D> bits;
    const auto power =
        hn::Max(hn::BitCast(d, hn::And(hn::BitCast(bits, value), hn::Set(bits, kDoubleExponent))),
                hn::Set(d, 0x1p-14));
    const auto rounder =
        hn::BitCast(d, hn::Add(hn::BitCast(bits, power), hn::Set(bits, kHalfRounder)));
    return hn::Sub(hn::Add(value, rounder), rounder);
}

/// Squared error of a run around its centre, from running sums.
template <RunCentre Centre>
class PlainError
{
public:
    static constexpr bool kVectors = true;
    explicit PlainError(const RunningSums &sums) : m_sums(sums) {}

    HWY_INLINE double operator()(std::size_t first, std::size_t end) const
    {
        const double mass = m_sums.mass[end] - m_sums.mass[first];
        const double sum = m_sums.sum[end] - m_sums.sum[first];
        const double square = m_sums.square[end] - m_sums.square[first];
        return errorAround<Centre>(mass, sum, square);
    }

    /// Of the runs that begin at `first` and the places behind it.
    template <class D>
    HWY_INLINE hn::Vec<D> from(D d, std::size_t first, std::size_t end) const
    {
        const auto differenceOf = [&](const double *sums) HWY_ATTR {
            return hn::Sub(hn::Set(d, sums[end]), hn::LoadU(d, sums + first));
        };
        const auto mass = differenceOf(m_sums.mass);
        const auto sum = differenceOf(m_sums.sum);
        const auto square = differenceOf(m_sums.square);
        const auto error = hn::Max(hn::Zero(d), hn::Sub(square, hn::Div(hn::Mul(sum, sum), mass)));
        if constexpr (Centre == RunCentre::Mean)
            return error;
        const auto middle = hn::Div(sum, mass);
        const auto off = hn::Sub(nearestHalf(d, middle), middle);
        return hn::Add(error, hn::Mul(hn::Mul(mass, off), off));
    }

private:
    RunningSums m_sums;
};

/// The same from sums in two parts: running sums of large squares swallow those of the small.
template <RunCentre Centre>
class PreciseError
{
public:
    static constexpr bool kVectors = false;
    explicit PreciseError(const RunningSums &sums) : m_sums(sums) {}

    HWY_INLINE double operator()(std::size_t first, std::size_t end) const
    {
        const RunningSums &s = m_sums;
        const double mass = s.mass[end] - s.mass[first];
        const double sum = (s.sum[end] - s.sum[first]) + (s.sumRest[end] - s.sumRest[first]);
        const double middle = sum / mass;
        const double rest = std::fma(-middle, mass, sum);
        const double product = sum * middle;
        const double lost = std::fma(sum, middle, -product);
        const double square =
            (s.square[end] - s.square[first]) + (s.squareRest[end] - s.squareRest[first]);
        const double error = std::max(0.0, square - product - lost - middle * rest);
        if constexpr (Centre == RunCentre::Mean)
            return error;
        const double off = toNearestHalf(middle) - middle;
        return error + mass * off * off;
    }

private:
    RunningSums m_sums;
};

/// Fills one row.
template <class Error>
class Filler
{
public:
    explicit Filler(const SplitRow &row) : m_row(row), m_error(row.sums) {}

    /// The best split never moves back as the end moves on: first the one of the middle end, then
    /// those of either half within its bounds.
    void divide(std::size_t firstEnd, std::size_t lastEnd, std::size_t firstSplit,
                std::size_t lastSplit) const
    {
        while (firstEnd <= lastEnd) {
            const std::size_t end = firstEnd + (lastEnd - firstEnd) / 2;
            find(end, firstSplit, lastSplit);
            const std::size_t split = m_row.split[end];
            if (end > firstEnd)
                divide(firstEnd, end - 1, firstSplit, split);
            firstEnd = end + 1;
            firstSplit = split;
        }
    }

    /// From the last end downwards: pays where few splits lie between the two bounds.
    void walk() const
    {
        std::size_t lastSplit = m_row.count;
        for (std::size_t end = m_row.count; end >= m_row.clusters; --end) {
            if (!findNear(Nearby(), end, lastSplit) && !findNear(Doubles(), end, lastSplit))
                find(end, m_row.clusters - 1, lastSplit);
            lastSplit = m_row.split[end];
        }
    }

private:
    /// The first of the best splits for one end, within those that the neighbours leave.
    HWY_INLINE void find(std::size_t end, std::size_t first, std::size_t last) const
    {
        const std::size_t at = std::max<std::size_t>(first, m_row.least[end]);
        last = std::min(last, end - 1);
        if constexpr (Error::kVectors) {
            const Doubles d;
            if (last < at + hn::Lanes(d))
                keep(end, at, errorsFrom(d, at, end, last + 1 - at));
            else
                findFar(end, at, last);
        } else {
            double least = std::numeric_limits<double>::infinity();
            std::size_t where = at;
            for (std::size_t split = at; split <= last; ++split) {
                const double error = m_row.before[split] + m_error(split, end);
                where = error < least ? split : where;
                least = error < least ? error : least;
            }
            store(end, where, least);
        }
    }

    /// The same where one vector holds all splits up to `last`. What it holds beyond them is not
    /// left out, so that no end waits for the one before it: false where the best is among that.
    template <class D>
    HWY_INLINE bool findNear(D d, std::size_t end, std::size_t last) const
    {
        if constexpr (!Error::kVectors) {
            return false;
        } else {
            const std::size_t at = std::max<std::size_t>(m_row.clusters - 1, m_row.least[end]);
            if (last >= at + hn::Lanes(d))
                return false;
            return keep(end, at, errorsFrom(d, at, end, end - at)) <= last;
        }
    }

    /// Where several vectors hold the splits from `at` to `last`.
    HWY_INLINE void findFar(std::size_t end, std::size_t at, std::size_t last) const
    {
        const Doubles d;
        const std::size_t lanes = hn::Lanes(d);
        auto best = hn::Set(d, std::numeric_limits<double>::infinity());
        auto place = hn::Set(d, static_cast<double>(at));
        // Numbers of splits are exact as doubles.
        auto number = hn::Iota(d, static_cast<double>(at));
        const auto step = hn::Set(d, static_cast<double>(lanes));
        for (; at <= last; at += lanes) {
            const auto error = errorsFrom(d, at, end, last + 1 - at);
            const auto less = hn::Lt(error, best);
            best = hn::IfThenElse(less, error, best);
            place = hn::IfThenElse(less, number, place);
            number = hn::Add(number, step);
        }
        const auto least = hn::MinOfLanes(d, best);
        const auto places = hn::IfThenElse(hn::Eq(best, least), place,
                                           hn::Set(d, std::numeric_limits<double>::infinity()));
        store(end, static_cast<std::size_t>(hn::GetLane(hn::MinOfLanes(d, places))),
              hn::GetLane(least));
    }

    /// Errors of the splits from `at` on; infinite from the `count`-th one on.
    template <class D>
    HWY_INLINE hn::Vec<D> errorsFrom(D d, std::size_t at, std::size_t end, std::size_t count) const
    {
        return hn::IfThenElse(hn::FirstN(d, count),
                              hn::Add(hn::LoadU(d, m_row.before + at), m_error.from(d, at, end)),
                              hn::Set(d, std::numeric_limits<double>::infinity()));
    }

    /// Keeps the first of the least errors, those of splits from `at` on; returns its split.
    template <class V>
    HWY_INLINE std::size_t keep(std::size_t end, std::size_t at, V errors) const
    {
        const hn::DFromV<V> d;
        const auto least = hn::MinOfLanes(d, errors);
        const std::size_t where =
            at + static_cast<std::size_t>(hn::FindKnownFirstTrue(d, hn::Eq(errors, least)));
        store(end, where, hn::GetLane(least));
        return where;
    }

    HWY_INLINE void store(std::size_t end, std::size_t where, double least) const
    {
        m_row.best[end] = least;
        m_row.split[end] = static_cast<std::uint32_t>(where);
    }

    SplitRow m_row;
    Error m_error;
};

template <class Error>
void fillBy(const SplitRow &row, bool near)
{
    const Filler<Error> filler(row);
    if (near)
        filler.walk();
    else
        filler.divide(row.clusters, row.count, row.clusters - 1, row.count - 1);
}

void fillRow(const SplitRow &row, RunCentre centre, bool near)
{
    const bool half = centre == RunCentre::Half;
    if (row.sums.sumRest != nullptr)
        half ? fillBy<PreciseError<RunCentre::Half>>(row, near)
             : fillBy<PreciseError<RunCentre::Mean>>(row, near);
    else
        half ? fillBy<PlainError<RunCentre::Half>>(row, near)
             : fillBy<PlainError<RunCentre::Mean>>(row, near);
}

double errorOf(const RunningSums &sums, RunCentre centre, std::size_t first, std::size_t end)
{
    const bool half = centre == RunCentre::Half;
    if (sums.sumRest != nullptr)
        return half ? PreciseError<RunCentre::Half>(sums)(first, end)
                    : PreciseError<RunCentre::Mean>(sums)(first, end);
    return half ? PlainError<RunCentre::Half>(sums)(first, end)
                : PlainError<RunCentre::Mean>(sums)(first, end);
}

double centreOf(const RunningSums &sums, RunCentre centre, std::size_t first, std::size_t end)
{
    double sum = sums.sum[end] - sums.sum[first];
    if (sums.sumRest != nullptr)
        sum += sums.sumRest[end] - sums.sumRest[first];
    const double middle = sum / (sums.mass[end] - sums.mass[first]);
    return centre == RunCentre::Half ? toNearestHalf(middle) : middle;
}

} // namespace kernscope::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kernscope::codec {

HWY_EXPORT(fillRow);
HWY_EXPORT(errorOf);
HWY_EXPORT(centreOf);

double runError(const RunningSums &sums, RunCentre centre, std::size_t first, std::size_t end)
{
    return HWY_DYNAMIC_DISPATCH(errorOf)(sums, centre, first, end);
}

double runCentre(const RunningSums &sums, RunCentre centre, std::size_t first, std::size_t end)
{
    return HWY_DYNAMIC_DISPATCH(centreOf)(sums, centre, first, end);
}

double fillSplits(const SplitRow &row, RunCentre centre, bool near)
{
    HWY_DYNAMIC_DISPATCH(fillRow)(row, centre, near);
    std::uint64_t behind = 0;
    for (std::size_t end = row.clusters; end <= row.count; ++end)
        behind += row.split[end] - row.least[end];
    return static_cast<double>(behind) / static_cast<double>(row.count - row.clusters + 1);
}

} // namespace kernscope::codec
#endif
