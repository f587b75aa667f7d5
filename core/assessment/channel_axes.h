// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/codec/analysis/accuracy.h"
#include "core/codec/encode/form_spec.h"
#include "core/form/storage_form.h"

#include <compare>
#include <cstddef>
#include <cstdint>

namespace kernscope {

/// The axes of a weight that its output and its input channels lie along.
struct ChannelAxes {
    std::size_t output = 0;
    std::size_t input = 0;    ///< that of the output where there is only one
    std::size_t batches = 0;  ///< leading axes whose every index has outputs of its own
    std::uint64_t groups = 1; ///< parts of axis 0 that have no output in common
    friend auto operator<=>(const ChannelAxes &, const ChannelAxes &) = default;
};

/// What an output of a layer sums over, of a weight of that shape or of some of its rows. Axes that
/// the shape does not have: those of codec::layerOf.
codec::LayerShape layerShape(const Shape &shape, const ChannelAxes &axes);

/// The form with its scales for each output channel, its blocks and patterns along the input
/// channels; one scale for all stays one.
codec::FormSpec alongChannels(codec::FormSpec form, const ChannelAxes &axes);

} // namespace kernscope
