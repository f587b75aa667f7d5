// SPDX-License-Identifier: GPL-3.0-or-later
// The pages of the dock beside the values: the program and the structure; and the chosen chip.
#include "core/bundle/bundle.h"
#include "core/target/rules.h"
#include "widgets/common/counted_words.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/segmented.h"
#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"
#include "widgets/compare/compare_dock.h"
#include "widgets/compare/compare_header.h"
#include "widgets/compare/compare_runner.h"
#include "widgets/compare/limits_bar.h"
#include "widgets/compare/structure_list.h"

#include <QAction>
#include <QActionGroup>
#include <QComboBox>
#include <QHeaderView>
#include <QMenu>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>

#include <algorithm>
#include <utility>

namespace kernscope::ui {

/// Values (the pairs and their pictures), Program, Structure: one is on view.
void CompareDock::buildPages(QWidget *values)
{
    m_pages = new QStackedWidget; // comes after the tools, also for the keyboard
    m_programModel = new RowTable<report::ProgramChangeFacts>(report::programChangeTable(), this);
    m_structureModel = new RowTable<report::StructureFacts>(report::structureTable(), this);
    m_program = new StructureList(session(), m_programModel, tr("Operations that differ"),
                                  QStringLiteral("program-changes"), m_pages);
    setColumnWidths(m_program->table()->horizontalHeader(), {6, 7, 8, 18, 16, 40});
    m_structure = new StructureList(session(), m_structureModel,
                                    tr("Files, sections, tasks and registers that differ"),
                                    QStringLiteral("structure"), m_pages);
    setColumnWidths(m_structure->table()->horizontalHeader(), {7, 24, 8, 8, 22, 7, 7, 26});
    for (QWidget *page : std::initializer_list<QWidget *>{values, m_program, m_structure})
        m_pages->addWidget(page);
    connect(m_program->table(), &QAbstractItemView::activated, this,
            [this](const QModelIndex &index) {
                goToChange(m_programModel->rowAt(index.row()).change);
            });
    auto *group = new QActionGroup(this);
    auto *choice = new Segmented(tr("What is compared"), m_header);
    const auto page = [&](const QString &text, const QString &tip, Page shown) {
        auto *action = new QAction(text, group);
        action->setCheckable(true);
        action->setToolTip(tip);
        action->setChecked(shown == Page::Values);
        connect(action, &QAction::triggered, this, [this, shown] { showPage(shown); });
        choice->add(action);
        m_pageActions << action;
    };
    page(tr("Values"), tr("Weights in pairs, their values and pictures"), Page::Values);
    page(tr("Program"), tr("Operations that differ, matched by what they compute"), Page::Program);
    page(tr("Structure"), tr("Files, sections, tasks and registers that differ"), Page::Structure);
    m_header->setSwitch(choice);
    auto *third = new QMenu(m_header->thirdButton());
    third->addAction(tr("A &File\u2026"), this, [this] { Q_EMIT thirdBuildWanted(false); });
    third->addAction(tr("A F&older\u2026"), this, [this] { Q_EMIT thirdBuildWanted(true); });
    m_header->thirdButton()->setMenu(third);
    m_header->thirdButton()->setPopupMode(QToolButton::InstantPopup);
}

void CompareDock::showPage(Page page)
{
    m_pages->setCurrentIndex(static_cast<int>(page));
    m_pageActions[static_cast<int>(page)]->setChecked(true);
    const bool values = page == Page::Values;
    m_tools->setVisible(values);
    m_limits->setVisible(values && m_limitsAction->isChecked());
    if (page == Page::Structure)
        findStructure();
}

void CompareDock::showProgram()
{
    const auto files = m_runner->files();
    m_header->setDifference(files.get());
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

/// Rows are made where they are first asked for, and anew for other bundles.
void CompareDock::findStructure()
{
    if (!m_a || !m_b || (m_structureA == m_a && m_structureB == m_b))
        return;
    m_structureA = m_a;
    m_structureB = m_b;
    m_structureModel->setRows({});
    m_structure->setNote(tr("Looking for files, sections and tasks that differ\u2026"));
    if (m_structuring)
        m_structuring->cancel();
    m_structuring = session().tasks().start(
        this, tr("Comparing structures"),
        [a = m_a, b = m_b, chosen = resolvedChoices()](Progress &progress) {
            return report::structureRows(a, b, chosen, progress);
        },
        [this](std::vector<report::StructureFacts> rows) {
            m_structuring = nullptr;
            m_structure->setNote(
                rows.empty() ? tr("Files, sections and tasks are the same, byte for byte.")
                             : countedWords(rows.size(), tr("1 difference"), tr("%1 differences")));
            m_structureModel->setRows(std::move(rows));
        });
}

/// To the statement in the document's program.
void CompareDock::goToChange(const ProgramChange &change)
{
    const mil::SourceSpan &span = m_swapped ? change.spanB : change.spanA;
    const BundlePtr document = session().bundle();
    const std::string_view model = change.function;
    const std::size_t file =
        document ? document->programFileOf(model.substr(0, model.rfind('/'))) : kNoIndex;
    if (file == kNoIndex || span.length == 0) {
        Q_EMIT session().statusMessage(tr("The document has no such statement."));
        return;
    }
    session().goToBytes(file, {FileOffset(span.offset), ByteCount(span.length)}, this);
}

QComboBox *CompareDock::buildChips(QWidget *parent)
{
    m_chip = new QComboBox(parent);
    m_chip->setAccessibleName(tr("Chip of the column of outcomes"));
    m_chip->setToolTip(tr("The chip whose outcome stands in the table"));
    // Long names of single chips must not make the row wrap.
    m_chip->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_chip->setMinimumContentsLength(12);
    for (const target::Target &chip : target::targets()) {
        // "M1 base (T8103); A14": the first of its chips.
        const QString silicon = fromUtf8(chip.silicon)
                                    .section(QLatin1Char(';'), 0, 0)
                                    .section(QStringLiteral(" ("), 0, 0);
        m_chip->addItem(silicon.isEmpty()
                            ? fromUtf8(chip.name)
                            : QStringLiteral("%1 \u00B7 %2").arg(fromUtf8(chip.name), silicon));
    }
    setChip(target::defaultTarget());
    connect(m_chip, &QComboBox::currentIndexChanged, this, [this] {
        showChip();
        Q_EMIT chipChosen(chip().index);
    });
    return m_chip;
}

const target::Target &CompareDock::chip() const
{
    const auto all = target::targets();
    const int at = m_chip->currentIndex();
    return at < 0 ? target::defaultTarget() : all[static_cast<std::size_t>(at)];
}

void CompareDock::setChip(const target::Target &chip)
{
    {
        const QSignalBlocker blocker(m_chip);
        m_chip->setCurrentIndex(static_cast<int>(chip.index));
    }
    showChip();
}

void CompareDock::showChip()
{
    keepSelection([this] { m_model->setOutcomes(m_runner->outcome().get(), chip()); });
}

} // namespace kernscope::ui
