// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codec/kernels/encode_kernels.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/codec/kernels/centre_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file again for each target.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace kernscope::codec::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using PointTag = hn::CappedTag<double, 8>;
using PointVec = hn::Vec<PointTag>;

/// Values, and masses, of as many points as a vector has lanes.
template <std::size_t Vector, bool Massed>
class PointRun
{
public:
    HWY_INLINE PointRun(const PointColumns &points, std::size_t at)
    {
        for (std::size_t v = 0; v < Vector; ++v) {
            m_values[v] = hn::LoadU(PointTag(), points.values() + v * points.padded() + at);
            if constexpr (Massed)
                m_masses[v] = hn::LoadU(PointTag(), points.masses() + v * points.padded() + at);
        }
    }

    HWY_INLINE PointVec distance(const double *centre) const
    {
        auto sum = square(0, centre);
        for (std::size_t v = 1; v < Vector; ++v)
            sum = hn::Add(sum, square(v, centre));
        return sum;
    }

private:
    HWY_INLINE PointVec square(std::size_t v, const double *centre) const
    {
        const auto off = hn::Sub(hn::Set(PointTag(), centre[v]), m_values[v]);
        if constexpr (Massed)
            return hn::Mul(hn::Mul(m_masses[v], off), off);
        else
            return hn::Mul(off, off);
    }

    PointVec m_values[Vector];
    PointVec m_masses[Massed ? Vector : 1];
};

/// The nearest centre so far of some points.
class NearestRun
{
public:
    HWY_INLINE NearestRun()
        : m_least(hn::Set(PointTag(), std::numeric_limits<double>::infinity())),
          m_number(hn::Zero(PointTag()))
    {
    }

    HWY_INLINE void take(PointVec distance, PointVec number)
    {
        const auto less = hn::Lt(distance, m_least);
        m_least = hn::IfThenElse(less, distance, m_least);
        m_number = hn::IfThenElse(less, number, m_number);
    }

    HWY_INLINE void store(std::uint32_t *nearest, double *distances) const
    {
        const PointTag d;
        HWY_ALIGN double numbers[8];
        hn::Store(m_number, d, numbers);
        hn::StoreU(m_least, d, distances);
        for (std::size_t lane = 0; lane < hn::Lanes(d); ++lane)
            nearest[lane] = static_cast<std::uint32_t>(numbers[lane]);
    }

private:
    PointVec m_least, m_number;
};

template <std::size_t Vector, bool Massed>
void nearestOf(const PointColumns &points, const double *centres, std::size_t count,
               std::uint32_t *nearest, double *distances)
{
    const PointTag d;
    const std::size_t lanes = hn::Lanes(d);
    // Two runs at a time, so that neither waits for its own last comparison.
    for (std::size_t at = 0; at < points.padded(); at += 2 * lanes) {
        const PointRun<Vector, Massed> first(points, at);
        const PointRun<Vector, Massed> second(points, at + lanes);
        NearestRun ofFirst, ofSecond;
        for (std::size_t c = 0; c < count; ++c) {
            const auto number = hn::Set(d, static_cast<double>(c));
            ofFirst.take(first.distance(centres + c * Vector), number);
            ofSecond.take(second.distance(centres + c * Vector), number);
        }
        ofFirst.store(nearest + at, distances + at);
        ofSecond.store(nearest + at + lanes, distances + at + lanes);
    }
}

template <std::size_t Vector, bool Massed>
void lowerOf(const PointColumns &points, const double *centre, double *distances)
{
    const PointTag d;
    for (std::size_t at = 0; at < points.padded(); at += hn::Lanes(d)) {
        const PointRun<Vector, Massed> run(points, at);
        const auto lower = hn::Min(run.distance(centre), hn::LoadU(d, distances + at));
        hn::StoreU(lower, d, distances + at);
    }
}

/// Calls `with` the number of values as a constant; false where there is no code for it.
template <class With>
HWY_INLINE bool withVector(std::size_t vector, With with)
{
    switch (vector) {
    case 1: with(std::integral_constant<std::size_t, 1>()); return true;
    case 2: with(std::integral_constant<std::size_t, 2>()); return true;
    case 3: with(std::integral_constant<std::size_t, 3>()); return true;
    case 4: with(std::integral_constant<std::size_t, 4>()); return true;
    case 5: with(std::integral_constant<std::size_t, 5>()); return true;
    default: return false;
    }
}

bool nearestRun(const PointColumns &points, const double *centres, std::size_t count,
                std::uint32_t *nearest, double *distances)
{
    return withVector(points.vector(), [&](auto vector) HWY_ATTR {
        if (points.masses() != nullptr)
            nearestOf<decltype(vector)::value, true>(points, centres, count, nearest, distances);
        else
            nearestOf<decltype(vector)::value, false>(points, centres, count, nearest, distances);
    });
}

bool lowerRun(const PointColumns &points, const double *centre, double *distances)
{
    return withVector(points.vector(), [&](auto vector) HWY_ATTR {
        if (points.masses() != nullptr)
            lowerOf<decltype(vector)::value, true>(points, centre, distances);
        else
            lowerOf<decltype(vector)::value, false>(points, centre, distances);
    });
}

} // namespace kernscope::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kernscope::codec {

HWY_EXPORT(nearestRun);
HWY_EXPORT(lowerRun);

namespace {

constexpr std::size_t kPointsAtOnce = 16; ///< of the widest vectors, two

/// For points of more values than the kernels know.
double distanceOf(const PointColumns &points, std::size_t point, const double *centre)
{
    double sum = 0;
    for (std::size_t v = 0; v < points.vector(); ++v) {
        const double off = centre[v] - points.values()[v * points.padded() + point];
        const double mass =
            points.masses() == nullptr ? 1.0 : points.masses()[v * points.padded() + point];
        sum = v == 0 ? mass * off * off : sum + mass * off * off;
    }
    return sum;
}

/// [count][vector] to [vector][padded].
std::vector<double> columnsOf(std::span<const float> points, std::size_t vector, std::size_t padded)
{
    std::vector<double> columns(padded * vector);
    for (std::size_t v = 0; v < vector; ++v) {
        double *const column = columns.data() + v * padded;
        for (std::size_t i = v, point = 0; i < points.size(); i += vector, ++point)
            column[point] = static_cast<double>(points[i]);
    }
    return columns;
}

} // namespace

PointColumns::PointColumns(std::span<const float> points, std::span<const float> masses,
                           std::size_t vector)
    : m_count(points.size() / vector),
      m_padded((m_count + kPointsAtOnce - 1) / kPointsAtOnce * kPointsAtOnce), m_vector(vector),
      m_values(columnsOf(points, vector, m_padded)),
      m_masses(masses.empty() ? std::vector<double>() : columnsOf(masses, vector, m_padded))
{
}

void nearestCentres(const PointColumns &points, std::span<const float> centres,
                    std::span<std::uint32_t> nearest, std::span<double> distances)
{
    const std::vector<double> wide(centres.begin(), centres.end());
    const std::size_t count = centres.size() / points.vector();
    if (HWY_DYNAMIC_DISPATCH(nearestRun)(points, wide.data(), count, nearest.data(),
                                         distances.data()))
        return;
    for (std::size_t i = 0; i < points.count(); ++i) {
        nearest[i] = 0;
        distances[i] = std::numeric_limits<double>::infinity();
        for (std::size_t c = 0; c < count; ++c) {
            const double distance = distanceOf(points, i, wide.data() + c * points.vector());
            if (distance < distances[i]) {
                distances[i] = distance;
                nearest[i] = static_cast<std::uint32_t>(c);
            }
        }
    }
}

void lowerDistances(const PointColumns &points, std::span<const float> centre,
                    std::span<double> distances)
{
    const std::vector<double> wide(centre.begin(), centre.end());
    if (HWY_DYNAMIC_DISPATCH(lowerRun)(points, wide.data(), distances.data()))
        return;
    for (std::size_t i = 0; i < points.count(); ++i)
        distances[i] = std::min(distances[i], distanceOf(points, i, wide.data()));
}

} // namespace kernscope::codec
#endif
