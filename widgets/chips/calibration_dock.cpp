// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chips/calibration_dock.h"

#include "core/bundle/bundle.h"
#include "core/report/calibration_table.h"
#include "widgets/chips/calibration_plot.h"
#include "widgets/chips/chip_box.h"
#include "widgets/chips/chip_network.h"
#include "widgets/chips/chip_words.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"

#include <QAction>
#include <QCheckBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <utility>

namespace kernscope::ui {

CalibrationDock::CalibrationDock(Session &session, QWidget *parent)
    : Dock(session, QStringLiteral("calibration"), tr("Calibration"), parent),
      m_state(ChipState::of(session)),
      m_model(new RowTable<roofline::CalibrationRow>(report::calibrationTable(), this)),
      m_estimates(new RowTable<report::PlacedLayer>(report::estimateTable(), this))
{
    setShowsFiles(false);
    auto *content = new QWidget(this);
    m_table = new QTableView(content);
    m_table->setAccessibleName(tr("Measurements and predictions"));
    m_table->setModel(m_model);
    prepareTable(m_table);
    setColumnWidths(m_table->horizontalHeader(), {13, 3.6, 6, 7, 5.5, 3.6, 4, 4.6, 14, 18, 14});
    m_filter = filterBox(content, tr("Filter by measurement, form, condition or source"), m_table);
    m_onlyChip = new QCheckBox(tr("Only this chip"), content);
    m_summary = new QLabel(content);
    m_summary->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_summary->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_plot = new CalibrationPlot(content);
    auto *bar = new QHBoxLayout;
    bar->addWidget(m_filter, 2);
    bar->addWidget(sharedChipBox(m_state, content), 1);
    bar->addWidget(m_onlyChip);
    auto *split = new QSplitter(Qt::Horizontal, content);
    split->setChildrenCollapsible(false);
    auto *tables = new QSplitter(Qt::Vertical, split);
    tables->setChildrenCollapsible(false);
    tables->addWidget(m_table);
    tables->addWidget(buildEstimates(tables));
    split->addWidget(m_plot);
    split->setSizes({theme::em(this, 40), theme::em(this, 26)});
    QVBoxLayout *column = contentColumn(content);
    column->addLayout(bar);
    column->addWidget(m_summary);
    column->addWidget(split, 1);
    setContent(content);
    content->setFocusProxy(m_table);
    buildActions();
    connect(m_filter, &QLineEdit::textChanged, m_model, &RowTableModel::setFilter);
    connect(m_onlyChip, &QCheckBox::toggled, this, &CalibrationDock::scheduleRefresh);
    connect(&m_state, &ChipState::targetChanged, this, &CalibrationDock::scheduleRefresh);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &CalibrationDock::onCurrentRow);
    connect(m_plot, &PlotWidget::currentPointChanged, this, [this](int point) {
        for (int row = 0; row < m_model->rowCount(); ++row) {
            if (m_model->sourceRow(row) == m_plot->rowOf(point)) {
                chooseRow(m_table, m_model->index(row, 0));
                m_table->scrollTo(m_model->index(row, 0));
            }
        }
    });
    connect(m_plot, &PlotWidget::exportFailed, &session, &Session::statusMessage);
    // Another document: what is shown is of the one before, which this must not keep open.
    connect(&session, &Session::bundleChanged, this, [this] { showEstimates({}); });
    connect(&session.tasks(), &TaskManager::changed, this, [this] {
        if (!m_task || !m_task->progress().cancelled())
            return;
        m_task.reset();
        m_cut = true;
        summarise();
    });
}

QWidget *CalibrationDock::buildEstimates(QWidget *parent)
{
    m_estimatesBox = new QWidget(parent);
    m_estimatesTitle = new QLabel(m_estimatesBox);
    m_estimatesTitle->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_estimatesTable = new QTableView(m_estimatesBox);
    m_estimatesTable->setObjectName(QStringLiteral("compilerEstimates"));
    m_estimatesTable->setAccessibleName(tr("The compiler's own estimates"));
    m_estimatesTable->setModel(m_estimates);
    prepareTable(m_estimatesTable);
    setColumnWidths(m_estimatesTable->horizontalHeader(), {8, 3.6, 4.4, 5, 5, 3.6, 14});
    auto *column = new QVBoxLayout(m_estimatesBox);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(theme::em(this, 0.2));
    column->addWidget(m_estimatesTitle);
    column->addWidget(m_estimatesTable, 1);
    m_estimatesBox->hide();
    const auto goTo = [this](const QModelIndex &index) {
        session().goToWeight(m_estimates->rowAt(index.row()).placement->layer.weight, this);
    };
    connect(m_estimatesTable, &QAbstractItemView::clicked, this, goTo);
    connect(m_estimatesTable, &QAbstractItemView::activated, this, goTo);
    return m_estimatesBox;
}

CalibrationDock::Estimated CalibrationDock::estimated(const BundlePtr &bundle,
                                                      const roofline::Roofs &roofs,
                                                      const target::TargetChoice &choice,
                                                      Progress *progress)
{
    Estimated made{bundle, {}};
    const auto add = [&made, &bundle](const ChipLayer &layer) {
        roofline::Layer at;
        at.weight = layer.weight;
        at.consumer = layer.consumer;
        if (!report::notesOf(*bundle, at).estimatedMs.empty())
            made.placements.push_back(layer.placement(*bundle));
    };
    if (!forEachPlacement(*bundle, roofs, choice, 1, KeptForms::Ends, progress, add))
        return {};
    return made;
}

void CalibrationDock::placeEstimates()
{
    if (m_task)
        m_task->cancel();
    m_task.reset();
    m_cut = false;
    const BundlePtr &bundle = session().bundle();
    const auto roofs = roofline::roofsOf(m_state.target());
    if (!bundle || !roofs || !session().filesHold())
        return;
    if (bundle->weights().size() <= kMostPlacedAtOnce) {
        showEstimates(estimated(bundle, *roofs, m_state.choice(), nullptr));
        return;
    }
    m_task = session().tasks().start(
        this, tr("Working out times"),
        [bundle, roofs = *roofs, choice = m_state.choice()](Progress &progress) {
            const BundleReadLock lock(*bundle);
            return estimated(bundle, roofs, choice, &progress);
        },
        [this](Estimated made) {
            m_task.reset();
            showEstimates(std::move(made));
        });
}

void CalibrationDock::showEstimates(Estimated made)
{
    m_estimates->setRows({}); // before what they point into goes
    m_estimated = std::move(made);
    std::vector<report::PlacedLayer> rows;
    for (const roofline::Placement &placed : m_estimated.placements)
        rows.push_back({&placed, &report::notesOf(*m_estimated.bundle, placed.layer)});
    m_estimatesBox->setVisible(!rows.empty());
    m_estimatesTitle->setText(
        tr("The compiler\u2019s own estimates (EstimatedRuntime) beside those for %1")
            .arg(chipName(m_state.target())));
    m_estimates->setRows(std::move(rows));
    summarise();
}

void CalibrationDock::buildActions()
{
    auto *find = findAction(this, tr("Filter Measurements"), m_filter);
    auto *copy = dockAction(this, tr("Copy Rows"), QKeySequence::Copy, [this] {
        copySelection(m_estimatesTable->hasFocus() ? *m_estimatesTable : *m_table);
    });
    auto *save = exportAction(this, session(), tr("Export Table of Measurements\u2026"), *m_model,
                              QStringLiteral("calibration"));
    auto *saveEstimates =
        exportAction(this, session(), tr("Export the Compiler\u2019s Estimates\u2026"),
                     *m_estimates, QStringLiteral("estimates"));
    m_actions = QList<QAction *>{find, copy, save, saveEstimates} + m_plot->plotActions();
    m_table->addActions({find, copy, save});
    m_estimatesTable->addActions({copy, saveEstimates});
}

void CalibrationDock::refresh()
{
    m_model->setRows(roofline::calibrate(m_onlyChip->isChecked() ? &m_state.target() : nullptr));
    m_plot->setRows(m_model->rows());
    summarise();
    placeEstimates();
    showContent();
}

void CalibrationDock::summarise()
{
    const bool none = m_estimated.bundle && m_estimated.placements.empty();
    const QString unwritten =
        none    ? tr(" The compiler wrote no estimate for a layer of this program.")
        : m_cut ? tr(" The compiler\u2019s estimates were not looked for: the work was cancelled. "
                     "Change the chip to look again.")
                : QString();
    if (m_model->rows().empty()) {
        m_summary->setText(
            tr("No measurement of %1 is published.").arg(fromUtf8(m_state.target().name)) +
            unwritten);
        return;
    }
    std::size_t compared = 0, met = 0, goals = 0, goalsMet = 0;
    std::vector<double> off;
    for (const roofline::CalibrationRow &row : m_model->rows()) {
        const bool within = row.within().value_or(false);
        compared += row.counts() ? 1 : 0;
        met += row.counts() && within ? 1 : 0;
        goals += row.goal ? 1 : 0;
        goalsMet += row.goal && within ? 1 : 0;
        if (row.counts() && row.ratio())
            off.push_back(std::abs(*row.ratio() - 1));
    }
    QString text = tr("%1 of %2 predictions within %3 of the measurement; %4 of %5 goals met; %6 "
                      "rows in all")
                       .arg(met)
                       .arg(compared)
                       .arg(percentText(roofline::kCalibrationGoal))
                       .arg(goalsMet)
                       .arg(goals)
                       .arg(m_model->rows().size());
    if (!off.empty()) {
        const auto middle = off.begin() + static_cast<std::ptrdiff_t>(off.size() / 2);
        std::nth_element(off.begin(), middle, off.end());
        text += tr("; half of them are off by %1 or less").arg(percentText(*middle));
    }
    m_summary->setText(text + QLatin1Char('.') + unwritten);
    m_summary->setToolTip(m_summary->text());
}

void CalibrationDock::onCurrentRow(const QModelIndex &index)
{
    if (index.isValid())
        m_plot->setCurrentPoint(m_plot->pointOfRow(m_model->sourceRow(index.row())));
}

} // namespace kernscope::ui

#include "moc_calibration_dock.cpp"
