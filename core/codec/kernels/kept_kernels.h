// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

/// Private to the codec: loops of editors over the elements of a run, by vector instructions chosen
/// at run time.
namespace kernscope::codec {

/// The values as fp32; `out` is as long. False where one of them is not a finite fp32 number: `out`
/// then holds anything.
bool narrowExactly(std::span<const double> values, std::span<float> out);

/// Whether none of them is infinite or no number.
bool areFinite(std::span<const std::uint16_t> halves);
bool areFinite(std::span<const float> values);

/// What gatherKept() found.
struct KeptRun {
    std::size_t count = 0;      ///< elements that the mask names
    bool othersNonzero = false; ///< one of the others is asked for a value other than zero
};
/// Brings what the elements that bits [first, first + values.size()) of a mask name are asked to
/// become together. The result has room for all and 16 more.
KeptRun gatherKept(std::span<const std::byte> mask, std::uint64_t first,
                   std::span<const float> values, std::span<float> keptValues);

} // namespace kernscope::codec
