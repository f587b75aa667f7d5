// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/progress.h"
#include "core/bundle/bundle_fwd.h"
#include "core/container/hwx/slots.h"
#include "core/descriptor/register_map.h"
#include "core/report/column.h"

namespace kernscope::report {

/// What a list shows of one task of a hardware container, in plain numbers: a hundred thousand of
/// them take few megabytes.
struct TaskRow {
    std::uint32_t text = 0;  ///< index into Container::texts
    std::uint32_t index = 0; ///< within that text
    std::uint64_t fileOffset = 0;
    std::uint32_t bytes = 0, records = 0, stream = 0;
    std::uint32_t lanes = 0;
    /// Empty: the task's registers do not say it.
    std::optional<std::uint32_t> cin, cout, kernelWidth, kernelHeight;
    bool exact = true; ///< its records end where it ends
};

/// The rows of every task of the bundle's container; stops early where `progress` is cancelled.
std::vector<TaskRow> taskRows(const Bundle &bundle, Progress &progress);
/// As the Tasks dock lists them.
extern const TableOf<TaskRow> taskTable;

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
extern const TableOf<FieldRow> fieldTable;

// Words of a hardware container that are left for the loader: `hwx`, `inspect` and the
// Relocations dock.

/// A slot, with what a load would write where one was computed.
struct SlotFacts {
    const hwx::Slot *slot = nullptr;
    const hwx::LoadedSlot *loaded = nullptr; ///< null where none was computed
    std::string_view file = {};              ///< of the bundle
};
/// The slots must outlive the rows.
std::vector<SlotFacts> slotRows(std::span<const hwx::Slot> slots, std::string_view file);
/// With what a load would write: of each that it computed.
std::vector<SlotFacts> loadedSlotRows(std::span<const hwx::Slot> slots,
                                      std::span<const hwx::LoadedSlot> loaded);
extern const TableOf<SlotFacts> slotTable;
/// `hwx --load-at`; rows of loadedSlotRows().
extern const TableOf<SlotFacts> loadedSlotTable;

} // namespace kernscope::report
