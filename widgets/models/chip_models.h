// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/geometry_table.h"
#include "core/report/plan_table.h"
#include "core/report/weight_table.h"
#include "widgets/models/row_table_model.h"

#include <QFont>

namespace kernscope::ui {

/// Weights down, chips across: what each chip does with each weight. The last row holds the sums
/// of the bytes moved, over all weights: a filter makes no call cheaper.
class StreamMatrixModel final : public RowTableModel
{
    Q_OBJECT

public:
    /// decision::Outcome as a number, of cells that hold one.
    static constexpr int kOutcomeRole = Qt::UserRole + 60;
    explicit StreamMatrixModel(QObject *parent = nullptr);

    /// The columns before the chips are those of report::weightTable.
    int firstChip() const { return m_weightColumns.count(); }

    void setTable(BundlePtr bundle, std::shared_ptr<const DecisionTable> table,
                  std::vector<bool> faster);
    void setOnlyFaster(bool only);

    const std::shared_ptr<const DecisionTable> &table() const { return m_table; }
    bool isSumRow(int row) const { return row == RowTableModel::rowCount(); }
    /// Weight of a row; kNoIndex for the sums.
    std::size_t weightOf(int row) const;
    /// Chip of a column; kNoIndex for those before the chips.
    std::size_t chipOf(int column) const;

    int rowCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;

protected:
    std::size_t rowTotal() const override { return m_table ? m_table->rows() : 0; }
    report::Value valueOf(std::size_t weight, std::size_t column) const override;
    std::string originOf(std::size_t, std::size_t) const override { return {}; }
    report::SortValue orderOf(std::size_t weight, std::size_t column) const override;
    QVariant lookOf(std::size_t weight, int column, int role) const override;
    bool admits(std::size_t weight) const override;
    std::string alsoSearched(std::size_t weight) const override;

private:
    struct Sum {
        std::uint64_t bytes = 0;
        std::size_t unknown = 0; ///< weights without a figure: unknown or refused
    };
    void addUp();
    QVariant sumCell(int column, int role) const;
    report::WeightFacts factsOf(std::size_t weight) const;

    WindowColumns<report::WeightFacts> m_weightColumns;
    BundlePtr m_bundle;
    ShortNameCache m_names;
    std::shared_ptr<const DecisionTable> m_table;
    std::vector<bool> m_faster;
    std::vector<Sum> m_sums; ///< a chip each
    bool m_onlyFaster = false;
};

/// The weights of a plan and the forms that they get. Rows are made as they are asked for: 50,000
/// weights take no longer to show than the few that are in sight.
class PlanModel final : public DeclaredTable<report::PlannedWeight>
{
    Q_OBJECT

public:
    using Reasons = std::vector<std::string>;

    explicit PlanModel(QObject *parent = nullptr)
        : DeclaredTable(report::plannedWeightTable, parent)
    {
    }

    /// Shows these candidates of the weights and why they have them, one a row of the survey each.
    void show(std::shared_ptr<const plan::Survey> survey, std::vector<std::size_t> choice,
              Reasons why);
    void clear() { show(nullptr, {}, {}); }

protected:
    std::size_t rowTotal() const override { return m_choice.size(); }
    report::PlannedWeight factsOf(std::size_t row) const override;
    QVariant lookOf(std::size_t row, int column, int role) const override;

private:
    std::shared_ptr<const plan::Survey> m_survey;
    std::vector<std::size_t> m_choice;
    Reasons m_why;
    bool m_ofSeveral = false; ///< functions
};

/// Figures of the engine, as the docks Geometry and Collective list them; headings are bold.
class EngineFactModel final : public RowTable<report::EngineFact>
{
public:
    explicit EngineFactModel(const report::TableOf<report::EngineFact> &table, QObject *parent)
        : RowTable(table, parent)
    {
        setLook([](const report::EngineFact &row, std::string_view, int role) -> QVariant {
            if (role != Qt::FontRole || !row.heading)
                return {};
            QFont font;
            font.setBold(true);
            return font;
        });
    }
};

} // namespace kernscope::ui
