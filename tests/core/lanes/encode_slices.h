// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/little_endian.h"
#include "core/lanes/sparse.h"

/// Slices as the hardware has them, which the product only reads.
namespace kernscope::lanes {

/// Lays a weight out as slices, padding zero: fp16 bits, row-major [O, I, D, H, W], and one bias an
/// output channel (or none).
inline Result<std::vector<Slice>> encodeSlices(const SliceLayout &layout,
                                               std::span<const std::uint16_t> weights,
                                               std::span<const std::uint16_t> bias)
{
    std::vector<Slice> slices;
    for (std::uint64_t engine = 0; engine < layout.engines(); ++engine) {
        Slice &slice = slices.emplace_back(layout.sliceBytes(engine));
        for (std::uint64_t chunk = 0; chunk < layout.chunks().size(); ++chunk) {
            const auto plane = layout.plane(chunk, engine);
            std::uint64_t at = plane ? plane->offset : 0;
            for (std::uint64_t row = 0; plane && row < layout.rows(); ++row) {
                for (std::uint64_t lane = 0; lane < plane->width; ++lane, at += 2) {
                    const std::uint64_t channel = plane->firstChannel + lane;
                    const std::uint64_t step = row - (bias.empty() ? 0 : 1);
                    storeLittle<std::uint16_t>(slice, at,
                                               !bias.empty() && row == 0
                                                   ? bias[channel]
                                                   : weights[channel * layout.steps() + step]);
                }
            }
        }
    }
    return slices;
}

/// The same in the form that leaves zeros out, of eight lanes at most and one group. Both zeros are
/// left out, so -0 comes back as +0.
inline Result<std::vector<Slice>> encodeSparse(SparseForm form, const SliceLayout &layout,
                                               std::span<const std::uint16_t> weights,
                                               std::span<const std::uint16_t> bias)
{
    constexpr std::size_t kSliceAlignment = 64;
    std::vector<Slice> slices(layout.engines());
    for (std::uint64_t engine = 0; engine < layout.engines(); ++engine) {
        Slice &slice = slices[engine];
        const auto put = [&slice](std::uint64_t value, std::size_t bytes) {
            for (std::size_t i = 0; i < bytes; ++i)
                slice.push_back(static_cast<std::byte>(value >> (8 * i)));
        };
        for (std::uint64_t chunk = 0; chunk < layout.chunks().size(); ++chunk) {
            const auto plane = layout.plane(chunk, engine);
            if (!plane)
                continue;
            for (std::uint64_t lane = 0; !bias.empty() && lane < plane->width; ++lane)
                put(bias[plane->firstChannel + lane], 2);
            const std::size_t lengthAt = slice.size();
            put(0, form == SparseForm::H14 ? 3 : 2);
            const std::size_t body = slice.size();
            for (std::uint64_t step = 0; step < layout.steps(); ++step) {
                unsigned mask = 0;
                std::vector<std::uint16_t> kept;
                for (std::uint64_t lane = 0; lane < plane->width; ++lane) {
                    const std::uint16_t half =
                        weights[(plane->firstChannel + lane) * layout.steps() + step];
                    if ((half & 0x7fffU) == 0)
                        continue;
                    mask |= 1U << lane;
                    kept.push_back(half);
                }
                put(form == SparseForm::H13 ? mask << 8 : mask, 2);
                for (const std::uint16_t half : kept)
                    put(half, 2);
                slice.resize(slice.size() + SparseIndex::rowGap(plane->width) - 2);
            }
            const std::size_t length = slice.size() - body;
            storeLittle<std::uint16_t>(slice, lengthAt, static_cast<std::uint16_t>(length));
            slice.resize((slice.size() + kSliceAlignment - 1) / kSliceAlignment * kSliceAlignment);
        }
    }
    return slices;
}

} // namespace kernscope::lanes
