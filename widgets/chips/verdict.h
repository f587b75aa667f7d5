// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/chips/chip_state.h"
#include "widgets/models/row_table_model.h"

#include <QTableView>

namespace kernscope::ui {

/// What the program waits for on the chip of the session: a sentence that follows it.
QLabel *sharedVerdict(ChipState &state, QWidget *parent);

/// The weights that another form would make faster on that chip, the largest gain first; hidden
/// where there are none. The form is a button that leads to its candidates.
class GainTable final : public QTableView
{
    Q_OBJECT

public:
    GainTable(ChipState &state, QWidget *parent);
    RowTableModel &rows() { return *m_model; }

Q_SIGNALS:
    void weightChosen(std::size_t weight); ///< a row, by the person
    void formWanted(std::size_t weight);   ///< its button, double click or Enter

private:
    void showVerdict();
    void makeButtons();

    ChipState &m_state;
    RowTable<report::WeightGain> *m_model;
};

} // namespace kernscope::ui
