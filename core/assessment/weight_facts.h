// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/assess.h"
#include "core/bundle/bundle_fwd.h"
#include "core/codec/analysis/accuracy.h"
#include "core/form/storage_form.h"

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
    bool bias = false;               ///< whatever reads it adds it to what it makes
    /// Whatever reads it runs on another backend than the engine: none of its bytes cross.
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

/// A bundle's weights in the terms of decisions, geometry and roofline.
namespace kernscope {

class Entries;

/// What the storage form of a weight says: steps, element types, widths, codebooks. The rest of
/// `form` stays as it is.
void describeStorage(const Weight &weight, decision::WeightForm &form);

/// The form of a weight and how its consumers use it; of several consumers, the strictest. The
/// density is known of masked weights; `zeroFraction` gives it for the others. Without the
/// program's `entries` only the operations' own notes tell that they run elsewhere.
decision::WeightForm weightForm(const Bundle &bundle, const Weight &weight,
                                std::optional<double> zeroFraction = std::nullopt,
                                const Entries *entries = nullptr);

/// Every weight's, in the bundle's order, with the zeros behind masks (readZerosBehindMask): hold
/// no BundleReadLock.
std::vector<decision::WeightForm> weightForms(const Bundle &bundle);

/// The operation by which a consumer reads a weight: conv, conv_transpose, linear or matmul whose
/// extents are known. Nothing for others.
std::optional<decision::LayerOperation> operationOf(const Weight &weight, const Consumer &consumer,
                                                    const decision::WeightForm &form);

/// As the operation of the consumer reads the weight.
ChannelAxes channelAxes(const Weight &weight, const Consumer &consumer);

/// A weight that is in no layer, with the reason.
struct Unassessed {
    std::size_t weight = 0;
    std::string reason;
};
/// The weights that layersOf leaves out, in the bundle's order.
std::vector<Unassessed> unassessedWeights(const Bundle &bundle);

/// One layer a consumer that multiplies by the weight (conv, conv_transpose, linear, matmul,
/// einsum, lstm, gru, rnn) or fetches its rows (gather); for a weight without one, none. Of many
/// weights a LayerReader (weight_layers.h) gives the same without a list of all.
std::vector<roofline::Layer> layersOf(const Bundle &bundle,
                                      std::span<const decision::WeightForm> forms);

/// Of the layers of a weight the one that it is judged in: the first with the most arithmetic,
/// where what is not known counts as the most. Null where there are none.
const roofline::Layer *heaviest(std::span<const roofline::Layer> layers);

/// In the bundle's order: as the layer reads the weight that it is judged in. Of a weight in no
/// layer axis 0 is the output's, axis 1 the input's.
std::vector<ChannelAxes> judgedAxes(const Bundle &bundle);

/// Sums at the foot of a column of decisions.
struct TargetTotals {
    const target::Target *target = nullptr;
    std::uint64_t bytesMoved = 0; ///< of the weights that a figure is known for
    std::size_t movedOpen = 0;    ///< weights that there is none for: unknown or refused
    std::size_t elsewhere = 0;    ///< weights that only other backends read: they move nothing
    std::optional<std::uint64_t> storedBytes = 0; ///< empty: those of a weight are not known
    std::uint64_t denseBytes = 0;
    std::size_t streams = 0, folds = 0, dense = 0, rejected = 0, unknown = 0;

    /// Of all weights; empty where a figure is missing.
    std::optional<std::uint64_t> allMoved() const
    {
        return movedOpen == 0 ? std::optional(bytesMoved) : std::nullopt;
    }
};

/// Every weight on every target: rows() x columns decisions, found by row and column. What many
/// weights have in common, as those of equal layers, is kept once.
class DecisionTable
{
public:
    /// The weights of `bundle`, in its order; keeps nothing of it.
    DecisionTable(const Bundle &bundle, std::vector<const target::Target *> targets,
                  const target::TargetChoice &choice = {});
    DecisionTable(const DecisionTable &) = delete; // its rows point into its judge
    DecisionTable &operator=(const DecisionTable &) = delete;

    std::size_t rows() const { return m_rows.size(); }
    std::size_t columns() const { return m_targets.size(); }
    const decision::WeightForm &form(std::size_t row) const { return *m_rows[row].form; }
    /// The use of the weight that is assessed.
    roofline::Layer layer(std::size_t row) const;
    const target::Target &target(std::size_t column) const { return *m_targets[column]; }
    std::size_t columnOf(const target::Target &target) const; ///< kNoIndex where it has none
    const decision::Verdict &verdict(std::size_t row, std::size_t column) const
    {
        return *m_rows[row].verdicts[m_targets[column]->index];
    }
    /// The whole answer for the layer that is assessed, made anew each time. The bytes that its
    /// decision moves are those of all layers that read the weight.
    roofline::Assessment assessment(std::size_t row, std::size_t column) const
    {
        auto made = roofline::assess(layer(row), form(row), m_roofs[column], m_judge);
        made.decision.bytesMoved = bytesMoved(row, column);
        return made;
    }
    /// Bytes of the weight that cross in a dispatch. Empty: refused, or not known.
    std::optional<std::uint64_t> bytesMoved(std::size_t row, std::size_t column) const;
    decision::KernelMemory memory(std::size_t row, std::size_t column) const
    {
        return m_judge.memory(form(row), verdict(row, column));
    }
    const TargetTotals &totals(std::size_t column) const { return m_totals[column]; }

private:
    using Verdicts = std::span<const std::shared_ptr<const decision::Verdict>>;
    using MovedBytes = std::vector<std::optional<std::uint64_t>>; ///< by column; empty: not known
    struct Row {
        std::string name; ///< of the layer
        std::shared_ptr<const decision::WeightForm> form;
        std::shared_ptr<const roofline::Layer> layer; ///< without name and number of the weight
        std::shared_ptr<const MovedBytes> moved;
        Verdicts verdicts; ///< by Target::index; they belong to the judge
    };
    class Filling;

    std::vector<Row> m_rows;
    std::vector<const target::Target *> m_targets;
    std::vector<roofline::Roofs> m_roofs; ///< by column
    std::vector<TargetTotals> m_totals;
    mutable decision::Judge m_judge;
};

/// The targets of --all-targets and of the matrix: all of them, silicon first.
std::vector<const target::Target *> allTargets();

} // namespace kernscope
