// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/weight_facts.h"

#include <algorithm>
#include <utility>

namespace kernscope {

DecisionTable::DecisionTable(std::vector<roofline::Layer> layers,
                             std::vector<const target::Target *> targets,
                             const target::Choice &choice)
    : m_layers(std::move(layers)), m_targets(std::move(targets)), m_judge(choice)
{
    for (const target::Target *target : m_targets) {
        auto roofs = roofline::roofsOf(*target); // fails for ceilings that were asked for only
        m_roofs.push_back(roofs ? std::move(*roofs) : roofline::Roofs());
        m_roofs.back().target = target;
    }
    m_verdicts.reserve(rows() * columns());
    m_totals.resize(columns());
    for (std::size_t column = 0; column < columns(); ++column)
        m_totals[column].target = m_targets[column];
    for (std::size_t row = 0; row < rows(); ++row) {
        const decision::WeightForm &form = m_layers[row].form;
        const auto verdicts = m_judge.verdicts(form);
        for (std::size_t column = 0; column < columns(); ++column) {
            m_verdicts.push_back(verdicts[m_targets[column]->index]);
            TargetTotals &totals = m_totals[column];
            totals.storedBytes += form.storedBytes;
            const auto move = [&](std::uint64_t bytes) {
                const auto moved = m_layers[row].bytesRead(bytes);
                totals.bytesMoved += moved.value_or(0);
                totals.unmoved += moved ? 0 : 1;
            };
            totals.denseBytes += form.denseBytes;
            switch (m_verdicts.back()->outcome) {
            case decision::Outcome::Streams:
                ++totals.streams;
                move(form.storedBytes);
                break;
            case decision::Outcome::Folds:
                ++totals.folds;
                move(form.denseBytes);
                break;
            case decision::Outcome::Dense:
                ++totals.dense;
                move(form.denseBytes);
                break;
            case decision::Outcome::Rejected:
                ++totals.rejected;
                ++totals.unmoved;
                break;
            case decision::Outcome::Unknown:
                ++totals.unknown;
                ++totals.unmoved;
                break;
            }
        }
    }
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
