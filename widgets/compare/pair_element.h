// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/edit_table.h"
#include "widgets/common/row_table_model.h"
#include "widgets/compare/pair_pictures.h"

#include <QTableView>

namespace kernscope::ui {

/// The picked element as both builds store it: value, code, codebook entry, bytes and their place,
/// and how far the two are apart.
class PairElementTable final : public QTableView
{
    Q_OBJECT

public:
    explicit PairElementTable(QWidget *parent = nullptr);

    void showElement(const PairSubject &subject, const ElementReadings &readings);
    void clearElement();

private:
    void fitColumns();

    RowTable<report::PickedFact> *m_facts = nullptr;
};

} // namespace kernscope::ui
