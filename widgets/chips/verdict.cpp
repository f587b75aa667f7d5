// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chips/verdict.h"

#include "widgets/common/dock_tools.h"
#include "widgets/common/labels.h"
#include "widgets/common/qt.h"
#include "widgets/common/table_tools.h"

namespace kernscope::ui {

namespace {

constexpr int kGainsOnView = 4;  ///< on view at once
constexpr int kMostButtons = 50; ///< the rows below have the double click

} // namespace

QLabel *sharedVerdict(ChipState &state, QWidget *parent)
{
    auto *label = named(selectableLabel(parent), ChipState::tr("What the program waits for"));
    QFont bold = label->font();
    bold.setBold(true);
    label->setFont(bold);
    const auto show = [label, &state] {
        const auto &verdict = state.verdict();
        label->setText(verdict ? fromUtf8(verdict->sentence) : QString());
        label->setVisible(verdict.has_value());
    };
    QObject::connect(&state, &ChipState::verdictChanged, label, show);
    show();
    return label;
}

GainTable::GainTable(ChipState &state, QWidget *parent)
    : QTableView(parent), m_state(state),
      m_model(new RowTable<report::WeightGain>(report::gainTable, this))
{
    setAccessibleName(tr("Weights that another form would make faster"));
    setModel(m_model);
    prepareTable(this);
    setColumnWidths(horizontalHeader(), {11, 6, 8, 6, 6, 6, 7.5});
    growColumns(this, {m_model->columnOf("weight")});
    connect(&state, &ChipState::verdictChanged, this, &GainTable::showVerdict);
    connect(m_model, &QAbstractItemModel::layoutChanged, this, &GainTable::makeButtons);
    connect(selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex &current) {
                if (current.isValid() && hasFocus())
                    Q_EMIT weightChosen(m_model->rowAt(current.row()).weight);
            });
    connect(this, &QTableView::activated, this, [this](const QModelIndex &index) {
        Q_EMIT formWanted(m_model->rowAt(index.row()).weight);
    });
    showVerdict();
}

void GainTable::showVerdict()
{
    const auto &verdict = m_state.verdict();
    m_model->setRows(verdict ? verdict->gains : std::vector<report::WeightGain>());
    const int rows = std::min(m_model->rowCount(), kGainsOnView);
    setVisible(rows > 0);
    // With the room of a scroll bar, which a narrow dock needs.
    setFixedHeight(horizontalHeader()->sizeHint().height() +
                   rows * verticalHeader()->defaultSectionSize() + 2 * frameWidth() +
                   horizontalScrollBar()->sizeHint().height());
    makeButtons();
}

void GainTable::makeButtons()
{
    const int column = m_model->columnOf("form");
    for (int row = 0; row < std::min(m_model->rowCount(), kMostButtons); ++row) {
        const report::WeightGain &gain = m_model->rowAt(row);
        auto *button = new QToolButton;
        button->setText(fromUtf8(gain.form) + QChar(0x2026));
        button->setToolTip(tr("Choose a Form: what %1 costs in accuracy, and Apply to a copy")
                               .arg(fromUtf8(gain.form)));
        button->setAccessibleName(
            tr("Choose a form for %1: %2").arg(fromUtf8(gain.name), fromUtf8(gain.form)));
        connect(button, &QToolButton::clicked, this,
                [this, weight = gain.weight] { Q_EMIT formWanted(weight); });
        setIndexWidget(m_model->index(row, column), button);
    }
}

} // namespace kernscope::ui

#include "moc_verdict.cpp"
