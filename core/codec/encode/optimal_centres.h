// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/codec/encode/kmeans.h"
#include "core/codec/kernels/split_kernels.h"

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

/// Private to the codec: the best codebooks of the same values for several numbers of centres.
namespace kernscope::codec {

/// One dynamic programme for all of them: row by row the best clusterings of the first values into
/// one cluster more. Rows that one codebook needed serve the next.
class OptimalCentres
{
public:
    /// `values` ascend and differ; their masses are more than 0.
    OptimalCentres(std::vector<MassedValue> values, RunCentre centre);
    ~OptimalCentres();
    OptimalCentres(const OptimalCentres &) = delete;
    OptimalCentres &operator=(const OptimalCentres &) = delete;

    /// As optimalCentres and optimalHalfCentres (kmeans.h) answer.
    std::vector<float> of(std::size_t clusters);

    std::span<const MassedValue> values() const { return m_values; }
    RunCentre centre() const { return m_centre; }
    std::size_t bytes() const; ///< of memory, about

private:
    class Programme;
    Programme &programme(bool precise);

    std::vector<MassedValue> m_values;
    RunCentre m_centre;
    double m_squares = 0;
    std::unique_ptr<Programme> m_plain;
    std::unique_ptr<Programme> m_precise; ///< where plain running sums lose too much
};

/// Values whose masses are how often they occur.
std::vector<MassedValue> countedMasses(std::span<const WeightedValue> values);

} // namespace kernscope::codec
