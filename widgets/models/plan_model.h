// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/plan_table.h"
#include "widgets/models/row_table_model.h"

#include <memory>
#include <string>
#include <vector>

namespace kernscope::ui {

/// The weights of a plan and the forms that they get. Rows are made as they are asked for: 50,000
/// weights take no longer to show than the few that are in sight.
class PlanModel final : public RowTableModel
{
    Q_OBJECT

public:
    using Reasons = std::vector<std::string>;

    explicit PlanModel(QObject *parent = nullptr);

    /// Shows these candidates of the weights and why they have them, one a row of the survey each.
    void show(std::shared_ptr<const plan::Survey> survey, std::vector<std::size_t> choice,
              Reasons why);
    void clear() { show(nullptr, {}, {}); }

protected:
    std::size_t rowTotal() const override { return m_choice.size(); }
    report::Value valueOf(std::size_t row, std::size_t declared) const override;
    std::string originOf(std::size_t row, std::size_t declared) const override;
    report::SortValue orderOf(std::size_t row, std::size_t declared) const override;
    QVariant lookOf(std::size_t row, int column, int role) const override;

private:
    report::PlannedWeight weightAt(std::size_t row) const;

    std::shared_ptr<const plan::Survey> m_survey;
    std::vector<std::size_t> m_choice;
    Reasons m_why;
    bool m_ofSeveral = false; ///< functions
};

} // namespace kernscope::ui
