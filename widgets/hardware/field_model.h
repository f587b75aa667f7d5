// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/task_table.h"
#include "widgets/common/row_table_model.h"

namespace kernscope::ui {

/// A register or field in every task of a text section, a row each.
class FieldModel final : public RowTable<report::FieldRow>
{
public:
    explicit FieldModel(QObject *parent = nullptr) : RowTable(report::fieldTable(), parent) {}
};

} // namespace kernscope::ui
