// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "core/descriptor/register_map.h"

#include <cstddef>

namespace kernscope::descriptor {

/// One task descriptor in a text section.
struct Task {
    std::uint64_t offset = 0;      ///< bytes from the start of the section
    std::uint32_t words = 0;       ///< header and records
    std::uint32_t headerWords = 0; ///< with the extra word
    std::uint32_t stream = 0;      ///< index into TaskList::streams
    bool extended = false;         ///< has the extra header word
    bool exact = false;            ///< its records end where it ends

    std::uint64_t bytes() const { return std::uint64_t(words) * 4; }
    std::uint32_t streamBegin() const { return headerWords * 4; }
};

/// A run of tasks that carry register state from one to the next.
struct TaskStream {
    std::string name;         ///< the symbol that marks its start; empty where there is none
    std::uint64_t offset = 0; ///< bytes from the start of the section
};

/// Every task of a text section, in order.
struct TaskList {
    const Version *version = nullptr; ///< null for a subtype that no row has
    std::vector<Task> tasks;
    std::vector<TaskStream> streams;
    Diagnostics diagnostics;
};

/// What the rest of a file says about its text section.
struct WalkHints {
    std::uint64_t firstOffset = 0;               ///< of the first task (linked lists)
    std::optional<std::uint32_t> firstTaskWords; ///< its size (linked lists)
    std::optional<std::uint64_t> taskCount;      ///< for a check
    /// Offsets where streams start, with their symbols (sized lists).
    std::vector<std::pair<std::uint64_t, std::string>> streamStarts;
    std::string file;             ///< for the places of diagnostics
    std::uint64_t fileOffset = 0; ///< of the section in that file
};

/// Finds the tasks of a text section. Nothing is found by a fixed offset: linked lists follow the
/// next pointers, sized lists the sizes; a section of no published form yields none and a note.
/// Diagnostics: "descriptor.version", "descriptor.loop", "descriptor.bounds", "descriptor.size",
/// "descriptor.stream", "descriptor.register" (a note), "descriptor.count".
TaskList walkTasks(std::span<const std::byte> text, const Version *version,
                   const WalkHints &hints = {});

/// Fills headerWords, extended and exact of a task whose bytes are `task`: by its flag word, or,
/// where only the other reading makes its records end with it, by that.
void resolveHeader(std::span<const std::byte> task, const Version &version, Task &result);

} // namespace kernscope::descriptor
