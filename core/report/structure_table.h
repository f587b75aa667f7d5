// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/byte_differences.h"
#include "core/compare/container_difference.h"
#include "core/report/json.h"

namespace kernscope::report {

/// What `diff` lists under "structure": functions, operations and storage that differ.
extern const TableOf<ProgramChange> programChangeTable;

/// One thing beside program and values that two bundles do not have alike: a file, a section, a
/// task, a register or field of a task, a symbol, a relocation slot or the address of a port.
struct StructureFacts {
    enum class Kind : std::uint8_t { File, Section, Task, Header, Register, Symbol, Slot, Port };
    Kind kind = Kind::File;
    std::string name;
    std::string a, b;        ///< length in bytes, value or place; empty where that side has none
    std::string detail = {}; ///< fields of a register that differ; name of a section in B
    /// Of a file or section that both have: how many bytes are not the same, each set against the
    /// byte that stands for it on the other side, and where in either file the first of them is.
    std::string different = {};
    std::optional<std::uint64_t> firstA = {}, firstB = {};
};
/// Files and sections by their lengths and bytes, tasks by what they write. Reads both bundles once
/// (a program in another notation is not compared by its bytes): not for the GUI thread. Progress
/// in bytes; nothing where cancelled.
std::vector<StructureFacts> structureRows(const BundlePtr &a, const BundlePtr &b,
                                          std::span<const PairChoice> chosen, Progress &progress);
extern const TableOf<StructureFacts> structureTable;

/// Symbols, relocation slots and addresses of ports of two hardware containers that are not alike:
/// symbols and ports by their names, slots by their section and place in it. Nothing where one of
/// the two is no such container.
std::vector<StructureFacts> symbolRows(const Bundle &a, const Bundle &b);

/// Everything that two hardware containers hold, compared.
struct ContainerDifference {
    BundlePtr a, b;
    Difference whole;
    TaskComparison tasks;
    std::vector<std::pair<std::string, ByteTally>> sections; ///< those whose bytes differ
};
/// Everything of `hwx --diff` but the diagnostics.
Json containerDifferenceJson(const ContainerDifference &difference);

// The sections of two bundles side by side: where each lies on either side, and how many of its
// bytes differ.

struct AlignedSectionFacts {
    const AlignedSection *section = nullptr;
    const ByteTally *tally = nullptr; ///< null: the bytes were not compared yet
};

extern const TableOf<AlignedSectionFacts> alignedSectionTable;

} // namespace kernscope::report
