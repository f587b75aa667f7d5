// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/layouts.h"

#include "app/dock_set.h"
#include "core/bundle/bundle.h"

#include <QCoreApplication>
#include <QDockWidget>
#include <QFontMetrics>
#include <QLayout>
#include <QList>
#include <QMainWindow>
#include <QSize>
#include <QStyle>

#include <algorithm>
#include <cmath>

namespace kernscope::app {

/// A place for docks: one, several in tabs, or several side by side. Shares count within a parent.
struct DockNode {
    enum class Kind : std::uint8_t { Leaf, Tabs, Row, Column };
    Kind kind = Kind::Leaf;
    double share = 1;
    double ems = 0;     ///< extent in heights of the host's font, taken before the shares; 0: none
    double least = 0;   ///< with `ems`: that share of the parent's extent where it is more
    double fullEms = 0; ///< what `ems` grows to ...
    double fullShare = 0; ///< ... as long as it is no more than that share of the parent's extent
    QString id;           ///< Leaf: objectName of the dock
    bool visible = true;  ///< Leaf: false, it has its place but starts hidden
    std::vector<DockNode> children;

    /// This node with that extent, or with a share of the parent's where that is more.
    DockNode wide(double extent, double leastShare = 0) const;
    /// This node, as wide as that where it is no more than that share of the parent's extent.
    DockNode upTo(double extent, double share) const;
    static DockNode leaf(double share, const char *id);
    static DockNode hidden(double share, const char *id);
    static DockNode tabs(double share, std::vector<DockNode> children);
    static DockNode row(double share, std::vector<DockNode> children);
    static DockNode column(double share, std::vector<DockNode> children);
};

/// Puts the docks of `host` (which has no central widget) where `root` has them and gives them
/// their shares of its present size. Names that are no dock are left out; docks that `root` does
/// not name are hidden and have a place in its last tabs without a fixed width, else at its end.
void arrangeDocks(QMainWindow &host, const QList<QDockWidget *> &docks, const DockNode &root);

namespace {

/// DockNode with its docks found, and without those that are not there.
struct Placed {
    DockNode::Kind kind = DockNode::Kind::Leaf;
    double share = 1, ems = 0, least = 0, fullEms = 0, fullShare = 0;
    QDockWidget *dock = nullptr;
    bool visible = true;
    std::vector<Placed> children;

    /// The dock that stands for the node while its parent is split.
    QDockWidget *first() const { return dock ? dock : children.front().first(); }
    bool shows() const { return dock ? visible : std::ranges::any_of(children, &Placed::shows); }
};

/// Nothing where no dock of the node exists.
std::vector<Placed> resolve(const DockNode &node, const QList<QDockWidget *> &docks)
{
    Placed placed{node.kind,      node.share, node.ems,     node.least, node.fullEms,
                  node.fullShare, nullptr,    node.visible, {}};
    if (node.kind == DockNode::Kind::Leaf) {
        const auto found = std::ranges::find(docks, node.id, &QDockWidget::objectName);
        if (found == docks.end())
            return {};
        placed.dock = *found;
        return {placed};
    }
    for (const DockNode &child : node.children) {
        for (Placed &one : resolve(child, docks))
            placed.children.push_back(std::move(one));
    }
    return placed.children.empty() ? std::vector<Placed>{} : std::vector<Placed>{placed};
}

/// `node.first()` is in the window already; puts the rest beside it, outer splits first.
void place(QMainWindow &host, const Placed &node)
{
    for (std::size_t i = 1; i < node.children.size(); ++i) {
        QDockWidget *before = node.children[i - 1].first();
        QDockWidget *dock = node.children[i].first();
        switch (node.kind) {
        case DockNode::Kind::Tabs: host.tabifyDockWidget(before, dock); break;
        case DockNode::Kind::Row: host.splitDockWidget(before, dock, Qt::Horizontal); break;
        case DockNode::Kind::Column: host.splitDockWidget(before, dock, Qt::Vertical); break;
        case DockNode::Kind::Leaf: break;
        }
    }
    for (const Placed &child : node.children)
        place(host, child);
}

struct Sizes {
    QList<QDockWidget *> docks;
    QList<int> widths, heights;
};

void measure(const Placed &node, QSize size, int separator, int em, Sizes &sizes)
{
    if (node.dock) {
        sizes.docks << node.dock;
        sizes.widths << std::max(1, size.width());
        sizes.heights << std::max(1, size.height());
        return;
    }
    if (node.kind == DockNode::Kind::Tabs) {
        measure(node.children.front(), size, separator, em, sizes);
        return;
    }
    const bool row = node.kind == DockNode::Kind::Row;
    double shares = 0;
    int shown = 0, fixed = 0;
    const int whole = row ? size.width() : size.height();
    const auto fixedExtent = [em, whole](const Placed &child) {
        if (child.ems <= 0)
            return 0;
        const double full = std::min(child.fullEms * em, child.fullShare * whole);
        return static_cast<int>(std::lround(std::max({child.ems * em, full, child.least * whole})));
    };
    for (const Placed &child : node.children) {
        if (!child.shows())
            continue;
        shares += child.ems > 0 ? 0 : child.share;
        fixed += fixedExtent(child);
        ++shown;
    }
    const int extent = whole - separator * std::max(0, shown - 1) - fixed;
    for (const Placed &child : node.children) {
        const int part = child.ems > 0 ? fixedExtent(child)
                                       : static_cast<int>(std::lround(
                                             extent * child.share / std::max(shares, child.share)));
        measure(child, row ? QSize(part, size.height()) : QSize(size.width(), part), separator, em,
                sizes);
    }
}

void setVisible(const Placed &node)
{
    if (node.dock)
        node.dock->setVisible(node.visible);
    for (const Placed &child : node.children)
        setVisible(child);
    if (node.kind == DockNode::Kind::Tabs)
        node.children.front().first()->raise();
}

bool names(const Placed &node, const QDockWidget *dock)
{
    return node.dock == dock || std::ranges::any_of(node.children, [dock](const Placed &child) {
               return names(child, dock);
           });
}

/// Where docks that the tree does not name open: the last tabs that share the room of the middle. A
/// panel of a fixed width at the side has none for them. Null: there are no such tabs.
QDockWidget *spareTabs(const Placed &node)
{
    if (node.ems > 0 || node.dock)
        return nullptr;
    if (node.kind == DockNode::Kind::Tabs)
        return node.children.back().first();
    QDockWidget *last = nullptr;
    for (const Placed &child : node.children) {
        if (QDockWidget *found = spareTabs(child))
            last = found;
    }
    return last;
}

DockNode container(DockNode::Kind kind, double share, std::vector<DockNode> children)
{
    return {kind, share, 0, 0, 0, 0, {}, true, std::move(children)};
}

/// Of QMainWindow::saveState; a state of another number is not restored.
constexpr int kStateVersion = 3;

using Node = DockNode;

// The drawings of window.md. Numbers are shares of the extent along the container's axis; panels
// at the sides have widths in heights of the font, and grow with a window that has room. The
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
                76, {Node::tabs(72, {Node::leaf(1, "compare"), Node::leaf(1, "builds")}),
                     Node::tabs(28, {Node::leaf(1, "bytes"), Node::leaf(1, "ranges"),
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
    const auto middle =
        std::ranges::find_if(root.children, [](const Node &child) { return child.ems <= 0; });
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

DockNode DockNode::wide(double extent, double leastShare) const
{
    DockNode node = *this;
    node.ems = extent;
    node.least = leastShare;
    return node;
}

DockNode DockNode::upTo(double extent, double ofParent) const
{
    DockNode node = *this;
    node.fullEms = extent;
    node.fullShare = ofParent;
    return node;
}

DockNode DockNode::leaf(double share, const char *id)
{
    return {Kind::Leaf, share, 0, 0, 0, 0, QString::fromLatin1(id), true, {}};
}

DockNode DockNode::hidden(double share, const char *id)
{
    return {Kind::Leaf, share, 0, 0, 0, 0, QString::fromLatin1(id), false, {}};
}

DockNode DockNode::tabs(double share, std::vector<DockNode> children)
{
    return container(Kind::Tabs, share, std::move(children));
}

DockNode DockNode::row(double share, std::vector<DockNode> children)
{
    return container(Kind::Row, share, std::move(children));
}

DockNode DockNode::column(double share, std::vector<DockNode> children)
{
    return container(Kind::Column, share, std::move(children));
}

void arrangeDocks(QMainWindow &host, const QList<QDockWidget *> &docks, const DockNode &root)
{
    const std::vector<Placed> found = resolve(root, docks);
    if (found.empty())
        return;
    const Placed &tree = found.front();
    host.setUpdatesEnabled(false);
    const bool animated = host.isAnimated();
    host.setAnimated(false); // the sizes below are to hold at once
    for (QDockWidget *dock : docks) {
        dock->setFloating(false);
        host.removeDockWidget(dock);
    }
    host.addDockWidget(Qt::TopDockWidgetArea, tree.first());
    place(host, tree);
    QDockWidget *last = spareTabs(tree);
    if (!last)
        last = tree.children.empty() ? tree.first() : tree.children.back().first();
    for (QDockWidget *dock : docks) {
        if (names(tree, dock))
            continue;
        host.tabifyDockWidget(last, dock);
        dock->hide();
    }
    setVisible(tree);
    Sizes sizes;
    const int separator =
        host.style()->pixelMetric(QStyle::PM_DockWidgetSeparatorExtent, nullptr, &host);
    measure(tree, host.size(), separator, QFontMetrics(host.font()).height(), sizes);
    host.resizeDocks(sizes.docks, sizes.widths, Qt::Horizontal);
    host.resizeDocks(sizes.docks, sizes.heights, Qt::Vertical);
    host.layout()->activate();
    host.setAnimated(animated);
    host.setUpdatesEnabled(true);
}

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
