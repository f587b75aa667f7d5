// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/hwx/container.h"
#include "core/format/catalogue.h"

namespace kernscope::hwx {

/// What the bytes at one place of a container are.
struct NamedField {
    /// "task 3: Common ConvCfg (Ox 29:28)" with the fields of that byte, "command 1: vm address",
    /// "symbol 4: value"
    std::string name;
    ByteRange range;                 ///< of the whole field
    std::optional<std::size_t> task; ///< index within its text section
    format::Confidence confidence = format::Confidence::Assumed;
    std::string source; ///< of the name; empty where no table has it
};

/// The field that holds a byte: of the header, a command, a section or relocation record, a symbol,
/// a task's header, record or register. Nothing where no table names one (kernels, padding).
/// Costs a search among tables and the decoding of one task.
std::optional<NamedField> fieldAt(const Container &container, std::span<const std::byte> bytes,
                                  FileOffset offset);

/// Fields of a command in order, its section records included; the rest of its bytes are left out.
std::vector<NamedField> fieldsOfCommand(const Container &container, const LoadCommand &command);

} // namespace kernscope::hwx
