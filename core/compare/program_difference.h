// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/mil/program.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace kernscope {

/// One thing that two programs do not have in common.
struct ProgramChange {
    enum class Kind : std::uint8_t { Removed, Inserted, Changed };
    /// What it is in the program: a weight's storage is how its constant is written (const,
    /// constexpr_…), which no operation that reads it notices.
    /// A model: one of a pipeline that is no program, such as a suppression of boxes.
    enum class What : std::uint8_t { Function, Operation, Storage, Model };
    Kind kind = Kind::Changed;
    What what = What::Operation;
    std::string function;  ///< of a pipeline "model/function"; of a model its path
    std::string operation; ///< displayed name, of A where it has it; empty: the function itself
    std::string type;      ///< "conv"; where the types differ: "const > constexpr_lut_to_dense"
    std::vector<std::string> details; ///< "strides: [1, 1] > [2, 2]"
    mil::SourceSpan spanA, spanB;     ///< of the statement; length 0 where there is none
};

/// Two programs compared as programs: functions, operations, arguments and constants, whatever
/// their notation (text or protobuf), the order of independent operations and the names of values.
struct ProgramDifference {
    bool equal = true; ///< nothing at all differs
    /// The operations that compute are equal: at most the storage of weights differs.
    bool sameComputation = true;
    std::size_t operationsA = 0, operationsB = 0; ///< without literal constants
    std::size_t matched = 0;                      ///< operations of A that B has too
    std::vector<ProgramChange> changes;           ///< in the order of A, then what only B has
};

/// "removed", "inserted", "changed".
std::string_view programChangeName(ProgramChange::Kind kind);
/// "function", "operation", "storage", "model".
std::string_view programPartName(ProgramChange::What what);

/// Matches operations by the name of what they make (without converters' suffixes), then by what
/// they compute. Constants that lie in weight files count by their type: their content is compared
/// as weights. Linear in the operations but for sorting.
ProgramDifference comparePrograms(const mil::Program &a, const mil::Program &b);

/// Adds what differs in the models of pipelines that are no programs: which there are, of what
/// kind, and the bytes of their descriptions. The bytes are those of the programs' files.
void compareModels(const mil::Program &a, std::span<const std::byte> bytesA, const mil::Program &b,
                   std::span<const std::byte> bytesB, ProgramDifference &result);

} // namespace kernscope
