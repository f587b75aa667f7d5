// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/plan_model.h"

#include <QFont>

#include <utility>

namespace kernscope::ui {

PlanModel::PlanModel(QObject *parent)
    : RowTableModel(report::plannedWeightTable().facts(), report::plannedWeightTable().windowOrder,
                    parent)
{
}

void PlanModel::show(std::shared_ptr<const plan::Survey> survey, std::vector<std::size_t> choice,
                     Reasons why)
{
    replaceRows(false, [&] {
        m_survey = std::move(survey);
        m_choice = std::move(choice);
        m_why = std::move(why);
        m_ofSeveral = m_survey && report::hasFunctions(*m_survey);
    });
}

report::PlannedWeight PlanModel::weightAt(std::size_t row) const
{
    return {m_survey.get(), row, m_choice[row], m_why[row], false, m_ofSeveral};
}

report::Value PlanModel::valueOf(std::size_t row, std::size_t declared) const
{
    return report::plannedWeightTable().columns[declared].value(weightAt(row));
}

std::string PlanModel::originOf(std::size_t row, std::size_t declared) const
{
    const auto origin = report::plannedWeightTable().columns[declared].origin;
    return origin != nullptr ? origin(weightAt(row)) : std::string();
}

report::SortValue PlanModel::orderOf(std::size_t row, std::size_t declared) const
{
    const auto order = report::plannedWeightTable().columns[declared].order;
    return order != nullptr ? order(weightAt(row)) : RowTableModel::orderOf(row, declared);
}

/// Forms that change are bold.
QVariant PlanModel::lookOf(std::size_t row, int column, int role) const
{
    if (role != Qt::FontRole || m_choice[row] == 0 || keyOf(column) != "to")
        return {};
    QFont font;
    font.setBold(true);
    return font;
}

} // namespace kernscope::ui

#include "moc_plan_model.cpp"
