// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/codec/encode/encoder.h"

#include <cstddef>
#include <cstdint>
#include <span>

/// Private to the codec: scales (and zero points) of least squared error.
namespace kernscope::codec {

/// The elements that share a scale, in a tensor seen as [outer, repeats, cells, length]: those of
/// one index of `outer` and of `cells`. Scales are stored as [outer, cells].
struct ScaleCells {
    std::size_t outer = 1;
    std::size_t repeats = 1;
    std::size_t cells = 1;
    std::size_t length = 1;

    std::size_t startOf(std::size_t cell, std::size_t repeat) const
    {
        return ((cell / cells * repeats + repeat) * cells + cell % cells) * length;
    }
};
/// `axis`: that of the channels; none: one scale for all.
ScaleCells affineCells(const Shape &shape, std::optional<std::uint64_t> axis);
/// The blocks divide the extent of their axis. The cells of blockScales().
ScaleCells blockCells(const Shape &shape, const BlockwiseOptions &options);

/// Moves each scale of a weight that the plain encoder of its form made of `values`, so that the
/// error by `masses` (as many as values) becomes as small as a search finds: sizes of steps from
/// 3 % above the plain one's down to a quarter of it, then least squares, then the fp16 numbers
/// around. With `movesZero` zero points as well. A scale stays where nothing smaller is found; the
/// error that counts is that of the fp16 numbers which the codes stand for.
void fitScales(EncodedWeight &weight, const ScaleCells &cells, std::span<const float> values,
               std::span<const float> masses, bool movesZero);

} // namespace kernscope::codec
