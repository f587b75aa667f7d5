// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dock_arranger.h"

#include <QDockWidget>
#include <QFontMetrics>
#include <QLayout>
#include <QMainWindow>
#include <QSize>
#include <QStyle>

#include <algorithm>
#include <cmath>

namespace kernscope::app {

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
    bool shows() const
    {
        return dock ? visible
                    : std::any_of(children.begin(), children.end(),
                                  [](const Placed &child) { return child.shows(); });
    }
};

/// Nothing where no dock of the node exists.
std::vector<Placed> resolve(const DockNode &node, const QList<QDockWidget *> &docks)
{
    Placed placed{node.kind,      node.share, node.ems,     node.least, node.fullEms,
                  node.fullShare, nullptr,    node.visible, {}};
    if (node.kind == DockNode::Kind::Leaf) {
        const auto found = std::find_if(docks.begin(), docks.end(), [&](const QDockWidget *dock) {
            return dock->objectName() == node.id;
        });
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
    return node.dock == dock ||
           std::any_of(node.children.begin(), node.children.end(),
                       [dock](const Placed &child) { return names(child, dock); });
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

} // namespace kernscope::app
