// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/hwx/container.h"
#include "core/format/record_fields.h"

namespace kernscope::hwx {

/// The field that holds a byte: of the header, a command, a section or relocation record, a symbol,
/// a task's header, record or register. Nothing where no table names one (kernels, padding).
/// Costs a search among tables and the decoding of one task. Names are "command 1: vm address" or,
/// of a register, "task 3: Common ConvCfg (Ox 29:28)" with the fields of that byte.
std::optional<format::PlacedField> fieldAt(const Container &container,
                                           std::span<const std::byte> bytes, FileOffset offset);

/// Fields of a command in order, its section records included; the rest of its bytes are left out.
std::vector<format::PlacedField> fieldsOfCommand(const Container &container,
                                                 const LoadCommand &command);

} // namespace kernscope::hwx
