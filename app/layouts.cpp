// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/layouts.h"

#include "app/dock_set.h"
#include "core/bundle/bundle.h"
#include "widgets/common/qt.h"
#include "widgets/models/table_text.h"

namespace kernscope::app {

namespace {

/// A place for docks: one, several in tabs, or several side by side. Shares count within a parent.
struct DockNode {
    enum class Kind : std::uint8_t { Leaf, Tabs, Row, Column };
    Kind kind = Kind::Leaf;
    double share = 1;
    std::vector<DockNode> children = {};
    QString id = {};     ///< Leaf: objectName of the dock
    bool visible = true; ///< Leaf: false, it has its place but starts hidden
    double ems = 0;      ///< extent in heights of the host's font, taken before the shares; 0: none
    double least = 0;    ///< with `ems`: that share of the parent's extent where it is more
    double fullEms = 0;  ///< what `ems` grows to ...
    double fullShare = 0; ///< ... as long as it is no more than that share of the parent's extent
    QDockWidget *dock = nullptr; ///< Leaf: once it is found

    /// The dock that stands for the node while its parent is split.
    QDockWidget *first() const { return dock ? dock : children.front().first(); }
    bool shows() const { return dock ? visible : std::ranges::any_of(children, &DockNode::shows); }
};

/// With its docks, and without those that are not there; nothing where none is.
std::optional<DockNode> resolve(DockNode node, const QList<QDockWidget *> &docks)
{
    if (node.kind == DockNode::Kind::Leaf) {
        const auto found = std::ranges::find(docks, node.id, &QDockWidget::objectName);
        if (found == docks.end())
            return std::nullopt;
        node.dock = *found;
        return node;
    }
    for (DockNode &child : std::exchange(node.children, {})) {
        if (auto found = resolve(std::move(child), docks))
            node.children.push_back(std::move(*found));
    }
    return node.children.empty() ? std::nullopt : std::optional(std::move(node));
}

/// `node.first()` is in the window already; puts the rest beside it, outer splits first.
void place(QMainWindow &host, const DockNode &node)
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
    for (const DockNode &child : node.children)
        place(host, child);
}

struct Sizes {
    QList<QDockWidget *> docks;
    QList<int> widths, heights;
};

void measure(const DockNode &node, QSize size, int separator, int em, Sizes &sizes)
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
    const auto fixedExtent = [em, whole](const DockNode &child) {
        if (child.ems <= 0)
            return 0;
        const double full = std::min(child.fullEms * em, child.fullShare * whole);
        return static_cast<int>(std::lround(std::max({child.ems * em, full, child.least * whole})));
    };
    for (const DockNode &child : node.children) {
        if (!child.shows())
            continue;
        shares += child.ems > 0 ? 0 : child.share;
        fixed += fixedExtent(child);
        ++shown;
    }
    const int extent = whole - separator * std::max(0, shown - 1) - fixed;
    for (const DockNode &child : node.children) {
        const int part = child.ems > 0 ? fixedExtent(child)
                                       : static_cast<int>(std::lround(
                                             extent * child.share / std::max(shares, child.share)));
        measure(child, row ? QSize(part, size.height()) : QSize(size.width(), part), separator, em,
                sizes);
    }
}

void setVisible(const DockNode &node)
{
    if (node.dock)
        node.dock->setVisible(node.visible);
    for (const DockNode &child : node.children)
        setVisible(child);
    if (node.kind == DockNode::Kind::Tabs)
        node.children.front().first()->raise();
}

bool names(const DockNode &node, const QDockWidget *dock)
{
    return node.dock == dock || std::ranges::any_of(node.children, [dock](const DockNode &child) {
               return names(child, dock);
           });
}

/// Where docks that the tree does not name open: the last tabs that share the room of the middle. A
/// panel of a fixed width at the side has none for them. Null: there are no such tabs.
QDockWidget *spareTabs(const DockNode &node)
{
    if (node.ems > 0 || node.dock)
        return nullptr;
    if (node.kind == DockNode::Kind::Tabs)
        return node.children.back().first();
    QDockWidget *last = nullptr;
    for (const DockNode &child : node.children) {
        if (QDockWidget *found = spareTabs(child))
            last = found;
    }
    return last;
}

/// Of QMainWindow::saveState; a state of another number is not restored. Before it stands the size
/// that the docks had their widths in.
constexpr int kStateVersion = 4;

/// In the size that it was kept in, and resized from there: otherwise docks keep their pixels in a
/// larger window and shrink again with it, narrower each time.
bool restoreDocks(QMainWindow &host, const QByteArray &kept)
{
    QSize size;
    QByteArray state;
    QDataStream from(kept);
    from >> size >> state;
    const QRect was({}, size), is = host.rect();
    host.setUpdatesEnabled(false);
    host.layout()->setGeometry(was);
    const bool restored = host.restoreState(state, kStateVersion);
    host.layout()->setGeometry(was); // a hidden window has not laid its docks out yet
    if (host.isVisible())
        host.layout()->setGeometry(is);
    host.setUpdatesEnabled(true);
    return restored;
}

using Node = DockNode;

// The drawings of window.md. Numbers are shares of the extent along the container's axis; panels
// at the sides have widths in heights of the font, and grow with a window that has room. The
// inspector has its full width from 1400 pixels on; beside the table of pairs, which has no column
// to spare, only in a wide window.
constexpr double kNavigator = 19.3, kInspector = 21, kFullInspector = 22.9;
constexpr double kSideShare = 0.18, kInspectorShare = 0.23;

/// Docks by their names, as tabs where there are several; those with a minus start hidden.
Node docks(double share, const char *names)
{
    Node tabs{Node::Kind::Tabs, share};
    for (QString name : QString::fromLatin1(names).split(u' ')) {
        const bool hidden = name.startsWith(u'-');
        tabs.children.push_back({Node::Kind::Leaf, 1, {}, hidden ? name.mid(1) : name, !hidden});
    }
    if (tabs.children.size() > 1)
        return tabs;
    tabs.children.front().share = share;
    return tabs.children.front();
}

Node column(double share, std::vector<Node> children)
{
    return {Node::Kind::Column, share, std::move(children)};
}

Node navigator()
{
    Node node = docks(20, "bundle");
    node.ems = kNavigator;
    node.least = kSideShare;
    return node;
}

/// The panel at the right. Help opens as a tab of it: a column of its own would
/// squeeze them all; so do the other docks that are columns. What wants to be wide opens in the
/// tabs of the middle.
Node beside(const char *names, double fullWidth = kFullInspector)
{
    Node node = docks(24, names);
    node.ems = kInspector;
    node.least = kSideShare;
    node.fullEms = fullWidth;
    node.fullShare = kInspectorShare;
    return node;
}

Node row(std::vector<Node> children)
{
    return {Node::Kind::Row, 1, std::move(children)};
}

Node inspectLayout()
{
    return row(
        {navigator(),
         column(58,
                {docks(65, "overview weight graph"),
                 docks(35, "hex layout program -compiled patches diagnostics -search -bookmarks")}),
         beside("inspector -help -assessment -codebook -mask")});
}

Node compareLayout()
{
    return row({column(76, {docks(72, "compare builds"),
                            docks(28, "bytes ranges places codebooks patches diagnostics -search "
                                      "-bookmarks")}),
                beside("pair -help -inspector -assessment -codebook -mask", kInspector)});
}

Node patchLayout()
{
    return row({navigator(),
                column(58, {docks(65, "weight"),
                            docks(35, "patches hex layout diagnostics -search -bookmarks")}),
                beside("inspector -help -assessment -codebook -mask")});
}

Node performanceLayout()
{
    return row({navigator(),
                column(80, {docks(54, "stream plan choose geometry targets -formats"),
                            docks(46, "roofline timeline calibration reduction collective -search "
                                      "-bookmarks")}),
                beside("assessment -help -inspector -codebook -mask")});
}

Node hardwareLayout()
{
    return row({navigator(),
                column(80, {docks(60, "tasks groups relocations commands descriptor activation "
                                      "-formats"),
                            docks(40, "hex layout diagnostics -search -bookmarks")}),
                beside("inspector -help -assessment -codebook -mask")});
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

/// Puts the docks of `host` (which has no central widget) where `root` has them and gives them
/// their shares of its present size. Names that are no dock are left out; docks that `root` does
/// not name are hidden and have a place in its last tabs without a fixed width, else at its end.
void arrangeDocks(QMainWindow &host, const QList<QDockWidget *> &docks, const DockNode &root)
{
    const std::optional<DockNode> found = resolve(root, docks);
    if (!found)
        return;
    const DockNode &tree = *found;
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

} // namespace

QString layoutId(Layout layout)
{
    switch (layout) {
    case Layout::Inspect: return u"inspect"_s;
    case Layout::Compare: return u"compare"_s;
    case Layout::Patch: return u"patch"_s;
    case Layout::Performance: return u"performance"_s;
    case Layout::Hardware: return u"hardware"_s;
    }
    return {};
}

QString layoutTitle(Layout layout)
{
    switch (layout) {
    case Layout::Inspect: return ui::Words::tr("Inspect");
    case Layout::Compare: return ui::Words::tr("Compare");
    case Layout::Patch: return ui::Words::tr("Patch");
    case Layout::Performance: return ui::Words::tr("Performance");
    case Layout::Hardware: return ui::Words::tr("Hardware");
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
    QByteArray kept;
    QDataStream into(&kept, QIODevice::WriteOnly);
    into << m_host->size() << m_host->saveState(kStateVersion);
    m_settings.setLayoutState(layoutId(m_current), m_docks.ids(), kept);
}

void LayoutKeeper::restoreOrArrange(Layout layout)
{
    const QByteArray state = m_settings.layoutState(layoutId(layout), m_docks.ids());
    m_current = layout;
    m_shown = true;
    m_docks.forgetSizes();
    if (state.isEmpty() || !restoreDocks(*m_host, state))
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
