// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/codec/analysis/accuracy.h"
#include "core/codec/encode/form_spec.h"

#include <compare>

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

/// What a decision needs to know of a weight. Made from a bundle's weight or typed in by hand.
namespace kernscope::decision {

/// How the operations that read the weight use it; of several, the strictest. Empty: not known.
struct WeightUse {
    std::optional<bool> unitStride;  ///< stride 1 on all axes
    std::optional<bool> dilated;     ///< any dilation above 1
    std::optional<bool> tileOverlap; ///< decided by the compiler when it tiles the input
    std::optional<bool> immutable;   ///< a constant of the program
    std::optional<bool> kernel;      ///< read by an operation with a kernel (conv, linear, matmul)
    bool layer = true; ///< an operation may read it as one: its kernel, rows, or an attention's
    bool bias = false; ///< whatever reads it adds it to what it makes
    /// Whatever reads it runs on another backend: the engine reads none of its bytes.
    bool elsewhere = false;
    friend bool operator==(const WeightUse &, const WeightUse &) = default;
};

struct WeightForm {
    FormNode node = FormNode::Dense;         ///< of the stored elements, as elementsNode() has it
    bool masked = false;                     ///< stored as a mask and the values that it keeps
    unsigned bits = 16;                      ///< of a stored element, or of a palette's index
    ElementType element = ElementType::Fp16; ///< as stored; of a palette, its entries
    std::uint64_t vectorSize = 1;            ///< palettes
    std::uint64_t codebooks = 1;             ///< palettes
    bool scaledPalette = false;              ///< what its indices stand for is scaled by channel
    bool zeroPoint = false;                  ///< a zero point or offset that is not known to be 0
    WeightUse use;

    Shape shape;                  ///< as the encoders take it; empty: a single number
    ChannelAxes axes{0, 1, 0, 1}; ///< what other forms have their scales and blocks along
    bool wide = false; ///< fp32: so are the scales, codebooks and kept values of other forms
    std::uint64_t elements = 0;
    std::optional<std::uint64_t> storedBytes = 0; ///< empty: an operand could not be read
    std::uint64_t denseBytes = 0;                 ///< as fp16
    std::optional<double> density;                ///< share of elements that are kept, or not zero
    /// Share that is not zero, where the values were read and a mask may keep zeros too: what the
    /// sparse form would keep.
    std::optional<double> nonzero;

    bool compressed() const
    {
        return node != FormNode::Dense || masked || element == ElementType::Fp8E4M3Fn;
    }
    bool isPalette() const { return node == FormNode::Palette; }
    /// Codes with a scale a block, integers or floating point.
    bool isBlocks() const;
    /// Codes with one scale for the tensor or for each index of an axis.
    bool hasChannelScales() const;
    /// A form that the chapters' tables speak of: int8 or uint8 with a scale, a palette of fp16
    /// entries with vectors of one, blocks of int8 or uint8, fp16 values behind a mask.
    bool plain() const;
    /// The name that tables 7.1 and 7.4 use: "dense", "int8", "palette4", "sparse", "blockwise",
    /// "blockwise4", "sparse+palette4", "e4m3", "e5m2", "mxfp8" (blocks of E4M3), "mxfp4".
    std::string key() const;
    /// Everything but the sizes and the density, for keeping verdicts.
    std::string signature() const;
    friend bool operator==(const WeightForm &, const WeightForm &) = default;
};

std::size_t hashOf(const WeightForm &form);

} // namespace kernscope::decision

namespace kernscope {

/// Elements up to which all values of a weight are read where zeros or errors are asked for; larger
/// ones are judged by samples or by their mask.
inline constexpr std::uint64_t kMostValuesRead = std::uint64_t(1) << 22;

/// Share of the values (0 to 1) that are zero in fp16, which sparse values are kept in; 0 of none.
double zeroShare(std::span<const float> values);

/// Of a weight with codes behind a mask, where a code may stand for zero: the share of elements
/// that are not zero goes into `form.nonzero`. Reads the values: hold no BundleReadLock. It stays
/// empty for other forms, for more than kMostValuesRead elements and where they cannot be read.
void readZerosBehindMask(const Bundle &bundle, std::size_t weight, decision::WeightForm &form);

} // namespace kernscope
