// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/codec/encode/encoder.h"
#include "core/codec/kernels/encode_kernels.h"

#include <array>

/// Private to the codec.
namespace kernscope::codec {

/// Mask and survivors of a sparse weight, built from its values in their order, a run at a time:
/// what is kept of a run stays in a cache until it has its place.
class SparseBuilder
{
public:
    static constexpr std::size_t kRun = 4096; ///< values a run, at most; a multiple of 8

    /// Room for `survivors` is taken at once; more may come.
    SparseBuilder(const Shape &shape, std::size_t survivors);

    /// The survivors of the next run, by keepLarge. All runs but the last have a multiple of 8
    /// values. The spans are valid until the next call.
    std::span<const std::uint16_t> addLarge(std::span<const float> values, float threshold);
    struct Near {
        std::span<const std::uint16_t> kept;
        std::span<const NearValue> near;
    };
    Near addLarge(std::span<const float> values, float threshold, float limit);
    /// The next run, of groups that have a kernel (encode_kernels.h). Not taken where it, or what
    /// was added before, has no multiple of 8 values.
    bool addGroups(std::span<const float> values, std::size_t of, std::size_t keep);
    /// The next values of any number: those that are not zero stay.
    void addNonzero(std::span<const std::uint16_t> halves);

    /// The whole weight; to be called once, when all values are in.
    EncodedWeight take();

private:
    std::span<std::byte> nextMask(std::size_t values);
    void bringNear();
    void append(std::size_t count);
    void flush();

    EncodedWeight m_weight;
    std::vector<std::byte> m_mask;
    std::vector<std::byte> m_data;
    std::size_t m_done = 0;   ///< values
    std::size_t m_before = 0; ///< survivors of the run before: about as many as of the next
    // Not cleared: for a small weight that would take longer than its values do.
    std::array<std::uint16_t, kRun + 32> m_kept;
    std::vector<NearValue> m_near;             ///< has its size once it is asked for
    std::array<std::uint16_t, kRun> m_waiting; ///< halves that do not make a run yet
    std::size_t m_waitingCount = 0;
};

} // namespace kernscope::codec
