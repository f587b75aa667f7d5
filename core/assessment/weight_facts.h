// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/assess.h"
#include "core/bundle/bundle.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// A bundle's weights in the terms of decisions, geometry and roofline.
namespace kernscope {

/// What the storage form of a weight says: steps, element types, widths, codebooks. The rest of
/// `form` stays as it is.
void describeStorage(const Weight &weight, decision::WeightForm &form);

/// The form of a weight and how its consumers use it; of several consumers, the strictest. The
/// density is known of masked weights; `zeroFraction` gives it for the others.
decision::WeightForm weightForm(const Bundle &bundle, const Weight &weight,
                                std::optional<double> zeroFraction = std::nullopt);

/// Every weight's, in the bundle's order.
std::vector<decision::WeightForm> weightForms(const Bundle &bundle);

/// The operation by which a consumer reads a weight: conv, conv_transpose, linear or matmul whose
/// extents are known. Nothing for others.
std::optional<decision::Operation> operationOf(const Weight &weight, const Consumer &consumer,
                                               const decision::WeightForm &form);

/// The axes of a weight that its output and its input channels lie along.
struct ChannelAxes {
    std::size_t output = 0;
    std::size_t input = 0; ///< that of the output where there is only one
    friend auto operator<=>(const ChannelAxes &, const ChannelAxes &) = default;
};
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
/// einsum, lstm, gru, rnn) or fetches its rows (gather); for a weight without one, none.
std::vector<roofline::Layer> layersOf(const Bundle &bundle,
                                      std::span<const decision::WeightForm> forms);

/// For every weight the layer that it is assessed in: of several the one with the most arithmetic;
/// a weight in none gets a layer without extents. In the bundle's order, `form` filled in.
std::vector<roofline::Layer> weightLayers(const Bundle &bundle);

/// Sums at the foot of a column of decisions.
struct TargetTotals {
    const target::Target *target = nullptr;
    std::uint64_t bytesMoved = 0; ///< of the weights that a figure is known for
    std::uint64_t storedBytes = 0, denseBytes = 0;
    std::size_t streams = 0, folds = 0, dense = 0, rejected = 0, unknown = 0;

    std::size_t unmoved = 0; ///< weights of which it is not known what moves, or that are refused

    /// Of all weights; empty where a figure is missing.
    std::optional<std::uint64_t> allMoved() const
    {
        return unmoved == 0 ? std::optional(bytesMoved) : std::nullopt;
    }
};

/// Every weight on every target: rows() x columns decisions, found by row and column.
class DecisionTable
{
public:
    /// `layers`: one a weight, as weightLayers gives them.
    DecisionTable(std::vector<roofline::Layer> layers, std::vector<const target::Target *> targets,
                  const target::Choice &choice = {});

    std::size_t rows() const { return m_layers.size(); }
    std::size_t columns() const { return m_targets.size(); }
    const decision::WeightForm &form(std::size_t row) const { return m_layers[row].form; }
    /// The use of the weight that is assessed.
    const roofline::Layer &layer(std::size_t row) const { return m_layers[row]; }
    const target::Target &target(std::size_t column) const { return *m_targets[column]; }
    std::size_t columnOf(const target::Target &target) const; ///< kNoIndex where it has none
    const decision::Verdict &verdict(std::size_t row, std::size_t column) const
    {
        return *m_verdicts[row * columns() + column];
    }
    /// The whole answer, made anew each time.
    roofline::Assessment assessment(std::size_t row, std::size_t column) const
    {
        return roofline::assess(m_layers[row], form(row), m_roofs[column], m_judge);
    }
    decision::KernelMemory memory(std::size_t row, std::size_t column) const
    {
        return m_judge.memory(form(row), verdict(row, column));
    }
    const TargetTotals &totals(std::size_t column) const { return m_totals[column]; }

private:
    std::vector<roofline::Layer> m_layers;
    std::vector<const target::Target *> m_targets;
    std::vector<roofline::Roofs> m_roofs; ///< by column
    std::vector<std::shared_ptr<const decision::Verdict>> m_verdicts;
    std::vector<TargetTotals> m_totals;
    mutable decision::Judge m_judge;
};

/// The targets of --all-targets and of the matrix: all of them, silicon first.
std::vector<const target::Target *> allTargets();

} // namespace kernscope
