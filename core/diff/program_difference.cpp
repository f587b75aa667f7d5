// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diff/program_difference.h"

#include "core/diff/diff.h"
#include "core/diff/program_nodes.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

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
        // Whoever calls the function asks for its results by these names.
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
                add(ProgramChange::Kind::Removed, &m_a.nodes[i], nullptr, {});
            else
                compare(m_a.nodes[i], m_b.nodes[m_ofA[i]]);
        }
        for (std::size_t i = 0; i < m_ofB.size(); ++i) {
            if (m_ofB[i] == kNoIndex)
                add(ProgramChange::Kind::Inserted, nullptr, &m_b.nodes[i], {});
        }
        m_result.operationsA += m_a.nodes.size();
        m_result.operationsB += m_b.nodes.size();
    }

private:
    void functionChange(std::string detail)
    {
        ProgramChange change;
        change.what = ProgramChange::What::Function;
        change.function = m_name;
        change.details.push_back(std::move(detail));
        m_result.changes.push_back(std::move(change));
        m_result.equal = m_result.sameComputation = false;
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
            add(ProgramChange::Kind::Changed, &a, &b, std::move(details));
    }

    void add(ProgramChange::Kind kind, const ProgramNode *a, const ProgramNode *b,
             std::vector<std::string> details)
    {
        ProgramChange change;
        change.kind = kind;
        const ProgramNode &node = a != nullptr ? *a : *b;
        const bool storage = (a == nullptr || a->storage) && (b == nullptr || b->storage);
        change.what = storage ? ProgramChange::What::Storage : ProgramChange::What::Operation;
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

void addMissing(const mil::Function &function, ProgramChange::Kind kind, ProgramDifference &result)
{
    ProgramChange change;
    change.kind = kind;
    change.what = ProgramChange::What::Function;
    change.function = nameOf(function);
    result.changes.push_back(std::move(change));
    result.equal = result.sameComputation = false;
}

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

void addModel(const mil::ModelNode &model, ProgramChange::Kind kind, std::string detail,
              ProgramDifference &result)
{
    ProgramChange change;
    change.kind = kind;
    change.what = ProgramChange::What::Model;
    change.function = model.path;
    change.type = model.kind;
    if (!detail.empty())
        change.details.push_back(std::move(detail));
    result.changes.push_back(std::move(change));
    result.equal = result.sameComputation = false;
}

} // namespace

std::string_view programChangeName(ProgramChange::Kind kind)
{
    static constexpr std::array<std::string_view, 3> kNames{"removed", "inserted", "changed"};
    return kNames[static_cast<std::size_t>(kind)];
}

std::string_view programPartName(ProgramChange::What what)
{
    static constexpr std::array<std::string_view, 4> kNames{"function", "operation", "storage",
                                                            "model"};
    return kNames[static_cast<std::size_t>(what)];
}

ProgramDifference comparePrograms(const mil::Program &a, const mil::Program &b)
{
    ProgramDifference result;
    const std::vector<std::size_t> partners = partnersOf(a.functions, b.functions);
    std::vector<bool> taken(b.functions.size(), false);
    for (std::size_t i = 0; i < partners.size(); ++i) {
        if (partners[i] == kNoIndex) {
            addMissing(a.functions[i], ProgramChange::Kind::Removed, result);
            continue;
        }
        taken[partners[i]] = true;
        FunctionComparison(a.functions[i], b.functions[partners[i]], result).run();
    }
    for (std::size_t i = 0; i < taken.size(); ++i) {
        if (!taken[i])
            addMissing(b.functions[i], ProgramChange::Kind::Inserted, result);
    }
    return result;
}

void compareModels(const mil::Program &a, std::span<const std::byte> bytesA, const mil::Program &b,
                   std::span<const std::byte> bytesB, ProgramDifference &result)
{
    const auto find = [](const mil::Program &program, const std::string &path) {
        const auto at = std::find_if(
            program.models.begin(), program.models.end(),
            [&path](const mil::ModelNode &each) { return isOther(each) && each.path == path; });
        return at == program.models.end() ? nullptr : &*at;
    };
    for (const mil::ModelNode &model : a.models) {
        if (!isOther(model))
            continue;
        const mil::ModelNode *other = find(b, model.path);
        if (other == nullptr)
            addModel(model, ProgramChange::Kind::Removed, {}, result);
        else if (model.kind != other->kind)
            addModel(model, ProgramChange::Kind::Changed,
                     "kind: " + model.kind + " > " + other->kind, result);
        else if (!std::ranges::equal(contentOf(model, bytesA), contentOf(*other, bytesB)))
            addModel(model, ProgramChange::Kind::Changed, "its description differs", result);
    }
    for (const mil::ModelNode &model : b.models) {
        if (isOther(model) && find(a, model.path) == nullptr)
            addModel(model, ProgramChange::Kind::Inserted, {}, result);
    }
}

} // namespace kernscope
