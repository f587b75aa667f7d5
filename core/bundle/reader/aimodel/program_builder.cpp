// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/reader/aimodel/program_builder.h"

#include "core/numeric/convert.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace kernscope::aimodel {

namespace {

SourceSpan spanOf(ByteRange range)
{
    return {range.offset.value, range.bytes.value};
}

mil::ProgramValue textValue(std::string text)
{
    mil::ProgramValue value;
    value.type.kind = mil::ValueType::Kind::Tensor;
    value.type.element = ElementType::String;
    mil::Literal literal;
    literal.element = ElementType::String;
    literal.count = 1;
    literal.strings = {std::move(text)};
    value.content = std::move(literal);
    return value;
}

/// "420v", or its number.
std::string fourcc(std::uint64_t code)
{
    std::string text;
    for (int shift = 24; shift >= 0; shift -= 8) {
        const auto letter = static_cast<char>(code >> shift & 0xFFU);
        if (letter < 0x20 || letter > 0x7e)
            return std::to_string(code);
        text += letter;
    }
    return text;
}

mil::ValueType typeOfValue(const mlir::Module &module, std::uint32_t type, unsigned depth = 0)
{
    using Kind = mil::ValueType::Kind;
    mil::ValueType made;
    if (type == mlir::kNone || type >= module.types.size() || depth > 4)
        return made;
    const mlir::Decoded decoded = module.type(type);
    if (const auto tensor = mlir::tensorType(module, type)) {
        made.kind = Kind::Tensor;
        for (const std::int64_t extent : tensor->shape)
            made.dims.push_back(extent < 0 ? mil::kUnknownExtent : extent);
        std::string_view element = tensor->elementName;
        constexpr std::string_view kComplex = "complex ";
        if (element.starts_with(kComplex)) {
            element.remove_prefix(kComplex.size());
            made.dims.push_back(2);
        }
        made.element = anyElementTypeFromName(element);
    } else if (decoded.is("handle_v1") && decoded.field(0)) {
        made = typeOfValue(module, static_cast<std::uint32_t>(decoded.field(0)->value), depth + 1);
        made.kind = Kind::State;
        made.text = "state";
    } else if (decoded.is("image_v1") && decoded.field(2)) {
        const auto format = static_cast<std::uint32_t>(decoded.field(0)->value);
        std::string letters = "?";
        if (format < module.attributes.size()) {
            const mlir::Decoded code = module.attribute(format);
            if (const mlir::Field *field = code.field(0))
                letters = fourcc(field->value);
        }
        made.text = fmt::format("image {} {} x {}", letters, decoded.field(2)->integer(),
                                decoded.field(1)->integer());
    } else {
        made.text = decoded.row ? decoded.row->name : "unknown";
    }
    return made;
}

class FunctionMaker
{
public:
    FunctionMaker(const ModuleGraph &graph, const ValueNames &names,
                  const std::vector<std::string> &graphNames, const std::string &path)
        : m_graph(graph), m_module(graph.module()), m_names(names), m_graphNames(graphNames),
          m_path(path)
    {
    }

    mil::Block makeBlock(const mlir::Block &block)
    {
        mil::Block made;
        for (std::uint32_t i = 0; i < block.arguments.count; ++i)
            made.inputs.push_back(named(block.arguments.first + i));
        for (const std::uint32_t operation : m_module.operationsOf(block)) {
            if (endsBlock(operation)) {
                for (const std::uint32_t value :
                     m_module.operandsOf(m_module.operations[operation])) {
                    made.outputs.push_back(m_names.ofValue(value));
                    made.outputSpans.push_back({});
                }
            } else {
                made.operations.push_back(makeOperation(operation));
            }
        }
        return made;
    }

private:
    bool endsBlock(std::uint32_t operation) const
    {
        const std::string &type = m_graph.row(operation).type;
        return m_module.operations[operation].results.count == 0 &&
               (type == "output" || type == "yield" || type == "condition");
    }

    mil::NamedType named(std::uint32_t value) const
    {
        return {m_names.ofValue(value), valueType(m_graph, value)};
    }

    mil::ProgramValue reference(std::uint32_t value) const
    {
        mil::ProgramValue made;
        made.type = valueType(m_graph, value);
        made.content = mil::Reference{m_names.ofValue(value), {}};
        return made;
    }

    mil::Operation makeOperation(std::uint32_t index)
    {
        const mlir::Operation &from = m_module.operations[index];
        const CoreAiOperation &row = m_graph.row(index);
        mil::Operation made;
        made.type = row.type;
        const bool isStep = from.results.count == 1 && m_graph.isConstant(from.results.first);
        if (isStep && row.step == CoreAiStep::Dequantize)
            made.type = "constexpr_dequantize";
        made.span = spanOf(from.range);
        for (std::uint32_t i = 0; i < from.results.count; ++i)
            made.outputs.push_back(named(from.results.first + i));
        const auto operands = m_module.operandsOf(from);
        for (std::size_t i = 0; i < operands.size(); ++i) {
            const CoreAiOperand operand = row.operand(i);
            if (!operand.list || made.inputs.empty() || made.inputs.back().name != operand.name)
                made.inputs.push_back({operand.name, {}});
            made.inputs.back().values.push_back(reference(operands[i]));
        }
        if (row.step == CoreAiStep::Constant && from.results.count == 1)
            made.attributes.push_back({"val", {constant(from.results.first, from)}});
        else
            made.attributes.push_back({"stored_as", {textValue(row.stored)}});
        if (row.type == "invoke") {
            const std::uint32_t callee = calleeOf(m_graph, from);
            made.attributes.push_back(
                {"callee", {textValue(callee < m_graphNames.size() ? m_graphNames[callee] : "?")}});
        }
        if (m_graph.isComposite(index))
            return made;
        for (const std::uint32_t region : m_module.regionsOf(from)) {
            for (const std::uint32_t each : m_module.blocksOf(m_module.regions[region]))
                made.blocks.push_back(makeBlock(m_module.blocks[each]));
        }
        return made;
    }

    mil::ProgramValue constant(std::uint32_t value, const mlir::Operation &from) const
    {
        mil::ProgramValue made;
        made.type = valueType(m_graph, value);
        const auto data = mlir::constantBytes(m_module, m_module.attributeOf(from, "value"));
        if (!data)
            return made;
        if (const auto numbers = m_graph.integers(value)) {
            mil::Literal literal;
            literal.element = made.type.element;
            literal.count = numbers->size();
            const unsigned bytes = bitWidth(literal.element) / 8;
            for (const std::int64_t number : *numbers) {
                for (unsigned b = 0; b < bytes; ++b)
                    literal.bytes.push_back(static_cast<std::byte>(
                        static_cast<std::uint64_t>(number) >> 8 * b & 0xFFU));
            }
            made.content = std::move(literal);
        } else {
            made.content = mil::BlobReference{m_path, data->data.offset.value, {}};
        }
        made.span = spanOf(data->data);
        return made;
    }

    const ModuleGraph &m_graph;
    const mlir::Module &m_module;
    const ValueNames &m_names;
    const std::vector<std::string> &m_graphNames;
    const std::string &m_path;
};

} // namespace

mil::ValueType valueType(const ModuleGraph &graph, std::uint32_t value)
{
    return typeOfValue(graph.module(), graph.module().values[value].type);
}

mil::Function makeFunction(const ModuleGraph &graph, const ValueNames &names, std::size_t position,
                           const std::vector<std::string> &graphNames, const std::string &path)
{
    const mlir::Module &module = graph.module();
    const mlir::Operation &own = module.operations[graph.graphs()[position]];
    mil::Function function;
    function.name = graphNames[position];
    function.opset = "CoreAI";
    for (const std::uint32_t region : module.regionsOf(own)) {
        for (const std::uint32_t block : module.blocksOf(module.regions[region])) {
            function.body =
                FunctionMaker(graph, names, graphNames, path).makeBlock(module.blocks[block]);
            break; // a graph is one block
        }
        break;
    }
    function.inputs = std::exchange(function.body.inputs, {});
    return function;
}

} // namespace kernscope::aimodel
