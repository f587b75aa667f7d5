// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/section_json.h"
#include "widgets/common/row_table_model.h"

#include <cstddef>
#include <cstdint>

namespace kernscope::ui {

using report::GroupRow;
using report::groupRows;

/// The groups of a weight as a table. Rows are counted as rows() has them; the table may show them
/// in another order.
class GroupModel final : public RowTable<GroupRow>
{
public:
    explicit GroupModel(QObject *parent = nullptr) : RowTable(report::groupTable(), parent) {}

    /// The row that makes an output channel; -1 where none does.
    int rowOfChannel(std::uint64_t channel) const;
    /// The row whose coefficients hold a byte of the file; -1 where none does.
    int rowOfByte(FileOffset offset) const;
    /// How many rows come before those of the copies.
    std::size_t rowsWithoutCopies() const;
};

} // namespace kernscope::ui
