// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/quantity.h"
#include "core/descriptor/walk.h"

#include <array>
#include <memory>

/// The hardware container (.hwx): a Mach-O like file with magic 0xbeefface that holds task
/// descriptors, kernel bytes, ports and symbols (resources/formats/hardware-containers.md,
/// resources/formats/descriptors.md).
namespace kernscope::hwx {

inline constexpr std::uint32_t kMagic = 0xbeefface;
inline constexpr std::uint64_t kHeaderBytes = 32;

struct Header {
    std::uint32_t magic = 0, cputype = 0, cpusubtype = 0, filetype = 0;
    std::uint32_t ncmds = 0, sizeofcmds = 0, flags = 0, reserved = 0;
};

enum class CommandKind : std::uint8_t {
    Segment,     ///< 0x19; item: index into segments
    SymbolTable, ///< 0x02
    Thread,      ///< 0x04; item: index into threads
    Binding32,   ///< 0x06; item: index into bindings
    Ident,       ///< 0x08
    Signature,   ///< 0x1d, as in Mach-O; item: index into notes
    Note,        ///< 0x31; item: index into notes
    Binding64,   ///< 0x40; item: index into bindings
    Unknown,     ///< kept and shown raw
};
/// "segment_64", "symtab", "thread", "fvmlib_ref32", "ident", "code_signature", "note",
/// "fvmlib_ref64", "unknown"
std::string_view commandKindName(CommandKind kind);

struct LoadCommand {
    std::uint32_t index = 0;
    FileOffset offset;
    std::uint32_t cmd = 0;
    std::uint32_t size = 0;   ///< up to the next command
    std::uint32_t stated = 0; ///< as its second word says; another number where that is damaged
    CommandKind kind = CommandKind::Unknown;
    std::size_t item = 0;
};

/// 8 bytes: where in a section's words the loader adds a target.
struct Relocation {
    std::uint32_t address = 0; ///< from the start of the section
    std::uint32_t info = 0;    ///< the second word as stored
    FileOffset place;          ///< of the record

    std::uint32_t symbolNumber() const { return info & 0xFFFFFF; } ///< or a section's ordinal
    bool pcRelative() const { return (info >> 24 & 1) != 0; }
    unsigned length() const { return info >> 25 & 3; } ///< log2 of its bytes
    bool external() const { return (info >> 27 & 1) != 0; }
    unsigned type() const { return info >> 28; }
};

struct Segment;

/// What a section is for: the low byte of its flags.
enum class SectionType : std::uint8_t { Other, Input, Output, Bss, Kernel, Text, Debug };
/// "io_input", "io_output", "bss", "kernel_const", "task_text", "debug_info", "unknown"
std::string_view sectionTypeName(SectionType type);

struct SegmentSection {
    std::uint32_t ordinal = 0; ///< from 1 over the whole file, in command order
    std::string name, segment; ///< up to their first NUL
    std::uint64_t address = 0, size = 0;
    std::uint32_t offset = 0, alignLog2 = 0, relocationOffset = 0, relocationCount = 0, flags = 0;
    std::array<std::uint32_t, 3> reserved{};
    FileOffset place; ///< of its record
    std::vector<Relocation> relocations;

    SectionType type() const;
    /// Its addresses are some of its segment's.
    bool within(const Segment &segmentOf) const;
    /// Its bytes in the file; nothing for one without (ports, intermediate buffers).
    std::optional<ByteRange> bytes; ///< checked against the file
};

struct Segment {
    std::string name;
    std::uint64_t vmAddress = 0, vmSize = 0, fileOffset = 0, fileSize = 0;
    std::uint32_t maxProtection = 0, initProtection = 0, sectionCount = 0, flags = 0;
    std::vector<SegmentSection> sections;

    bool hasBytes() const { return fileSize != 0; } ///< else a virtual window
};
/// "fvmlib", "noreloc", …: the set bits of a segment's flags.
std::vector<std::string_view> segmentFlagNames(std::uint32_t flags);
/// "loc_reloc", …: the set bits above the type in a section's flags.
std::vector<std::string_view> sectionAttributeNames(std::uint32_t flags);

struct SymbolTable {
    std::uint32_t symbolOffset = 0, symbols = 0, stringOffset = 0, stringBytes = 0;
};

/// 16 bytes of the symbol table.
struct Symbol {
    std::uint32_t nameOffset = 0; ///< in the string table
    std::uint8_t type = 0, section = 0;
    std::uint16_t desc = 0;
    std::uint64_t value = 0;
    std::string name;
};
/// "section_external", "section_local", "stab_local_type", "stab_global_var", "unknown"
std::string_view symbolKindName(std::uint8_t type);

/// A port's place in the virtual address space (32 or 64 bit form).
struct Binding {
    std::string name;
    std::uint32_t nameOffset = 0, minorVersion = 0;
    std::uint64_t address = 0;
    unsigned addressBits = 32;
};

/// {tag, size, value} after a program's state.
struct ProgramTag {
    std::uint32_t tag = 0, bytes = 0;
    std::uint64_t value = 0;    ///< of the first 8 bytes, or the first 4 where there are fewer
    std::vector<std::byte> raw; ///< all of them
};

enum class ThreadRole : std::uint8_t { Program, Port, Unknown };

/// State of a program (flavors 1 and 4) or of a port (flavor 3).
struct Thread {
    std::uint32_t flavor = 0, count = 0;
    std::uint64_t stateEnd = 0; ///< from the start of the command; strings follow
    ThreadRole role = ThreadRole::Unknown;
    std::string procedure;

    // Programs.
    std::map<std::uint32_t, std::uint64_t> apertures; ///< index -> address
    std::uint64_t tdBase = 0;                         ///< address of the first descriptor
    std::optional<std::uint32_t> firstTaskWords;      ///< flavor 1
    std::optional<std::uint32_t> taskCount;           ///< flavor 1
    std::optional<std::uint32_t> textWords;           ///< flavor 4
    std::uint32_t word850 = 0, word858 = 0;           ///< flavor 1; not known
    std::vector<ProgramTag> tags;

    // Ports.
    std::uint32_t kind = 0, direction = 0; ///< direction: 1 input, 2 output
    std::string name, symbol;
    std::uint32_t elementType = 0;
    std::array<std::uint32_t, 5> dims{};    ///< N, C, H, W, D
    std::array<std::uint64_t, 5> strides{}; ///< bytes, same axes; the last equals the total
    std::uint32_t interleave = 0;
    std::uint64_t byteSize = 0;
};

/// A range that a note or signature command names; `data` counts from the command for notes.
struct Note {
    std::string owner;
    std::uint64_t offset = 0, size = 0;
};

/// The compiler's banner.
struct Ident {
    std::string firstLine, compilerVersion, target;
    std::vector<std::string> flags;   ///< tab-indented lines that begin with '-'
    std::vector<std::string> modules; ///< other lines, those of module blocks without their tab
};

/// An element type of the file's own catalogue (a type symbol).
struct TypeEntry {
    std::uint32_t id = 0;
    std::string name, range;
    std::size_t symbol = 0;
};

struct FrameAxis {
    std::string axis; ///< "n", "c", "h", "w"
    std::uint64_t count = 0, byteStride = 0;
};

/// A tensor's shape and strides, from its stride frame (a stabs string).
struct TensorFrame {
    std::string name, type;
    std::uint8_t scope = 0; ///< the symbol's type: 0x20 port, 0x80 buffer
    std::vector<FrameAxis> axes;
    std::uint64_t value = 0;
    std::uint32_t elementType = 0;
    std::size_t symbol = 0;
};

/// The tasks of one text section.
struct Text {
    std::uint32_t section = 0; ///< ordinal
    std::shared_ptr<const descriptor::TaskList> tasks;
};

/// Everything that a container's tables say. Holds no bytes: the spans are in the file.
struct Container {
    Header header;
    const descriptor::Version *version = nullptr; ///< null for an unknown subtype
    std::uint64_t fileBytes = 0;
    std::vector<LoadCommand> commands;
    std::vector<Segment> segments;
    std::vector<Thread> threads;
    std::vector<Binding> bindings;
    std::vector<Note> notes;
    std::optional<SymbolTable> symbolTable;
    std::vector<Symbol> symbols;
    std::optional<Ident> ident;
    std::vector<TypeEntry> types;
    std::vector<TensorFrame> tensors;
    std::vector<Text> texts;
    Diagnostics diagnostics;

    /// By ordinal; null where there is none.
    const SegmentSection *section(std::uint32_t ordinal) const;
    /// The section (with bytes in the file or not) that holds a virtual address; null where none.
    /// A section that leaves its segment (a damaged address or size) is taken where no other is.
    const SegmentSection *sectionAt(std::uint64_t address) const;
    const SegmentSection *firstOf(SectionType type) const;
    /// The (first) program; null where there is none.
    const Thread *program() const;
    bool extended() const; ///< the form with a __RUNTIME segment (subtype 11)
    /// All tasks of all text sections.
    std::size_t taskCount() const;
};

/// True where the bytes begin with the container's magic.
bool isContainer(std::span<const std::byte> bytes);

/// Reads a container. `file` names it in diagnostics. What is damaged is a row in diagnostics and
/// the rest is read all the same; only bytes that are no container at all are an Error
/// ("hwx.magic", "hwx.header").
Result<Container> readContainer(std::span<const std::byte> bytes, const std::string &file);

// Private to hardware containers: what the codes of their tables are called.

/// A row of resources/tables/hwx_codes.csv.
struct HwxCode {
    std::string kind; ///< "command", "section", "section flag", "segment flag", "symbol"
    std::uint32_t code = 0;
    std::string name;
};

/// The name of a code; empty where it is not known.
std::string_view codeName(std::string_view kind, std::uint32_t code);
/// The names of the bits that are set, as far as they have one.
std::vector<std::string_view> bitNames(std::string_view kind, std::uint32_t bits);

} // namespace kernscope::hwx
