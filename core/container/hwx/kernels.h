// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/hwx/container.h"
#include "core/descriptor/task_reader.h"
#include "core/format/kernel_format.h"

namespace kernscope::hwx {

/// A kernel's name: `K<64 hex>`, `K<64 hex>_ne_<lane>`, `K<64 hex>_actlut`.
struct KernelName {
    std::string hash;
    std::optional<std::uint32_t> lane;
    bool activationTable = false; ///< by its suffix; on H13 a table has no suffix at all
};
std::optional<KernelName> parseKernelName(std::string_view name);

/// A run of kernel bytes that a symbol names.
struct KernelTile {
    std::size_t symbol = 0; ///< index into symbols
    KernelName name;
    std::uint64_t address = 0;
    std::uint32_t section = 0;       ///< ordinal
    std::uint64_t sectionOffset = 0; ///< of its first byte
    FileOffset fileOffset;
    ByteCount bytes; ///< up to the next tile or the end of the section
};
/// Tiles of every kernel section, in the order of their symbols.
std::vector<KernelTile> kernelTiles(const Container &container);

/// One engine's coefficient DMA, as a task programs it.
struct KernelLane {
    std::uint32_t lane = 0;
    bool enabled = false;
    std::uint32_t config = 0, base = 0, size = 0; ///< register values; base and size in bytes
    std::optional<std::uint64_t> address;         ///< of its first byte; nothing where not known
    std::optional<std::size_t> tile;              ///< index into the given tiles
    bool matchesSymbol = false;                   ///< a tile starts exactly there
    bool sizeMatches = false;                     ///< and is as long
    bool relocated = false;                       ///< the loader fills its base word
    std::optional<std::uint64_t> baseOffset;      ///< of its base word in the text section
};

/// Finds the lanes of tasks. Keeps an index of tiles and relocations of one text section.
class LaneFinder
{
public:
    LaneFinder(const Container &container, const Text &text, const std::vector<KernelTile> &tiles);

    /// The sixteen lanes of a task (call reader.before(detail.index) first: later versions carry
    /// register state); none where the version's places are not known.
    std::vector<KernelLane> lanes(const descriptor::TaskDetail &detail,
                                  const descriptor::TaskReader &reader) const;

private:
    std::optional<std::uint64_t> kernelBase(const descriptor::TaskDetail &detail,
                                            const descriptor::TaskReader &reader) const;
    void match(KernelLane &lane) const;

    const Container &m_container;
    const std::vector<KernelTile> &m_tiles;
    std::uint32_t m_map = 0;
    std::vector<std::pair<std::uint64_t, std::size_t>> m_byAddress;
    std::vector<std::uint64_t> m_relocated; ///< offsets in the text section, ascending
};

/// Field of a task by role ("cin", "kernel_fmt", …): what it writes, else what is carried.
std::optional<std::uint32_t> roleValue(const descriptor::TaskDetail &detail,
                                       const descriptor::TaskReader &reader, std::string_view role);

/// What a task's registers say about its kernel, as the six sections of a kernel unit
/// (listing 25.1). Where a section is used but its bytes lie within the slices of the lanes at a
/// place that is not published, its count and size are what the format demands.
struct TaskUnit {
    format::KernelUnit unit;
    /// One note a section that needs one: what its figures rest on, and what is contested.
    std::vector<std::pair<format::KernelUnit::SectionId, std::string>> notes;
};

/// Nothing where the task loads no kernel or its version's places are not known. Call
/// reader.before(detail.index) first.
std::optional<TaskUnit> unitOfTask(const descriptor::TaskDetail &detail,
                                   const descriptor::TaskReader &reader,
                                   const std::vector<KernelLane> &lanes);

} // namespace kernscope::hwx
