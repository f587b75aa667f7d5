// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/chip_models.h"

#include "core/bundle/bundle.h"
#include "core/form/form_steps.h"
#include "widgets/models/words.h"

#include <QGuiApplication>

namespace kernscope::ui {

StreamMatrixModel::StreamMatrixModel(QObject *parent)
    : RowTableModel({}, {}, parent),
      m_weightColumns(report::weightTable, {"name", "function", "form", "stored_bytes"})
{
    setTable({}, {}, {});
}

void StreamMatrixModel::setTable(BundlePtr bundle, std::shared_ptr<const DecisionTable> table,
                                 std::vector<bool> faster)
{
    const auto namesOf = [](const BundlePtr &of) {
        std::vector<std::string> names;
        for (const Weight &weight : of->weights())
            names.push_back(weight.address());
        return names;
    };
    // After an edit the rows are the same weights: views keep their place.
    const bool same = m_bundle && bundle && m_table && table &&
                      m_bundle->path() == bundle->path() &&
                      m_table->columns() == table->columns() && filter().isEmpty() &&
                      !m_onlyFaster && (m_bundle == bundle || namesOf(m_bundle) == namesOf(bundle));
    replaceRows(same, [&] {
        m_names.clear();
        m_bundle = std::move(bundle);
        m_table = std::move(table);
        m_faster = std::move(faster);
        std::vector<report::ColumnFacts> columns;
        for (int column = 0; column < firstChip(); ++column)
            columns.push_back(m_weightColumns.facts(column));
        for (std::size_t chip = 0; m_table && chip < m_table->columns(); ++chip) {
            report::ColumnFacts &facts = columns.emplace_back();
            facts.key = m_table->target(chip).name;
            facts.searched = false;
        }
        setColumns(std::move(columns));
        addUp();
    });
    if (same)
        reorder();
}

void StreamMatrixModel::setOnlyFaster(bool only)
{
    m_onlyFaster = only;
    chooseAnew();
}

bool StreamMatrixModel::admits(std::size_t weight) const
{
    return !m_onlyFaster || (weight < m_faster.size() && m_faster[weight]);
}

std::string StreamMatrixModel::alsoSearched(std::size_t weight) const
{
    return formText(m_bundle->weights()[weight].form);
}

void StreamMatrixModel::addUp()
{
    m_sums.assign(m_table ? m_table->columns() : 0, {});
    for (std::size_t weight = 0; weight < rowTotal(); ++weight) {
        for (std::size_t chip = 0; chip < m_sums.size(); ++chip) {
            if (const auto moved = m_table->bytesMoved(weight, chip))
                m_sums[chip].bytes += *moved;
            else
                ++m_sums[chip].unknown;
        }
    }
}

std::size_t StreamMatrixModel::weightOf(int row) const
{
    return row >= 0 && row < RowTableModel::rowCount() ? sourceRow(row) : kNoIndex;
}

std::size_t StreamMatrixModel::chipOf(int column) const
{
    return column < firstChip() ? kNoIndex : static_cast<std::size_t>(column - firstChip());
}

int StreamMatrixModel::rowCount(const QModelIndex &parent) const
{
    return RowTableModel::rowCount(parent) + (parent.isValid() || !m_table ? 0 : 1);
}

report::WeightFacts StreamMatrixModel::factsOf(std::size_t weight) const
{
    report::WeightFacts facts;
    facts.bundle = m_bundle.get();
    facts.index = weight;
    facts.severalFunctions = true; // the dock hides the column where there is one
    return facts;
}

report::Value StreamMatrixModel::valueOf(std::size_t weight, std::size_t column) const
{
    const std::size_t chip = chipOf(static_cast<int>(column));
    return chip == kNoIndex ? m_weightColumns.value(static_cast<int>(column), factsOf(weight))
                            : outcomeLabel(m_table->verdict(weight, chip).outcome).toStdString();
}

/// Outcomes in the order of the legend.
report::SortValue StreamMatrixModel::orderOf(std::size_t weight, std::size_t column) const
{
    const std::size_t chip = chipOf(static_cast<int>(column));
    return chip == kNoIndex ? m_weightColumns.order(static_cast<int>(column), factsOf(weight))
                            : static_cast<std::uint64_t>(m_table->verdict(weight, chip).outcome);
}

QVariant StreamMatrixModel::lookOf(std::size_t weight, int column, int role) const
{
    const std::size_t chip = chipOf(column);
    if (chip == kNoIndex) {
        if (role != kShortNameRole || keyOf(column) != "name")
            return {};
        const auto &weights = m_bundle->weights();
        return m_names.of(
            weight, weights.size(), [&](std::size_t at) { return fromUtf8(weights[at].name); },
            [&](std::size_t at) { return fromUtf8(report::functionWords(weights[at])); });
    }
    const decision::Verdict &verdict = m_table->verdict(weight, chip);
    const Token token = outcomeToken(verdict.outcome);
    switch (role) {
    case kOutcomeRole: return static_cast<int>(verdict.outcome);
    case CopyRole: return outcomeWord(verdict.outcome);
    case Qt::ToolTipRole:
    case Qt::AccessibleDescriptionRole:
        return tr("%1 on %2: %3. %4")
            .arg(fromUtf8(m_bundle->weights()[weight].findableName()),
                 fromUtf8(verdict.target->name), outcomeWord(verdict.outcome),
                 fromUtf8(verdict.nearestChange));
    case Qt::BackgroundRole:
        return token == Token::OutUnknown
                   ? QVariant()
                   : QVariant(tokenTint(token, theme::isDark(QGuiApplication::palette())));
    case Qt::ForegroundRole:
        return token == Token::OutUnknown
                   ? QVariant()
                   : QVariant(QGuiApplication::palette().color(QPalette::Text));
    default: return {};
    }
}

QVariant StreamMatrixModel::sumCell(int column, int role) const
{
    if (role == Qt::FontRole) {
        QFont font;
        font.setBold(true);
        return font;
    }
    if (column == 0)
        return role == Qt::DisplayRole || role == CopyRole ? QVariant(tr("Bytes per call"))
                                                           : QVariant();
    if (role == Qt::TextAlignmentRole)
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    if (column < firstChip())
        return {};
    const Sum &sum = m_sums[chipOf(column)];
    const std::size_t rows = rowTotal();
    const bool none = rows > 0 && sum.unknown == rows;
    switch (role) {
    case Qt::DisplayRole:
        return none ? tr("unknown")
                    : siWord(static_cast<double>(sum.bytes), QStringLiteral("B")) +
                          (sum.unknown > 0 ? QStringLiteral(" +?") : QString());
    case CopyRole: return none ? QVariant() : QVariant(static_cast<qulonglong>(sum.bytes));
    case Qt::ToolTipRole:
        return tr("%1 of %2 weights; %3 without a figure (unknown or refused)")
            .arg(bytesWord(sum.bytes), groupedNumber(rows - sum.unknown),
                 groupedNumber(sum.unknown));
    default: return {};
    }
}

QVariant StreamMatrixModel::data(const QModelIndex &index, int role) const
{
    return index.isValid() && isSumRow(index.row()) ? sumCell(index.column(), role)
                                                    : RowTableModel::data(index, role);
}

QVariant StreamMatrixModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < firstChip() || section >= columnCount())
        return RowTableModel::headerData(section, orientation, role);
    const target::Target &target = m_table->target(chipOf(section));
    switch (role) {
    case Qt::DisplayRole: return fromUtf8(target.name);
    case kProductRole: return productWord(target);
    case Qt::ToolTipRole:
        return target.silicon.empty() ? fromUtf8(target.name)
                                      : fromUtf8(target.name + ": " + target.silicon);
    case Qt::TextAlignmentRole: return {};
    default: return RowTableModel::headerData(section, orientation, role);
    }
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

report::PlannedWeight PlanModel::factsOf(std::size_t row) const
{
    return {m_survey.get(), row, m_choice[row], m_why[row], false, m_ofSeveral};
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

#include "moc_chip_models.cpp"
