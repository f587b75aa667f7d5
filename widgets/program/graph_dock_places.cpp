// SPDX-License-Identifier: GPL-3.0-or-later
// Where GraphDock goes, and where it leads the others.
#include "core/assessment/consumer_kinds.h"
#include "core/bundle/bundle.h"
#include "widgets/program/graph_dock.h"
#include "widgets/program/graph_view.h"

#include "widgets/common/dock_tools.h"

#include <QTableView>

#include <algorithm>
#include <utility>

namespace kernscope::ui {

std::size_t GraphDock::nodeOf(std::size_t unit) const
{
    const GraphScenePtr &scene = m_view->scene();
    if (!scene || unit >= scene->drawn->units.size() ||
        scene->drawn->units[unit].kind != graph::DrawnUnit::Kind::Node)
        return graph::kNone;
    return scene->drawn->units[unit].nodes.front();
}

/// A weight before the bytes: those of a network's weights lie within their layer.
std::size_t GraphDock::nodeAt(const Place &place) const
{
    if (!m_graph)
        return graph::kNone;
    const std::size_t weight = m_graph->nodeOfWeight(place.weight);
    const bool inProgram = place.bytes && m_graph->bundle().isProgramFile(place.file);
    return weight != graph::kNone || !inProgram
               ? weight
               : m_graph->nodeAtByte(place.file, place.bytes->offset.value);
}

void GraphDock::follow(const Place &place, QObject *origin)
{
    if (!m_graph || origin == this)
        return;
    const std::size_t node = nodeAt(place);
    if (node == graph::kNone)
        return;
    const std::size_t unit =
        m_view->scene() && !m_task ? m_view->scene()->drawn->unitOf(node) : graph::kNone;
    if (unit != graph::kNone && nodeOf(unit) == node) {
        m_picked = node;
        m_following = true;
        m_view->setCurrent(unit);
        showRow(unit);
        m_following = false;
        return;
    }
    m_picked = graph::kNone;
    centreOn({node});
}

void GraphDock::showRow(std::size_t unit)
{
    const int row = unit == graph::kNone ? -1 : m_model->rowOf(unit);
    if (row >= 0)
        chooseRow(m_table, m_model->index(row, 0));
}

/// The common position goes to what was picked: a weight, the weights of an operation, or the
/// statement in the program.
void GraphDock::leadThere(std::size_t unit)
{
    const std::size_t node = nodeOf(unit);
    m_picked = node;
    m_following = true;
    showRow(unit);
    m_following = false;
    if (node == graph::kNone)
        return;
    const graph::Node &of = m_graph->nodes()[node];
    std::vector<std::size_t> weights;
    for (const std::size_t e : m_graph->edgesInto(node)) {
        const std::size_t from = m_graph->nodes()[m_graph->edges()[e].from].weight;
        if (from != graph::kNone && of.kind == graph::NodeKind::Operation)
            weights.push_back(from);
    }
    const std::size_t weight = of.weight != graph::kNone
                                   ? std::size_t(of.weight)
                                   : leadingWeight(m_graph->bundle(), weights);
    const std::size_t file = m_graph->fileOf(node);
    if (weight != kNoIndex)
        session().goToWeight(weight, this);
    else if (const SourceSpan span = m_graph->span(node); span.length > 0 && file != kNoIndex)
        session().goToBytes(file, {FileOffset(span.offset), ByteCount(span.length)}, this);
}

/// A repeat opens, what was left out is drawn, anything else becomes the centre.
void GraphDock::activate(std::size_t unit)
{
    const GraphScenePtr scene = m_view->scene();
    if (!scene || unit >= scene->drawn->units.size())
        return;
    const graph::DrawnUnit &of = scene->drawn->units[unit];
    switch (of.kind) {
    case graph::DrawnUnit::Kind::Fold:
        m_visited.push_back({m_centres, m_opened});
        m_opened.insert(of.run);
        m_picked = of.nodes.front();
        draw();
        return;
    case graph::DrawnUnit::Kind::Rest:
        if (m_limit < graph::kMostDrawn) {
            m_limit = std::min(m_limit + kDrawnMore, graph::kMostDrawn);
            draw();
        } else {
            centreOn({of.nodes.front()});
        }
        return;
    case graph::DrawnUnit::Kind::Node: break;
    }
    const graph::Node &node = m_graph->nodes()[of.nodes.front()];
    m_picked = of.nodes.front();
    if (node.callee != graph::kNone && !m_graph->inputsOf(node.callee).empty()) {
        m_picked = graph::kNone;
        centreOn(m_graph->inputsOf(node.callee));
    } else if (m_centres == of.nodes) {
        m_view->centreCurrent();
    } else {
        centreOn(of.nodes);
    }
}

void GraphDock::centreOn(std::vector<std::size_t> nodes)
{
    if (!m_graph || nodes.empty())
        return;
    if (nodes != m_centres && !m_centres.empty())
        m_visited.push_back({m_centres, m_opened});
    m_centres = std::move(nodes);
    m_limit = kDrawnAtFirst;
    draw();
}

void GraphDock::goBackHere()
{
    if (m_visited.empty()) {
        Q_EMIT session().statusMessage(tr("Nothing else was drawn before."));
        return;
    }
    m_centres = m_visited.back().centres;
    m_opened = m_visited.back().opened;
    m_visited.pop_back();
    m_picked = graph::kNone;
    draw();
}

} // namespace kernscope::ui
