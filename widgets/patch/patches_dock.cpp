// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/patch/patches_dock.h"

#include "core/bundle/bundle.h"
#include "widgets/common/cell_keys.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/file_dialogs.h"
#include "widgets/common/fixed_font.h"
#include "widgets/common/table_text.h"
#include "widgets/common/task_manager.h"
#include "widgets/common/theme.h"
#include "widgets/patch/edit_line.h"
#include "widgets/patch/edit_preview.h"
#include "widgets/patch/patch_list_model.h"
#include "widgets/patch/patch_rows.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QSplitter>
#include <QTableView>
#include <QTextOption>
#include <QToolBar>
#include <QUndoStack>
#include <QVBoxLayout>

namespace kernscope::ui {

PatchesDock::PatchesDock(Session &session, QWidget *parent)
    : Dock(session, QStringLiteral("patches"), tr("Patches"), parent)
{
    setShowsFiles(false); // the list of edits is kept when another program changes the files
    m_model = new PatchListModel(this);
    m_line = new EditLine(session, this);
    buildActions();

    auto *content = new QWidget(this);
    auto *rows = new QVBoxLayout(content);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(0);
    auto *bar = new QToolBar(content);
    bar->setIconSize(QSize(theme::em(this, 1), theme::em(this, 1)));
    bar->setToolButtonStyle(Qt::ToolButtonTextOnly);
    bar->addActions(m_actions);
    bar->removeAction(m_copy); // of the table
    rows->addWidget(bar);
    rows->addWidget(buildList(), 1);
    rows->addWidget(m_line);
    setContent(content);
    setFocusProxy(m_table);

    connect(m_model, &PatchListModel::switchWanted, this, [this](std::size_t row, bool on) {
        // A click into the box alone chooses no row, and the list would go back to the chosen one.
        chooseRow(m_table, m_model->index(static_cast<int>(row), 0));
        Q_EMIT switchWanted(row, on);
    });
    // Once its editor is closed: a note brings the list anew.
    connect(m_model, &PatchListModel::noteWritten, this, &PatchesDock::noteWritten,
            Qt::QueuedConnection);
    connect(&session, &Session::patchesChanged, this, &PatchesDock::scheduleRefresh);
}

QWidget *PatchesDock::buildList()
{
    auto *splitter = new QSplitter(Qt::Horizontal, this);
    m_table = new QTableView(splitter);
    m_table->setModel(m_model);
    m_table->setAccessibleName(tr("List of patches"));
    prepareView(m_table); // F2 edits the note
    m_table->addActions(m_actions);
    m_table->setShowGrid(false);
    m_table->setWordWrap(false);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    setColumnWidths(m_table->horizontalHeader(), {2, 9, 5.4, 5.4, 5.8, 5.2, 3.2});
    growColumns(m_table,
                {m_model->columnOf("edit"), m_model->columnOf("note"), m_model->columnOf("where")});
    m_table->horizontalHeader()->setHighlightSections(false);
    m_rows = new PatchRows(*m_model, m_table);

    m_bytes = new QPlainTextEdit(splitter);
    m_bytes->setReadOnly(true);
    m_bytes->setAccessibleName(tr("Bytes of the selected patch"));
    m_bytes->setPlaceholderText(tr("Select a patch to see its bytes."));
    m_bytes->setFont(fixedFont());
    m_bytes->setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere); // no line is cut
    splitter->setStretchFactor(0, 4);
    splitter->setStretchFactor(1, 1);
    splitter->setSizes({theme::em(this, 44), theme::em(this, 12)});

    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &PatchesDock::showBytes);
    connect(m_table, &QTableView::activated, this, &PatchesDock::jump);
    return splitter;
}

void PatchesDock::buildActions()
{
    QUndoStack &stack = session().undoStack();
    // Short ones: the stack's own actions write out the edit, and would move the others about.
    auto *undo = new QAction(tr("Undo"), this);
    connect(undo, &QAction::triggered, this,
            [this, &stack] { Q_EMIT stepWanted(stack.index() - 1); });
    connect(&stack, &QUndoStack::canUndoChanged, undo, &QAction::setEnabled);
    auto *redo = new QAction(tr("Redo"), this);
    connect(redo, &QAction::triggered, this,
            [this, &stack] { Q_EMIT stepWanted(stack.index() + 1); });
    connect(&stack, &QUndoStack::canRedoChanged, redo, &QAction::setEnabled);
    undo->setEnabled(stack.canUndo());
    redo->setEnabled(stack.canRedo());
    m_jump = new QAction(tr("Go to Patch"), this);
    connect(m_jump, &QAction::triggered, this, &PatchesDock::jump);
    m_copyCommand = new QAction(tr("Copy as Command Line"), this);
    connect(m_copyCommand, &QAction::triggered, this, [this] {
        const auto path = session().bundle()->path();
        finishEditing();
        copyText(patchCommandLine(rawFromUtf8(path.string()), session().patches()),
                 tr("Copied the command line."));
    });
    m_copyScript = new QAction(tr("Copy as Script"), this);
    connect(m_copyScript, &QAction::triggered, this, [this] {
        finishEditing();
        copyText(patchScript(session().patches()), tr("Copied the edits, one a line."));
    });
    m_export = new QAction(tr("Export Patches\u2026"), this);
    connect(m_export, &QAction::triggered, this, &PatchesDock::askAndExport);
    m_note = dockAction(this, tr("Edit Note"), Qt::Key_F2, [this] { editNote(); });
    m_copy =
        dockAction(this, tr("Copy Rows"), QKeySequence::Copy, [this] { copySelection(*m_table); });
    m_actions = {undo, redo, m_jump, m_note, m_copy, m_copyCommand, m_copyScript, m_export};
}

void PatchesDock::refresh()
{
    if (!session().bundle()) {
        m_model->setPatches(nullptr, {});
        showMessage(tr("Open a bundle to patch it (Ctrl+O)."));
        return;
    }
    showPatches();
    showContent();
}

void PatchesDock::showPatches()
{
    const int selected = m_table->currentIndex().row();
    const int before = m_model->rowCount();
    const int scrolled = m_table->verticalScrollBar()->value();
    m_model->setPatches(session().bundle(), session().patches());
    const int after = m_model->rowCount();
    const bool isNew = after > before || selected < 0;
    if (after > 0) {
        // A new patch is the one of interest; otherwise the choice stays, and the rows where they
        // are.
        chooseRow(m_table, m_model->index(isNew ? after - 1 : std::min(selected, after - 1), 0));
    }
    widenForNumbers(m_table, {m_model->columnOf("old"), m_model->columnOf("new")});
    m_rows->fitRows();
    if (isNew)
        m_table->scrollTo(m_table->currentIndex()); // where it is with rows of that height
    else
        m_table->verticalScrollBar()->setValue(scrolled);
    for (QAction *action : {m_jump, m_note, m_copyCommand, m_copyScript, m_export})
        action->setEnabled(after > 0);
    showBytes();
}

void PatchesDock::showBytes()
{
    const QModelIndex current = m_table->currentIndex();
    if (!current.isValid() || !session().bundle()) {
        m_bytes->clear();
        return;
    }
    m_bytes->setPlainText(byteText(*session().bundle(), *m_model->at(current.row()).edit));
}

void PatchesDock::jump()
{
    const QModelIndex current = m_table->currentIndex();
    if (!current.isValid() || !session().bundle())
        return;
    const AppliedEdit &edit = *m_model->at(current.row()).edit;
    ui::Place place;
    if (const auto weight = session().bundle()->weightByName(edit.edit.weight))
        place.weight = *weight;
    if (!edit.bytes.empty()) {
        const FileEdit &run = edit.bytes.front();
        place.file = run.file;
        place.bytes = ByteRange{run.offset, ByteCount(run.after.size())};
    }
    place.element = firstElement(*session().bundle(), edit.edit);
    session().goTo(place, this);
}

void PatchesDock::copyText(const QString &text, const QString &what)
{
    QGuiApplication::clipboard()->setText(text);
    Q_EMIT session().statusMessage(what);
}

void PatchesDock::editNote()
{
    const QModelIndex current = m_table->currentIndex();
    if (!current.isValid())
        return;
    const QModelIndex note = current.siblingAtColumn(m_model->columnOf("note"));
    m_table->scrollTo(note); // a narrow list ends before it
    m_table->edit(note);
}

void PatchesDock::askAndExport()
{
    if (!session().bundle())
        return;
    const QString name = fromUtf8(session().bundle()->name()) + QStringLiteral(".kpatch");
    finishEditing();
    const QString path = askSavePath(this, tr("Export Patches"), name,
                                     tr("Changes (*.kpatch);;Scripts of edits (*.txt)"));
    if (!path.isEmpty())
        exportTo(path);
}

void PatchesDock::exportTo(const QString &path)
{
    session().tasks().start(
        this, tr("Exporting patches"),
        [bundle = session().bundle(), patches = session().patches(), path](Progress &progress) {
            const auto text = patchFile(bundle, patches, progress);
            return text ? writeTextFile(path, rawFromUtf8(*text))
                        : fromUtf8(describe(text.error()));
        },
        [this, path](const QString &fault) {
            Q_EMIT session().statusMessage(fault.isEmpty() ? tr("Exported %1").arg(shown(path))
                                                           : fault);
        });
}

void PatchesDock::importValues()
{
    beginEdit(Edit::Kind::FromNpy);
    m_line->browse();
}

void PatchesDock::beginEdit(Edit::Kind kind)
{
    show();
    raise();
    const BundlePtr &bundle = session().bundle();
    showContent();
    m_line->begin(kind, bundle ? editStart(kind, *bundle, session().place()) : QString());
}

} // namespace kernscope::ui

#include "moc_patches_dock.cpp"
