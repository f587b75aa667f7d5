// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/compare_pages.h"

#include "core/bundle/bundle.h"
#include "widgets/common/counted_words.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/segmented.h"
#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"

#include <QAction>
#include <QActionGroup>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QTableView>
#include <QVBoxLayout>

#include <utility>

namespace kernscope::ui {

StructureList::StructureList(Session &session, RowTableModel *model, const QString &name,
                             const QString &fileName, QWidget *parent)
    : QWidget(parent), m_model(model)
{
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(theme::em(this, 0.3));
    m_table = new QTableView(this);
    m_table->setAccessibleName(name);
    m_table->setModel(model);
    prepareTable(m_table);
    m_filter = filterBox(this, tr("Filter by any word"), m_table);
    m_filter->setFixedWidth(theme::em(this, 16));
    m_note = new QLabel(this);
    m_note->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_note->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto *row = new QHBoxLayout;
    row->setSpacing(theme::em(this, 0.6));
    row->addWidget(m_filter);
    row->addWidget(m_note, 1);
    column->addLayout(row);
    column->addWidget(m_table, 1);
    auto *copy = dockAction(m_table, tr("Copy Rows"), QKeySequence::Copy,
                            [this] { copySelection(*m_table); });
    m_table->addActions(
        {copy, exportAction(this, session, tr("Export Table\u2026"), *model, fileName)});
    connect(m_filter, &QLineEdit::textChanged, model, &RowTableModel::setFilter);
    setFocusProxy(m_table);
}

void StructureList::setNote(const QString &text)
{
    m_note->setText(text);
}

QString StructureList::note() const
{
    return m_note->text();
}

ComparePages::ComparePages(Session &session)
    : m_session(session),
      m_programModel(new RowTable<report::ProgramChangeFacts>(report::programChangeTable(), this)),
      m_structureModel(new RowTable<report::StructureFacts>(report::structureTable(), this))
{
    m_program = new StructureList(session, m_programModel, tr("Operations that differ"),
                                  QStringLiteral("program-changes"), this);
    setColumnWidths(m_program->table()->horizontalHeader(), {6, 7, 8, 18, 16, 40});
    m_structure = new StructureList(session, m_structureModel,
                                    tr("Files, sections, tasks and registers that differ"),
                                    QStringLiteral("structure"), this);
    setColumnWidths(m_structure->table()->horizontalHeader(), {7, 24, 8, 8, 22, 7, 7, 26});
    addWidget(m_program);
    addWidget(m_structure);
    connect(m_program->table(), &QAbstractItemView::activated, this,
            [this](const QModelIndex &index) {
                goToChange(m_programModel->rowAt(index.row()).change);
            });
    auto *group = new QActionGroup(this);
    const auto page = [&](const QString &text, const QString &tip, Page shown) {
        auto *action = new QAction(text, group);
        action->setCheckable(true);
        action->setToolTip(tip);
        action->setChecked(shown == Page::Values);
        connect(action, &QAction::triggered, this, [this, shown] { showPage(shown); });
        m_actions << action;
    };
    page(tr("Values"), tr("Weights in pairs, their values and pictures"), Page::Values);
    page(tr("Program"), tr("Operations that differ, matched by what they compute"), Page::Program);
    page(tr("Structure"), tr("Files, sections, tasks and registers that differ"), Page::Structure);
}

void ComparePages::setValues(QWidget *values)
{
    insertWidget(0, values);
    setCurrentIndex(0);
}

Segmented *ComparePages::makeSwitch(QWidget *parent)
{
    auto *choice = new Segmented(tr("What is compared"), parent);
    for (QAction *action : m_actions)
        choice->add(action);
    return choice;
}

void ComparePages::showPage(Page page)
{
    setCurrentIndex(static_cast<int>(page));
    m_actions[static_cast<int>(page)]->setChecked(true);
    if (page == Page::Structure)
        findStructure();
    Q_EMIT pageShown(page);
}

void ComparePages::setBundles(BundlePtr a, BundlePtr b, std::vector<PairChoice> pairs,
                              bool documentIsB)
{
    m_a = std::move(a);
    m_b = std::move(b);
    m_pairs = std::move(pairs);
    m_documentIsB = documentIsB;
    m_structureKnown = false;
    if (currentIndex() == static_cast<int>(Page::Structure))
        findStructure();
}

void ComparePages::showProgram(const std::shared_ptr<const Difference> &files)
{
    if (!files) {
        m_programModel->setRows({});
        m_program->setNote(tr("The programs are still being compared."));
        return;
    }
    m_programModel->setRows(report::programChangeRows(*files));
    const ProgramDifference &program = files->program.detail;
    const std::size_t changes = program.changes.size();
    m_program->setNote(
        changes > 0 ? tr("%1; %2 of %3 operations of A are in B.")
                          .arg(countedWords(changes, tr("1 difference"), tr("%1 differences")),
                               groupedNumber(program.matched), groupedNumber(program.operationsA))
        : !files->program.bytesA && !files->program.bytesB ? tr("Neither side has a program.")
        : files->program.equal
            ? tr("The programs are equal: %1 operations.").arg(groupedNumber(program.operationsA))
            : tr("The programs differ in ways that their operations do not show."));
}

void ComparePages::findStructure()
{
    if (!m_a || !m_b || m_structureKnown)
        return;
    m_structureKnown = true;
    m_structureModel->setRows({});
    m_structure->setNote(tr("Looking for files, sections and tasks that differ\u2026"));
    if (m_task)
        m_task->cancel();
    m_task = m_session.tasks().start(
        this, tr("Comparing structures"),
        [a = m_a, b = m_b, pairs = m_pairs](Progress &progress) {
            return report::structureRows(a, b, pairs, progress);
        },
        [this](std::vector<report::StructureFacts> rows) {
            m_task = nullptr;
            m_structure->setNote(
                rows.empty() ? tr("Files, sections and tasks are the same, byte for byte.")
                             : countedWords(rows.size(), tr("1 difference"), tr("%1 differences")));
            m_structureModel->setRows(std::move(rows));
        });
}

/// To the statement in the document's program.
void ComparePages::goToChange(const ProgramChange &change)
{
    const mil::SourceSpan &span = m_documentIsB ? change.spanB : change.spanA;
    const BundlePtr document = m_session.bundle();
    const std::string_view model = change.function;
    const std::size_t file =
        document ? document->programFileOf(model.substr(0, model.rfind('/'))) : kNoIndex;
    if (file == kNoIndex || span.length == 0) {
        Q_EMIT m_session.statusMessage(tr("The document has no such statement."));
        return;
    }
    m_session.goToBytes(file, {FileOffset(span.offset), ByteCount(span.length)}, this);
}

} // namespace kernscope::ui

#include "moc_compare_pages.cpp"
