// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/weight_facts.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace kernscope {

namespace {

constexpr std::uint64_t kNotKnown = std::numeric_limits<std::uint64_t>::max();

} // namespace

DecisionTable::DecisionTable(std::vector<WeightLayers> weights,
                             std::vector<const target::Target *> targets,
                             const target::Choice &choice)
    : m_weights(std::move(weights)), m_targets(std::move(targets)), m_judge(choice)
{
    for (const target::Target *target : m_targets) {
        auto roofs = roofline::roofsOf(*target); // fails for ceilings that were asked for only
        m_roofs.push_back(roofs ? std::move(*roofs) : roofline::Roofs());
        m_roofs.back().target = target;
    }
    m_verdicts.reserve(rows());
    m_moved.reserve(rows() * columns());
    m_totals.resize(columns());
    for (std::size_t column = 0; column < columns(); ++column)
        m_totals[column].target = m_targets[column];
    for (std::size_t row = 0; row < rows(); ++row) {
        const decision::WeightForm &form = m_weights[row].form;
        m_verdicts.push_back(m_judge.verdicts(form));
        for (std::size_t column = 0; column < columns(); ++column) {
            TargetTotals &totals = m_totals[column];
            if (totals.storedBytes && form.storedBytes)
                *totals.storedBytes += *form.storedBytes;
            else
                totals.storedBytes.reset();
            totals.denseBytes += form.denseBytes;
            const auto moved = allMoved(row, column);
            m_moved.push_back(moved.value_or(kNotKnown));
            totals.bytesMoved += moved.value_or(0);
            totals.movedOpen += moved ? 0 : 1;
            totals.elsewhere += form.use.elsewhere ? 1 : 0;
            switch (verdict(row, column).outcome) {
            case decision::Outcome::Streams: ++totals.streams; break;
            case decision::Outcome::Folds: ++totals.folds; break;
            case decision::Outcome::Dense: ++totals.dense; break;
            case decision::Outcome::Rejected: ++totals.rejected; break;
            case decision::Outcome::Unknown: ++totals.unknown; break;
            }
        }
        m_weights[row].all = {}; // of many weights they are the most of it
    }
}

std::optional<std::uint64_t> DecisionTable::bytesMoved(std::size_t row, std::size_t column) const
{
    const std::uint64_t moved = m_moved[row * columns() + column];
    return moved == kNotKnown ? std::nullopt : std::optional(moved);
}

/// Of all layers that read the weight.
std::optional<std::uint64_t> DecisionTable::allMoved(std::size_t row, std::size_t column) const
{
    const WeightLayers &weight = m_weights[row];
    return roofline::bytesMoved(
        weight.all, weight.form,
        m_judge.sized(weight.form, m_verdicts[row][m_targets[column]->index]));
}

std::size_t DecisionTable::columnOf(const target::Target &target) const
{
    const auto at = std::find(m_targets.begin(), m_targets.end(), &target);
    return at == m_targets.end() ? kNoIndex : static_cast<std::size_t>(at - m_targets.begin());
}

std::vector<const target::Target *> allTargets()
{
    // What people have comes first, the generations in order; then embedded, legacy, reference.
    std::vector<const target::Target *> all;
    for (const target::Target &target : target::targets())
        all.push_back(&target);
    std::stable_partition(all.begin(), all.end(),
                          [](const target::Target *target) { return target->kind == "silicon"; });
    return all;
}

} // namespace kernscope
