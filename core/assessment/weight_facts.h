// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/assess.h"
#include "core/assessment/weight_form.h"

#include <mutex>

/// A bundle's weights in the terms of decisions, geometry and roofline.
namespace kernscope {

class Entries;

/// What the storage form of a weight says: steps, element types, widths, codebooks. The rest of
/// `form` stays as it is. Of a weight that cannot be decoded, though its file is there: unknown.
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

/// Whether a zero point or offset holds anything but zeros. A huge one counts as not known to be.
bool hasZeroPoint(const Bundle &bundle, const Weight &weight);

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

/// What a chip does with the weights of one build, in the one assessment's words.
struct BuildOutcome {
    std::size_t streams = 0, folds = 0, dense = 0, rejected = 0, unknown = 0; ///< weights
    std::uint64_t bytesMoved = 0; ///< a dispatch; of the weights that a figure is known for
    std::size_t movedOpen = 0;    ///< weights that there is none for: unknown or refused
    friend bool operator==(const BuildOutcome &, const BuildOutcome &) = default;
};

/// Sums at the foot of a column of decisions.
struct TargetTotals : BuildOutcome {
    const target::Target *target = nullptr;
    std::size_t elsewhere = 0; ///< weights that only other backends read: they move nothing
    std::optional<std::uint64_t> storedBytes = 0; ///< empty: those of a weight are not known
    std::uint64_t denseBytes = 0;

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
        const std::lock_guard lock(m_judging);
        auto made = roofline::assess(layer(row), form(row), m_roofs[column], m_judge);
        made.decision.bytesMoved = bytesMoved(row, column);
        return made;
    }
    /// Bytes of the weight that are read in a dispatch. Empty: refused, or not known.
    std::optional<std::uint64_t> bytesMoved(std::size_t row, std::size_t column) const;
    decision::KernelMemory memory(std::size_t row, std::size_t column) const
    {
        const std::lock_guard lock(m_judging);
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
    mutable decision::Judge m_judge; ///< remembers; views and tasks ask one table
    mutable std::mutex m_judging;
};

/// The targets of --all-targets and of the matrix: all of them, silicon first.
std::vector<const target::Target *> allTargets();

} // namespace kernscope
