// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chips/calibration_dock.h"

#include "core/report/calibration_table.h"
#include "widgets/chips/calibration_plot.h"
#include "widgets/chips/chip_box.h"
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

namespace kernscope::ui {

CalibrationDock::CalibrationDock(Session &session, QWidget *parent)
    : Dock(session, QStringLiteral("calibration"), tr("Calibration"), parent),
      m_state(ChipState::of(session)),
      m_model(new RowTable<roofline::CalibrationRow>(report::calibrationTable(), this))
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
    split->addWidget(m_table);
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
}

void CalibrationDock::buildActions()
{
    auto *find = findAction(this, tr("Filter Measurements"), m_filter);
    auto *copy =
        dockAction(this, tr("Copy Rows"), QKeySequence::Copy, [this] { copySelection(*m_table); });
    auto *save = exportAction(this, session(), tr("Export Table of Measurements\u2026"), *m_model,
                              QStringLiteral("calibration"));
    m_actions = QList<QAction *>{find, copy, save} + m_plot->plotActions();
    m_table->addActions({find, copy, save});
}

void CalibrationDock::refresh()
{
    m_model->setRows(roofline::calibrate(m_onlyChip->isChecked() ? &m_state.target() : nullptr));
    m_plot->setRows(m_model->rows());
    summarise();
    if (m_model->rows().empty())
        m_summary->setText(
            tr("No measurement of %1 is published.").arg(fromUtf8(m_state.target().name)));
    showContent();
}

void CalibrationDock::summarise()
{
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
    m_summary->setText(text + QLatin1Char('.'));
    m_summary->setToolTip(m_summary->text());
}

void CalibrationDock::onCurrentRow(const QModelIndex &index)
{
    if (index.isValid())
        m_plot->setCurrentPoint(m_plot->pointOfRow(m_model->sourceRow(index.row())));
}

} // namespace kernscope::ui

#include "moc_calibration_dock.cpp"
