// SPDX-License-Identifier: GPL-3.0-or-later
// What one can do in the dock, beside looking: limits, saving.
#include "widgets/common/dock_tools.h"
#include "widgets/common/file_dialogs.h"
#include "widgets/common/table_text.h"
#include "widgets/compare/compare_dock.h"
#include "widgets/compare/compare_runner.h"
#include "widgets/compare/compare_task.h"
#include "widgets/compare/difference_export.h"
#include "widgets/compare/limits_bar.h"
#include "widgets/compare/pair_figures.h"
#include "widgets/compare/pair_pictures.h"

#include <QAction>
#include <QActionGroup>
#include <QHeaderView>
#include <QTableView>

#include <algorithm>

namespace kernscope::ui {

namespace {

/// Says by a glyph whether a button is on: the shade of a pressed button is hard to see.
void markChecked(QAction *action, const QString &on, const QString &off, const QString &label)
{
    const auto mark = [=](bool checked) {
        action->setIconText((checked ? on : off) + QLatin1Char(' ') + label);
    };
    QObject::connect(action, &QAction::toggled, action, mark);
    mark(action->isChecked());
}

} // namespace

void CompareDock::buildCheckedActions()
{
    m_onlyAction = new QAction(tr("Differences Only"), this);
    m_onlyAction->setCheckable(true);
    m_onlyAction->setToolTip(tr("Leave out the weights that are the same in both"));
    // Short, so that the row of tools stays one row in a window of 1280 pixels.
    markChecked(m_onlyAction, QStringLiteral("\u2611"), QStringLiteral("\u2610"), tr("Differing"));
    m_worstAction = new QAction(tr("Worst First"), this);
    m_worstAction->setCheckable(true);
    m_worstAction->setChecked(true);
    m_worstAction->setToolTip(tr("Pairs that cannot be compared, weights of one side and the "
                                 "largest differences at the top; off: the order of A. A column "
                                 "whose header is clicked goes before either"));
    markChecked(m_worstAction, QStringLiteral("\u2611"), QStringLiteral("\u2610"),
                m_worstAction->text());
    m_limitsAction = new QAction(tr("Limits"), this);
    m_limitsAction->setCheckable(true);
    m_limitsAction->setToolTip(tr("Hold every pair against limits, and say which keep them"));
    markChecked(m_limitsAction, QStringLiteral("\u2611"), QStringLiteral("\u2610"),
                m_limitsAction->text());
    connect(m_limitsAction, &QAction::toggled, this, &CompareDock::showLimits);
}

QList<QAction *> CompareDock::buildModes()
{
    m_modeGroup = new QActionGroup(this);
    const auto mode = [this](const QString &text, const QString &label, const QString &tip,
                             PictureMode value) {
        auto *action = new QAction(text, m_modeGroup);
        action->setCheckable(true);
        action->setToolTip(tip);
        action->setData(static_cast<int>(value));
        action->setChecked(value == m_pictures->mode());
        markChecked(action, QStringLiteral("\u25C9"), QStringLiteral("\u25CB"), label);
        return action;
    };
    auto *values = mode(tr("Heat Maps"), tr("Heat Maps"), tr("Show values and their differences"),
                        PictureMode::Values);
    auto *relative =
        mode(tr("Relative Difference"), tr("Relative"),
             tr("Show values, and their differences over the value in A"), PictureMode::Relative);
    auto *zeros =
        mode(tr("Zeros and Mask"), tr("Mask"), tr("Show what each side keeps"), PictureMode::Zeros);
    return {values, relative, zeros};
}

void CompareDock::buildActions()
{
    m_swapAction = dockAction(this, tr("Swap Sides"), {}, [this] { setSwapped(!m_swapped); });
    buildCheckedActions();
    const QList<QAction *> modes = buildModes();
    m_largestAction = dockAction(this, tr("Go to Largest Difference"),
                                 QKeySequence(Qt::CTRL | Qt::Key_F8), [this] { goToLargest(); });
    // From the other docks of a comparison as well, as long as this one is in view.
    m_largestAction->setShortcutContext(Qt::WindowShortcut);
    m_largestAction->setToolTip(tr("Move to the element of this pair that differs most"));
    m_largestAction->setIconText(tr("Largest \u0394"));
    m_againAction = dockAction(this, tr("Compare the Rest"), {},
                               [this] { m_runner->start(m_a, m_b, resolvedChoices()); });
    m_againAction->setToolTip(tr("Go on with the weights that a cancelled comparison left out"));
    auto *copy = dockAction(m_table, tr("Copy Rows"), QKeySequence::Copy,
                            [this] { copySelection(*m_table); });
    auto *save = exportAction(this, this->session(), tr("Export Comparison\u2026"), *m_model,
                              QStringLiteral("comparison"));
    m_saveAction =
        dockAction(this, tr("Save the Difference\u2026"), {}, [this] { saveDifference(); });
    m_saveAction->setToolTip(tr("As changes for another copy of A, or as a report"));
    m_copyActions = copyActions();
    const QList<QAction *> pairing = pairActions();
    m_acceptAction =
        dockAction(this, tr("Accept All Within the Limits"), {}, [this] { acceptWithinLimits(); });
    m_acceptAction->setToolTip(
        tr("Give the document the values of the other bundle wherever they keep the limits, as one "
           "step"));
    m_acceptAction->setEnabled(false);
    m_copyActions << m_acceptAction;
    m_actions = m_pageActions +
                QList<QAction *>{m_swapAction, m_worstAction, m_onlyAction, m_limitsAction} +
                modes + QList<QAction *>{m_largestAction} + pairing + m_copyActions +
                QList<QAction *>{m_againAction, copy, save, m_saveAction};
    m_actions += m_figures->menuActions();
    setCompareTask(pairing, CompareTask::Pairing);
    setCompareTask(QList<QAction *>{m_largestAction} + m_figures->linkActions(), CompareTask::GoTo);
    setCompareTask(m_copyActions, CompareTask::Copy);
    setCompareTask({m_limitsAction, m_againAction}, CompareTask::Limits);
    setCompareTask({copy, save, m_saveAction}, CompareTask::Export);
    m_table->addActions(
        {m_swapAction, m_worstAction, m_onlyAction, m_limitsAction, m_largestAction});
    m_table->addActions(pairing);
    m_table->addActions(m_copyActions);
    m_table->addActions({m_againAction, save, m_saveAction});
}

/// While pairs are compared: the worst so far rise to the top. With many rows that takes its time,
/// which is to be a small part of all.
void CompareDock::arrangeRows()
{
    constexpr qint64 kPause = 250, kShare = 20;
    if (!m_model->ordersBySeverity() ||
        (m_arranged.isValid() &&
         m_arranged.elapsed() < std::max(kPause, kShare * m_arrangeMilliseconds)))
        return;
    m_arranged.start();
    keepSelection([this] { m_model->arrange(); });
    m_arrangeMilliseconds = m_arranged.restart();
}

/// A click on a header chose a column: this one goes back from it.
void CompareDock::chooseOrder(bool worstFirst)
{
    keepSelection([&] {
        m_table->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
        m_model->setWorstFirst(worstFirst);
    });
}

void CompareDock::showLimits(bool shown)
{
    m_limits->setVisible(shown);
    m_table->setColumnHidden(m_model->columnOf("limits"), !shown);
    keepSelection([&] { m_model->setLimits(shown ? m_limits->limits() : ValueLimits()); });
    countLimits();
    updateCopyActions();
}

void CompareDock::countLimits()
{
    std::size_t hold = 0, exceed = 0, waiting = 0;
    for (const report::PairRow &row : m_model->rows())
        ++(!row.holds ? waiting : *row.holds ? hold : exceed);
    m_limits->setCounts(hold, exceed, waiting);
}

void CompareDock::saveDifference()
{
    if (!m_a || !m_b)
        return;
    const QString path = askSavePath(this, tr("Save the Difference"),
                                     QStringLiteral("changes.kpatch"), differenceKinds());
    if (path.isEmpty())
        return;
    DiffLimits limits;
    limits.values = m_model->limits();
    m_saving = session().tasks().start(
        this, tr("Writing down the difference"),
        [a = m_a, b = m_b, limits, chosen = resolvedChoices(), path](Progress &progress) {
            return differenceDocument(a, b, limits, chosen, path, progress);
        },
        [this, path](const Result<std::string> &text) {
            m_saving = nullptr;
            QString fault;
            if (!text)
                fault = fromUtf8(describe(text.error()));
            else
                fault = writeTextFile(path, QString::fromStdString(*text));
            Q_EMIT session().statusMessage(fault.isEmpty() ? tr("Saved %1").arg(path) : fault);
        });
}

} // namespace kernscope::ui
