// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/target/target.h"
#include "widgets/chips/fact_table_model.h"

namespace kernscope::ui {

/// The four numberings of element types beside the kernel formats, as rows of facts: the symbol
/// catalogue, the tensor formats (table 36.2, with the fold predicate and what CheckValidDMAFormat
/// says on a chip), the serialization types and the types of weight.bin.
FactTableModel *makeElementTypeModel(QObject *parent);
std::vector<FactTableModel::Row> elementTypeRows(const target::Target &target);

} // namespace kernscope::ui
