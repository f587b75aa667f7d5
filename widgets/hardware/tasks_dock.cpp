// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/hardware/tasks_dock.h"

#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/patch/edit/edit_parser.h"
#include "core/report/register_table.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/labels.h"
#include "widgets/common/number_field.h"
#include "widgets/common/qt.h"
#include "widgets/common/table_tools.h"
#include "widgets/hardware/field_panel.h"
#include "widgets/models/words.h"
#include "widgets/patch/typed_edits.h"

namespace kernscope::ui {

/// A list and the facts of its chosen row: side by side where all columns of the list have room
/// beside at least as much again for the rest, else the list above. Keeps what the user set until
/// the side changes.
class ListSplitter final : public QSplitter
{
    Q_OBJECT

public:
    explicit ListSplitter(QWidget *parent = nullptr);

    /// Of the list, the first of the two widgets: `width` pixels hold its columns, `height` pixels
    /// as many rows as are of use.
    void setListNeeds(int width, int height);

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void arrange();

    int m_width = 0, m_height = 0;
    bool m_byHand = false; ///< sized by the user, for the side that the list has
};

namespace {

constexpr int kBesideWidths = 3; ///< of the list, before the rest stands beside it

constexpr int kListRows = 6;                        ///< of tasks above their registers
constexpr int kValueColumn = 2, kMeaningColumn = 3; ///< of registers

bool bitsChanged(const OverlaidFile &file, FileOffset start, const BitRun &bits)
{
    for (unsigned bit = bits.first; bit < bits.first + bits.count; ++bit) {
        const FileOffset at(start.value + bit / 8);
        if (std::to_integer<unsigned>(file.bytes()[at.value] ^ file.diskByte(at)) >> bit % 8 & 1)
            return true;
    }
    return false;
}

/// Registers, and the fields of them, that are not on the disk yet.
void markEdited(std::vector<FactNode> &rows, const OverlaidFile &file)
{
    for (FactNode &row : rows) {
        row.unsaved = row.bytes && file.changed(*row.bytes) &&
                      (!row.bits || bitsChanged(file, row.bytes->offset, *row.bits));
        markEdited(row.children, file);
    }
}

} // namespace

ListSplitter::ListSplitter(QWidget *parent) : QSplitter(Qt::Vertical, parent)
{
    setChildrenCollapsible(false);
    connect(this, &QSplitter::splitterMoved, this, [this] { m_byHand = true; });
}

void ListSplitter::setListNeeds(int width, int height)
{
    m_width = width;
    m_height = height;
    arrange();
}

void ListSplitter::resizeEvent(QResizeEvent *event)
{
    QSplitter::resizeEvent(event);
    arrange();
}

void ListSplitter::arrange()
{
    if (m_width <= 0 || count() < 2 || size().isEmpty())
        return;
    const auto side = width() >= kBesideWidths * m_width ? Qt::Horizontal : Qt::Vertical;
    if (m_byHand && side == orientation())
        return;
    m_byHand = false;
    setOrientation(side);
    const int all = side == Qt::Horizontal ? width() : height();
    const int list = std::min(side == Qt::Horizontal ? m_width : m_height, all / 2);
    setSizes({list, std::max(1, all - list - handleWidth())});
}

TasksDock::TasksDock(Session &session, QWidget *parent)
    : Dock(session, u"tasks"_s, tr("Tasks"), parent), m_list(new TaskListModel(this)),
      m_registers(new FactTreeModel(factColumns(report::registerTable), this)),
      m_words(new FactTreeModel(wordColumns(), this)),
      m_differences(new FactTreeModel(differenceColumns(), this))
{
    auto *content = new ListSplitter(this);
    m_splitter = content;
    content->addWidget(buildList(content));
    content->addWidget(buildDetail(content));
    fitList(kListRows);
    setContent(content, m_table);
    buildActions();
}

/// A container of few tasks leaves the room to their registers.
void TasksDock::fitList(std::size_t tasks)
{
    const int rows = static_cast<int>(std::clamp<std::size_t>(tasks, 1, kListRows));
    const int frame = 2 * m_table->frameWidth() + 2 * theme::em(this, 0.25) +
                      style()->pixelMetric(QStyle::PM_ScrollBarExtent, nullptr, m_table);
    m_splitter->setListNeeds(m_table->horizontalHeader()->length() + frame,
                             m_filter->sizeHint().height() +
                                 m_table->horizontalHeader()->sizeHint().height() + frame +
                                 rows * m_table->verticalHeader()->defaultSectionSize());
}

QWidget *TasksDock::buildList(QWidget *parent)
{
    auto *box = new QWidget(parent);
    QVBoxLayout *column = contentColumn(box);
    m_table = makeTable(box, tr("Task descriptors"), m_list, {3, 4.3, 3.4, 4.2, 3.9, 6, 3.6, 3.4});
    m_filter = filterBox(box, tr("Filter tasks"), m_table);
    laidOut(column, {m_filter, {m_table, 1}});
    connect(m_filter, &QLineEdit::textChanged, this, [this](const QString &words) {
        const QScopedValueRollback guard(m_following, true);
        m_list->setFilter(words);
    });
    connect(
        m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
        [this](const QModelIndex &index) {
            if (m_following || !index.isValid())
                return;
            const std::size_t task = m_list->numberAt(index.row());
            showTask(task);
            const TaskRow row = rowOf(task);
            this->session().goToBytes(0, {FileOffset(row.fileOffset), ByteCount(row.bytes)}, this);
        });
    connect(m_table, &QTableView::activated, this, &TasksDock::raiseHex);
    return box;
}

QTreeView *TasksDock::buildTree(QWidget *parent, FactTreeModel *model, const QString &name)
{
    QTreeView *view = factView(parent, model, name);
    connect(view->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this, model](const QModelIndex &index) { pick(*model, index); });
    connect(view, &QTreeView::activated, this, [this, model](const QModelIndex &index) {
        if (model->bytesOf(index.siblingAtColumn(0)))
            raiseHex();
    });
    return view;
}

QWidget *TasksDock::buildDetail(QWidget *parent)
{
    auto *box = new QWidget(parent);
    QVBoxLayout *column = contentColumn(box);
    m_summary = selectableLabel(box);
    m_tabs = new QTabWidget(box);
    m_tabs->setDocumentMode(true);
    m_registerView = buildTree(m_tabs, m_registers, tr("Registers of the task"));
    setColumnWidths(m_registerView->header(), {12, 4.3, 6, 7, 6, 4.3, 5});
    m_registerView->header()->setStretchLastSection(false);
    growColumns(m_registerView, {kMeaningColumn});
    m_wordView = buildTree(m_tabs, m_words, tr("Words of the task"));
    setColumnWidths(m_wordView->header(), {5, 7.5, 20});
    auto *compared = new QWidget(m_tabs);
    auto *rows = new QVBoxLayout(compared);
    rows->setContentsMargins(0, theme::em(this, 0.25), 0, 0);
    auto *bar = new QHBoxLayout;
    m_other = named(new IntegerBox(compared), tr("Task to compare with"));
    auto *label = new QLabel(tr("Compare with task:"), compared);
    label->setBuddy(m_other);
    m_answer = new QLabel(compared);
    laidOut(bar, {label, m_other, {m_answer, 1}});
    m_differenceView = buildTree(compared, m_differences, tr("What differs between two tasks"));
    setColumnWidths(m_differenceView->header(), {18, 8, 8});
    laidOut(rows, {bar, {m_differenceView, 1}});
    m_tabs->addTab(m_registerView, tr("Registers"));
    m_tabs->addTab(m_wordView, tr("Words"));
    m_tabs->addTab(compared, tr("Difference"));
    m_detailFilter = filterBox(box, tr("Filter registers, fields and words"), m_tabs);
    connect(m_detailFilter, &QLineEdit::textChanged, this, [this](const QString &words) {
        m_registers->setFilter(words);
        m_words->setFilter(words);
        m_differences->setFilter(words);
    });
    // Not after an edit, which changes values only: what a person has unfolded stays so.
    connect(m_registers, &FactTreeModel::modelReset, this,
            [this] { m_registerView->expandToDepth(m_detailFilter->text().isEmpty() ? 0 : 1); });
    connect(m_other, &QSpinBox::valueChanged, this, &TasksDock::compareWithOther);
    laidOut(column, {m_summary, m_detailFilter, {m_tabs, 1}});
    return box;
}

void TasksDock::buildActions()
{
    auto *find = findAction(this, tr("Filter Tasks"), m_filter);
    auto *copy = dockAction(this, tr("Copy Rows"), QKeySequence::Copy, [this] {
        if (m_table->hasFocus())
            copySelection(*m_table);
        else
            copySelection(m_tabs->currentIndex() == 0   ? *m_registerView
                          : m_tabs->currentIndex() == 1 ? *m_wordView
                                                        : *m_differenceView);
    });
    auto *hex = hexAction();
    auto *saveTasks = exportAction(this, session(), tr("Export Table of Tasks…"), *m_list, "tasks");
    auto *saveRegisters = exportAction(this, session(), tr("Export Registers of the Task…"),
                                       *m_registers, "registers");
    m_again = dockAction(this, tr("Read Tasks Again"), {}, [this] { scheduleRefresh(); });
    m_again->setEnabled(false);
    auto *change = dockAction(this, tr("Change Value of Field…"), QKeySequence(Qt::Key_F2),
                              [this] { askForValue(); });
    m_job.whenCancelled([this] {
        clear();
        m_again->setEnabled(true);
        showMessage(tr("Reading the tasks was cancelled. Read Tasks Again in View, Docks "
                       "starts it anew."));
    });
    m_actions = {find, copy, hex, change, m_again, saveTasks, saveRegisters};
    for (QAbstractItemView *view : std::initializer_list<QAbstractItemView *>{
             m_table, m_registerView, m_wordView, m_differenceView})
        view->addActions(m_actions);
}

void TasksDock::clear()
{
    m_task = kNoIndex;
    m_following = true;
    m_list->setRows({});
    m_following = false;
    m_registers->setRows({});
    m_words->setRows({});
    m_differences->setRows({});
}

void TasksDock::refresh()
{
    const BundlePtr bundle = session().bundle();
    m_again->setEnabled(false);
    if (!bundle || !bundle->hardware()) {
        m_job.stop();
        m_shown = bundle;
        clear();
        showMessage(bundle && bundle->section()
                        ? tr("%1 is a weight section: it has no tasks.\nGroups "
                             "(Ctrl+Alt+5) and Descriptor (Ctrl+Alt+4) show what it has.")
                              .arg(fromUtf8(bundle->name()))
                    : bundle ? tr("%1 has no task descriptors.\nOpen a hardware container (.hwx).")
                                   .arg(fromUtf8(bundle->name()))
                             : tr("Open a hardware container to see its tasks (Ctrl+O)."));
        return;
    }
    const bool another = !m_shown || m_shown->path() != bundle->path();
    m_shown = bundle;
    if (another)
        clear(); // its rows would lead into the bytes of this one
    if (bundle->hardware()->taskCount() == 0)
        return showMessage(tr("%1 has no task descriptors of a form that is known.\n"
                              "Its words are in the hex view.")
                               .arg(fromUtf8(bundle->name())));
    showContent();
    readTasks();
}

void TasksDock::readTasks()
{
    m_job.start(
        tr("Reading task descriptors"),
        [bundle = m_shown](Progress &progress) {
            const BundleReadLock lock(*bundle);
            return report::taskRows(*bundle, progress);
        },
        [this](std::vector<TaskRow> rows) {
            const std::size_t wanted = m_task;
            m_following = true;
            fitList(rows.size());
            m_list->setRows(std::move(rows));
            m_following = false;
            m_other->setRange(0, static_cast<int>(std::min<std::size_t>(
                                     m_list->rows().size() == 0 ? 0 : m_list->rows().size() - 1,
                                     std::numeric_limits<int>::max())));
            const std::size_t placed =
                place().bytes ? m_list->taskOfByte(place().bytes->offset) : kNoIndex;
            showTask(placed != kNoIndex ? placed : wanted < m_list->rows().size() ? wanted : 0);
            followPlace();
        });
}

TaskRow TasksDock::rowOf(std::size_t task) const
{
    return task < m_list->rows().size() ? m_list->rows()[task] : TaskRow{};
}

void TasksDock::showTask(std::size_t task)
{
    if (!m_shown || !m_shown->hardware() || task >= m_list->rows().size())
        return;
    m_task = task;
    m_following = true;
    const int at = m_list->rowOf(task);
    if (at >= 0 && m_table->currentIndex().row() != at) {
        revealRow(m_table, m_list->index(at, 0));
    }
    const TaskRow row = rowOf(task);
    {
        const BundleReadLock lock(*m_shown);
        TaskSource source = taskSource(*m_shown, row.text);
        std::vector<FactNode> registers = registerRows(source, row.index);
        markEdited(registers, *m_shown->files().front().file);
        m_registers->setRows(std::move(registers));
        m_words->setRows(wordRows(source, row.index));
    }
    const hwx::Container &container = *m_shown->hardware();
    m_summary->setText(tr("Task %1: %2 bytes at %3, %4, descriptor version %5%6")
                           .arg(row.index)
                           .arg(groupedNumber(row.bytes), hexNumber(row.fileOffset),
                                countedWords(row.records, tr("1 record"), tr("%1 records")))
                           .arg(container.version == nullptr ? 0 : container.version->number)
                           .arg(row.exact ? QString() : tr(" · its records do not end with it")));
    m_following = false;
    if (m_other->value() == static_cast<int>(task) && m_list->rows().size() > 1)
        m_other->setValue(task == 0 ? 1 : static_cast<int>(task - 1));
    compareWithOther();
}

void TasksDock::compareWithOther()
{
    const auto other = static_cast<std::size_t>(m_other->value());
    if (!m_shown || !m_shown->hardware() || m_task >= m_list->rows().size() ||
        other >= m_list->rows().size())
        return;
    const TaskRow a = rowOf(m_task), b = rowOf(other);
    const BundleReadLock lock(*m_shown);
    TaskSource left = taskSource(*m_shown, a.text), right = taskSource(*m_shown, b.text);
    if (!left.reader || !right.reader)
        return;
    const auto difference = descriptor::compareTasks(*left.reader, a.index, *right.reader, b.index);
    m_differences->setRows(differenceRows(difference));
    m_differenceView->expandAll();
    m_answer->setText(difference.equal()
                          ? tr("no difference")
                          : countedWords(difference.registers.size(), tr("1 register differs"),
                                         tr("%1 registers differ")));
}

void TasksDock::pick(const FactTreeModel &model, const QModelIndex &index)
{
    if (m_following || !index.isValid())
        return;
    const QModelIndex row = index.siblingAtColumn(0);
    Place place;
    place.file = 0;
    place.bytes = model.bytesOf(row);
    place.bits = model.bitsOf(row);
    if (place.bytes)
        session().goTo(place, this);
}

void TasksDock::select(QTreeView *view, const QModelIndex &index)
{
    if (!index.isValid() || view->currentIndex().siblingAtColumn(0) == index)
        return;
    revealRow(view, index);
}

void TasksDock::follow(const Place &place, QObject *origin)
{
    if (origin == this || !m_shown || !m_shown->hardware() || !place.bytes)
        return;
    const std::size_t task = m_list->taskOfByte(place.bytes->offset);
    if (task == kNoIndex)
        return;
    if (task != m_task)
        showTask(task);
    const QScopedValueRollback guard(m_following, true);
    select(m_registerView, m_registers->indexOfBytes(*place.bytes, place.bits));
    select(m_wordView, m_words->indexOfBytes(*place.bytes));
}

void TasksDock::askForValue()
{
    if (!session().patchingEnabled()) {
        Q_EMIT session().statusMessage(tr("Locked: enable patching to change values (Ctrl+E)."));
        return;
    }
    const bool word = m_tabs->currentIndex() == 1;
    const FactTreeModel &model = word ? *m_words : *m_registers;
    const QModelIndex row = (word ? m_wordView : m_registerView)->currentIndex().siblingAtColumn(0);
    const auto bytes = row.isValid() ? model.bytesOf(row) : std::nullopt;
    const auto bits = row.isValid() ? model.bitsOf(row) : std::nullopt;
    std::optional<std::string> path;
    if (bytes && m_shown && (word || row.parent().isValid())) {
        const BundleReadLock lock(*m_shown);
        const TaskRow task = rowOf(m_task);
        path = patch::fieldPathAt(*m_shown, task.text, task.index, bytes->offset,
                                  bits ? std::optional(bits->first) : std::nullopt);
    }
    if (!path) {
        Q_EMIT session().statusMessage(tr("Choose a register or one of its fields to change it."));
        return;
    }
    auto *dialog = new QInputDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Change Value"));
    dialog->setLabelText(tr("%1\n%2\nA number, or hexadecimal with 0x. What it would break is said "
                            "before it is changed.")
                             .arg(fromUtf8(*path), fieldWords(*m_shown, bytes->offset, bits)));
    dialog->setTextValue(row.siblingAtColumn(word ? 1 : kValueColumn).data().toString());
    const auto editOf = [path](const QString &typed) {
        return parseEdit(Edit::Kind::Field, *path + "=" + typed.trimmed().toStdString());
    };
    connect(dialog, &QInputDialog::textValueSelected, this, [this, editOf](const QString &typed) {
        if (const auto edit = editOf(typed))
            requestRawEdit(session(), this, *edit);
    });
    dialog->open();
    answerWhileTyping(dialog, [bundle = m_shown, path, editOf](const QString &typed) {
        const auto edit = editOf(typed);
        if (!edit)
            return syntaxText(edit.error(), path->size() + 1);
        const BundleReadLock lock(*bundle);
        const auto answer = previewEdit(*bundle, *edit);
        return answer ? QString() : fromUtf8(describe(answer.error()));
    });
}

} // namespace kernscope::ui

#include "moc_tasks_dock.cpp"
#include "tasks_dock.moc"
