// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/edit_menu.h"

#include "app/change_applier.h"
#include "app/dock_set.h"
#include "app/document.h"
#include "app/line_keys.h"
#include "app/menu_actions.h"
#include "widgets/common/dock.h"
#include "widgets/common/file_dialogs.h"
#include "widgets/common/line_icon.h"
#include "widgets/common/number_field.h"
#include "widgets/common/session.h"
#include "widgets/common/table_text.h"
#include "widgets/patch/patches_dock.h"
#include "widgets/patch/typed_answer.h"

#include <QAbstractItemView>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>
#include <QInputDialog>
#include <QKeyEvent>
#include <QMenu>
#include <QUndoStack>

#include <cmath>
#include <limits>
#include <utility>

namespace kernscope::app {

void EditMenu::fill(QMenu *menu)
{
    addUndo(menu);
    menu->addSeparator();
    addCopy(menu);
    menu->addSeparator();
    m_patching =
        m_actions->add(menu, tr("Enable &Patching"), Qt::CTRL | Qt::Key_E, Needs::Bundle, [this] {
            m_patching->setChecked(m_session.patchingEnabled());
            togglePatching();
        });
    m_patching->setIcon(ui::lineIcon(QStringLiteral("lock")));
    m_patching->setObjectName(QStringLiteral("patching"));
    m_patching->setCheckable(true);
    connect(&m_session, &ui::Session::patchingEnabledChanged, this, [this](bool enabled) {
        m_patching->setChecked(enabled);
        m_patching->setIcon(
            ui::lineIcon(enabled ? QStringLiteral("unlock") : QStringLiteral("lock")));
    });
    m_actions->add(menu, tr("&Add Edit\u2026"), Qt::CTRL | Qt::SHIFT | Qt::Key_E, Needs::Bundle,
                   [this] {
                       Q_EMIT docksAsked();
                       m_docks->patches()->beginEdit();
                   });
    addPatchFile(menu);
    m_actions->add(menu, tr("&Tolerance\u2026"), {}, [this] { askTolerance(); });
    menu->addSeparator();
    m_actions->add(menu, tr("&Shapes of Inputs\u2026"), Qt::CTRL | Qt::SHIFT | Qt::Key_I,
                   Needs::Bundle, [this] { Q_EMIT shapesAsked(); });
}

void EditMenu::addUndo(QMenu *menu)
{
    QUndoStack &stack = m_session.undoStack();
    m_undo = stack.createUndoAction(&m_window, tr("&Undo"));
    m_undo->setShortcut(QKeySequence::Undo);
    m_undo->setIcon(ui::lineIcon(QStringLiteral("undo")));
    m_redo = stack.createRedoAction(&m_window, tr("&Redo"));
    m_redo->setShortcuts(
        {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z), QKeySequence(Qt::CTRL | Qt::Key_Y)});
    m_redo->setIcon(ui::lineIcon(QStringLiteral("redo")));
    new LineKeys(stack, &m_window);
    // Large steps are tasks of the document; the stack keeps texts and states of the actions.
    for (const auto &[action, by] : {std::pair(m_undo, -1), {m_redo, 1}}) {
        disconnect(action, &QAction::triggered, &stack, nullptr);
        connect(action, &QAction::triggered, this,
                [this, &stack, by = by] { m_document.goToStep(stack.index() + by); });
    }
    menu->addActions({m_undo, m_redo});
}

/// What the docks do with keys of their own: copy, find, search.
void EditMenu::addCopy(QMenu *menu)
{
    // The keys are the docks' own; here they are found.
    m_actions->add(menu, tr("&Copy in This Dock") + QStringLiteral("\tCtrl+C"), {}, Needs::Bundle,
                   [this] { runInFocus(QKeySequence::Copy); });
    QMenu *copyAs = menu->addMenu(tr("Copy Rows &As"));
    const auto addCopy = [this, copyAs](const QString &text, Qt::Key key, ui::TableFormat format) {
        m_actions->add(copyAs, text, QKeySequence(Qt::CTRL | Qt::SHIFT | key),
                       [this, format] { copyRowsAs(format); });
    };
    addCopy(tr("&Tab-Separated with Titles"), Qt::Key_C, ui::TableFormat::TabSeparated);
    addCopy(tr("&Markdown"), Qt::Key_M, ui::TableFormat::Markdown);
    addCopy(tr("&JSON"), Qt::Key_J, ui::TableFormat::Json);
    m_actions->need(copyAs->menuAction(), Needs::Bundle);
    m_actions->add(menu, tr("&Find in This Dock") + QStringLiteral("\tCtrl+F"), {}, Needs::Bundle,
                   [this] { runInFocus(QKeySequence::Find); });
    for (const DockSet::Entry &entry : m_docks->entries()) {
        if (entry.dock->id() != QLatin1String("search"))
            continue;
        QAction *search =
            menu->addAction(tr("Searc&h in the Bundle\u2026") + QStringLiteral("\tCtrl+Shift+F"));
        connect(search, &QAction::triggered, entry.show, &QAction::trigger);
        m_actions->need(search, Needs::Bundle);
    }
}

/// The patches that a list of them or a comparison was saved as, made on the document.
void EditMenu::addPatchFile(QMenu *menu)
{
    auto *changes = new ChangeApplier(m_session, &m_window);
    connect(changes, &ChangeApplier::failed, this, &EditMenu::refused);
    connect(changes, &ChangeApplier::applied, this, [this](const QString &path, bool proved) {
        const QString name = ui::shown(QFileInfo(path).fileName());
        Q_EMIT m_session.statusMessage(
            proved ? tr("%1 is applied; the weights are those that it was made of").arg(name)
                   : tr("%1 is applied").arg(name));
    });
    m_applyPatches =
        m_actions->add(menu, tr("Apply Patch &File\u2026"), {}, Needs::Bundle, [this, changes] {
            auto *dialog =
                new QFileDialog(&m_window, tr("Apply Patch File"), ui::dialogFolder(&m_window),
                                tr("Patches (*.kpatch);;Scripts of edits (*.txt);;All files (*)"));
            dialog->setAttribute(Qt::WA_DeleteOnClose);
            dialog->setFileMode(QFileDialog::ExistingFile);
            connect(dialog, &QFileDialog::fileSelected, changes,
                    [this, changes](const QString &path) {
                        ui::setDialogFolder(&m_window, QFileInfo(path).absolutePath());
                        changes->apply(path);
                    });
            dialog->open();
        });
}

void EditMenu::togglePatching()
{
    if (!m_document.isOpen())
        return;
    const bool enable = !m_session.patchingEnabled();
    m_session.setPatchingEnabled(enable);
    if (!enable)
        return;
    if (m_document.inMemory() || !m_document.writable())
        Q_EMIT m_session.statusMessage(
            tr("Patching is enabled. This file cannot be written in place: "
               "use Save As."));
    else
        Q_EMIT m_session.statusMessage(tr("Patching is enabled. Nothing is written before Save."));
}

/// Of the table that holds the focus.
void EditMenu::copyRowsAs(ui::TableFormat format)
{
    const auto *view = qobject_cast<const QAbstractItemView *>(QApplication::focusWidget());
    const QString text = view ? copiedTable(*view, format) : QString();
    if (text.isEmpty()) {
        Q_EMIT m_session.statusMessage(tr("Select rows of a table first."));
        return;
    }
    QGuiApplication::clipboard()->setText(text);
    Q_EMIT m_session.statusMessage(tr("Copied."));
}

/// What a standard key does in the dock that holds the focus.
/// A line that one types in takes the key itself; so does a view whose dock has no action of it.
void EditMenu::runInFocus(QKeySequence::StandardKey key)
{
    QWidget *focus = QApplication::focusWidget();
    const QKeyCombination keys = QKeySequence(key)[0];
    QKeyEvent override(QEvent::ShortcutOverride, keys.key(), keys.keyboardModifiers());
    override.ignore();
    QKeyEvent press(QEvent::KeyPress, keys.key(), keys.keyboardModifiers());
    press.ignore();
    if (focus && QApplication::sendEvent(focus, &override) && override.isAccepted()) {
        QApplication::sendEvent(focus, &press);
        return;
    }
    const ui::Dock *dock = m_docks->focused();
    for (const DockSet::Entry &entry : m_docks->entries()) {
        if (entry.dock != dock)
            continue;
        for (QAction *action : entry.menuActions) {
            if (action->shortcut().matches(QKeySequence(key)) == QKeySequence::ExactMatch) {
                action->trigger();
                return;
            }
        }
    }
    if (!focus || !QApplication::sendEvent(focus, &press) || !press.isAccepted())
        Q_EMIT m_session.statusMessage(tr("The dock in focus has nothing for this."));
}

void EditMenu::askTolerance()
{
    const double now = m_document.tolerance();
    auto *dialog = new QInputDialog(&m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Tolerance"));
    dialog->setLabelText(tr("Refuse an edit where the form can only hold a value that is off by "
                            "more than this.\nEmpty: always take the nearest value."));
    dialog->setTextValue(std::isfinite(now) ? QString::number(now, 'g', 12) : QString());
    connect(dialog, &QInputDialog::textValueSelected, this, [this](const QString &text) {
        m_document.setTolerance(
            ui::typedNumber(text).value_or(std::numeric_limits<double>::infinity()));
    });
    dialog->open();
    ui::answerWhileTyping(
        dialog,
        [](const QString &text) {
            return ui::NumberRule{false, true, 0}.fault(text);
        },
        true);
}

} // namespace kernscope::app

#include "moc_edit_menu.cpp"
