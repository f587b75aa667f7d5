// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/compare_task.h"

#include <QAction>
#include <QVariant>

namespace kernscope::ui {

namespace {

constexpr const char *kTaskProperty = "kernscope_compare_task";

} // namespace

void setCompareTask(const QList<QAction *> &actions, CompareTask task)
{
    for (QAction *action : actions)
        action->setProperty(kTaskProperty, static_cast<int>(task));
}

CompareTask compareTask(const QAction &action)
{
    const QVariant task = action.property(kTaskProperty);
    return task.isValid() ? static_cast<CompareTask>(task.toInt()) : CompareTask::View;
}

} // namespace kernscope::ui
