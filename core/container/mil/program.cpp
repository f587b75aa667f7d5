// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/mil/program.h"

#include <algorithm>

namespace kernscope::mil {

namespace {

const Argument *find(const std::vector<Argument> &arguments, std::string_view name)
{
    const auto found = std::find_if(arguments.begin(), arguments.end(),
                                    [name](const Argument &a) { return a.name == name; });
    return found == arguments.end() ? nullptr : &*found;
}

} // namespace

std::optional<Shape> ValueType::shape() const
{
    Shape shape;
    shape.reserve(dims.size());
    for (const std::int64_t extent : dims) {
        if (extent < 0)
            return std::nullopt;
        shape.push_back(static_cast<std::uint64_t>(extent));
    }
    return shape;
}

const Argument *Operation::input(std::string_view name) const
{
    return find(inputs, name);
}

const Argument *Operation::attribute(std::string_view name) const
{
    return find(attributes, name);
}

const ProgramValue *Operation::operand(std::string_view name) const
{
    for (const Argument *argument : {input(name), attribute(name)}) {
        if (argument && !argument->values.empty())
            return &argument->values.front();
    }
    return nullptr;
}

std::string Operation::displayName() const
{
    if (const Argument *argument = attribute("name"); argument && !argument->values.empty()) {
        const Literal *literal = argument->values.front().literal();
        if (literal && !literal->strings.empty())
            return literal->strings.front();
    }
    return outputs.empty() ? std::string() : outputs.front().name;
}

std::size_t operationCount(const Block &block)
{
    std::size_t count = block.operations.size();
    for (const Operation &operation : block.operations) {
        for (const Block &nested : operation.blocks)
            count += operationCount(nested);
    }
    return count;
}

} // namespace kernscope::mil
