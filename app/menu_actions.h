// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QKeySequence>
#include <QObject>
#include <QString>

#include <cstdint>
#include <functional>
#include <utility>

class QMenu;

namespace kernscope::app {

/// What must be open for an action to be enabled.
enum class Needs : std::uint8_t { Nothing, Bundle, Other, Changes };

/// Makes the actions of menus, and enables them by what is open.
class MenuActions final : public QObject
{
public:
    using QObject::QObject;

    QAction *add(QMenu *menu, const QString &text, const QKeySequence &key, Needs needs,
                 std::function<void()> run);
    QAction *add(QMenu *menu, const QString &text, const QKeySequence &key,
                 std::function<void()> run)
    {
        return add(menu, text, key, Needs::Nothing, std::move(run));
    }
    void need(QAction *action, Needs needs);
    /// `changes`: bytes differ from the disk.
    void enable(bool bundle, bool other, bool changes);

private:
    QList<QAction *> m_bundle, m_other, m_changes;
};

} // namespace kernscope::app
