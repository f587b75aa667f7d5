// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/network/network_program.h"

#include "core/base/little_endian.h"
#include "core/base/text.h"
#include "core/container/mil/wire.h"
#include "core/container/network/network.h"
#include "core/format/table_rows.h"

#include <algorithm>
#include <climits>
#include <map>
#include <unordered_set>

#include <fmt/format.h>

namespace kernscope::network {

namespace {

using mil::Operation;
using mil::WireBytes;
using mil::WireField;
using mil::WireMessage;
using mil::WireState;

constexpr int kDeepestNetwork = 64;            ///< networks within layers
constexpr std::size_t kMostLayers = 1 << 20;   ///< as the reader of weights
constexpr std::size_t kMostValues = 2'000'000; ///< names of values in all

using Names = std::unordered_set<std::string>;

/// Field of NeuralNetworkLayer -> "convolution".
const std::map<std::uint32_t, std::string> &kindTable()
{
    static const auto table = [] {
        std::map<std::uint32_t, std::string> made;
        const auto csv = tables::load("network_kinds");
        for (std::size_t row = 0; csv && row < csv->rows(); ++row)
            made.emplace(
                static_cast<std::uint32_t>(parseInteger(csv->cell(row, "layer_field")).value_or(0)),
                csv->cell(row, "layer"));
        return made;
    }();
    return table;
}

/// What a field of a layer says that is no weight and no network.
struct LayerAttribute {
    std::string layer, path, field; ///< 100, "50.1.10", "valid.paddingAmounts.borderAmounts"
    std::string type;               ///< uint, int, bool, float, double, string, enum, message
    std::string words;              ///< of an enum: "0=MAX 1=AVERAGE"
};

const LayerAttribute *attributeAt(std::uint32_t layer, const std::string &path)
{
    static const auto table = [] {
        std::map<std::pair<std::string, std::string>, LayerAttribute> made;
        for (LayerAttribute &row : tables::loadRows<LayerAttribute>(
                 "network_fields", {{"layer_field", &LayerAttribute::layer},
                                    {"path", &LayerAttribute::path},
                                    {"field", &LayerAttribute::field},
                                    {"type", &LayerAttribute::type},
                                    {"words", &LayerAttribute::words}}))
            made.emplace(std::pair(row.layer, row.path), row);
        return made;
    }();
    const auto found = table.find({std::to_string(layer), path});
    return found == table.end() ? nullptr : &found->second;
}

/// "AVERAGE" of "0=MAX 1=AVERAGE" and 1; the number where it has no word.
std::string wordFor(std::string_view words, std::uint64_t value)
{
    const std::string key = fmt::format(" {}=", value), all = fmt::format(" {} ", words);
    const std::size_t at = all.find(key);
    return at == all.npos ? std::to_string(value)
                          : all.substr(at + key.size(), all.find(' ', at + 1) - at - key.size());
}

class ProgramOfLayers
{
public:
    ProgramOfLayers(std::string_view fileName, std::size_t bytes)
        : m_state{mil::Faults(fileName), bytes, false, false}
    {
    }

    mil::Function run(const WireBytes &content)
    {
        mil::Function function;
        function.name = "network";
        network(content, function.body);
        addEnds(function);
        return function;
    }

private:
    void network(const WireBytes &message, mil::Block &block)
    {
        constexpr std::uint32_t kLayersField = 1;
        if (++m_depth <= kDeepestNetwork) {
            WireMessage reader(message, m_state);
            WireField field;
            while (m_layers < kMostLayers && m_values < kMostValues && reader.next(field)) {
                if (field.number == kLayersField && field.isBytes())
                    layer(field.content, block);
            }
            hoist(block, m_depth == 1);
        }
        --m_depth;
    }

    /// NeuralNetworkLayer: name 1, input 2, output 3, inputTensor 4, outputTensor 5, then its kind.
    void layer(const WireBytes &message, mil::Block &block)
    {
        constexpr std::uint32_t kFirstKind = 100;
        Operation operation;
        operation.span = message.span();
        std::string name = fmt::format("layer{}", m_layers++);
        std::vector<mil::ValueType> types;
        WireMessage reader(message, m_state);
        WireField field;
        while (reader.next(field)) {
            if (!field.isBytes())
                continue;
            if (field.number == 1 && !field.content.bytes.empty())
                name = m_state.text(field.content);
            else if (field.number == 2 || field.number == 3)
                addValue(field, field.number == 2, operation);
            else if (field.number == 5 && ++m_values <= kMostValues)
                addType(field.content, types);
            if (field.number < kFirstKind)
                continue;
            const auto kind = kindTable().find(field.number);
            operation.type =
                kind == kindTable().end() ? fmt::format("field {}", field.number) : kind->second;
            addBlocks(field, operation);
            addAttributes(field.content, field.number, {}, operation);
        }
        if (operation.type.empty())
            operation.type = "layer";
        if (types.size() == operation.outputs.size()) {
            for (std::size_t i = 0; i < types.size(); ++i)
                operation.outputs[i].type = std::move(types[i]);
        }
        operation.attributes.push_back({"name", {mil::textValue(std::move(name))}});
        block.operations.push_back(std::move(operation));
    }

    void addValue(const WireField &field, bool input, Operation &operation)
    {
        if (++m_values > kMostValues)
            return;
        const std::string name = m_state.text(field.content);
        if (!input) {
            operation.outputs.push_back({name, {}, field.content.span()});
            return;
        }
        if (operation.inputs.empty())
            operation.inputs.push_back({"input", {}});
        mil::ProgramValue value;
        value.content = mil::Reference{name, field.content.span()};
        value.span = field.content.span();
        operation.inputs.front().values.push_back(std::move(value));
    }

    /// Tensor: rank 1, dimValue 2, where -1 is not known.
    void addType(const WireBytes &message, std::vector<mil::ValueType> &types)
    {
        constexpr std::size_t kMostExtents = 64;
        mil::ValueType type;
        type.kind = mil::ValueType::Kind::Tensor;
        const auto add = [&type](std::uint64_t value) {
            const auto extent = static_cast<std::int64_t>(value);
            if (type.dims.size() < kMostExtents)
                type.dims.push_back(extent < 0 ? mil::kUnknownExtent : extent);
        };
        forEachField(message, m_state, [&](const WireField &field) {
            if (field.number == 2)
                forEachInteger(field, add);
        });
        types.push_back(std::move(type));
    }

    /// A field that is not written is zero, as if it were: it gives no attribute.
    void addAttributes(const WireBytes &message, std::uint32_t layer, const std::string &within,
                       Operation &operation)
    {
        WireMessage reader(message, m_state);
        WireField field;
        while (reader.next(field)) {
            const std::string path =
                within + (within.empty() ? "" : ".") + std::to_string(field.number);
            const LayerAttribute *row = attributeAt(layer, path);
            if (row == nullptr)
                continue;
            const bool bytes = field.isBytes();
            if (row->type == "message") {
                if (bytes && within.empty()) // which of several it is
                    addNumber(operation, *row, ElementType::Bool, 1);
                if (bytes)
                    addAttributes(field.content, layer, path, operation);
            } else if (row->type == "string" || row->type == "enum") {
                const std::string word = row->type == "enum" ? wordFor(row->words, field.value)
                                                             : m_state.text(field.content);
                operation.attributes.push_back({row->field, {mil::textValue(word)}});
            } else if (row->type == "float" || row->type == "double") {
                const auto type = row->type == "float" ? ElementType::Fp32 : ElementType::Fp64;
                if (!bytes)
                    addNumber(operation, *row, type, field.value);
                const std::size_t width = bitWidth(type) / 8;
                for (std::size_t at = 0; bytes && at + width <= field.content.bytes.size();
                     at += width) {
                    addNumber(operation, *row, type,
                              width == 4 ? loadLittle<std::uint32_t>(field.content.bytes, at)
                                         : loadLittle<std::uint64_t>(field.content.bytes, at));
                }
            } else {
                const auto type = row->type == "bool" ? ElementType::Bool : ElementType::Int64;
                forEachInteger(
                    field, [&](std::uint64_t value) { addNumber(operation, *row, type, value); });
            }
        }
    }

    /// Another element of the attribute of that name, the last one that was begun.
    static void addNumber(Operation &operation, const LayerAttribute &row, ElementType type,
                          std::uint64_t bits)
    {
        constexpr std::uint64_t kMostNumbers = 64;
        if (operation.attributes.empty() || operation.attributes.back().name != row.field) {
            mil::ProgramValue value;
            value.type.kind = mil::ValueType::Kind::Tensor;
            value.type.element = type;
            value.content.emplace<mil::Literal>().element = type;
            operation.attributes.push_back({row.field, {std::move(value)}});
        }
        mil::ProgramValue &value = operation.attributes.back().values.front();
        auto &literal = std::get<mil::Literal>(value.content);
        if (literal.count == kMostNumbers)
            return;
        for (unsigned i = 0; i < bitWidth(type) / 8; ++i)
            literal.bytes.push_back(static_cast<std::byte>(bits >> (8 * i)));
        if (++literal.count > 1)
            value.type.dims = {static_cast<std::int64_t>(literal.count)};
    }

    void addBlocks(const WireField &content, Operation &operation)
    {
        const auto [first, last] = layerTable().equal_range(content.number);
        for (auto row = first; row != last; ++row) {
            if (!row->second.isNetwork() || row->second.path.size() != 1)
                continue;
            WireMessage reader(content.content, m_state);
            WireField field;
            while (reader.next(field)) {
                if (field.number == row->second.path.front() && field.isBytes()) {
                    operation.blocks.emplace_back();
                    network(field.content, operation.blocks.back());
                }
            }
        }
    }

    /// What the blocks of an operation make becomes what the operation gives: within a block all of
    /// it,
    /// outermost what another operation of the network reads.
    static void hoist(mil::Block &block, bool outermost)
    {
        const bool nested = std::ranges::any_of(
            block.operations, [](const Operation &op) { return !op.blocks.empty(); });
        Names reads;
        if (nested && outermost) {
            for (const Operation &operation : block.operations) {
                for (const mil::Argument &argument : operation.inputs) {
                    for (const mil::ProgramValue &value : argument.values) {
                        if (const mil::Reference *reference = value.reference())
                            reads.insert(reference->name);
                    }
                }
            }
        }
        for (Operation &operation : block.operations) {
            Names given;
            for (const mil::NamedType &output : operation.outputs)
                given.insert(output.name);
            for (mil::Block &inner : operation.blocks) {
                for (const Operation &made : inner.operations) {
                    for (const mil::NamedType &output : made.outputs) {
                        if (outermost && reads.count(output.name) == 0)
                            continue;
                        if (given.insert(output.name).second)
                            operation.outputs.push_back(output);
                        if (std::ranges::find(inner.outputs, output.name) == inner.outputs.end())
                            inner.outputs.push_back(output.name);
                    }
                }
            }
        }
    }

    WireState m_state;
    std::size_t m_layers = 0, m_values = 0;
    int m_depth = 0;
};

void collectReads(const mil::Block &block, Names &reads)
{
    for (const Operation &operation : block.operations) {
        for (const mil::Argument &argument : operation.inputs) {
            for (const mil::ProgramValue &value : argument.values) {
                if (const mil::Reference *reference = value.reference())
                    reads.insert(reference->name);
            }
        }
        for (const mil::Block &inner : operation.blocks)
            collectReads(inner, reads);
    }
}

} // namespace

void addEnds(mil::Function &function)
{
    Names made, seen, reads;
    collectReads(function.body, reads);
    const auto isRead = [&](const mil::Block &block, const auto &self) -> void {
        for (const Operation &operation : block.operations) {
            for (const mil::Argument &argument : operation.inputs) {
                for (const mil::ProgramValue &value : argument.values) {
                    const mil::Reference *reference = value.reference();
                    if (reference && made.count(reference->name) == 0 &&
                        seen.insert(reference->name).second)
                        function.inputs.push_back({reference->name, {}, reference->span});
                }
            }
            for (const mil::Block &inner : operation.blocks)
                self(inner, self);
            for (const mil::NamedType &output : operation.outputs)
                made.insert(output.name);
        }
    };
    isRead(function.body, isRead);
    Names given;
    for (const Operation &operation : function.body.operations) {
        for (const mil::NamedType &output : operation.outputs) {
            if (reads.count(output.name) == 0 && given.insert(output.name).second)
                function.body.outputs.push_back(output.name);
        }
    }
}

mil::Function networkFunction(std::span<const std::byte> model, mil::SourceSpan content,
                              std::string_view fileName)
{
    mil::Function none;
    none.name = "network";
    if (model.size() > INT_MAX || content.offset > model.size() ||
        content.length > model.size() - content.offset)
        return none;
    const WireBytes bytes{model.subspan(content.offset, content.length), content.offset};
    return ProgramOfLayers(fileName, model.size()).run(bytes);
}

mil::Program networkProgram(const mil::Program &program, std::span<const std::byte> model,
                            std::string_view fileName)
{
    mil::Program made;
    for (const mil::ModelNode &node : program.models) {
        if (!node.isNetwork())
            continue;
        made.functions.push_back(networkFunction(model, node.content, fileName));
        made.functions.back().model = node.path;
    }
    return made;
}

} // namespace kernscope::network
