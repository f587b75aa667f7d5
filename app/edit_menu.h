// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/table_copy.h"
#include "app/window_parts.h"

#include <QKeySequence>

class QAction;

namespace kernscope {
struct Error;
}

namespace kernscope::app {

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
