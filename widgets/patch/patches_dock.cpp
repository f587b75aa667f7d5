// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/patch/patches_dock.h"

#include "core/bundle/bundle.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/file_dialogs.h"
#include "widgets/common/labels.h"
#include "widgets/common/qt.h"
#include "widgets/common/table_tools.h"
#include "widgets/models/patch_list_model.h"
#include "widgets/models/table_text.h"
#include "widgets/models/task_manager.h"
#include "widgets/models/theme.h"
#include "widgets/patch/edit_line.h"
#include "widgets/patch/typed_edits.h"

namespace kernscope::ui {

namespace {

constexpr int kMeasuredRows = 2000; ///< of more, all are as high as the highest of these
constexpr double kOneLine = 1.5, kTwoLines = 2.6; ///< em

/// Where the second line of an edit or a place begins; 0: nowhere.
qsizetype secondPart(const QString &text, std::string_view key)
{
    if (key == "where")
        return std::max<qsizetype>(text.lastIndexOf("+0x"_L1), 0);
    for (const char *mark : {"[", "+0x", "="}) {
        const qsizetype at = text.indexOf(QLatin1String(mark));
        if (at > 0)
            return at;
    }
    return 0;
}

/// An index or an offset is whole; its message goes first.
QString shortSecond(const QString &text, const QFontMetrics &metrics, int width)
{
    if (metrics.horizontalAdvance(text) <= width)
        return text;
    const qsizetype close = text.indexOf(QLatin1Char(']')), space = text.indexOf(QLatin1Char(' '));
    const qsizetype most = close > 0 ? close + 1 : space;
    const QString place = text.left(most).trimmed() + QChar(0x2026);
    return most > 0 && metrics.horizontalAdvance(place) <= width
               ? place // what is left of a number would be another number
               : elidedWords(metrics, text, width);
}

QStringList wrappedLines(const QString &text, const QFontMetrics &metrics, int width)
{
    qsizetype first = 0;
    // The longest beginning that fits and ends before a space.
    for (qsizetype space = text.indexOf(QLatin1Char(' ')); space > 0;
         space = text.indexOf(QLatin1Char(' '), space + 1)) {
        if (metrics.horizontalAdvance(text.left(space)) > width)
            break;
        first = space;
    }
    if (first == 0)
        return {elidedWords(metrics, text, width)};
    return {text.left(first), elidedWords(metrics, text.mid(first + 1), width)};
}

} // namespace

PatchRows::PatchRows(const PatchListModel &model, QTableView *table)
    : QStyledItemDelegate(table), m_model(model),
      m_table(table), m_columns{model.columnOf("edit"), model.columnOf("note"),
                                model.columnOf("where")}
{
    for (const int column : m_columns)
        table->setItemDelegateForColumn(column, this);
    table->viewport()->installEventFilter(this);
    connect(table->horizontalHeader(), &QHeaderView::sectionResized, this, &PatchRows::fitSoon);
    connect(&model, &QAbstractItemModel::modelReset, this, &PatchRows::fitSoon);
    table->verticalHeader()->setDefaultSectionSize(theme::em(table, kOneLine));
}

QStringList PatchRows::linesOf(const QString &text, std::string_view key,
                               const QFontMetrics &metrics, int width)
{
    if (metrics.horizontalAdvance(text) <= width)
        return {text};
    if (key == "note")
        return wrappedLines(text, metrics, width);
    const qsizetype at = secondPart(text, key);
    if (at == 0)
        return {elidedName(metrics, text, width)};
    return {elidedName(metrics, text.left(at), width), shortSecond(text.mid(at), metrics, width)};
}

int PatchRows::roomOf(int column) const
{
    const int margin =
        m_table->style()->pixelMetric(QStyle::PM_FocusFrameHMargin, nullptr, m_table) + 1;
    return m_table->columnWidth(column) - 2 * margin - 2; // or the style cuts again
}

void PatchRows::paint(QPainter *painter, const QStyleOptionViewItem &option,
                      const QModelIndex &index) const
{
    QStyleOptionViewItem cell = option;
    initStyleOption(&cell, index);
    QStringList lines =
        linesOf(cell.text, m_model.keyOf(index.column()), cell.fontMetrics, roomOf(index.column()));
    for (QString &line : lines)
        line = readFromLeft(line, cell.direction);
    cell.text = lines.join(QChar(QChar::LineSeparator));
    m_table->style()->drawControl(QStyle::CE_ItemViewItem, &cell, painter, m_table);
}

void PatchRows::updateEditorGeometry(QWidget *editor, const QStyleOptionViewItem &option,
                                     const QModelIndex &index) const
{
    QStyledItemDelegate::updateEditorGeometry(editor, option, index);
    const int whole = m_table->viewport()->width();
    QRect room = editor->geometry();
    const int width = std::min(std::max(room.width(), theme::em(m_table, 24)), whole);
    room.setWidth(width);
    room.moveLeft(std::clamp(room.left(), 0, whole - width));
    editor->setGeometry(room);
}

bool PatchRows::needsTwoLines(int row) const
{
    for (const int column : m_columns) {
        const QString text = m_model.index(row, column).data().toString();
        if (!m_table->isColumnHidden(column) &&
            linesOf(text, m_model.keyOf(column), m_table->fontMetrics(), roomOf(column)).size() > 1)
            return true;
    }
    return false;
}

bool PatchRows::fitRows()
{
    QHeaderView *rows = m_table->verticalHeader();
    const int low = theme::em(m_table, kOneLine), high = theme::em(m_table, kTwoLines);
    const int count = m_model.rowCount();
    bool anyHigh = false, changed = false;
    for (int row = 0; row < std::min(count, kMeasuredRows); ++row) {
        const bool two = needsTwoLines(row);
        anyHigh |= two;
        if (const int height = two ? high : low;
            count <= kMeasuredRows && rows->sectionSize(row) != height) {
            rows->resizeSection(row, height);
            changed = true;
        }
    }
    const int all = anyHigh ? high : low;
    if (count > kMeasuredRows && rows->defaultSectionSize() != all) {
        rows->setDefaultSectionSize(all);
        changed = true;
    }
    if (changed)
        m_table->doItemsLayout(); // the scroll bar has to know the new heights
    return changed;
}

void PatchRows::fitInView()
{
    m_fitting = false;
    const auto inView = [this] {
        const QRect current = m_table->visualRect(m_table->currentIndex());
        return m_table->viewport()->rect().contains(current.center());
    };
    // Rows stay where they are, but for the current one, which stays in view.
    if (const bool was = inView(); fitRows() && was && !inView())
        m_table->scrollTo(m_table->currentIndex());
}

/// Columns change one after the other, and rows once after them.
void PatchRows::fitSoon()
{
    if (std::exchange(m_fitting, true))
        return;
    QTimer::singleShot(0, this, &PatchRows::fitInView);
}

bool PatchRows::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::FontChange || event->type() == QEvent::Show)
        fitSoon();
    // The viewport is no editor: keys that an editor passes on to it close nothing.
    return watched != m_table->viewport() && QStyledItemDelegate::eventFilter(watched, event);
}

PatchesDock::PatchesDock(Session &session, QWidget *parent)
    : Dock(session, u"patches"_s, tr("Patches"), parent)
{
    setShowsFiles(false); // the list of edits is kept when another program changes the files
    m_model = new PatchListModel(this);
    m_line = new EditLine(session, this);
    buildActions();

    auto *content = new QWidget(this);
    auto *rows = withoutMargins(new QVBoxLayout(content), 0);
    auto *bar = new QToolBar(content);
    bar->setIconSize(QSize(theme::em(this, 1), theme::em(this, 1)));
    bar->setToolButtonStyle(Qt::ToolButtonTextOnly);
    bar->addActions(m_actions);
    bar->removeAction(m_copy); // of the table
    laidOut(rows, {bar, {buildList(), 1}, m_line});
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
    sayWhenEmpty(m_table, tr("Nothing is changed. An edit that is typed below, or made in a table, "
                             "is listed here."));
    m_table->addActions(m_actions);
    m_table->setShowGrid(false);
    m_table->setWordWrap(false);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    setColumnWidths(m_table->horizontalHeader(), {2.8, 8.6, 5.4, 5.4, 5.4, 5.2, 3.2});
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
    m_copy = copyAction(this, tr("Copy Rows"), m_table);
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
    const QString name = fromUtf8(session().bundle()->name()) + u".kpatch"_s;
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
