// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/chip_models.h"

#include "core/bundle/bundle.h"
#include "core/form/form_steps.h"
#include "widgets/models/words.h"

#include <QGuiApplication>

namespace kernscope::ui {

StreamMatrixModel::StreamMatrixModel(QObject *parent)
    : QAbstractTableModel(parent),
      m_columns(report::weightTable(), {"name", "function", "form", "stored_bytes"})
{
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
                      m_table->columns() == table->columns() &&
                      (m_bundle == bundle || namesOf(m_bundle) == namesOf(bundle));
    const auto take = [&] {
        m_shortNames.clear();
        m_bundle = std::move(bundle);
        m_table = std::move(table);
        m_faster = std::move(faster);
        select();
    };
    if (same && m_filter.empty() && !m_onlyFaster) {
        take(); // no filter: all weights, in order
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
        return;
    }
    beginResetModel();
    take();
    endResetModel();
}

void StreamMatrixModel::setFilter(const QString &words)
{
    beginResetModel();
    m_filter = TextFilter(words);
    select();
    endResetModel();
}

void StreamMatrixModel::setOnlyFaster(bool only)
{
    beginResetModel();
    m_onlyFaster = only;
    select();
    endResetModel();
}

void StreamMatrixModel::select()
{
    m_rows.clear();
    m_sums.assign(m_table ? m_table->columns() : 0, {});
    if (!m_table || !m_bundle)
        return;
    for (std::size_t row = 0; row < m_table->rows(); ++row) {
        const Weight &weight = m_bundle->weights()[row];
        const bool faster = row < m_faster.size() && m_faster[row];
        if ((m_onlyFaster && !faster) ||
            (!m_filter.empty() &&
             !m_filter.passes({weight.name, report::functionWords(weight), formText(weight.form),
                               formWords(weight.form)})))
            continue;
        m_rows.push_back(row);
        for (std::size_t chip = 0; chip < m_sums.size(); ++chip) {
            if (const auto moved = m_table->bytesMoved(row, chip))
                m_sums[chip].bytes += *moved;
            else
                ++m_sums[chip].unknown;
        }
    }
}

std::size_t StreamMatrixModel::weightOf(int row) const
{
    const auto at = static_cast<std::size_t>(row);
    return row >= 0 && at < m_rows.size() ? m_rows[at] : kNoIndex;
}

int StreamMatrixModel::rowOf(std::size_t weight) const
{
    const auto at = std::lower_bound(m_rows.begin(), m_rows.end(), weight);
    return at == m_rows.end() || *at != weight ? -1 : static_cast<int>(at - m_rows.begin());
}

std::size_t StreamMatrixModel::chipOf(int column) const
{
    return column < firstChip() ? kNoIndex : static_cast<std::size_t>(column - firstChip());
}

int StreamMatrixModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() || !m_table ? 0 : static_cast<int>(m_rows.size()) + 1;
}

int StreamMatrixModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0
                            : firstChip() + (m_table ? static_cast<int>(m_table->columns()) : 0);
}

report::WeightFacts StreamMatrixModel::factsOf(std::size_t weight) const
{
    report::WeightFacts facts;
    facts.bundle = m_bundle.get();
    facts.index = weight;
    facts.severalFunctions = true; // the dock hides the column where there is one
    return facts;
}

QVariant StreamMatrixModel::weightCell(std::size_t weight, int column, int role) const
{
    if (role == kShortNameRole && m_columns.key(column) == "name") {
        const auto &weights = m_bundle->weights();
        return m_shortNames.of(
            weight, weights.size(), [&](std::size_t at) { return fromUtf8(weights[at].name); },
            [&](std::size_t at) { return fromUtf8(report::functionWords(weights[at])); });
    }
    return m_columns.cell(column, factsOf(weight), role);
}

QVariant StreamMatrixModel::chipCell(std::size_t weight, std::size_t chip, int role) const
{
    const decision::Verdict &verdict = m_table->verdict(weight, chip);
    const Token token = outcomeToken(verdict.outcome);
    const bool dark = theme::isDark(QGuiApplication::palette());
    switch (role) {
    case Qt::DisplayRole: return outcomeLabel(verdict.outcome);
    case kOutcomeRole: return static_cast<int>(verdict.outcome);
    case CopyRole: return outcomeWord(verdict.outcome);
    case Qt::ToolTipRole:
    case Qt::AccessibleDescriptionRole:
        return tr("%1 on %2: %3. %4")
            .arg(fromUtf8(m_bundle->weights()[weight].findableName()),
                 fromUtf8(verdict.target->name), outcomeWord(verdict.outcome),
                 fromUtf8(verdict.nearestChange));
    case Qt::BackgroundRole:
        return token == Token::OutUnknown ? QVariant() : QVariant(tokenTint(token, dark));
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
    const bool none = !m_rows.empty() && sum.unknown == m_rows.size();
    switch (role) {
    case Qt::DisplayRole:
        return none ? tr("unknown")
                    : siWord(static_cast<double>(sum.bytes), QStringLiteral("B")) +
                          (sum.unknown > 0 ? QStringLiteral(" +?") : QString());
    case CopyRole: return none ? QVariant() : QVariant(static_cast<qulonglong>(sum.bytes));
    case Qt::ToolTipRole:
        return tr("%1 of %2 weights; %3 without a figure (unknown or refused)")
            .arg(bytesWord(sum.bytes), groupedNumber(m_rows.size() - sum.unknown),
                 groupedNumber(sum.unknown));
    default: return {};
    }
}

QVariant StreamMatrixModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid() || !m_table)
        return {};
    if (isSumRow(index.row()))
        return sumCell(index.column(), role);
    const std::size_t weight = weightOf(index.row());
    if (weight == kNoIndex)
        return {};
    const std::size_t chip = chipOf(index.column());
    return chip == kNoIndex ? weightCell(weight, index.column(), role)
                            : chipCell(weight, chip, role);
}

QVariant StreamMatrixModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return {};
    const std::size_t chip = chipOf(section);
    if (chip == kNoIndex)
        return m_columns.header(section, role);
    const target::Target &target = m_table->target(chip);
    if (role == Qt::DisplayRole)
        return fromUtf8(target.name);
    if (role == kProductRole)
        return productWord(target);
    if (role == Qt::ToolTipRole)
        return target.silicon.empty() ? fromUtf8(target.name)
                                      : fromUtf8(target.name + ": " + target.silicon);
    return {};
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
