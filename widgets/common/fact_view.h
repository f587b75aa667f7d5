// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QTreeView;
class QWidget;

namespace kernscope::ui {

class FactTreeModel;

/// A tree over facts that stand still, as all docks about hardware containers show them.
QTreeView *factView(QWidget *parent, FactTreeModel *model, const QString &accessibleName);
/// The same without branches, sortable: for facts that are a plain table.
QTreeView *factTable(QWidget *parent, FactTreeModel *model, const QString &accessibleName);

} // namespace kernscope::ui
