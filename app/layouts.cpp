// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/layouts.h"

#include "app/dock_arranger.h"
#include "app/dock_set.h"
#include "core/bundle/bundle.h"
#include "widgets/common/dock.h"

#include <QCoreApplication>
#include <QDockWidget>
#include <QMainWindow>

#include <algorithm>
#include <utility>
#include <vector>

namespace kernscope::app {

namespace {

/// Of QMainWindow::saveState; a state of another number is not restored.
constexpr int kStateVersion = 3;

using Node = DockNode;

// The drawings of window.md. Numbers are shares of the extent along the container's axis; panels
// at the sides are so many heights of the font wide, and grow with a window that has room. The
// inspector has its full width from 1400 pixels on; beside the table of pairs, which has no column
// to spare, only in a wide window.
constexpr double kNavigator = 19.3, kInspector = 21, kFullInspector = 22.9;
constexpr double kSideShare = 0.18, kInspectorShare = 0.23;

Node navigator()
{
    return Node::leaf(20, "bundle").wide(kNavigator, kSideShare);
}

/// The panel at the right. Help opens as a tab of it: a column of its own would squeeze them all;
/// so do the other docks that are columns. What wants to be wide opens in the tabs of the middle.
Node beside(const char *id, double fullWidth = kFullInspector)
{
    std::vector<Node> tabs{Node::leaf(1, id), Node::hidden(1, "help")};
    for (const char *narrow : {"inspector", "assessment", "codebook", "mask"}) {
        if (tabs.front().id != QLatin1String(narrow))
            tabs.push_back(Node::hidden(1, narrow));
    }
    return Node::tabs(24, std::move(tabs))
        .wide(kInspector, kSideShare)
        .upTo(fullWidth, kInspectorShare);
}

Node inspectLayout()
{
    return Node::row(
        1,
        {navigator(),
         Node::column(58, {Node::tabs(65, {Node::leaf(1, "overview"), Node::leaf(1, "weight"),
                                           Node::leaf(1, "graph")}),
                           Node::tabs(35, {Node::leaf(1, "hex"), Node::leaf(1, "layout"),
                                           Node::leaf(1, "program"), Node::leaf(1, "patches"),
                                           Node::leaf(1, "diagnostics"), Node::hidden(1, "search"),
                                           Node::hidden(1, "bookmarks")})}),
         beside("inspector")});
}

Node compareLayout()
{
    return Node::row(
        1, {Node::column(
                76, {Node::tabs(69, {Node::leaf(1, "compare"), Node::leaf(1, "builds")}),
                     Node::tabs(31, {Node::leaf(1, "bytes"), Node::leaf(1, "ranges"),
                                     Node::leaf(1, "places"), Node::leaf(1, "codebooks"),
                                     Node::leaf(1, "patches"), Node::leaf(1, "diagnostics"),
                                     Node::hidden(1, "search"), Node::hidden(1, "bookmarks")})}),
            beside("pair", kInspector)});
}

Node patchLayout()
{
    return Node::row(
        1, {navigator(),
            Node::column(
                58, {Node::leaf(65, "weight"),
                     Node::tabs(35, {Node::leaf(1, "patches"), Node::leaf(1, "hex"),
                                     Node::leaf(1, "layout"), Node::leaf(1, "diagnostics"),
                                     Node::hidden(1, "search"), Node::hidden(1, "bookmarks")})}),
            beside("inspector")});
}

Node performanceLayout()
{
    return Node::row(
        1,
        {navigator(),
         Node::column(80, {Node::tabs(54, {Node::leaf(1, "stream"), Node::leaf(1, "plan"),
                                           Node::leaf(1, "choose"), Node::leaf(1, "geometry"),
                                           Node::leaf(1, "targets"), Node::hidden(1, "formats")}),
                           Node::tabs(46, {Node::leaf(1, "roofline"), Node::leaf(1, "timeline"),
                                           Node::leaf(1, "calibration"), Node::leaf(1, "reduction"),
                                           Node::leaf(1, "collective"), Node::hidden(1, "search"),
                                           Node::hidden(1, "bookmarks")})}),
         beside("assessment")});
}

Node hardwareLayout()
{
    return Node::row(
        1,
        {navigator(),
         Node::column(80, {Node::tabs(60, {Node::leaf(1, "tasks"), Node::leaf(1, "groups"),
                                           Node::leaf(1, "relocations"), Node::leaf(1, "commands"),
                                           Node::leaf(1, "descriptor"), Node::leaf(1, "activation"),
                                           Node::hidden(1, "formats")}),
                           Node::tabs(40, {Node::leaf(1, "hex"), Node::leaf(1, "layout"),
                                           Node::leaf(1, "diagnostics"), Node::hidden(1, "search"),
                                           Node::hidden(1, "bookmarks")})}),
         beside("inspector")});
}

Node nodeOf(Layout layout)
{
    switch (layout) {
    case Layout::Inspect: return inspectLayout();
    case Layout::Compare: return compareLayout();
    case Layout::Patch: return patchLayout();
    case Layout::Performance: return performanceLayout();
    case Layout::Hardware: return hardwareLayout();
    }
    return inspectLayout();
}

/// The docks in front of whose tabs a workspace is about: those at the top of its middle.
QStringList mainDocks(const Node &root)
{
    const auto middle = std::find_if(root.children.begin(), root.children.end(),
                                     [](const Node &child) { return child.ems <= 0; });
    const Node *at = middle == root.children.end() ? &root : &*middle;
    QStringList ids;
    while (at->kind == Node::Kind::Column)
        at = &at->children.front();
    for (const Node &leaf : at->children)
        ids += leaf.id;
    return at->kind == Node::Kind::Leaf ? QStringList(at->id) : ids;
}

struct LayoutWords {
    Q_DECLARE_TR_FUNCTIONS(kernscope::Layouts)
};

} // namespace

QString layoutId(Layout layout)
{
    switch (layout) {
    case Layout::Inspect: return QStringLiteral("inspect");
    case Layout::Compare: return QStringLiteral("compare");
    case Layout::Patch: return QStringLiteral("patch");
    case Layout::Performance: return QStringLiteral("performance");
    case Layout::Hardware: return QStringLiteral("hardware");
    }
    return {};
}

QString layoutTitle(Layout layout)
{
    switch (layout) {
    case Layout::Inspect: return LayoutWords::tr("Inspect");
    case Layout::Compare: return LayoutWords::tr("Compare");
    case Layout::Patch: return LayoutWords::tr("Patch");
    case Layout::Performance: return LayoutWords::tr("Performance");
    case Layout::Hardware: return LayoutWords::tr("Hardware");
    }
    return {};
}

bool isContainer(const Bundle &bundle)
{
    return bundle.hardware() || bundle.section();
}

LayoutKeeper::LayoutKeeper(QMainWindow *host, DockSet &docks, Settings &settings, QObject *parent)
    : QObject(parent), m_host(host), m_docks(docks), m_settings(settings)
{
}

void LayoutKeeper::show(Layout layout)
{
    if (m_shown && layout == m_current)
        return;
    if (m_shown)
        keep();
    restoreOrArrange(layout);
}

void LayoutKeeper::reset()
{
    m_settings.forgetLayout(layoutId(m_current));
    arrange(m_current);
}

ui::Dock *LayoutKeeper::mainDock() const
{
    for (const QString &id : mainDocks(nodeOf(m_current))) {
        if (ui::Dock *dock = m_docks.dock(id); dock && dock->onView())
            return dock;
    }
    return m_docks.largestOnView();
}

void LayoutKeeper::keep()
{
    if (!m_shown)
        return;
    m_settings.setLayoutState(layoutId(m_current), m_docks.ids(), m_host->saveState(kStateVersion));
}

void LayoutKeeper::restoreOrArrange(Layout layout)
{
    const QByteArray state = m_settings.layoutState(layoutId(layout), m_docks.ids());
    m_current = layout;
    m_shown = true;
    m_docks.forgetSizes();
    if (state.isEmpty() || !m_host->restoreState(state, kStateVersion))
        arrange(layout);
    Q_EMIT currentChanged(layout);
}

void LayoutKeeper::arrange(Layout layout)
{
    m_docks.forgetSizes();
    QList<QDockWidget *> docks;
    for (const DockSet::Entry &entry : m_docks.entries())
        docks << entry.dock;
    arrangeDocks(*m_host, docks, nodeOf(layout));
}

} // namespace kernscope::app

#include "moc_layouts.cpp"
