// SPDX-License-Identifier: GPL-3.0-or-later
// What the plan dock shows: the table, the facts, the front, the forms of the selected weight.
#include "core/report/plan_report.h"
#include "widgets/chips/chip_words.h"
#include "widgets/chips/front_plot.h"
#include "widgets/chips/plan_dock.h"
#include "widgets/common/absent_columns.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/table_text.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QScrollBar>
#include <QTableView>

#include <algorithm>

namespace kernscope::ui {

namespace {

QString storedWord(const plan::PlanTotals &totals)
{
    const auto stored = totals.allStored();
    return stored ? bytesWord(*stored) : PlanDock::tr("unknown");
}

/// The engine's time before and after; of functions of which a run enters one that of each.
QString timesText(const QString &name, const roofline::ProgramTime &before,
                  const roofline::ProgramTime &after)
{
    QString text;
    if (after.alternatives) {
        for (std::size_t i = 0; i < after.dispatches.size() && i < before.dispatches.size(); ++i)
            text += timesText(name + QLatin1Char(' ') + fromUtf8(after.dispatches[i].function),
                              before.dispatches[i], after.dispatches[i]);
        return text;
    }
    if (!before.engineTimeS || !after.engineTimeS)
        return text;
    text = PlanDock::tr("; %1 engine time <b>%2</b> \u2192 <b>%3</b>")
               .arg(name.toHtmlEscaped(), siWord(*before.engineTimeS, QStringLiteral("s")),
                    siWord(*after.engineTimeS, QStringLiteral("s")));
    if (!after.dispatchFloorS || *after.engineTimeS >= *after.dispatchFloorS)
        return text;
    const QString floor = siWord(*after.dispatchFloorS, QStringLiteral("s"));
    return text + (after.launches.value_or(1) == 1
                       ? PlanDock::tr(" (a dispatch takes at least %1)").arg(floor)
                       : PlanDock::tr(" (%1 dispatches take at least %2)")
                             .arg(*after.launches)
                             .arg(floor));
}

} // namespace

plan::Limits PlanDock::limits() const
{
    plan::Limits limits;
    limits.goal = plan::goalFromName(m_goal->currentData().toString().toStdString());
    limits.tolerance = m_tolerance->value();
    if (m_total->value() > 0)
        limits.totalTolerance = m_total->value();
    if (m_maxBytes->value() > 0)
        limits.maxBytes = static_cast<std::uint64_t>(m_maxBytes->value());
    for (const auto &[row, form] : m_forced) {
        if (m_survey && row < m_survey->rows.size())
            limits.forced.emplace_back(m_survey->names[row], form);
    }
    return limits;
}

void PlanDock::showPoint(int number)
{
    if (!m_survey || number < 0 || number >= m_plot->pointCount())
        return;
    m_showsPoint = true;
    m_told->setText(m_plot->pointText(number));
    const plan::FrontPoint &point = m_plot->point(number);
    showChoice(point.choice, point.totals);
    m_write->setEnabled(true);
}

/// Why each weight has the form that is shown.
PlanModel::Reasons PlanDock::reasons() const
{
    if (m_plan && !m_showsPoint)
        return m_plan->why;
    PlanModel::Reasons why(m_survey->rows.size(),
                           m_showsPoint ? "a point of the front" : "no plan within the limits");
    for (std::size_t r = 0; r < why.size(); ++r) {
        if (!m_survey->rows[r].fixed.empty()) // the same in every plan
            why[r] = m_plan ? m_plan->why[r] : "stays: " + m_survey->rows[r].fixed;
    }
    return why;
}

void PlanDock::showChoice(std::vector<std::size_t> choice, const plan::PlanTotals &after)
{
    const std::size_t selected = currentRow();
    m_choice = std::move(choice);
    m_after = after;
    const int scrolled = m_table->verticalScrollBar()->value();
    m_model->show(m_survey, m_choice, reasons());
    hideAbsentColumns(*m_table->horizontalHeader(), *m_model);
    if (const int row = m_model->rowOf(selected); row >= 0) {
        m_following = true;
        chooseRow(m_table, m_model->index(row, 0));
        m_following = false;
    }
    m_table->verticalScrollBar()->setValue(scrolled);
    showFacts();
    fillForms();
}

void PlanDock::showFacts()
{
    const plan::PlanTotals &before = m_before, &after = m_after;
    QString text = tr("stored <b>%1</b> \u2192 <b>%2</b>; error of the network <b>%3</b>, largest "
                      "of a layer <b>%4</b>")
                       .arg(storedWord(before), storedWord(after))
                       .arg(after.error, 0, 'g', 3)
                       .arg(after.largestError, 0, 'g', 3);
    for (std::size_t t = 0; t < m_survey->targets.size(); ++t) {
        text +=
            timesText(fromUtf8(m_survey->targets[t]->name), before.programs[t], after.programs[t]);
    }
    if (m_plan && !m_showsPoint)
        text += m_plan->proven ? tr("; proven: no other choice is better")
                               : tr("; not proven to be best: %1 against a bound of %2")
                                     .arg(m_plan->cost, 0, 'g', 6)
                                     .arg(m_plan->bound, 0, 'g', 6);
    if (m_plan) {
        const plan::Limits limits = this->limits();
        const report::PlanSubject subject{{}, {}, m_survey.get(), &*m_plan, &limits, nullptr, {}};
        for (const std::string &note : report::planNotes(subject))
            text += QStringLiteral("<br>") + fromUtf8(note).toHtmlEscaped();
    }
    m_facts->setText(text);
    m_plot->setPlan(after);
}

void PlanDock::showFront()
{
    const bool time = m_axis->currentIndex() == 1;
    const auto axis = time ? FrontPlot::Axis::Time : FrontPlot::Axis::Stored;
    m_plot->setFront(axis,
                     !m_plan ? std::vector<plan::FrontPoint>()
                     : time  ? m_plan->timeFront
                             : m_plan->storedFront,
                     m_survey ? fromUtf8(report::timedChips(*m_survey)) : QString());
    m_plot->setOther(m_build ? fromUtf8(m_build->name) : QString(),
                     m_build ? std::optional(m_build->totals) : std::nullopt);
}

std::size_t PlanDock::currentRow() const
{
    const QModelIndex current = m_table->currentIndex();
    return current.isValid() ? m_model->sourceRow(current.row()) : kNoIndex;
}

/// The forms that the selected weight may have, with bytes and errors.
void PlanDock::fillForms()
{
    m_form->clear();
    const std::size_t number = currentRow();
    const bool any =
        m_survey && number < m_survey->rows.size() && m_survey->rows[number].candidates != nullptr;
    m_form->setEnabled(any);
    if (!any) {
        m_form->addItem(tr("Select a weight that is planned"));
        return;
    }
    const plan::Row &row = m_survey->rows[number];
    m_form->addItem(tr("form by the plan"), QString());
    const auto forced = m_forced.find(number);
    for (const plan::Candidate &candidate : *row.candidates) {
        if (!candidate->refused.empty() && candidate->name != plan::kKeep)
            continue;
        const QString name = candidate->name == plan::kKeep
                                 ? tr("keep %1").arg(fromUtf8(row.stored))
                                 : fromUtf8(candidate->name);
        const plan::ChipFigures &chip = candidate->chips[0]; // the main one
        QString words = tr("%1 %2: %3 B, error %4")
                            .arg(theme::glyph(outcomeToken(chip.outcome)), name,
                                 groupedNumber(candidate->stored))
                            .arg(plan::layerError(row, candidate), 0, 'g', 3);
        if (chip.timeS)
            words += tr(", %1").arg(siWord(*chip.timeS, QStringLiteral("s")));
        m_form->addItem(words, rawFromUtf8(candidate->name));
        if (forced != m_forced.end() && forced->second == candidate->name)
            m_form->setCurrentIndex(m_form->count() - 1);
    }
}

void PlanDock::follow(const Place &place, QObject *origin)
{
    if (origin == this || !m_survey)
        return;
    const int row = m_model->rowOf(place.weight); // rows are all weights, in their order
    if (row < 0)
        return;
    m_following = true; // the place stays as it is
    chooseRow(m_table, m_model->index(row, 0));
    m_following = false;
}

} // namespace kernscope::ui
