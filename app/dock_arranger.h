// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QString>

#include <cstdint>
#include <vector>

class QDockWidget;
class QMainWindow;

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

} // namespace kernscope::app
