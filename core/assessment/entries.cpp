// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/assessment/entries.h"

namespace kernscope {

namespace {

template <class Visitor>
void forEachCall(const mil::Block &block, const Visitor &visit)
{
    for (const mil::Operation &operation : block.operations) {
        const mil::Value *named =
            operation.type == "call" ? operation.operand("function") : nullptr;
        if (named && named->literal() && named->literal()->strings.size() == 1)
            visit(named->literal()->strings.front());
        for (const mil::Block &body : operation.blocks)
            forEachCall(body, visit);
    }
}

} // namespace

std::string functionAddress(const std::string &model, const std::string &function)
{
    if (model.empty() || function.empty())
        return model + function;
    return model + "/" + function;
}

Entries::Entries(const mil::Program &program)
{
    for (const mil::Function &caller : program.functions)
        forEachCall(caller.body, [&](const std::string &called) {
            if (called != caller.name)
                m_caller.emplace(Key(caller.model, called), caller.name);
        });
}

std::string Entries::of(const std::string &model, const std::string &function) const
{
    std::string entry = function;
    // Functions that call each other in a ring have no outermost one: each step is taken once.
    for (std::size_t step = 0; step < m_caller.size(); ++step) {
        const auto caller = m_caller.find(Key(model, entry));
        if (caller == m_caller.end())
            break;
        entry = caller->second;
    }
    return functionAddress(model, entry);
}

} // namespace kernscope
