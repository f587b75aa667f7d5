// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diff/program_nodes.h"

#include "core/numeric/convert.h"

#include <algorithm>
#include <span>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kernscope::diff {

namespace {

/// Longer literals are recognised by a digest of their bytes.
constexpr std::uint64_t kWrittenOut = 64;

std::string typeText(const mil::ValueType &type)
{
    if (!type.isTensor())
        return type.text;
    std::string text(elementTypeName(type.element));
    text += " [";
    for (std::size_t i = 0; i < type.dims.size(); ++i)
        text +=
            (i == 0 ? "" : ", ") +
            (type.dims[i] == mil::kUnknownExtent ? std::string("?") : std::to_string(type.dims[i]));
    return text + "]";
}

std::string digestOf(std::span<const std::byte> bytes)
{
    std::uint64_t digest = 0xCBF29CE484222325u; // FNV-1a
    for (const std::byte byte : bytes)
        digest = (digest ^ static_cast<std::uint8_t>(byte)) * 0x100000001B3u;
    return fmt::format("{} bytes {:016x}", bytes.size(), digest);
}

/// The numbers by their bits: two notations of one number are one text.
std::string literalText(const mil::Literal &literal, const mil::ValueType &type)
{
    std::string text = typeText(type) + " ";
    if (literal.element == ElementType::String) {
        for (const std::string &each : literal.strings)
            text += '"' + each + '"';
        return text;
    }
    if (literal.count > kWrittenOut)
        return text + digestOf(literal.bytes);
    for (std::uint64_t i = 0; i < literal.count; ++i) {
        text += i == 0 ? "(" : ", ";
        if (isFloatingPoint(literal.element)) {
            const double value = loadValue(literal.bytes, literal.element, i);
            text += value == value ? fmt::format("{}", value) : std::string("nan");
        } else {
            text += std::to_string(loadCode(literal.bytes, literal.element, i));
        }
    }
    return text + (literal.count > 0 ? ")" : "()");
}

/// Walks a function, blocks within blocks; every value is known before it is read.
class NodeMaker
{
public:
    NodeMaker(const mil::Function &function, std::vector<ProgramNode> &nodes) : m_nodes(nodes)
    {
        for (const mil::NamedType &input : function.inputs)
            m_values[input.name].text = "input " + input.name;
        addBlock(function.body, "");
    }

private:
    static bool literalConstant(const mil::Operation &operation)
    {
        const mil::ProgramValue *value = operation.operand("val");
        return operation.type == "const" && value != nullptr && value->blob() == nullptr &&
               operation.outputs.size() == 1;
    }

    void addBlock(const mil::Block &block, const std::string &path)
    {
        for (std::size_t i = 0; i < block.inputs.size(); ++i)
            m_values[block.inputs[i].name].text = fmt::format("block input {}", i);
        for (const mil::Operation &operation : block.operations) {
            if (literalConstant(operation)) {
                const mil::ProgramValue &value = *operation.operand("val");
                m_values[operation.outputs[0].name].text = valueText(value);
                continue;
            }
            addOperation(operation, path);
        }
        ProgramNode result;
        result.path = path;
        result.type = "return";
        result.name = "return";
        for (const std::string &output : block.outputs)
            result.arguments.push_back(resolved("value", output));
        m_nodes.push_back(std::move(result));
    }

    void addOperation(const mil::Operation &operation, const std::string &path)
    {
        ProgramNode node;
        node.path = path;
        node.type = operation.type;
        node.name = operation.outputs.empty() ? operation.displayName() : operation.outputs[0].name;
        node.span = operation.span;
        node.storage = operation.type == "const" || operation.type.starts_with("constexpr_");
        for (const mil::NamedType &output : operation.outputs)
            node.outputs += (node.outputs.empty() ? "" : ", ") + typeText(output.type);
        for (const auto *list : {&operation.inputs, &operation.attributes}) {
            for (const mil::Argument &argument : *list) {
                if (argument.name == "name")
                    continue; // what it is called is no part of what it computes
                for (const mil::ProgramValue &value : argument.values)
                    addValue(argument.name, value, node.arguments);
            }
        }
        std::stable_sort(
            node.arguments.begin(), node.arguments.end(),
            [](const ProgramArgument &x, const ProgramArgument &y) { return x.name < y.name; });
        for (std::size_t i = 0; i < operation.blocks.size(); ++i)
            addBlock(operation.blocks[i],
                     fmt::format("{}{}{}.{}", path, path.empty() ? "" : "/", node.name, i));
        const std::size_t index = m_nodes.size();
        m_nodes.push_back(std::move(node));
        for (std::size_t i = 0; i < operation.outputs.size(); ++i)
            m_values[operation.outputs[i].name] = {{}, {}, index, i};
    }

    ProgramArgument resolved(std::string argument, const std::string &value) const
    {
        const auto found = m_values.find(value);
        ProgramArgument result;
        if (found == m_values.end())
            result.text = "undefined " + value;
        else
            result = found->second;
        result.name = std::move(argument);
        return result;
    }

    void addValue(const std::string &name, const mil::ProgramValue &value,
                  std::vector<ProgramArgument> &to) const
    {
        if (const mil::Reference *reference = value.reference()) {
            to.push_back(resolved(name, reference->name));
            return;
        }
        if (const auto *list = std::get_if<mil::Values>(&value.content)) {
            for (const mil::ProgramValue &each : *list)
                addValue(name, each, to);
            return;
        }
        to.push_back({name, valueText(value), kNoIndex, 0});
    }

    static std::string valueText(const mil::ProgramValue &value)
    {
        if (value.blob() != nullptr)
            return typeText(value.type) + " in a weight file";
        if (const mil::Literal *literal = value.literal())
            return literalText(*literal, value.type);
        if (const auto *list = std::get_if<mil::Values>(&value.content)) {
            std::string text;
            for (const mil::ProgramValue &each : *list)
                text += (text.empty() ? "" : ", ") + valueText(each);
            return "(" + text + ")";
        }
        return typeText(value.type);
    }

    std::vector<ProgramNode> &m_nodes;
    std::unordered_map<std::string, ProgramArgument> m_values;
};

} // namespace

std::string ProgramNode::signature() const
{
    std::string text = type + "\n" + outputs;
    for (const ProgramArgument &argument : arguments)
        text += "\n" + argument.name + "=" + argument.text;
    return text;
}

ProgramNodes::ProgramNodes(const mil::Function &function)
{
    NodeMaker(function, nodes);
}

std::string signatureText(const std::vector<mil::NamedType> &values)
{
    // A protobuf has them in no order of its own.
    std::vector<std::string> each;
    for (const mil::NamedType &value : values)
        each.push_back(value.name + ": " + typeText(value.type));
    std::sort(each.begin(), each.end());
    return fmt::format("{}", fmt::join(each, ", "));
}

} // namespace kernscope::diff
