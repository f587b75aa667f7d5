// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// Private to the codec: distances of many points to the entries of a vector codebook.
namespace kernscope::codec {

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

} // namespace kernscope::codec
