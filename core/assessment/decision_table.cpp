// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/weight_facts.h"
#include "core/assessment/weight_layers.h"
#include "core/bundle/bundle.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

namespace kernscope {

namespace {

constexpr std::uint64_t kNotKnown = std::numeric_limits<std::uint64_t>::max();

std::size_t mixed(std::size_t hash, std::size_t more)
{
    return hash ^ (more + 0x9E3779B97F4A7C15u + (hash << 6) + (hash >> 2));
}

std::size_t hashOf(const decision::WeightForm &form)
{
    std::size_t hash = mixed(static_cast<std::size_t>(form.node), form.bits);
    for (const std::uint64_t extent : form.shape)
        hash = mixed(hash, extent);
    return mixed(mixed(hash, form.storedBytes.value_or(0)), form.codebooks);
}

std::size_t hashOf(const roofline::Layer &layer)
{
    std::size_t hash = mixed(hashOf(layer.form), std::hash<std::string>()(layer.op));
    hash = mixed(hash, std::hash<std::string>()(layer.function));
    return mixed(mixed(hash, layer.flops.value_or(0)), layer.inputBytes.value_or(0));
}

std::size_t hashOf(const std::vector<std::uint64_t> &numbers)
{
    std::size_t hash = 0;
    for (const std::uint64_t number : numbers)
        hash = mixed(hash, number);
    return hash;
}

} // namespace

/// Named, for the class below has it as members.
namespace decision_rows {

/// Keeps equal values once, in a list that outlives it.
template <class T>
class Distinct
{
public:
    explicit Distinct(std::vector<T> &kept) : m_kept(kept) {}

    std::uint32_t indexOf(T value)
    {
        const std::size_t hash = hashOf(value);
        const auto [from, to] = m_byHash.equal_range(hash);
        for (auto at = from; at != to; ++at) {
            if (m_kept[at->second] == value)
                return at->second;
        }
        const auto index = static_cast<std::uint32_t>(m_kept.size());
        m_kept.push_back(std::move(value));
        m_byHash.emplace(hash, index);
        return index;
    }

private:
    std::vector<T> &m_kept;
    std::unordered_multimap<std::size_t, std::uint32_t> m_byHash;
};

} // namespace decision_rows

/// Fills the rows of a table, one weight after the other.
class DecisionTable::Filling
{
public:
    explicit Filling(DecisionTable &table)
        : m_table(table), m_forms(table.m_forms), m_layers(table.m_layers), m_moved(table.m_moved)
    {
    }

    void add(WeightLayers weight)
    {
        Row &row = m_table.m_rows.emplace_back();
        const Verdicts verdicts = m_table.m_judge.verdicts(weight.form);
        row.moved = m_moved.indexOf(count(weight, verdicts));
        m_table.m_names.add(std::exchange(weight.judged.name, {}));
        weight.judged.weight = 0;
        row.layer = m_layers.indexOf(std::move(weight.judged));
        row.form = m_forms.indexOf(std::move(weight.form));
        if (row.form == m_table.m_verdicts.size())
            m_table.m_verdicts.push_back(verdicts);
    }

private:
    using Verdicts = std::span<const std::shared_ptr<const decision::Verdict>>;

    /// Adds a row to the totals: the bytes that all layers move which read the weight, by column.
    std::vector<std::uint64_t> count(const WeightLayers &weight, Verdicts verdicts)
    {
        const decision::WeightForm &form = weight.form;
        std::vector<std::uint64_t> movedBytes;
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
            movedBytes.push_back(moved.value_or(kNotKnown));
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
    decision_rows::Distinct<decision::WeightForm> m_forms;
    decision_rows::Distinct<roofline::Layer> m_layers;
    decision_rows::Distinct<std::vector<std::uint64_t>> m_moved;
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
    m_names.shrink_to_fit();
    m_verdicts.shrink_to_fit();
}

roofline::Layer DecisionTable::layer(std::size_t row) const
{
    roofline::Layer layer = m_layers[m_rows[row].layer];
    layer.name.assign(m_names[row].begin(), m_names[row].end());
    layer.weight = row;
    return layer;
}

std::optional<std::uint64_t> DecisionTable::bytesMoved(std::size_t row, std::size_t column) const
{
    const std::uint64_t moved = m_moved[m_rows[row].moved][column];
    return moved == kNotKnown ? std::nullopt : std::optional(moved);
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
