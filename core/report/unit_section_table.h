// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/hwx/task_unit.h"
#include "core/report/column.h"

#include <optional>
#include <string_view>
#include <vector>

/// The six sections of a kernel unit (listing 25.1), as the window lists them.
namespace kernscope::report {

struct UnitSectionFacts {
    format::KernelUnit::SectionId section = format::KernelUnit::Lut;
    std::optional<format::UnitSection> content; ///< empty: the unit has none
    std::string_view note;                      ///< what it rests on where that is not stored
};

/// One row a section; the notes lie in `unit`, which outlives them.
std::vector<UnitSectionFacts> unitSections(const hwx::TaskUnit &unit);

const TableOf<UnitSectionFacts> &unitSectionTable();

/// Bytes of the palette and of the activation table, which share one on-chip memory (chapter 25).
/// Its size is not published of any chip, so that nothing says whether they fit. Empty text: the
/// unit has neither.
std::string tableBudgetText(std::uint64_t palette, std::uint64_t activation);

} // namespace kernscope::report
