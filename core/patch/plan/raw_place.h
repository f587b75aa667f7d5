// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/descriptor/register_map.h"
#include "core/patch/edit/edit.h"

/// Edits of bytes as they lie in a file: where they are, and what they break.
namespace kernscope::patch {

/// A run of bytes and what comes there.
struct RawPlace {
    std::size_t file = 0;
    FileOffset offset;
    std::vector<std::byte> after;
    std::string oldText, newText; ///< for the list of patches
    std::string note;             ///< what is known of the place: "Common ConvCfg, bits 29:28"
    bool values = false; ///< only stored numbers of weights: nothing is read otherwise after it
};

/// Where an edit of Edit::Kind::Bytes or Field lies and what it writes. Errors: "patch.file",
/// "patch.index" (past the end), "patch.weight" (bytes of a weight with which others would have to
/// change, as those of a mask),
/// "patch.field" (no such task, register or field), "patch.unrepresentable" (more bits than the
/// field has).
Result<RawPlace> rawPlace(const Bundle &bundle, const Edit &edit);

/// "task[3]/Common/ConvCfg/Ox": the place of Edit::Kind::Field. The text section is named only in a
/// container of several: "task[1,3]/…". `field` may be empty: the whole register.
std::string fieldPath(const Bundle &bundle, std::size_t text, std::size_t task,
                      std::string_view block, std::string_view reg, std::string_view field);

/// The same of the register or field at a place of the file, as Edit::weight takes it; its bits
/// count from `offset` on, none: the whole word. Nothing where no register of that task is there.
std::optional<std::string> fieldPathAt(const Bundle &bundle, std::size_t text, std::size_t task,
                                       FileOffset offset, std::optional<unsigned> lowBit);

/// What reading finds wrong in `after` and not in `before`, and which weights or tasks are not what
/// they were: one sentence; empty where nothing is.
std::string whatBreaks(const Bundle &before, const Bundle &after);

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
