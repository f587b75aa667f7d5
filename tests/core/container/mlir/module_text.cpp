// SPDX-License-Identifier: GPL-3.0-or-later
#include "module_text.h"

#include "core/base/find.h"
#include "print.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace kernscope::test {

using namespace mlir;

namespace {

/// The text of operations; regions are opened and closed by a stack of tasks.
class ModuleText
{
public:
    ModuleText(const Module &module, std::size_t most)
        : m_module(module), m_most(most), m_names(module.values.size()),
          m_typeTexts(module.types.size())
    {
        nameValues();
    }

    std::string write()
    {
        m_out = "module {\n";
        push({Task::Text, 0, 0, "}\n"});
        if (!m_module.blocks.empty())
            pushOperations(m_module.blocks.front(), 1);
        while (!m_tasks.empty() && m_out.size() <= m_most) {
            const Pending task = std::move(m_tasks.back());
            m_tasks.pop_back();
            if (task.task == Task::Text)
                m_out += task.text;
            else if (task.task == Task::Operation)
                operation(task.index, task.depth);
            else
                block(task.index, task.depth);
        }
        if (m_out.size() > m_most)
            m_out = m_out.substr(0, m_most) + "…";
        return std::move(m_out);
    }

private:
    enum class Task : std::uint8_t { Text, Operation, Block };
    struct Pending {
        Task task = Task::Text;
        std::uint32_t index = 0, depth = 0;
        std::string text;
    };
    struct ValueName {
        std::uint32_t number = 0;
        bool several = false; ///< one of several results
    };

    void push(Pending pending) { m_tasks.push_back(std::move(pending)); }

    /// Arguments and operations are counted apart; an inner region counts on after its parent.
    void nameValues()
    {
        std::vector<std::pair<std::uint32_t, std::uint32_t>> ends(m_module.regions.size());
        for (std::size_t i = 0; i < m_module.regions.size(); ++i) {
            const Region &region = m_module.regions[i];
            const std::uint32_t outer = m_module.operations[region.operation].block;
            const std::uint32_t parent = m_module.blocks[outer].region;
            auto [results, arguments] = parent == kNone ? std::pair(0u, 0u) : ends[parent];
            for (std::uint32_t k = 0; k < region.values.count; ++k) {
                const std::uint32_t id = region.values.first + k;
                const Value &value = m_module.values[id];
                if (value.argument) {
                    m_names[id].number = arguments++;
                    continue;
                }
                if (isNamed(value)) {
                    m_names[id].number = m_named;
                    m_named += value.position;
                    continue;
                }
                const std::uint32_t count = m_module.operations[value.owner].results.count;
                m_names[id] = {results, count > 1};
                results += value.position + 1 == count ? 1 : 0;
            }
            ends[i] = {results, arguments};
        }
    }

    /// Results that the dialect gives names to.
    static constexpr std::string_view kNamed = "aicode.dataflow.read_handle_v1";
    bool isNamed(const Value &value) const
    {
        return !value.argument && m_module.is(m_module.operations[value.owner], kNamed);
    }

    std::string nameOf(std::uint32_t id) const
    {
        const Value &value = m_module.values[id];
        if (isNamed(value))
            return (value.position == 0 ? "%output" : "%out_token") +
                   (m_names[id].number == 0
                        ? ""
                        : "_" + std::to_string(2 * (m_names[id].number - 1) + value.position));
        if (value.argument)
            return "%arg" + std::to_string(m_names[id].number);
        std::string name = "%" + std::to_string(m_names[id].number);
        return m_names[id].several ? name + "#" + std::to_string(value.position) : name;
    }

    const std::string &typeOf(std::uint32_t id)
    {
        const std::uint32_t type = m_module.values[id].type;
        if (m_typeTexts[type].empty())
            m_typeTexts[type] = typeText(m_module, type, m_most);
        return m_typeTexts[type];
    }

    /// Its properties, which lie in the dictionary below version 5, or its other attributes.
    std::string listText(const Operation &operation, bool properties)
    {
        const PropertyRow *row = propertyRow(m_module.operationName(operation));
        std::string text;
        for (const NamedAttribute &each : m_module.attributesOf(operation)) {
            const bool own =
                row && findBy(row->properties, &PropertyRow::Property::name, each.name);
            if (own != properties || text.size() > m_most)
                continue;
            text += (text.empty() ? "" : ", ") + keywordText(each.name);
            text += " = " + attributeText(m_module, each.attribute, m_most);
        }
        return text;
    }

    void pushOperations(const Block &block, std::uint32_t depth)
    {
        const std::size_t first = m_tasks.size();
        for (const std::uint32_t index : m_module.operationsOf(block))
            push({Task::Operation, index, depth, {}});
        std::reverse(m_tasks.begin() + std::ptrdiff_t(first), m_tasks.end());
    }

    void block(std::uint32_t index, std::uint32_t depth)
    {
        const Block &block = m_module.blocks[index];
        const Region &region = m_module.regions[block.region];
        if (block.arguments.count > 0 || index != region.blocks.first) {
            std::uint32_t number = 0;
            for (const std::uint32_t each : m_module.blocksOf(region)) {
                if (each == index)
                    break;
                ++number;
            }
            m_out += std::string(2 * (depth - 1), ' ') + "^bb" + std::to_string(number);
            for (std::uint32_t i = 0; i < block.arguments.count && m_out.size() <= m_most; ++i) {
                const std::uint32_t id = block.arguments.first + i;
                m_out += (i == 0 ? "(" : ", ") + nameOf(id) + ": " + typeOf(id);
            }
            m_out += block.arguments.count > 0 ? "):\n" : ":\n";
        }
        pushOperations(block, depth);
    }

    void operation(std::uint32_t index, std::uint32_t depth)
    {
        const Operation &operation = m_module.operations[index];
        const std::string indent(2 * std::size_t{depth}, ' ');
        m_out += indent;
        if (operation.results.count > 0) {
            if (m_module.is(operation, kNamed)) {
                m_out +=
                    nameOf(operation.results.first) + ", " + nameOf(operation.results.first + 1);
            } else {
                m_out += "%" + std::to_string(m_names[operation.results.first].number);
                if (operation.results.count > 1)
                    m_out += ":" + std::to_string(operation.results.count);
            }
            m_out += " = ";
        }
        m_out += "\"" + m_module.operationName(operation) + "\"(";
        const auto operands = m_module.operandsOf(operation);
        for (std::size_t i = 0; i < operands.size() && m_out.size() <= m_most; ++i)
            m_out += (i > 0 ? ", " : "") + nameOf(operands[i]);
        m_out += ")";
        for (std::uint32_t i = 0; i < operation.successors.count; ++i)
            m_out += (i == 0 ? "[^bb" : ", ^bb") +
                     std::to_string(m_module.successorBlocks[operation.successors.first + i]) +
                     (i + 1 == operation.successors.count ? "]" : "");
        const std::string own = listText(operation, true), others = listText(operation, false);
        m_out += own.empty() ? "" : " <{" + own + "}>";
        std::string tail = others.empty() ? "" : " {" + others + "}";
        tail += " : (";
        for (std::size_t i = 0; i < operands.size() && tail.size() <= m_most; ++i)
            tail += (i > 0 ? ", " : "") + typeOf(operands[i]);
        tail += ") -> ";
        const bool one = operation.results.count == 1;
        tail += one ? "" : "(";
        for (std::uint32_t i = 0; i < operation.results.count && tail.size() <= m_most; ++i)
            tail += (i > 0 ? ", " : "") + typeOf(operation.results.first + i);
        tail += one ? "\n" : ")\n";
        if (operation.regions.count == 0) {
            m_out += tail;
            return;
        }
        const std::size_t first = m_tasks.size();
        std::string_view opening = " ({\n";
        for (const std::uint32_t region : m_module.regionsOf(operation)) {
            push({Task::Text, 0, 0, std::string(opening)});
            for (const std::uint32_t each : m_module.blocksOf(m_module.regions[region]))
                push({Task::Block, each, depth + 1, {}});
            push({Task::Text, 0, 0, indent + "}"});
            opening = ", {\n";
        }
        push({Task::Text, 0, 0, ")" + tail});
        std::reverse(m_tasks.begin() + std::ptrdiff_t(first), m_tasks.end());
    }

    const Module &m_module;
    std::size_t m_most;
    std::string m_out;
    std::vector<ValueName> m_names; ///< by value
    std::uint32_t m_named = 0;
    std::vector<std::string> m_typeTexts; ///< by type, once needed
    std::vector<Pending> m_tasks;         ///< the next one last
};

} // namespace

std::string moduleText(const Module &module, std::size_t most)
{
    return ModuleText(module, most).write();
}

} // namespace kernscope::test
