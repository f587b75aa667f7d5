// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/hwx/kernels.h"
#include "core/descriptor/task_diff.h"
#include "core/report/json.h"

#include <set>
#include <tuple>

namespace kernscope::report {

/// What is known of a word that no table names: its values over many containers.
struct SurveyRow {
    std::string kind;          ///< "register", "header word" or "thread word"
    unsigned version = 0;      ///< of the register map; of thread words the flavor
    std::uint32_t address = 0; ///< of the register; offset in the header or the command
    std::map<std::uint64_t, std::size_t> values; ///< value -> times; the first kMaxValues of them
    std::size_t writes = 0;
    std::size_t files = 0;
    bool more = false;                        ///< has more values than are kept
    std::uint32_t setBits = 0, clearBits = 0; ///< bits that are 1, and 0, in every value
    static constexpr std::size_t kMaxValues = 64;
};

/// Collects the unnamed words of containers one by one. Memory is bounded by the number of
/// addresses, not of tasks.
class HwxSurvey
{
public:
    /// `bytes`: those that the container was read from.
    void add(const hwx::Container &container, std::span<const std::byte> bytes);

    std::size_t files() const { return m_files; }
    std::size_t tasks() const { return m_tasks; }
    /// By kind, version, then address.
    std::vector<SurveyRow> rows() const;

private:
    void note(const char *kind, unsigned version, std::uint32_t address, std::uint32_t value);

    using Key = std::tuple<std::string, unsigned, std::uint32_t>;
    std::map<Key, SurveyRow> m_rows;
    std::set<Key> m_seen; ///< in the container at hand
    std::size_t m_files = 0, m_tasks = 0;
};

/// The key "survey" of `hwx --survey`.
Json hwxSurveyDocument(const HwxSurvey &survey);

// What tasks write, as `hwx` and the Tasks dock list it.

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
extern const TableOf<RegisterFacts> registerTable;

/// An engine's coefficient DMA of a task that is enabled.
struct LaneFacts {
    hwx::KernelLane lane;
    const hwx::Symbol *symbol = nullptr; ///< null: no symbol is there
};
std::vector<LaneFacts> laneFacts(const std::vector<hwx::KernelLane> &lanes,
                                 const std::vector<hwx::KernelTile> &tiles,
                                 const hwx::Container &container);
extern const TableOf<LaneFacts> laneTable;

/// The words without a name of many containers: `hwx --survey`.
extern const TableOf<SurveyRow> surveyTable;

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
extern const TableOf<RegisterChange> registerChangeTable;

} // namespace kernscope::report
