// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/compare.h"

#include "core/base/text.h"
#include "core/numeric/convert.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kernscope::diff {

/// One value of an argument: a reference to what another node makes, or what is written there.
/// Literal constants count as written where they are read, wherever they are.
struct ProgramArgument {
    std::string name;
    std::string text; ///< canonical; of a reference empty, of a function's input its name
    std::size_t node = kNoIndex; ///< index of the node that makes it
    std::size_t output = 0;      ///< which of its results
};

/// An operation in canonical form: what it computes, without names and without notation.
struct ProgramNode {
    std::string path;     ///< blocks that it lies in: "" or "loop.0"
    std::string type;     ///< "conv"; "return" for the results of a block
    std::string name;     ///< of its first result
    std::string outputs;  ///< types of its results: "fp16 [1, 4]"
    bool storage = false; ///< a weight: a constant in a weight file, or a constexpr operation
    std::vector<ProgramArgument> arguments; ///< sorted by name; values of one in their order
    mil::SourceSpan span;

    /// What it computes, references left out.
    std::string signature() const;
};

/// The operations of a function, blocks within blocks included, literal constants left out.
struct ProgramNodes {
    explicit ProgramNodes(const mil::Function &function);
    std::vector<ProgramNode> nodes;
};

/// By name: "x: fp16 [1, 4], y: fp16 [4]".
std::string signatureText(const std::vector<mil::NamedType> &values);

} // namespace kernscope::diff

namespace kernscope {

namespace {

using diff::ProgramArgument;
using diff::ProgramNode;
using diff::ProgramNodes;

constexpr std::size_t kMostDetails = 16;
constexpr std::size_t kLongestValue = 80;

std::string shortened(const std::string &text)
{
    if (text.size() <= kLongestValue)
        return text;
    return fmt::format("{}... ({} characters)", text.substr(0, kLongestValue), text.size());
}

/// Of a pipeline with the model that it is of.
std::string nameOf(const mil::Function &function)
{
    return function.model.empty() ? function.name : function.model + "/" + function.name;
}

/// Two functions of one name.
class FunctionComparison
{
    using enum ProgramChange::Kind;
    using enum ProgramChange::What;

public:
    FunctionComparison(const mil::Function &a, const mil::Function &b, ProgramDifference &result)
        : m_a(a), m_b(b), m_name(nameOf(a)), m_result(result), m_ofA(m_a.nodes.size(), kNoIndex),
          m_ofB(m_b.nodes.size(), kNoIndex)
    {
        if (a.model != b.model)
            otherModel(a.model, b.model);
        if (a.opset != b.opset)
            functionChange(fmt::format("opset: {} > {}", a.opset, b.opset));
        const std::string inputsA = diff::signatureText(a.inputs),
                          inputsB = diff::signatureText(b.inputs);
        if (inputsA != inputsB)
            functionChange(fmt::format("inputs: {} > {}", inputsA, inputsB));
        // Callers of the function ask for its results by these names.
        if (a.body.outputs != b.body.outputs)
            functionChange(fmt::format("outputs: {} > {}", fmt::join(a.body.outputs, ", "),
                                       fmt::join(b.body.outputs, ", ")));
    }

    void run()
    {
        matchBy([](const ProgramNode &node) {
            return node.path + "\n" + node.type + "\n" + baseName(node.name);
        });
        matchBy([](const ProgramNode &node) { return node.path + "\n" + baseName(node.name); });
        matchBy([](const ProgramNode &node) { return node.path + "\n" + node.signature(); });
        for (std::size_t i = 0; i < m_ofA.size(); ++i) {
            if (m_ofA[i] == kNoIndex)
                add(Removed, &m_a.nodes[i], nullptr, {});
            else
                compare(m_a.nodes[i], m_b.nodes[m_ofA[i]]);
        }
        for (std::size_t i = 0; i < m_ofB.size(); ++i) {
            if (m_ofB[i] == kNoIndex)
                add(Inserted, nullptr, &m_b.nodes[i], {});
        }
        m_result.operationsA += m_a.nodes.size();
        m_result.operationsB += m_b.nodes.size();
    }

private:
    void functionChange(std::string detail)
    {
        m_result.add(Changed, Function, m_name, {}, {}, {std::move(detail)});
    }

    /// The same operations in a model of another name.
    void otherModel(const std::string &a, const std::string &b)
    {
        const bool computation = m_result.sameComputation;
        const auto named = [](const std::string &model) { return model.empty() ? "none" : model; };
        functionChange(fmt::format("model: {} > {}", named(a), named(b)));
        m_result.sameComputation = computation;
    }

    /// Nodes of one key, in order, as far as they are left over.
    template <class Key>
    void matchBy(const Key &key)
    {
        std::map<std::string, std::vector<std::size_t>> ofB;
        for (std::size_t i = m_ofB.size(); i-- > 0;) {
            if (m_ofB[i] == kNoIndex)
                ofB[key(m_b.nodes[i])].push_back(i);
        }
        for (std::size_t i = 0; i < m_ofA.size(); ++i) {
            if (m_ofA[i] != kNoIndex)
                continue;
            const auto found = ofB.find(key(m_a.nodes[i]));
            if (found == ofB.end() || found->second.empty())
                continue;
            m_ofA[i] = found->second.back();
            m_ofB[m_ofA[i]] = i;
            found->second.pop_back();
            ++m_result.matched;
        }
    }

    bool sameReference(const ProgramArgument &a, const ProgramArgument &b) const
    {
        if (a.node == kNoIndex || b.node == kNoIndex)
            return a.node == b.node;
        return m_ofA[a.node] == b.node && a.output == b.output;
    }

    bool sameValue(const ProgramArgument &a, const ProgramArgument &b) const
    {
        return a.text == b.text && sameReference(a, b);
    }

    std::string valueText(const ProgramNodes &nodes, const ProgramArgument &argument) const
    {
        return argument.node == kNoIndex ? shortened(argument.text)
                                         : nodes.nodes[argument.node].name;
    }

    void compare(const ProgramNode &a, const ProgramNode &b)
    {
        std::vector<std::string> details;
        const auto say = [&details](std::string text) {
            if (details.size() < kMostDetails)
                details.push_back(std::move(text));
        };
        if (a.outputs != b.outputs)
            say(fmt::format("result: {} > {}", a.outputs, b.outputs));
        // Both are sorted by name; values of one argument follow one another.
        auto i = a.arguments.begin(), k = b.arguments.begin();
        while (i != a.arguments.end() || k != b.arguments.end()) {
            const bool onlyA =
                k == b.arguments.end() || (i != a.arguments.end() && i->name < k->name);
            const bool onlyB = !onlyA && (i == a.arguments.end() || k->name < i->name);
            if (onlyA) {
                say(fmt::format("{}: {} > none", i->name, valueText(m_a, *i)));
                ++i;
            } else if (onlyB) {
                say(fmt::format("{}: none > {}", k->name, valueText(m_b, *k)));
                ++k;
            } else {
                if (!sameValue(*i, *k))
                    say(fmt::format("{}: {} > {}", i->name, valueText(m_a, *i),
                                    valueText(m_b, *k)));
                ++i;
                ++k;
            }
        }
        if (a.type != b.type || !details.empty())
            add(Changed, &a, &b, std::move(details));
    }

    void add(ProgramChange::Kind kind, const ProgramNode *a, const ProgramNode *b,
             std::vector<std::string> details)
    {
        ProgramChange change;
        change.kind = kind;
        const ProgramNode &node = a != nullptr ? *a : *b;
        const bool storage = (a == nullptr || a->storage) && (b == nullptr || b->storage);
        change.what = storage ? Storage : Operation;
        change.function = m_name;
        change.operation = node.name;
        change.type = a != nullptr && b != nullptr && a->type != b->type ? a->type + " > " + b->type
                                                                         : node.type;
        change.details = std::move(details);
        if (a != nullptr)
            change.spanA = a->span;
        if (b != nullptr)
            change.spanB = b->span;
        // A weight may be stored in any way, but its type and shape are what is computed with.
        const bool otherWeight =
            storage && a != nullptr && b != nullptr && a->outputs != b->outputs;
        m_result.equal = false;
        if (!storage || otherWeight)
            m_result.sameComputation = false;
        m_result.changes.push_back(std::move(change));
    }

    ProgramNodes m_a, m_b;
    std::string m_name;
    ProgramDifference &m_result;
    std::vector<std::size_t> m_ofA, m_ofB;
};

/// Functions of B for those of A: of one model and name; then, of what is left, of one name, in
/// order: a model alone against the same one in a pipeline, or in one of another name.
std::vector<std::size_t> partnersOf(const std::vector<mil::Function> &a,
                                    const std::vector<mil::Function> &b)
{
    std::vector<std::size_t> partners(a.size(), kNoIndex);
    std::vector<bool> taken(b.size(), false);
    for (const bool sameModel : {true, false}) {
        const auto key = [sameModel](const mil::Function &function) {
            return std::pair(sameModel ? function.model : std::string(), function.name);
        };
        std::map<std::pair<std::string, std::string>, std::vector<std::size_t>> left;
        for (std::size_t k = b.size(); k-- > 0;) {
            if (!taken[k])
                left[key(b[k])].push_back(k);
        }
        for (std::size_t i = 0; i < a.size(); ++i) {
            const auto found = partners[i] == kNoIndex ? left.find(key(a[i])) : left.end();
            if (found == left.end() || found->second.empty())
                continue;
            partners[i] = found->second.back();
            taken[partners[i]] = true;
            found->second.pop_back();
        }
    }
    return partners;
}

/// A model of a pipeline that is no program: of those the functions are compared.
bool isOther(const mil::ModelNode &model)
{
    return !model.path.empty() && !model.isProgram() && !model.isPipeline();
}

std::span<const std::byte> contentOf(const mil::ModelNode &model, std::span<const std::byte> file)
{
    const auto offset = std::min<std::uint64_t>(model.content.offset, file.size());
    return file.subspan(offset,
                        std::min<std::uint64_t>(model.content.length, file.size() - offset));
}

/// Inputs, outputs or states (`what`), by their names.
void compareFeatures(const std::string &function, std::string_view what,
                     std::span<const mil::ModelFeature> a, std::span<const mil::ModelFeature> b,
                     ProgramDifference &result)
{
    using enum ProgramChange::Kind;
    using enum ProgramChange::What;
    for (const mil::ModelFeature &each : a) {
        const auto other = std::ranges::find(b, each.name, &mil::ModelFeature::name);
        if (other == b.end()) {
            result.add(Removed, Interface, function, each.name, what);
            continue;
        }
        std::vector<std::string> details;
        const auto say = [&details](std::string_view field, const std::string &x,
                                    const std::string &y) {
            if (x != y)
                details.push_back(fmt::format("{}: {} > {}", field, x, y));
        };
        say("type", each.typeText(), other->typeText());
        say("shapes", each.allowedText(), other->allowedText());
        if (each.optional != other->optional)
            details.emplace_back(other->optional ? "optional in B" : "optional in A");
        if (!details.empty())
            result.add(Changed, Interface, function, each.name, what, std::move(details));
    }
    for (const mil::ModelFeature &each : b) {
        if (std::ranges::find(a, each.name, &mil::ModelFeature::name) == a.end())
            result.add(Inserted, Interface, function, each.name, what);
    }
}

} // namespace

std::string_view programChangeName(ProgramChange::Kind kind)
{
    static constexpr std::array<std::string_view, 3> kNames{"removed", "inserted", "changed"};
    return kNames[static_cast<std::size_t>(kind)];
}

std::string_view programPartName(ProgramChange::What what)
{
    static constexpr std::array<std::string_view, 5> kNames{"function", "operation", "storage",
                                                            "model", "interface"};
    return kNames[static_cast<std::size_t>(what)];
}

ProgramDifference comparePrograms(const mil::Program &a, const mil::Program &b)
{
    using enum ProgramChange::Kind;
    using enum ProgramChange::What;
    ProgramDifference result;
    const std::vector<std::size_t> partners = partnersOf(a.functions, b.functions);
    std::vector<bool> taken(b.functions.size(), false);
    for (std::size_t i = 0; i < partners.size(); ++i) {
        if (partners[i] == kNoIndex) {
            result.add(Removed, Function, nameOf(a.functions[i]));
            continue;
        }
        taken[partners[i]] = true;
        FunctionComparison(a.functions[i], b.functions[partners[i]], result).run();
    }
    for (std::size_t i = 0; i < taken.size(); ++i) {
        if (!taken[i])
            result.add(Inserted, Function, nameOf(b.functions[i]));
    }
    return result;
}

void compareModels(const mil::Program &a, std::span<const std::byte> bytesA, const mil::Program &b,
                   std::span<const std::byte> bytesB, ProgramDifference &result)
{
    using enum ProgramChange::Kind;
    using enum ProgramChange::What;
    const auto find = [](const mil::Program &program, const std::string &path) {
        const auto at = std::ranges::find_if(program.models, [&path](const mil::ModelNode &each) {
            return isOther(each) && each.path == path;
        });
        return at == program.models.end() ? nullptr : &*at;
    };
    for (const mil::ModelNode &model : a.models) {
        if (!isOther(model))
            continue;
        const mil::ModelNode *other = find(b, model.path);
        if (other == nullptr)
            result.add(Removed, Model, model.path, {}, model.kind);
        else if (model.kind != other->kind)
            result.add(Changed, Model, model.path, {}, model.kind,
                       {"kind: " + model.kind + " > " + other->kind});
        else if (!std::ranges::equal(contentOf(model, bytesA), contentOf(*other, bytesB)))
            result.add(Changed, Model, model.path, {}, model.kind, {"its description differs"});
    }
    for (const mil::ModelNode &model : b.models) {
        if (isOther(model) && find(a, model.path) == nullptr)
            result.add(Inserted, Model, model.path, {}, model.kind);
    }
}

void compareInterfaces(const mil::Program &a, const mil::Program &b, ProgramDifference &result)
{
    for (const mil::ModelDescription &description : a.descriptions) {
        const auto other =
            std::ranges::find(b.descriptions, description.model, &mil::ModelDescription::model);
        if (other == b.descriptions.end())
            continue;
        for (const mil::FunctionDescription &function : description.functions) {
            const auto found =
                std::ranges::find(other->functions, function.name, &mil::FunctionDescription::name);
            if (found == other->functions.end())
                continue;
            const std::string name =
                description.model +
                (description.model.empty() || function.name.empty() ? "" : "/") + function.name;
            compareFeatures(name, "input", function.inputs, found->inputs, result);
            compareFeatures(name, "output", function.outputs, found->outputs, result);
            compareFeatures(name, "state", function.states, found->states, result);
        }
    }
}

} // namespace kernscope

namespace kernscope::diff {

namespace {

/// Longer literals are recognised by a digest of their bytes.
constexpr std::uint64_t kWrittenOut = 64;

std::string writtenType(const mil::ValueType &type)
{
    return type.isTensor() ? shapedTypeText(type) : type.text;
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
    std::string text = writtenType(type) + " ";
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
            node.outputs += (node.outputs.empty() ? "" : ", ") + writtenType(output.type);
        for (const auto *list : {&operation.inputs, &operation.attributes}) {
            for (const mil::Argument &argument : *list) {
                if (argument.name == "name")
                    continue; // what it is called is no part of what it computes
                for (const mil::ProgramValue &value : argument.values)
                    addValue(argument.name, value, node.arguments);
            }
        }
        std::ranges::stable_sort(node.arguments, {}, &ProgramArgument::name);
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
            return writtenType(value.type) + " in a weight file";
        if (const mil::Literal *literal = value.literal())
            return literalText(*literal, value.type);
        if (const auto *list = std::get_if<mil::Values>(&value.content)) {
            std::string text;
            for (const mil::ProgramValue &each : *list)
                text += (text.empty() ? "" : ", ") + valueText(each);
            return "(" + text + ")";
        }
        return writtenType(value.type);
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
        each.push_back(value.name + ": " + writtenType(value.type));
    std::ranges::sort(each);
    return fmt::format("{}", fmt::join(each, ", "));
}

} // namespace kernscope::diff
