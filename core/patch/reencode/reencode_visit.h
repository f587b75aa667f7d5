// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/mil/program.h"

/// Private to re-encoding weights: walks through a program.
namespace kernscope::patch {

/// Calls `each(value)` for a value and all values within it.
template <class Each>
void visitValue(const mil::ProgramValue &value, const Each &each)
{
    each(value);
    if (const auto *parts = std::get_if<mil::Values>(&value.content)) {
        for (const mil::ProgramValue &part : *parts)
            visitValue(part, each);
    }
}

template <class Each>
void visitOperands(const mil::Operation &operation, const Each &each)
{
    for (const auto *list : {&operation.inputs, &operation.attributes}) {
        for (const mil::Argument &argument : *list) {
            for (const mil::ProgramValue &value : argument.values)
                visitValue(value, each);
        }
    }
}

/// Calls `each(operation)` for the operations of a block and of all blocks within.
template <class Each>
void visitOperations(const mil::Block &block, const Each &each)
{
    for (const mil::Operation &operation : block.operations) {
        each(operation);
        for (const mil::Block &inner : operation.blocks)
            visitOperations(inner, each);
    }
}

template <class Each>
void visitBlocks(const mil::Block &block, const Each &each)
{
    each(block);
    for (const mil::Operation &operation : block.operations) {
        for (const mil::Block &inner : operation.blocks)
            visitBlocks(inner, each);
    }
}

} // namespace kernscope::patch
