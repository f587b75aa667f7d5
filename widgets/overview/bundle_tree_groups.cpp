// SPDX-License-Identifier: GPL-3.0-or-later
// The groups of the bundle's tree: which rows stand below the overview.
#include "core/container/hwx/container.h"
#include "core/container/mil/program.h"
#include "widgets/common/function_words.h"
#include "widgets/common/table_text.h"
#include "widgets/overview/bundle_tree_model.h"

#include <map>
#include <numeric>
#include <string>

namespace kernscope::ui {

namespace {

std::vector<std::uint32_t> countUp(std::size_t count)
{
    std::vector<std::uint32_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0u);
    return numbers;
}

} // namespace

void BundleTreeModel::makeGroups()
{
    m_groups.clear();
    if (!m_bundle)
        return;
    if (m_bundle->programFile() != kNoIndex && !m_bundle->program()->functions.empty())
        m_groups.push_back({Node::Kind::Program, tr("Program"), {}, {}});
    addContainerGroups();
    addFunctions();
    m_groups.push_back(
        {Node::Kind::FileGroup, tr("Files"), countUp(leavesOf(Node::Kind::File)), {}});
}

/// What a hardware container or a weight section is made of, without its padding.
void BundleTreeModel::addContainerGroups()
{
    Group tasks{Node::Kind::TaskGroup, tr("Tasks"), {}, {}};
    Group sections{Node::Kind::SectionGroup, tr("Sections"), {}, {}};
    for (std::uint32_t i = 0; i < leavesOf(Node::Kind::Part); ++i) {
        const SectionKind kind = m_bundle->sections()[i].kind;
        if (kind == SectionKind::Program)
            tasks.all.push_back(i);
        else if (kind != SectionKind::Padding)
            sections.all.push_back(i);
    }
    Group symbols{
        Node::Kind::SymbolGroup, tr("Symbols"), countUp(leavesOf(Node::Kind::Symbol)), {}};
    for (Group *group : {&tasks, &sections, &symbols}) {
        if (!group->all.empty())
            m_groups.push_back(std::move(*group));
    }
}

void BundleTreeModel::addFunctions()
{
    std::map<std::string, std::size_t> byName;
    const auto &weights = m_bundle->weights();
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const std::string function = functionWords(weights[i]);
        const auto [at, added] = byName.try_emplace(function, m_groups.size());
        if (added)
            m_groups.push_back({Node::Kind::Function, fromUtf8(function), {}, {}});
        m_groups[at->second].all.push_back(static_cast<std::uint32_t>(i));
    }
}

std::size_t BundleTreeModel::leavesOf(Node::Kind leaf) const
{
    if (!m_bundle)
        return 0;
    const bool container = m_bundle->hardware() || m_bundle->section();
    switch (leaf) {
    case Node::Kind::Weight: return m_bundle->weights().size();
    case Node::Kind::File: return m_bundle->files().size();
    case Node::Kind::Part: return container ? m_bundle->sections().size() : 0;
    case Node::Kind::Symbol:
        return m_bundle->hardware() && m_bundle->hardware()->symbolTable
                   ? m_bundle->hardware()->symbols.size()
                   : 0;
    default: return 0;
    }
}

std::string BundleTreeModel::leafName(Node::Kind leaf, std::size_t at) const
{
    switch (leaf) {
    case Node::Kind::Weight: return m_bundle->weights()[at].name;
    case Node::Kind::File: return m_bundle->files()[at].path;
    case Node::Kind::Part: return m_bundle->nameOf(m_bundle->sections()[at]);
    case Node::Kind::Symbol: return m_bundle->hardware()->symbols[at].name;
    default: return {};
    }
}

BundleTreeModel::Node::Kind BundleTreeModel::leafKind(Node::Kind group)
{
    switch (group) {
    case Node::Kind::FileGroup: return Node::Kind::File;
    case Node::Kind::TaskGroup:
    case Node::Kind::SectionGroup: return Node::Kind::Part;
    case Node::Kind::SymbolGroup: return Node::Kind::Symbol;
    case Node::Kind::Function: return Node::Kind::Weight;
    default: return Node::Kind::None;
    }
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> &BundleTreeModel::placesOf(Node::Kind leaf)
{
    return leaf == Node::Kind::File     ? m_filePlaces
           : leaf == Node::Kind::Part   ? m_partPlaces
           : leaf == Node::Kind::Symbol ? m_symbolPlaces
                                        : m_weightPlaces;
}

bool BundleTreeModel::isLeaf(const QModelIndex &index) const
{
    const Node::Kind kind = nodeAt(index).kind;
    return kind == Node::Kind::Weight || kind == Node::Kind::File || kind == Node::Kind::Part ||
           kind == Node::Kind::Symbol;
}

QModelIndex BundleTreeModel::indexOfProgram(int column) const
{
    const QModelIndex top = index(0, 0);
    const QModelIndex first = index(0, column, top);
    return nodeAt(first).kind == Node::Kind::Program ? first : QModelIndex();
}

QModelIndexList BundleTreeModel::groupIndexes() const
{
    QModelIndexList indexes;
    const QModelIndex top = index(0, 0);
    if (top.isValid())
        indexes += top;
    for (int g = 0; g < rowCount(top); ++g) {
        const QModelIndex group = index(g, 0, top);
        const Node::Kind kind = nodeAt(group).kind;
        if (kind == Node::Kind::Function || kind == Node::Kind::TaskGroup)
            indexes += group;
    }
    return indexes;
}

} // namespace kernscope::ui
