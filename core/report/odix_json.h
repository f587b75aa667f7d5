// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/odix/trace.h"
#include "core/report/column.h"

/// A compiled Core AI program, as `odix` shows it.
namespace kernscope::report {

/// What `odix` says of a program: header, symbols, functions with instructions, constants, scratch
/// memory with its views, debug information.
Json odixJson(const odix::Compiled &compiled, std::uint64_t fileBytes);
/// The document of `odix`; without `compiled` what could not be read has no key "odix".
Json odixDocument(const odix::Compiled *compiled, std::uint64_t fileBytes);

/// A view of scratch memory, a constant or an instruction. They point into the program.
struct MemoryRow {
    const odix::Compiled *compiled = nullptr;
    const odix::View *view = nullptr;
};
/// "f16[2,4]: 16 bytes at 16, instructions 3 to 9".
std::string viewText(const MemoryRow &row);
std::vector<MemoryRow> memoryRows(const odix::Compiled &compiled);
extern const TableOf<MemoryRow> memoryTable;

/// A kernel, and its calls in all functions.
struct KernelRow {
    std::string name;
    std::uint64_t calls = 0;
};
/// By name.
std::vector<KernelRow> kernelRows(const odix::Compiled &compiled);
extern const TableOf<KernelRow> kernelTable;

struct ConstantRow {
    const odix::Compiled *compiled = nullptr;
    std::size_t record = 0;
};
std::vector<ConstantRow> constantRows(const odix::Compiled &compiled);
extern const TableOf<ConstantRow> constantTable;

struct InstructionRow {
    const odix::Compiled *compiled = nullptr;
    std::uint32_t function = 0, instruction = 0;
};
std::vector<InstructionRow> instructionRows(const odix::Compiled &compiled);
extern const TableOf<InstructionRow> instructionTable;

/// The memory plan as SVG: bytes of a buffer downwards, instructions to the right, a rectangle a
/// view from the instruction that makes it to the last one that names it. One picture a buffer, one
/// below the other; empty where there is none.
std::string memoryPlanSvg(const odix::Compiled &compiled);

} // namespace kernscope::report
