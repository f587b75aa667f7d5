// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window_parts.h"
#include "core/patch/edit/edit_parser.h"
#include "widgets/models/session.h"
#include "widgets/models/table_text.h"
#include "widgets/models/task_manager.h"

class QAbstractItemView;

namespace kernscope::app {

/// The selected rows of a table or tree with the titles of its columns, as the view shows them:
/// hidden columns are left out, moved ones stand where they were moved to. Numbers are without
/// separators (CopyRole); in JSON, an array of objects by title, they are numbers. Without a
/// selection, empty.
QString copiedTable(const QAbstractItemView &view, ui::TableFormat format);

/// Makes the edits of a script (the changes that a comparison was saved as, or one by hand) on the
/// document, as one undo step: first looks whether the script was made for this bundle, afterwards
/// whether the weights are those that it was made of, where the script says so.
class ChangeApplier : public QObject
{
    Q_OBJECT

public:
    explicit ChangeApplier(ui::Session &session, QObject *parent = nullptr);

    /// Ends in applied() or failed(); what the document refuses it says itself.
    void apply(const QString &path);
    bool working() const { return m_task.running(); }

Q_SIGNALS:
    /// `proved`: the weights have the digest that the script names.
    void applied(const QString &path, bool proved);
    void failed(const kernscope::Error &error);

private:
    void request(const QString &path, const patch::ScriptOrigin &origin, std::vector<Edit> edits);
    void checkResult();

    ui::Session &m_session;
    ui::Job m_task{m_session.tasks()};
    QString m_path; ///< whose edits are being made; empty for none
    patch::ScriptOrigin m_origin;
};

/// The Edit menu: undo, what the docks copy and find, patching, edits and their tolerance.
class EditMenu final : public Controller
{
    Q_OBJECT

public:
    explicit EditMenu(const WindowParts &parts) : Controller(parts) {}

    void fill(QMenu *menu);
    QAction *undo() const { return m_undo; }
    QAction *redo() const { return m_redo; }
    QAction *patching() const { return m_patching; }
    QAction *applyPatches() const { return m_applyPatches; }
    void togglePatching();

Q_SIGNALS:
    void docksAsked(); ///< the docks are to be in view
    void shapesAsked();
    void refused(const kernscope::Error &error); ///< a file of patches

private:
    void addUndo(QMenu *menu);
    void addCopy(QMenu *menu);
    void addPatchFile(QMenu *menu);
    void copyRowsAs(ui::TableFormat format);
    void runInFocus(QKeySequence::StandardKey key);
    void askTolerance();

    QAction *m_undo = nullptr, *m_redo = nullptr, *m_patching = nullptr, *m_applyPatches = nullptr;
};

} // namespace kernscope::app
