// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/progress.h"
#include "core/bundle/bundle_fwd.h"
#include "core/descriptor/register_map.h"
#include "core/report/column.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace kernscope::report {

/// A register or header word of the tasks of one text section, or a run of its bits.
struct FieldQuery {
    std::size_t text = 0; ///< index into Container::texts
    bool header = false;
    std::uint32_t address = 0; ///< of the register; of the header the offset of the word, in bytes
    unsigned low = 0, high = 31;
    friend bool operator==(const FieldQuery &, const FieldQuery &) = default;
};

/// What one task has there.
struct FieldRow {
    std::uint32_t task = 0;
    std::optional<std::uint32_t> value; ///< nothing: no task so far wrote it
    bool word = false;                  ///< all 32 bits: the value is shown in hexadecimal
    bool written = false;               ///< by this task; else left there by those before
    std::uint64_t place = 0;            ///< of the word in the file; of a task that writes none,
                                        ///< where the task begins
    std::string meaning;                ///< empty where nothing is known beyond the number
};

/// A row for each task of that text section, in its order; none where its words are not known.
/// Stops early where `progress` is cancelled. Costs one pass over the section.
std::vector<FieldRow> fieldRows(const Bundle &bundle, const FieldQuery &query, Progress &progress);
/// Task, value, meaning, whether it is written, place.
const TableOf<FieldRow> &fieldTable();

} // namespace kernscope::report
