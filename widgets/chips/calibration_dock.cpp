// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chips/calibration_dock.h"

#include "core/bundle/bundle.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/labels.h"
#include "widgets/common/qt.h"
#include "widgets/models/words.h"

#include <qcustomplot.h>

namespace kernscope::ui {

namespace {

QString calibrationValue(const roofline::CalibrationRow &row, double value)
{
    return row.unit == "s" ? siWord(value, u"s"_s) : QString::number(value, 'f', 3);
}

} // namespace

CalibrationPlot::CalibrationPlot(QWidget *parent) : PlotWidget(tr("Calibration"), parent)
{
    for (QCPAxis *axis : {plot().xAxis, plot().yAxis}) {
        axis->setScaleType(QCPAxis::stLogarithmic);
        axis->setTicker(QSharedPointer<QCPAxisTickerLog>::create());
        axis->setNumberFormat(u"eb"_s);
        axis->setNumberPrecision(0);
    }
    plot().xAxis->setLabel(tr("measured (s, or times fp16)"));
    plot().yAxis->setLabel(tr("predicted"));
    for (QCPGraph *&line : m_lines) {
        line = plot().addGraph();
        line->removeFromLegend();
    }
    const QStringList names{tr("time, within 15 %"), tr("time, off"), tr("ratio, within 15 %"),
                            tr("ratio, off")};
    for (std::size_t i = 0; i < m_points.size(); ++i) {
        m_points[i] = plot().addGraph();
        m_points[i]->setLineStyle(QCPGraph::lsNone);
        m_points[i]->setName(names[static_cast<qsizetype>(i)]);
    }
    m_chosen = plot().addGraph();
    m_chosen->setLineStyle(QCPGraph::lsNone);
    m_chosen->removeFromLegend();
    showLegend();
    setColumns(report::calibrationTable, [this](int point) { return row(point); });
}

void CalibrationPlot::setRows(const std::vector<roofline::CalibrationRow> &rows)
{
    beginData();
    m_rows = rows;
    m_order.clear();
    double low = 0, high = 0;
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const roofline::CalibrationRow &one = m_rows[i];
        if (!one.predicted || *one.predicted <= 0 || one.measured() <= 0)
            continue;
        const double least = std::min(*one.predicted, one.measured());
        low = m_order.empty() ? least : std::min(low, least);
        high = std::max({high, *one.predicted, one.measured()});
        m_order.push_back(i);
    }
    if (m_order.empty())
        low = 0.1, high = 10;
    std::stable_sort(m_order.begin(), m_order.end(), [this](std::size_t a, std::size_t b) {
        return m_rows[a].measured() < m_rows[b].measured();
    });
    for (QCPGraph *graph : m_points)
        graph->data()->clear();
    for (int i = 0; i < pointCount(); ++i) {
        const std::size_t kind =
            (row(i).unit == "s" ? 0U : 2U) + (row(i).within().value_or(false) ? 0U : 1U);
        m_points[kind]->addData(keyOf(i), *row(i).predicted);
    }
    const double from = low / 3, to = high * 3;
    const std::array factors{1.0, 1 - roofline::kCalibrationGoal, 1 + roofline::kCalibrationGoal};
    for (std::size_t i = 0; i < m_lines.size(); ++i)
        m_lines[i]->setData({from, to}, {from * factors[i], to * factors[i]}, true);
    for (QCPAxis *axis : {plot().xAxis, plot().yAxis})
        axis->setRange(from, to);
    endData();
}

int CalibrationPlot::pointOfRow(std::size_t row) const
{
    const auto at = std::find(m_order.begin(), m_order.end(), row);
    return at == m_order.end() ? -1 : static_cast<int>(at - m_order.begin());
}

double CalibrationPlot::keyOf(int point) const
{
    return row(point).measured();
}

int CalibrationPlot::pointAt(double key) const
{
    int best = -1;
    double least = 0;
    for (int i = 0; i < pointCount() && key > 0; ++i) {
        const double off = std::abs(std::log(keyOf(i) / key));
        if (best < 0 || off < least)
            best = i, least = off;
    }
    return best;
}

std::optional<int> CalibrationPlot::nearest(const QPoint &position) const
{
    double reach = theme::em(this, 0.8);
    int found = -1;
    for (int i = 0; i < pointCount(); ++i) {
        const QPointF at(plot().xAxis->coordToPixel(keyOf(i)),
                         plot().yAxis->coordToPixel(*row(i).predicted));
        const double off = QLineF(at, position).length();
        if (off < reach)
            reach = off, found = i;
    }
    return found;
}

QString CalibrationPlot::pointText(int point) const
{
    const roofline::CalibrationRow &one = row(point);
    QString text =
        tr("%1, %2 on %3: measured %4, predicted %5 (%6 times)")
            .arg(fromUtf8(one.measurement), fromUtf8(one.form), fromUtf8(one.target),
                 calibrationValue(one, one.measured()), calibrationValue(one, *one.predicted))
            .arg(one.ratio().value_or(0), 0, 'f', 2);
    for (const auto &[words, said] :
         {std::pair{tr("condition"), one.condition}, std::pair{tr("source"), one.source},
          std::pair{tr("made of"), one.basis}, std::pair{tr("fitted on"), one.fittedOn},
          std::pair{tr("the model lacks"), one.missing},
          std::pair{tr("what shows it"), one.missingEvidence}}) {
        if (!said.empty())
            text += u"\n%1: %2"_s.arg(words, fromUtf8(said));
    }
    return text;
}

void CalibrationPlot::applyColors(bool dark)
{
    const QColor ground = palette().color(QPalette::Base);
    QColor faint = palette().color(QPalette::Text);
    m_lines[0]->setPen(QPen(faint, 1.4));
    faint.setAlpha(110);
    m_lines[1]->setPen(QPen(faint, 1, Qt::DashLine));
    m_lines[2]->setPen(QPen(faint, 1, Qt::DashLine));
    constexpr double kSize = 9;
    for (std::size_t i = 0; i < m_points.size(); ++i) {
        const bool off = i % 2 == 1;
        const QColor color = theme::color(i < 2 ? Token::KindData : Token::KindValues, dark);
        m_points[i]->setScatterStyle(
            QCPScatterStyle(i < 2 ? QCPScatterStyle::ssCircle : QCPScatterStyle::ssSquare,
                            QPen(color, 1.5), off ? ground : color, kSize));
    }
    m_chosen->data()->clear();
    m_chosen->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCircle,
                                              QPen(theme::color(Token::MarkChanged, dark), 2),
                                              Qt::NoBrush, 2 * kSize));
    if (currentPoint() >= 0)
        m_chosen->addData(keyOf(currentPoint()), *row(currentPoint()).predicted);
}

CalibrationDock::CalibrationDock(Session &session, QWidget *parent)
    : Dock(session, u"calibration"_s, tr("Calibration"), parent), m_state(ChipState::of(session)),
      m_model(new RowTable<roofline::CalibrationRow>(report::calibrationTable, this)),
      m_estimates(new RowTable<report::PlacedLayer>(report::estimateTable, this))
{
    setShowsFiles(false);
    auto *content = new QWidget(this);
    m_table = makeTable(content, tr("Measurements and predictions"), m_model,
                        {13, 3.6, 6, 7, 5.5, 3.6, 4, 4.6, 14, 18, 14});
    m_filter = filterBox(content, tr("Filter by measurement, form, condition or source"), m_table);
    m_onlyChip = new QCheckBox(tr("Only this chip"), content);
    m_summary = selectableLabel(content);
    m_summary->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_plot = new CalibrationPlot(content);
    auto *bar =
        laidOut(new QHBoxLayout, {{m_filter, 2}, {sharedChipBox(m_state, content), 1}, m_onlyChip});
    auto *tables = parted(Qt::Vertical, {m_table, buildEstimates(content)});
    auto *split = parted(Qt::Horizontal, {tables, m_plot});
    split->setSizes({theme::em(this, 54), theme::em(this, 24)});
    laidOut(contentColumn(content), {bar, m_summary, {split, 1}});
    setContent(content, m_table);
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
    // Another document: what is shown is of the one before, which this must not keep open.
    connect(&session, &Session::bundleChanged, this, [this] { showEstimates({}); });
    m_task.whenCancelled([this] {
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
    m_estimatesTable->setObjectName(u"compilerEstimates"_s);
    m_estimatesTable->setAccessibleName(tr("The compiler's own estimates"));
    m_estimatesTable->setModel(m_estimates);
    prepareTable(m_estimatesTable);
    setColumnWidths(m_estimatesTable->horizontalHeader(), {8, 3.6, 4.4, 5, 5, 3.6, 14});
    laidOut(withoutMargins(new QVBoxLayout(m_estimatesBox), theme::em(this, 0.2)),
            {m_estimatesTitle, {m_estimatesTable, 1}});
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
    m_task.stop();
    m_cut = false;
    const BundlePtr &bundle = session().bundle();
    const auto roofs = roofline::roofsOf(m_state.target());
    if (!bundle || !roofs || !session().filesHold())
        return;
    if (bundle->weights().size() <= kMostPlacedAtOnce) {
        showEstimates(estimated(bundle, *roofs, m_state.choice(), nullptr));
        return;
    }
    m_task.start(
        tr("Working out times"),
        [bundle, roofs = *roofs, choice = m_state.choice()](Progress &progress) {
            const BundleReadLock lock(*bundle);
            return estimated(bundle, roofs, choice, &progress);
        },
        [this](Estimated made) { showEstimates(std::move(made)); });
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
                              "calibration");
    auto *saveEstimates =
        exportAction(this, session(), tr("Export the Compiler\u2019s Estimates\u2026"),
                     *m_estimates, "estimates");
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
