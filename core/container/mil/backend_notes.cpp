// SPDX-License-Identifier: GPL-3.0-or-later
// Annotations of compiler 3600.x: EstimatedRuntime, BackendSupport, SelectedBackend.
#include "core/base/find.h"
#include "core/container/mil/program.h"

#include "core/numeric/convert.h"

namespace kernscope::mil {

namespace {

const ProgramValue *attributeValue(const std::vector<Argument> &attributes, std::string_view name)
{
    const auto *found = findBy(attributes, &Argument::name, name);
    return !found || found->values.empty() ? nullptr : &found->values.front();
}

std::string stringOf(const ProgramValue *value)
{
    const Literal *literal = value ? value->literal() : nullptr;
    return literal && !literal->strings.empty() ? literal->strings.front() : std::string();
}

std::optional<double> numberOf(const ProgramValue &value)
{
    const Literal *literal = value.literal();
    const unsigned bits = literal ? bitWidth(literal->element) : 0;
    if (bits < 8 || literal->count != 1 || literal->bytes.size() < bits / 8)
        return std::nullopt;
    return loadValue(literal->bytes, literal->element, 0);
}

/// visit(value) of every value within lists and tuples that is none itself.
template <class Visitor>
void forEachLeaf(const ProgramValue &value, const Visitor &visit)
{
    if (const auto *members = std::get_if<Values>(&value.content)) {
        for (const ProgramValue &member : *members)
            forEachLeaf(member, visit);
    } else {
        visit(value);
    }
}

/// Pairs of a dictionary, as `{{"key", value}, …}` nests them or one behind the other.
template <class Visitor>
void forEachPair(const ProgramValue *dictionary, const Visitor &visit)
{
    if (!dictionary)
        return;
    const ProgramValue *key = nullptr;
    forEachLeaf(*dictionary, [&](const ProgramValue &leaf) {
        if (key)
            visit(stringOf(key), leaf);
        key = key ? nullptr : &leaf;
    });
}

std::string operandText(const Operation &operation, std::string_view name)
{
    const ProgramValue *value = operation.operand(name);
    return stringOf(value);
}

using Calls = std::map<std::string, std::string>; ///< backends by the function that is called

/// Of two calls of one function the last one counts.
void findCalls(const Block &block, Calls &calls)
{
    for (const Operation &operation : block.operations) {
        if (operation.type == "call")
            calls[operandText(operation, "function")] = operandText(operation, "backend");
        for (const Block &nested : operation.blocks)
            findCalls(nested, calls);
    }
}

} // namespace

SegmentBackends::SegmentBackends(const Program &program)
{
    for (const Function &caller : program.functions) {
        Calls calls;
        findCalls(caller.body, calls);
        for (auto &[name, backend] : calls) {
            std::string &known = m_backends[{caller.model, name}];
            if (known.empty())
                known = std::move(backend);
        }
    }
}

const std::string &SegmentBackends::of(const Function &function) const
{
    static const std::string none;
    const auto known = m_backends.find({function.model, function.name});
    return known == m_backends.end() ? none : known->second;
}

BackendNotes backendNotes(const Operation &operation, const std::string &segment)
{
    BackendNotes notes;
    notes.selected = stringOf(attributeValue(operation.attributes, "SelectedBackend"));
    if (notes.selected.empty())
        notes.selected = segment;
    if (const ProgramValue *support = attributeValue(operation.attributes, "BackendSupport")) {
        forEachLeaf(*support, [&notes](const ProgramValue &leaf) {
            const Literal *literal = leaf.literal();
            for (const std::string &name :
                 literal ? literal->strings : std::vector<std::string>()) {
                if (name != "unsupported")
                    notes.supported.push_back(name);
            }
        });
    }
    forEachPair(attributeValue(operation.attributes, "EstimatedRuntime"),
                [&notes](std::string key, const ProgramValue &value) {
                    if (const auto number = numberOf(value))
                        notes.estimatedMs.emplace_back(std::move(key), *number);
                });
    forEachPair(attributeValue(operation.attributes, "ValidationMessage"),
                [&notes](std::string key, const ProgramValue &value) {
                    notes.messages.emplace_back(std::move(key), stringOf(&value));
                });
    return notes;
}

std::vector<std::pair<std::string, double>> numberAttributes(const Function &function)
{
    std::vector<std::pair<std::string, double>> numbers;
    for (const Argument &attribute : function.attributes) {
        const auto number =
            attribute.values.size() == 1 ? numberOf(attribute.values.front()) : std::nullopt;
        if (number)
            numbers.emplace_back(attribute.name, *number);
    }
    return numbers;
}

} // namespace kernscope::mil
