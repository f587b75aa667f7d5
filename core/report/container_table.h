// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/hwx/container.h"
#include "core/report/column.h"

/// The tables of a hardware container, as `hwx` and the Commands dock list them. Rows point into
/// the container.
namespace kernscope::report {

struct CommandFacts {
    const hwx::Container *container = nullptr;
    const hwx::LoadCommand *command = nullptr;
};
std::vector<CommandFacts> commandFacts(const hwx::Container &container);
extern const TableOf<CommandFacts> commandTable;

/// A section; of a segment without sections the segment alone.
struct ContainerSectionFacts {
    const hwx::Segment *segment = nullptr;
    const hwx::SegmentSection *section = nullptr; ///< null: the segment has none
};
std::vector<ContainerSectionFacts> containerSectionFacts(const hwx::Container &container);
extern const TableOf<ContainerSectionFacts> containerSectionTable;

/// Threads whose role is Port.
std::vector<const hwx::Thread *> portFacts(const hwx::Container &container);
extern const TableOf<const hwx::Thread *> portTable;

struct SymbolFacts {
    const hwx::Symbol *symbol = nullptr;
    std::size_t index = 0; ///< in the symbol table
    std::string says;      ///< what its name says: kernel and lane, axes with strides, type
};
std::vector<SymbolFacts> symbolFacts(const hwx::Container &container);
/// The 16 bytes of the symbol in the file; nothing without a symbol table.
std::optional<ByteRange> symbolEntry(const hwx::Container &container, std::size_t symbol);
extern const TableOf<SymbolFacts> symbolTable;

} // namespace kernscope::report
