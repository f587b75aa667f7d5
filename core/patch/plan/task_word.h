// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "core/descriptor/register_map.h"

#include <cstddef>
#include <functional>

/// The words of a task of a hardware container: its header and the registers that it writes.
namespace kernscope::patch {

/// One word of a task and what names its bits.
struct TaskWord {
    std::uint64_t place = 0;   ///< in the file
    std::uint32_t address = 0; ///< of the register, in bytes; of the header its offset there
    std::uint32_t value = 0;
    bool header = false;
    const descriptor::Register *reg = nullptr; ///< null: only its address is known
};

/// False where there is no such task, or nothing is known of its words.
bool visitTaskWords(const Bundle &bundle, std::size_t text, std::size_t task,
                    const std::function<void(const TaskWord &)> &visit);

/// Which text section and task hold a byte of the file; nothing where none does.
struct TaskNumber {
    std::size_t text = 0, task = 0;
    friend bool operator==(const TaskNumber &, const TaskNumber &) = default;
};
std::optional<TaskNumber> taskAt(const Bundle &bundle, FileOffset offset);

/// The word of a task that holds a byte of the file; nothing for what is no header word and no
/// register's value, such as a record's own word.
std::optional<TaskWord> taskWordAt(const Bundle &bundle, const TaskNumber &task, FileOffset offset);

} // namespace kernscope::patch
