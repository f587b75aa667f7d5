// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/hwx/kernels.h"
#include "core/descriptor/task_diff.h"
#include "core/report/column.h"
#include "core/report/hwx_survey.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// What tasks write, as `hwx` and the Tasks dock list it.
namespace kernscope::report {

/// A register that a task writes, or one of its fields. Points into the embedded tables.
struct RegisterFacts {
    const descriptor::Register *reg = nullptr;   ///< null: none is named at that address
    const descriptor::BitField *field = nullptr; ///< null: the whole register
    std::uint32_t address = 0;                   ///< of the register, in bytes
    std::uint32_t offset = 0;                    ///< from the start of the task to the word
    std::uint64_t place = 0;                     ///< of the word in the file
    std::uint32_t value = 0;                     ///< of the whole register
    std::optional<std::uint32_t> before;         ///< what the tasks before left there
    std::uint32_t map = 0;                       ///< version of the register map

    /// The same register's row of one of its fields.
    RegisterFacts of(const descriptor::BitField &one) const;
    bool changed() const; ///< it, or the field, differs from before
};
/// Those that the task writes, in the order of its stream. `place`: of the task in the file.
std::vector<RegisterFacts> registerFacts(const descriptor::TaskDetail &detail,
                                         const descriptor::RegisterState &before,
                                         const descriptor::Version &version, std::uint64_t place);
/// `hwx` lists registers, each with its fields in one cell; the window fields below them.
const TableOf<RegisterFacts> &registerTable();

/// An engine's coefficient DMA of a task that is enabled.
struct LaneFacts {
    hwx::KernelLane lane;
    const hwx::Symbol *symbol = nullptr; ///< null: no symbol is there
};
std::vector<LaneFacts> laneFacts(const std::vector<hwx::KernelLane> &lanes,
                                 const std::vector<hwx::KernelTile> &tiles,
                                 const hwx::Container &container);
const TableOf<LaneFacts> &laneTable();

/// The words without a name of many containers: `hwx --survey`.
const TableOf<SurveyRow> &surveyTable();

/// A difference between two tasks: of a register, or of one of its fields or the header's.
struct RegisterChange {
    std::string task;  ///< "3", "3 > 4"; empty where it is that of the row above
    std::string name;  ///< "NE KernelCfg", "header", "inserted"; empty where as above
    std::string field; ///< empty: the whole register
    std::optional<std::uint32_t> a, b;
    bool whole = false;     ///< a and b are 32-bit words, not numbers of a field
    bool taskAlone = false; ///< a task that one side lacks: there is nothing to compare
};
/// Rows of one register, its fields below it.
std::vector<RegisterChange> registerChanges(const descriptor::RegisterDifference &difference);
const TableOf<RegisterChange> &registerChangeTable();

} // namespace kernscope::report
