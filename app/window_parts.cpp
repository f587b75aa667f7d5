// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window_parts.h"

#include <QMenu>

namespace kernscope::app {

QAction *MenuActions::add(QMenu *menu, const QString &text, const QKeySequence &key, Needs needs,
                          std::function<void()> run)
{
    QAction *action = menu->addAction(text);
    action->setShortcut(key);
    connect(action, &QAction::triggered, this, [run = std::move(run)] { run(); });
    need(action, needs);
    return action;
}

void MenuActions::need(QAction *action, Needs needs)
{
    if (needs == Needs::Bundle)
        m_bundle << action;
    else if (needs == Needs::Section)
        m_section << action;
    else if (needs == Needs::Other)
        m_other << action;
    else if (needs == Needs::Changes)
        m_changes << action;
}

void MenuActions::enable(bool bundle, bool section, bool other, bool changes)
{
    for (const auto &[actions, on] : {std::pair(&m_bundle, bundle),
                                      {&m_section, section},
                                      {&m_other, other},
                                      {&m_changes, changes}}) {
        for (QAction *action : *actions)
            action->setEnabled(on);
    }
}

} // namespace kernscope::app
