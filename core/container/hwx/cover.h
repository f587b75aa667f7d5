// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/hwx/container.h"
#include "core/format/record_fields.h"

namespace kernscope::hwx {

/// What a run of a container's bytes is.
enum class SpanKind : std::uint8_t {
    Header,
    Command,
    Relocations,
    Symbols,
    Strings,
    TaskHeader,
    Record, ///< a register record of a task
    Task,   ///< a whole task: of a file with too many to list their records, or a faulty one
    Text,   ///< words of a text section that belong to no task
    Kernel, ///< kernel bytes that a symbol names, or that none does
    Debug,  ///< __debug_info: records of the compiler, whose layout is not published
    Data,   ///< another section: __RUNTIME
    Note,
    Padding, ///< zero bytes between the others
};

struct CoverSpan {
    ByteRange range;
    SpanKind kind = SpanKind::Padding;
    std::string name;
};

/// Runs of the file that its tables name, and the zero bytes between them; they may overlap where
/// the file is faulty. What is left is not known.
std::vector<CoverSpan> coverContainer(const Container &container, std::span<const std::byte> bytes);

/// Adds runs of zero bytes that lie between the spans (of up to 1 MiB each) as padding.
void addPadding(std::vector<CoverSpan> &spans, std::span<const std::byte> bytes);

/// Spans of the tasks of one text section.
void coverTasks(const Container &container, const Text &text, std::span<const std::byte> bytes,
                std::vector<CoverSpan> &spans);

/// Printable characters in a record, at least four of them.
struct DebugText {
    FileOffset offset;
    std::string text;
};

/// A run of a debug section (type 0x32), from a place that symbols name to the next such place or
/// the end of the section. Where records begin is all that is known: what they hold is not
/// published.
struct DebugRecord {
    std::uint32_t section = 0; ///< ordinal
    ByteRange bytes;           ///< in the file
    std::uint64_t address = 0;
    std::vector<std::size_t> symbols; ///< that name its start; none: bytes before the first symbol
    std::vector<DebugText> texts;
};

/// Those of all debug sections, ascending in each; together they cover the sections' bytes.
std::vector<DebugRecord> debugRecords(const Container &container, std::span<const std::byte> bytes);

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
