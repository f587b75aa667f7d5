// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/edit_menu.h"

#include "app/dock_set.h"
#include "core/base/error_builder.h"
#include "core/bundle/bundle.h"
#include "widgets/common/design.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/file_dialogs.h"
#include "widgets/common/number_field.h"
#include "widgets/common/qt.h"
#include "widgets/patch/patches_dock.h"
#include "widgets/patch/typed_edits.h"
#include "widgets/search/search_dock.h"

namespace kernscope::app {

namespace {

/// One index a selected row, from the top down; the rows of a tree by the path that leads to them.
std::vector<QModelIndex> selectedRows(const QAbstractItemView &view)
{
    const auto path = [](QModelIndex index) {
        std::vector<int> rows;
        for (; index.isValid(); index = index.parent())
            rows.insert(rows.begin(), index.row());
        return rows;
    };
    std::vector<std::pair<std::vector<int>, QModelIndex>> found;
    for (const QModelIndex &index : view.selectionModel()->selectedIndexes())
        found.emplace_back(path(index), index.siblingAtColumn(0));
    std::ranges::sort(found, [](const auto &a, const auto &b) { return a.first < b.first; });
    std::vector<QModelIndex> rows;
    for (const auto &[at, index] : found) {
        if (rows.empty() || rows.back() != index)
            rows.push_back(index);
    }
    return rows;
}

std::vector<ui::WrittenColumn> columnsOf(const QAbstractItemView &view, const QModelIndex &row)
{
    const QAbstractItemModel &model = *view.model();
    const QHeaderView *header = ui::columnHeader(&view);
    std::vector<ui::WrittenColumn> columns;
    for (int visual = 0; visual < model.columnCount(row.parent()); ++visual) {
        const int logical = header ? header->logicalIndex(visual) : visual;
        if (!header || !header->isSectionHidden(logical))
            columns.push_back(ui::writtenColumn(model, logical, row));
    }
    return columns;
}

} // namespace

QString copiedTable(const QAbstractItemView &view, ui::TableFormat format)
{
    if (!view.model() || !view.selectionModel())
        return {};
    const std::vector<QModelIndex> rows = selectedRows(view);
    if (rows.empty())
        return {};
    return ui::rowsAs(rows, columnsOf(view, rows.front()), format);
}

namespace {

struct ReadScript {
    patch::ScriptOrigin origin;
    std::vector<Edit> edits;
};

Result<ReadScript> readScript(const QString &path, const BundlePtr &bundle)
{
    const auto text =
        TRY(readSmallFile(QFile::encodeName(path).toStdString(), patch::kMostScriptBytes));
    const std::string name = path.toStdString();
    ReadScript script{patch::scriptOrigin(text), {}};
    script.edits = TRY(parseEditScript(text, name));
    const BundleReadLock lock(*bundle);
    TRY(patch::checkBase(script.origin, *bundle, name));
    return script;
}

} // namespace

ChangeApplier::ChangeApplier(ui::Session &session, QObject *parent)
    : QObject(parent), m_session(session)
{
    connect(&session, &ui::Session::bytesChanged, this, &ChangeApplier::checkResult);
    const auto forget = [this] { m_path.clear(); };
    connect(&session, &ui::Session::editsRefused, this, forget);
    connect(&session, &ui::Session::bundleChanged, this, forget);
}

void ChangeApplier::apply(const QString &path)
{
    const BundlePtr bundle = m_session.bundle();
    if (!bundle)
        return;
    m_task.stop();
    m_path.clear();
    m_task.start(
        tr("Reading %1").arg(QFileInfo(path).fileName()),
        [path, bundle](Progress &) { return readScript(path, bundle); },
        [this, path, bundle](Result<ReadScript> script) {
            if (!script)
                Q_EMIT failed(script.error());
            else if (m_session.bundle() == bundle)
                request(path, script->origin, std::move(script->edits));
        });
}

void ChangeApplier::request(const QString &path, const patch::ScriptOrigin &origin,
                            std::vector<Edit> edits)
{
    if (edits.empty()) {
        Q_EMIT applied(path, false);
        return;
    }
    m_origin = origin;
    m_path = path;
    m_session.requestEdits(std::move(edits),
                           tr("Changes of %1").arg(ui::shown(QFileInfo(path).fileName())));
}

void ChangeApplier::checkResult()
{
    if (m_path.isEmpty())
        return;
    const QString path = std::exchange(m_path, QString());
    if (m_origin.result.empty()) {
        Q_EMIT applied(path, false);
        return;
    }
    m_task.start(
        tr("Checking the result"),
        [path, origin = m_origin, bundle = m_session.bundle()](Progress &) {
            const BundleReadLock lock(*bundle);
            return patch::checkResult(origin, *bundle, path.toStdString());
        },
        [this, path](const Result<void> &result) {
            if (result)
                Q_EMIT applied(path, true);
            else
                Q_EMIT failed(result.error());
        });
}

/// Whose key is it while a line of text has the focus? A line takes the keys of undo and redo for
/// its own text, also where it has nothing to undo, or where a step of the document came after the
/// last letter: this gives them to whichever changed last. On X11 it takes Ctrl+E and Ctrl+K as
/// well, to move to its end and to delete up to it, which the menus have for patching and for the
/// search: these are the window's, unless a dialog is open.
class LineKeys final : public QObject
{
    Q_OBJECT

public:
    /// Watches the whole application.
    LineKeys(QUndoStack &stack, QObject *parent);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void onEdited(); ///< of the line that sends
    /// Ctrl+Z (or the keys of redo): the document has a step, and the line none that came later.
    bool belongsToDocument(const QLineEdit &line, bool redo) const;

    QUndoStack &m_stack;
    QPointer<const QLineEdit> m_edited; ///< since the document's last step
};

LineKeys::LineKeys(QUndoStack &stack, QObject *parent) : QObject(parent), m_stack(stack)
{
    QCoreApplication::instance()->installEventFilter(this);
    connect(&stack, &QUndoStack::indexChanged, this, [this] { m_edited = nullptr; });
}

bool LineKeys::belongsToDocument(const QLineEdit &line, bool redo) const
{
    const bool ofLine = redo ? line.isRedoAvailable() : line.isUndoAvailable();
    const bool ofDocument = redo ? m_stack.canRedo() : m_stack.canUndo();
    return ofDocument && (!ofLine || m_edited != &line);
}

void LineKeys::onEdited()
{
    m_edited = qobject_cast<const QLineEdit *>(sender());
}

bool LineKeys::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() != QEvent::ShortcutOverride && event->type() != QEvent::FocusIn)
        return false;
    const auto *line = qobject_cast<const QLineEdit *>(watched);
    if (line == nullptr)
        return false;
    // By what becomes of the text, not by keys: those of copying or leaving change nothing.
    connect(line, &QLineEdit::textEdited, this, &LineKeys::onEdited, Qt::UniqueConnection);
    if (event->type() == QEvent::FocusIn)
        return false;
    const auto *key = static_cast<QKeyEvent *>(event);
    const bool undo = key->matches(QKeySequence::Undo), redo = key->matches(QKeySequence::Redo);
    const bool ofDocument = (undo || redo) && belongsToDocument(*line, redo);
    const bool ofWindow = QApplication::activeModalWidget() == nullptr &&
                          key->modifiers() == Qt::ControlModifier &&
                          (key->key() == Qt::Key_E || key->key() == Qt::Key_K);
    if (!ofDocument && !ofWindow)
        return false;
    // Not the line's: the window's action follows.
    event->ignore();
    return true;
}

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
    m_patching->setIcon(ui::lineIcon(u"lock"_s));
    m_patching->setObjectName(u"patching"_s);
    m_patching->setCheckable(true);
    connect(&m_session, &ui::Session::patchingEnabledChanged, this, [this](bool enabled) {
        m_patching->setChecked(enabled);
        m_patching->setIcon(ui::lineIcon(enabled ? u"unlock"_s : u"lock"_s));
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
    m_undo->setIcon(ui::lineIcon(u"undo"_s));
    m_redo = stack.createRedoAction(&m_window, tr("&Redo"));
    m_redo->setShortcuts(
        {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z), QKeySequence(Qt::CTRL | Qt::Key_Y)});
    m_redo->setIcon(ui::lineIcon(u"redo"_s));
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
    m_actions->add(menu, tr("&Copy in This Dock") + u"\tCtrl+C"_s, {}, Needs::Bundle,
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
    m_actions->add(menu, tr("&Find in This Dock") + u"\tCtrl+F"_s, {}, Needs::Bundle,
                   [this] { runInFocus(QKeySequence::Find); });
    for (const DockSet::Entry &entry : m_docks->entries()) {
        if (entry.dock->id() != "search"_L1)
            continue;
        QAction *search = menu->addAction(tr("Searc&h in the Bundle\u2026") + u"\tCtrl+Shift+F"_s);
        connect(search, &QAction::triggered, entry.show, &QAction::trigger);
        m_actions->need(search, Needs::Bundle);
        QMenu *find = menu->addMenu(tr("Find &Elements"));
        m_actions->need(find->menuAction(), Needs::Bundle);
        using Dock = ui::SearchDock;
        for (const auto &[text, kind] :
             {std::pair{tr("Find &NaN"), Dock::NotANumber},
              std::pair{tr("Find &Infinite Values"), Dock::Infinite},
              std::pair{tr("Find Largest &Magnitudes and Outliers"), Dock::Top},
              std::pair{tr("Find &Zero Elements"), Dock::Zeros},
              std::pair{tr("Find &Codes out of Range"), Dock::OutOfRange}})
            m_actions->add(find, text, {}, Needs::Bundle, [entry, what = kind] {
                entry.show->trigger();
                static_cast<Dock *>(entry.dock)->startKind(what);
            });
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
            ui::openPathDialog(ui::OpenDialog::Lists::Files, &m_window, tr("Apply Patch File"),
                               tr("Patches (*.kpatch);;Scripts of edits (*.txt);;All files (*)"),
                               [changes](const QString &path) { changes->apply(path); });
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

#include "edit_menu.moc"
#include "moc_edit_menu.cpp"
