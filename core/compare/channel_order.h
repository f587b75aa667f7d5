// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/progress.h"
#include "core/bundle/bundle_fwd.h"
#include "core/bundle/weight.h"

namespace kernscope {

/// Two weights whose channels are the same in another order.
struct ChannelOrder {
    /// Channel of B for every channel of A, along axis 0 (outputs) and axis 1 (inputs); empty: in
    /// the order of A.
    std::vector<std::uint32_t> outputs, inputs;
    /// Of sampled values in that order, others than those that it was found by: -1 to 1.
    double correlation = 0;

    /// How many channels stand elsewhere in B.
    static std::size_t moved(const std::vector<std::uint32_t> &order);
};

/// What remains between two weights once the channels of B stand in the order of A.
struct ReorderedValues {
    std::uint64_t equal = 0, different = 0;
    double maxAbs = 0; ///< infinite where an element is not finite on one side only
    double rmse = 0;   ///< over the elements finite in both
    friend bool operator==(const ReorderedValues &, const ReorderedValues &) = default;
};

namespace diff {

/// Sampled elements of a weight: what it is recognised by whatever its bytes are. Of equal shapes
/// (extents of one do not count) the same elements, so that two sketches can be set against each
/// other.
class WeightSketch
{
public:
    static constexpr std::uint64_t kMostElements = 65536; ///< that are decoded for one
    static constexpr std::uint64_t kMostChannels = 8192;  ///< whose order is looked for

    /// Along axis 0 or 1 of the shape without extents of one; of a matrix that is `turned`, of its
    /// transpose. Nothing where the weight cannot be decoded, or has no such axis. Hold the files
    /// for reading.
    static std::optional<WeightSketch> make(const Bundle &bundle, std::size_t weight,
                                            std::size_t axis, bool turned = false);

    /// Correlation of the samples: 1 for the same values, whatever their scale and offset; about 0
    /// for two that have nothing in common. 0 where one side is constant.
    static double correlation(const WeightSketch &a, const WeightSketch &b);
    static double correlation(std::span<const float> a, std::span<const float> b);
    /// The least correlation of that number of samples that chance does not reach.
    static double needed(std::size_t samples);

    std::size_t channels() const { return m_channels; }
    std::size_t perChannel() const { return m_perChannel; }
    std::size_t samples() const { return m_samples.size(); }
    const float *channel(std::size_t index) const
    {
        return m_samples.data() + index * m_perChannel;
    }

    /// Channel of `b` for each of `a`: the nearest by every other sample, no channel twice. The
    /// other half of the samples is left for correlationOf().
    static std::vector<std::uint32_t> match(const WeightSketch &a, const WeightSketch &b);
    /// Correlation of the samples that match() did not look at, in that order: of all channels, or
    /// of those that stand elsewhere.
    static double correlationOf(const WeightSketch &a, const WeightSketch &b,
                                const std::vector<std::uint32_t> &order, bool movedOnly);

private:
    std::size_t m_channels = 0, m_perChannel = 0;
    std::vector<float> m_samples; ///< [channel][sample]
};

/// The order of channels along one axis in which B is A; nothing where there is none but chance, or
/// where they stand in their order already. Hold the files for reading.
std::optional<ChannelOrder> findChannelOrder(const Bundle &a, std::size_t weightA, const Bundle &b,
                                             std::size_t weightB);

/// Compares in that order; nothing where cancelled or where a side cannot be decoded. Progress in
/// elements. Takes the files' locks itself.
std::optional<ReorderedValues> compareReordered(const Bundle &a, std::size_t weightA,
                                                const Bundle &b, std::size_t weightB,
                                                const ChannelOrder &order, Progress *progress);

/// `count` places of 0 to `all`, ascending, spread over it without a period. 1 <= count <= all.
std::vector<std::uint64_t> spreadPlaces(std::uint64_t all, std::uint64_t count);

/// Shape without extents of one; of a weight of one element [1].
Shape squeezed(const Shape &shape);

} // namespace diff

} // namespace kernscope
