// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/mil/packed_program.h"

#include <utility>
#include <vector>

/// What the tests of packed programs compare with: the operations of the program as it was read.
namespace miltest {

/// The operation without those of its blocks.
inline kernscope::mil::Operation alone(kernscope::mil::Operation operation)
{
    for (kernscope::mil::Block &block : operation.blocks)
        block.operations.clear();
    return operation;
}

inline void addOperations(const kernscope::mil::Block &block,
                          std::vector<const kernscope::mil::Operation *> &all)
{
    for (const kernscope::mil::Operation &operation : block.operations) {
        all.push_back(&operation);
        for (const kernscope::mil::Block &nested : operation.blocks)
            addOperations(nested, all);
    }
}

/// All of them in the order of the program.
inline std::vector<const kernscope::mil::Operation *>
operationsOf(const kernscope::mil::Program &program)
{
    std::vector<const kernscope::mil::Operation *> all;
    for (const kernscope::mil::Function &function : program.functions)
        addOperations(function.body, all);
    return all;
}

/// Equal in every member: packed by themselves they are the same bytes.
inline bool same(kernscope::mil::Operation a, kernscope::mil::Operation b)
{
    const auto packed = [](kernscope::mil::Operation operation) {
        kernscope::mil::Program program;
        program.functions.emplace_back().body.operations.push_back(std::move(operation));
        return kernscope::mil::PackedProgram(program);
    };
    return packed(std::move(a)) == packed(std::move(b));
}

} // namespace miltest
