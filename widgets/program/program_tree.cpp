// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/program/program_tree.h"

#include "core/bundle/bundle.h"

#include <algorithm>

namespace kernscope::ui {

std::shared_ptr<const ProgramTree> ProgramTree::build(BundlePtr bundle)
{
    auto tree = std::make_shared<ProgramTree>();
    tree->m_bundle = std::move(bundle);
    tree->m_program = tree->m_bundle->program();
    const auto &functions = tree->m_program->functions;
    tree->m_names.resize(functions.size());
    tree->noteWeights();
    for (std::size_t i = 0; i < functions.size(); ++i) {
        Node node;
        node.kind = Kind::Function;
        node.function = i;
        const std::size_t root = tree->addNode(std::move(node));
        std::size_t number = 0;
        tree->addBlock(functions[i].body, i, root, number);
    }
    return tree;
}

/// Weights by the function that holds them and the value that their readers name.
void ProgramTree::noteWeights()
{
    const auto &functions = m_program->functions;
    const auto &weights = m_bundle->weights();
    m_readers.assign(weights.size(), kNone);
    for (std::size_t w = 0; w < weights.size(); ++w) {
        for (std::size_t f = 0; f < functions.size(); ++f) {
            const bool here =
                weights[w].function.empty() || weights[w].function == functions[f].name;
            if (here && weights[w].model == functions[f].model)
                m_names[f].weights.emplace(weights[w].name, w);
        }
    }
}

std::size_t ProgramTree::addNode(Node node)
{
    const std::size_t index = m_nodes.size();
    auto &siblings = node.parent == kNone ? m_roots : m_nodes[node.parent].children;
    node.place = siblings.size();
    siblings.push_back(index);
    m_nodes.push_back(std::move(node));
    return index;
}

void ProgramTree::addBlock(const mil::Block &block, std::size_t function, std::size_t parent,
                           std::size_t &number)
{
    for (const mil::Operation &operation : block.operations)
        addOperation(operation, function, parent, number);
}

void ProgramTree::addOperation(const mil::Operation &operation, std::size_t function,
                               std::size_t parent, std::size_t &number)
{
    ++m_operations;
    Names &names = m_names[function];
    const mil::ProgramValue *plain = operation.type == "const" ? operation.operand("val") : nullptr;
    if (operation.type == "const" && !plain)
        plain = operation.operand("value");
    if (plain && !operation.outputs.empty()) {
        names.constants.emplace(operation.outputs.front().name, plain);
        ++number;
        return;
    }
    Node node;
    node.parent = parent;
    node.function = function;
    node.number = number++;
    node.operation = &operation;
    const std::size_t row = addNode(std::move(node));
    for (const mil::NamedType &output : operation.outputs)
        names.made.emplace(output.name, row);
    for (const mil::Argument &argument : operation.inputs) {
        for (const mil::ProgramValue &value : argument.values)
            noteReads(value, row);
    }
    for (std::size_t i = 0; i < operation.blocks.size(); ++i) {
        Node block;
        block.kind = Kind::Block;
        block.parent = row;
        block.function = function;
        block.number = i;
        block.operation = &operation;
        block.block = &operation.blocks[i];
        const std::size_t inner = addNode(std::move(block));
        for (const mil::NamedType &input : operation.blocks[i].inputs)
            m_names[function].made.emplace(input.name, inner);
        addBlock(operation.blocks[i], function, inner, number);
    }
}

void ProgramTree::noteReads(const mil::ProgramValue &value, std::size_t node)
{
    if (const auto *list = std::get_if<mil::Values>(&value.content)) {
        for (const mil::ProgramValue &one : *list)
            noteReads(one, node);
        return;
    }
    const mil::Reference *reference = value.reference();
    if (!reference)
        return;
    Names &names = m_names[m_nodes[node].function];
    std::vector<std::size_t> &rows = names.read[reference->name];
    if (rows.empty() || rows.back() != node)
        rows.push_back(node);
    if (const auto at = names.weights.find(reference->name);
        at != names.weights.end() && m_readers[at->second] == kNone)
        m_readers[at->second] = node;
}

std::size_t ProgramTree::definition(std::size_t function, const std::string &value) const
{
    const auto at = m_names[function].made.find(value);
    return at == m_names[function].made.end() ? kNone : at->second;
}

const std::vector<std::size_t> &ProgramTree::uses(std::size_t function,
                                                  const std::string &value) const
{
    static const std::vector<std::size_t> none;
    const auto at = m_names[function].read.find(value);
    return at == m_names[function].read.end() ? none : at->second;
}

std::size_t ProgramTree::weight(std::size_t function, const std::string &value) const
{
    const auto at = m_names[function].weights.find(value);
    return at == m_names[function].weights.end() ? kNone : at->second;
}

const mil::ProgramValue *ProgramTree::constant(std::size_t function, const std::string &value) const
{
    const auto at = m_names[function].constants.find(value);
    return at == m_names[function].constants.end() ? nullptr : at->second;
}

std::size_t ProgramTree::readerOf(std::size_t weight) const
{
    return weight < m_readers.size() ? m_readers[weight] : kNone;
}

std::vector<std::size_t> ProgramTree::weightsOf(std::size_t node) const
{
    std::vector<std::size_t> found;
    const Node &row = m_nodes[node];
    if (row.kind != Kind::Operation)
        return found;
    for (const mil::Argument &argument : row.operation->inputs) {
        for (const mil::ProgramValue &value : argument.values) {
            const mil::Reference *reference = value.reference();
            const std::size_t one = reference ? weight(row.function, reference->name) : kNone;
            if (one != kNone)
                found.push_back(one);
        }
    }
    // What makes a weight stands for it as well.
    for (const mil::NamedType &output : row.operation->outputs) {
        if (const std::size_t one = weight(row.function, output.name); one != kNone)
            found.push_back(one);
    }
    return found;
}

std::size_t ProgramTree::nodeAtByte(std::uint64_t offset) const
{
    std::size_t found = kNone;
    std::uint64_t least = 0;
    for (std::size_t i = 0; i < m_nodes.size(); ++i) {
        if (m_nodes[i].kind != Kind::Operation)
            continue;
        const mil::SourceSpan &span = m_nodes[i].operation->span;
        if (offset < span.offset || offset - span.offset >= span.length)
            continue;
        if (found == kNone || span.length < least) {
            found = i;
            least = span.length;
        }
    }
    return found;
}

} // namespace kernscope::ui
