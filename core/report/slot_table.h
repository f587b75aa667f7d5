// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/hwx/slots.h"
#include "core/report/column.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Words of a hardware container that are left for the loader: `hwx`, `inspect` and the
/// Relocations dock.
namespace kernscope::report {

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
const TableOf<SlotFacts> &slotTable();
/// `hwx --load-at`; rows of loadedSlotRows().
const TableOf<SlotFacts> &loadedSlotTable();

} // namespace kernscope::report
