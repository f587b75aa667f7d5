// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/diff/diff.h"
#include "core/report/column.h"

#include <memory>
#include <string>
#include <vector>

namespace kernscope::report {

/// One place where the programs of two bundles differ.
struct ProgramChangeFacts {
    ProgramChange change;
};
std::vector<ProgramChangeFacts> programChangeRows(const Difference &difference);
/// What `diff` lists under "structure": functions, operations and storage that differ.
const TableOf<ProgramChangeFacts> &programChangeTable();

/// One thing beside program and values that two bundles do not have alike: a file, a section, a
/// task, or a register or field of a task.
struct StructureFacts {
    enum class Kind : std::uint8_t { File, Section, Task, Header, Register };
    Kind kind = Kind::File;
    std::string name;
    std::string a, b;   ///< length in bytes, or value; empty where that side has none
    std::string detail; ///< fields of a register that differ
};
/// "file", "section", "task", "header field", "register".
std::string_view structureKindName(StructureFacts::Kind kind);
/// Files and sections by their names and lengths, not by their bytes; tasks by what they write.
/// Reads the tasks of hardware containers: not for the GUI thread.
std::vector<StructureFacts> structureRows(const Bundle &a, const Bundle &b);
const TableOf<StructureFacts> &structureTable();

} // namespace kernscope::report
