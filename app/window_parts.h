// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/document.h"
#include "app/settings.h"

#include <QAction>
#include <QKeySequence>
#include <QWidget>

class QMenu;

namespace kernscope::app {

/// What must be open for an action to be enabled.
enum class Needs : std::uint8_t { Nothing, Bundle, Section, Other, Changes };

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
    /// `section`: the bundle is a weight section; `changes`: bytes differ from the disk.
    void enable(bool bundle, bool section, bool other, bool changes);

private:
    QList<QAction *> m_bundle, m_section, m_other, m_changes;
};

class DockSet;
class LayoutKeeper;
class NoticeArea;
class SaveController;

/// What a window is made of, for its controllers. A test has those that its controller needs.
struct WindowParts {
    QWidget &window;
    Document &document;
    ui::Session &session;
    Settings &settings;
    NoticeArea *notices = nullptr;
    DockSet *docks = nullptr;
    LayoutKeeper *layouts = nullptr;
    SaveController *saving = nullptr;
    MenuActions *actions = nullptr;
};

/// A part of what a window does, with a class of its own.
class Controller : public QObject
{
protected:
    explicit Controller(const WindowParts &parts)
        : QObject(&parts.window), m_window(parts.window), m_document(parts.document),
          m_session(parts.session), m_settings(parts.settings), m_notices(parts.notices),
          m_docks(parts.docks), m_layouts(parts.layouts), m_saving(parts.saving),
          m_actions(parts.actions)
    {
    }

    QWidget &m_window;
    Document &m_document;
    ui::Session &m_session;
    Settings &m_settings;
    NoticeArea *m_notices;
    DockSet *m_docks;
    LayoutKeeper *m_layouts;
    SaveController *m_saving;
    MenuActions *m_actions;
};

} // namespace kernscope::app
