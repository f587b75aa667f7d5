// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/collective.h"
#include "core/report/column.h"
#include "core/target/target.h"

#include <optional>
#include <string_view>
#include <vector>

/// The tables of chapter 36 as `collective` lists them.
namespace kernscope::report {

const TableOf<decision::CollectiveOp> &collectiveOperationTable();

/// A capability byte on a chip. Nothing is owned.
struct CollectiveByteFacts {
    const decision::CollectiveByte *byte = nullptr;
    std::optional<bool> value; ///< its lowest bit; empty where the chip's byte is not known
    std::string_view source;   ///< of the value, or of the byte where there is none
};
std::vector<CollectiveByteFacts> collectiveByteRows(const target::Target &target);
/// The value's column is called "on" and the chip in text.
const TableOf<CollectiveByteFacts> &collectiveByteTable();

const TableOf<decision::CollectiveGate> &collectiveGateTable();
/// The registers that HandleCcdmaLayer sets, in order.
const TableOf<decision::CcdmaSetter> &ccdmaSetterTable();
/// Conditions and messages around them, the members, what sharding asks for.
const TableOf<decision::CollectiveNote> &collectiveNoteTable();

} // namespace kernscope::report
