// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diff/program_difference.h"

#include "core/diff/diff.h"
#include "core/diff/program_nodes.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <fmt/format.h>

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

/// Two functions of one name.
class FunctionComparison
{
public:
    FunctionComparison(const mil::Function &a, const mil::Function &b, ProgramDifference &result)
        : m_a(a), m_b(b), m_name(a.name), m_result(result), m_ofA(m_a.nodes.size(), kNoIndex),
          m_ofB(m_b.nodes.size(), kNoIndex)
    {
        if (a.opset != b.opset)
            functionChange(fmt::format("opset: {} > {}", a.opset, b.opset));
        const std::string inputsA = diff::signatureText(a.inputs),
                          inputsB = diff::signatureText(b.inputs);
        if (inputsA != inputsB)
            functionChange(fmt::format("inputs: {} > {}", inputsA, inputsB));
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
    change.function = function.name;
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
    static constexpr std::array<std::string_view, 3> kNames{"function", "operation", "storage"};
    return kNames[static_cast<std::size_t>(what)];
}

ProgramDifference comparePrograms(const mil::Program &a, const mil::Program &b)
{
    ProgramDifference result;
    const auto find = [](const mil::Program &program, const std::string &name) {
        const auto at =
            std::find_if(program.functions.begin(), program.functions.end(),
                         [&name](const mil::Function &each) { return each.name == name; });
        return at == program.functions.end() ? nullptr : &*at;
    };
    for (const mil::Function &function : a.functions) {
        if (const mil::Function *other = find(b, function.name))
            FunctionComparison(function, *other, result).run();
        else
            addMissing(function, ProgramChange::Kind::Removed, result);
    }
    for (const mil::Function &function : b.functions) {
        if (find(a, function.name) == nullptr)
            addMissing(function, ProgramChange::Kind::Inserted, result);
    }
    return result;
}

} // namespace kernscope
