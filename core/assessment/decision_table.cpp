// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/weight_facts.h"
#include "core/assessment/weight_layers.h"
#include "core/base/hash.h"
#include "core/bundle/bundle.h"

#include <algorithm>
#include <utility>

namespace kernscope {

/// Fills the rows of a table, one weight after the other.
class DecisionTable::Filling
{
public:
    explicit Filling(DecisionTable &table) : m_table(table) {}

    void add(WeightLayers weight)
    {
        Row &row = m_table.m_rows.emplace_back();
        row.verdicts = m_table.m_judge.verdicts(weight.form);
        row.moved = m_moved.get(count(weight, row.verdicts));
        row.name = std::exchange(weight.judged.name, {});
        weight.judged.weight = 0;
        row.layer = m_layers.get(std::move(weight.judged));
        row.form = m_forms.get(std::move(weight.form));
    }

private:
    /// Adds a row to the totals: the bytes that all layers move which read the weight, by column.
    MovedBytes count(const WeightLayers &weight, Verdicts verdicts)
    {
        const decision::WeightForm &form = weight.form;
        MovedBytes movedBytes;
        movedBytes.reserve(m_table.columns());
        for (std::size_t column = 0; column < m_table.columns(); ++column) {
            TargetTotals &totals = m_table.m_totals[column];
            if (totals.storedBytes && form.storedBytes)
                *totals.storedBytes += *form.storedBytes;
            else
                totals.storedBytes.reset();
            totals.denseBytes += form.denseBytes;
            const auto &verdict = verdicts[m_table.m_targets[column]->index];
            const auto moved =
                roofline::bytesMoved(weight.all, form, m_table.m_judge.sized(form, verdict));
            movedBytes.push_back(moved);
            totals.bytesMoved += moved.value_or(0);
            totals.movedOpen += moved ? 0 : 1;
            totals.elsewhere += form.use.elsewhere ? 1 : 0;
            switch (verdict->outcome) {
            case decision::Outcome::Streams: ++totals.streams; break;
            case decision::Outcome::Folds: ++totals.folds; break;
            case decision::Outcome::Dense: ++totals.dense; break;
            case decision::Outcome::Rejected: ++totals.rejected; break;
            case decision::Outcome::Unknown: ++totals.unknown; break;
            }
        }
        return movedBytes;
    }

    DecisionTable &m_table;
    Interner<decision::WeightForm> m_forms;
    Interner<roofline::Layer> m_layers;
    Interner<MovedBytes> m_moved;
};

DecisionTable::DecisionTable(const Bundle &bundle, std::vector<const target::Target *> targets,
                             const target::TargetChoice &choice)
    : m_targets(std::move(targets)), m_judge(choice)
{
    for (const target::Target *target : m_targets) {
        auto roofs = roofline::roofsOf(*target); // fails for ceilings that were asked for only
        m_roofs.push_back(roofs ? std::move(*roofs) : roofline::Roofs());
        m_roofs.back().target = target;
    }
    m_totals.resize(columns());
    for (std::size_t column = 0; column < columns(); ++column)
        m_totals[column].target = m_targets[column];
    const LayerReader reader(bundle);
    m_rows.reserve(reader.weights());
    Filling filling(*this);
    for (std::size_t i = 0; i < reader.weights(); ++i)
        filling.add(reader.at(i));
}

roofline::Layer DecisionTable::layer(std::size_t row) const
{
    roofline::Layer layer = *m_rows[row].layer;
    layer.name = m_rows[row].name;
    layer.weight = row;
    return layer;
}

std::optional<std::uint64_t> DecisionTable::bytesMoved(std::size_t row, std::size_t column) const
{
    return (*m_rows[row].moved)[column];
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
