// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/program/program_tree.h"

#include "core/base/progress.h"
#include "core/bundle/bundle.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

namespace kernscope::ui {

namespace {

/// The value of a constant that is written where it is used; null for other operations.
const mil::ProgramValue *plainValue(const mil::Operation &operation)
{
    if (operation.type != "const" || operation.outputs.empty())
        return nullptr;
    const mil::ProgramValue *value = operation.operand("val");
    return value ? value : operation.operand("value");
}

template <class Visitor>
void forEachReference(const mil::ProgramValue &value, const Visitor &visit)
{
    if (const auto *list = std::get_if<mil::Values>(&value.content)) {
        for (const mil::ProgramValue &one : *list)
            forEachReference(one, visit);
    } else if (const mil::Reference *reference = value.reference()) {
        visit(*reference);
    }
}

} // namespace

/// Reads the operations one after the other; what is kept of them are numbers.
class ProgramTree::Builder
{
public:
    explicit Builder(ProgramTree &tree)
        : m_tree(tree), m_reader(*tree.m_program), m_inBodies(tree.m_program->inBodies())
    {
    }

    bool run(Progress *progress)
    {
        const auto &functions = m_tree.m_bundle->programOutline().functions;
        m_tree.m_readers.assign(m_tree.m_bundle->weights().size(), kNoNumber);
        for (std::size_t i = 0; i < m_inBodies.size(); ++i) {
            m_function = i;
            m_number = 0;
            m_ids.clear();
            noteWeights(functions[i]);
            Row row;
            row.kind = Kind::Function;
            const Number root = addRow(row, {});
            if (!addOperations(m_inBodies[i], root, progress))
                return false;
        }
        orderChildren();
        orderUses();
        for (auto *numbers : {&m_tree.m_rowNames, &m_tree.m_children, &m_tree.m_uses})
            numbers->shrink_to_fit();
        m_tree.m_rows.shrink_to_fit();
        m_tree.m_spans.shrink_to_fit();
        m_tree.m_names.shrink_to_fit();
        return true;
    }

private:
    Number idOf(const std::string &name)
    {
        const auto [at, isNew] =
            m_ids.try_emplace(name, static_cast<Number>(m_tree.m_names.size()));
        if (isNew) {
            m_tree.m_names.emplace_back();
            m_lastUse.push_back(kNoNumber);
        }
        return at->second;
    }

    /// The first that has a name keeps it.
    static void setOnce(Number &to, Number number)
    {
        if (to == kNoNumber)
            to = number;
    }

    /// Weights by the function that holds them and the value that their readers name.
    void noteWeights(const mil::Function &function)
    {
        const auto &weights = m_tree.m_bundle->weights();
        for (std::size_t w = 0; w < weights.size(); ++w) {
            const bool here = weights[w].function.empty() || weights[w].function == function.name;
            if (here && weights[w].model == function.model)
                setOnce(m_tree.m_names[idOf(weights[w].name)].weight, static_cast<Number>(w));
        }
    }

    Number addRow(Row row, const SourceSpan &span)
    {
        const auto index = static_cast<Number>(m_tree.m_rows.size());
        row.function = static_cast<Number>(m_function);
        row.firstName = static_cast<Number>(m_tree.m_rowNames.size());
        Number &siblings = row.parent == kNoNumber ? m_roots : m_tree.m_rows[row.parent].firstChild;
        row.place = siblings++; // until they are ordered it counts them
        if (row.parent == kNoNumber)
            m_tree.m_functionRows.push_back(index);
        m_tree.m_rows.push_back(row);
        m_tree.m_spans.push_back(span);
        return index;
    }

    bool addOperations(std::size_t count, Number parent, Progress *progress)
    {
        for (std::size_t i = 0; i < count; ++i) {
            mil::Operation operation;
            std::vector<std::size_t> inBlocks;
            m_reader.next(operation, inBlocks);
            const Number at = m_operation++;
            if (progress && at % 1024 == 0 && !progress->advance(1))
                return false;
            if (plainValue(operation)) {
                setOnce(m_tree.m_names[idOf(operation.outputs.front().name)].constant, at);
                ++m_number;
                continue;
            }
            const Number row = addOperation(operation, at, parent);
            for (std::size_t b = 0; b < inBlocks.size(); ++b) {
                if (!addOperations(inBlocks[b], addBlock(operation, b, at, row), progress))
                    return false;
            }
        }
        return true;
    }

    Number addOperation(const mil::Operation &operation, Number at, Number parent)
    {
        Row row;
        row.parent = parent;
        row.number = m_number++;
        row.operation = at;
        row.outputs = static_cast<Number>(operation.outputs.size());
        const Number index = addRow(row, operation.span);
        for (const mil::NamedType &output : operation.outputs) {
            const Number name = idOf(output.name);
            setOnce(m_tree.m_names[name].row, index);
            m_tree.m_rowNames.push_back(name);
        }
        for (const mil::Argument &argument : operation.inputs) {
            for (const mil::ProgramValue &value : argument.values)
                forEachReference(value, [&](const mil::Reference &reference) {
                    noteRead(idOf(reference.name), index);
                });
        }
        return index;
    }

    void noteRead(Number name, Number row)
    {
        m_tree.m_rowNames.push_back(name);
        if (std::exchange(m_lastUse[name], row) != row)
            m_read.emplace_back(name, row);
        if (const Number weight = m_tree.m_names[name].weight; weight != kNoNumber)
            setOnce(m_tree.m_readers[weight], row);
    }

    Number addBlock(const mil::Operation &operation, std::size_t which, Number at, Number parent)
    {
        Row row;
        row.kind = Kind::Block;
        row.parent = parent;
        row.number = static_cast<Number>(which);
        row.operation = at;
        const Number index = addRow(row, operation.span);
        for (const mil::NamedType &input : operation.blocks[which].inputs)
            setOnce(m_tree.m_names[idOf(input.name)].row, index);
        return index;
    }

    /// From how many a row has to where they begin.
    void orderChildren()
    {
        std::vector<Row> &rows = m_tree.m_rows;
        Number from = 0;
        for (Row &row : rows)
            from += std::exchange(row.firstChild, from);
        m_tree.m_children.resize(from);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (rows[i].parent != kNoNumber)
                m_tree.m_children[rows[rows[i].parent].firstChild + rows[i].place] =
                    static_cast<Number>(i);
        }
    }

    void orderUses()
    {
        std::vector<Name> &names = m_tree.m_names;
        names.emplace_back(); // which says where the uses of the last one end
        for (const auto &[name, row] : m_read)
            ++names[name].firstUse;
        Number from = 0;
        for (Name &name : names)
            from += std::exchange(name.firstUse, from);
        std::vector<Number> next(names.size());
        std::transform(names.begin(), names.end(), next.begin(),
                       [](const Name &name) { return name.firstUse; });
        m_tree.m_uses.resize(from);
        for (const auto &[name, row] : m_read)
            m_tree.m_uses[next[name]++] = row;
    }

    ProgramTree &m_tree;
    mil::PackedProgram::Reader m_reader;
    std::vector<std::size_t> m_inBodies;
    std::size_t m_function = 0;
    Number m_number = 0;    ///< of the next operation in the function
    Number m_operation = 0; ///< of the next one in the program
    Number m_roots = 0;
    std::unordered_map<std::string, Number> m_ids; ///< names of the function
    std::vector<Number> m_lastUse;                 ///< by name
    std::vector<std::pair<Number, Number>> m_read; ///< names and rows
};

std::shared_ptr<const ProgramTree> ProgramTree::build(BundlePtr bundle, Progress *progress)
{
    auto tree = std::make_shared<ProgramTree>();
    tree->m_bundle = std::move(bundle);
    tree->m_program = tree->m_bundle->packedProgram();
    return Builder(*tree).run(progress) ? tree : nullptr;
}

ProgramTree::Node ProgramTree::node(std::size_t row) const
{
    const Row &of = m_rows[row];
    const std::size_t end =
        row + 1 < m_rows.size() ? m_rows[row + 1].firstChild : m_children.size();
    return {of.kind, wide(of.parent), of.place, of.function, of.number, end - of.firstChild};
}

std::size_t ProgramTree::child(std::size_t row, std::size_t place) const
{
    return m_children[m_rows[row].firstChild + place];
}

const mil::Function &ProgramTree::functionOf(std::size_t row) const
{
    return m_bundle->programOutline().functions[m_rows[row].function];
}

mil::OperationPtr ProgramTree::operation(std::size_t row) const
{
    const Number number = m_rows[row].operation;
    return number == kNoNumber ? nullptr : m_program->operation(number);
}

ProgramTree::Meaning ProgramTree::reference(std::size_t row, std::size_t place) const
{
    const Row &of = m_rows[row];
    const Name &name = m_names[m_rowNames[of.firstName + of.outputs + place]];
    return {wide(name.row), wide(name.weight), wide(name.constant)};
}

std::span<const std::uint32_t> ProgramTree::uses(std::size_t row, std::size_t output) const
{
    const Number name = m_rowNames[m_rows[row].firstName + output];
    const Number from = m_names[name].firstUse;
    return std::span(m_uses).subspan(from, m_names[name + 1].firstUse - from);
}

std::shared_ptr<const mil::ProgramValue> ProgramTree::constantValue(std::size_t constant) const
{
    mil::OperationPtr operation = m_program->operation(constant);
    const mil::ProgramValue *value = plainValue(*operation);
    return {std::move(operation), value};
}

std::size_t ProgramTree::readerOf(std::size_t weight) const
{
    return weight < m_readers.size() ? wide(m_readers[weight]) : kNone;
}

std::vector<std::size_t> ProgramTree::weightsOf(std::size_t row) const
{
    std::vector<std::size_t> found;
    if (m_rows[row].kind != Kind::Operation)
        return found;
    std::size_t place = 0;
    for (const mil::OperationPtr of = operation(row); const mil::Argument &argument : of->inputs) {
        for (const mil::ProgramValue &value : argument.values) {
            const std::size_t one = value.reference() ? reference(row, place).weight : kNone;
            if (one != kNone)
                found.push_back(one);
            forEachReference(value, [&place](const mil::Reference &) { ++place; });
        }
    }
    // What makes a weight stands for it as well.
    for (Number i = 0; i < m_rows[row].outputs; ++i) {
        const Number weight = m_names[m_rowNames[m_rows[row].firstName + i]].weight;
        if (weight != kNoNumber)
            found.push_back(weight);
    }
    return found;
}

std::size_t ProgramTree::fileOf(std::size_t row) const
{
    return bundle().programFileOf(functionOf(row).model);
}

std::size_t ProgramTree::rowAtByte(std::size_t file, std::uint64_t offset) const
{
    std::size_t found = kNone;
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        if (m_rows[i].kind != Kind::Operation)
            continue;
        const SourceSpan &span = m_spans[i];
        if (offset < span.offset || offset - span.offset >= span.length)
            continue;
        if (fileOf(i) == file && (found == kNone || span.length < m_spans[found].length))
            found = i;
    }
    return found;
}

} // namespace kernscope::ui
