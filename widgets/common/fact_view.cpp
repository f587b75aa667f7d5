// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/fact_view.h"

#include "widgets/common/dock_tools.h"
#include "widgets/models/fact_tree_model.h"

#include <QHeaderView>
#include <QTreeView>

namespace kernscope::ui {

QTreeView *factView(QWidget *parent, FactTreeModel *model, const QString &accessibleName)
{
    auto *view = new QTreeView(parent);
    view->setAccessibleName(accessibleName);
    view->setModel(model);
    prepareView(view);
    view->setUniformRowHeights(true);
    view->setExpandsOnDoubleClick(false);
    view->header()->setStretchLastSection(true);
    view->header()->setSectionsMovable(false);
    return view;
}

QTreeView *factTable(QWidget *parent, FactTreeModel *model, const QString &accessibleName)
{
    QTreeView *view = factView(parent, model, accessibleName);
    view->setRootIsDecorated(false);
    view->setItemsExpandable(false);
    view->header()->setSortIndicator(-1, Qt::AscendingOrder);
    view->setSortingEnabled(true);
    view->header()->setSortIndicatorClearable(true);
    return view;
}

} // namespace kernscope::ui
