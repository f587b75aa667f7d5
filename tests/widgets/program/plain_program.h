// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle.h"
#include "tests/test_program.h"
#include "widgets/models/program_model.h"
#include "widgets/models/table_text.h"

/// The rows of a program made plainly, with maps of names: what ProgramTree is compared with.
namespace kernscope::test {

class PlainProgram
{
public:
    using Tree = ui::ProgramTree;

    explicit PlainProgram(const Bundle &bundle) : m_bundle(bundle), m_program(bundle.program())
    {
        m_names.resize(m_program->functions.size());
        for (std::size_t f = 0; f < m_names.size(); ++f) {
            const mil::Function &function = m_program->functions[f];
            for (std::size_t w = 0; w < bundle.weights().size(); ++w) {
                const Weight &weight = bundle.weights()[w];
                if ((weight.function.empty() || weight.function == function.name) &&
                    weight.model == function.model)
                    m_names[f].weights.emplace(weight.name, w);
            }
            std::size_t number = 0;
            const std::size_t root =
                add({Tree::Kind::Function, Tree::kNone, f, 0, nullptr, nullptr, {}});
            addBlock(function.body, root, f, number);
        }
    }

    /// The first thing in which a tree differs from this; empty where nothing does.
    std::string difference(const Tree &tree) const
    {
        if (tree.rows() != m_rows.size())
            return "number of rows";
        for (std::size_t row = 0; row < m_rows.size(); ++row) {
            if (std::string what = differenceOf(tree, row); !what.empty())
                return "row " + std::to_string(row) + ": " + what;
        }
        for (std::size_t w = 0; w < m_bundle.weights().size(); ++w) {
            const auto reader = m_readers.find(w);
            if (tree.readerOf(w) != (reader == m_readers.end() ? Tree::kNone : reader->second))
                return "reader of weight " + std::to_string(w);
        }
        return {};
    }

private:
    struct Row {
        Tree::Kind kind = Tree::Kind::Operation;
        std::size_t parent = Tree::kNone, function = 0, number = 0;
        const mil::Operation *operation = nullptr;
        const mil::Block *block = nullptr;
        std::vector<std::size_t> children;
    };
    struct Names {
        std::map<std::string, std::size_t> made, weights;
        std::map<std::string, std::vector<std::size_t>> read;
        std::map<std::string, const mil::ProgramValue *> constants;
    };

    std::size_t add(Row row)
    {
        if (row.parent != Tree::kNone)
            m_rows[row.parent].children.push_back(m_rows.size());
        m_rows.push_back(std::move(row));
        return m_rows.size() - 1;
    }

    void addBlock(const mil::Block &block, std::size_t parent, std::size_t f, std::size_t &number)
    {
        for (const mil::Operation &operation : block.operations) {
            const mil::ProgramValue *plain =
                operation.type == "const" ? operation.operand("val") : nullptr;
            if (operation.type == "const" && !plain)
                plain = operation.operand("value");
            if (plain && !operation.outputs.empty()) {
                m_names[f].constants.emplace(operation.outputs.front().name, plain);
                ++number;
                continue;
            }
            const std::size_t row =
                add({Tree::Kind::Operation, parent, f, number++, &operation, nullptr, {}});
            for (const mil::NamedType &output : operation.outputs)
                m_names[f].made.emplace(output.name, row);
            for (const mil::Argument &argument : operation.inputs) {
                for (const mil::ProgramValue &value : argument.values)
                    read(value, row, f);
            }
            for (std::size_t b = 0; b < operation.blocks.size(); ++b) {
                const mil::Block &inner = operation.blocks[b];
                const std::size_t at = add({Tree::Kind::Block, row, f, b, &operation, &inner, {}});
                for (const mil::NamedType &input : inner.inputs)
                    m_names[f].made.emplace(input.name, at);
                addBlock(inner, at, f, number);
            }
        }
    }

    void read(const mil::ProgramValue &value, std::size_t row, std::size_t f)
    {
        if (const auto *list = std::get_if<mil::Values>(&value.content)) {
            for (const mil::ProgramValue &one : *list)
                read(one, row, f);
        } else if (const mil::Reference *reference = value.reference()) {
            auto &rows = m_names[f].read[reference->name];
            if (rows.empty() || rows.back() != row)
                rows.push_back(row);
            const auto weight = m_names[f].weights.find(reference->name);
            if (weight != m_names[f].weights.end())
                m_readers.emplace(weight->second, row);
        }
    }

    std::string differenceOf(const Tree &tree, std::size_t row) const
    {
        const Row &was = m_rows[row];
        const Tree::Node is = tree.node(row);
        if (is.kind != was.kind || is.parent != was.parent || is.function != was.function ||
            is.number != was.number || is.children != was.children.size())
            return "its place";
        for (std::size_t i = 0; i < was.children.size(); ++i) {
            if (tree.child(row, i) != was.children[i] || tree.node(was.children[i]).place != i)
                return "its children";
        }
        if (was.kind != Tree::Kind::Operation)
            return {};
        if (tree.span(row).offset != was.operation->span.offset ||
            tree.span(row).length != was.operation->span.length)
            return "its span";
        for (std::size_t i = 0; i < was.operation->outputs.size(); ++i) {
            const auto known = m_names[was.function].read.find(was.operation->outputs[i].name);
            const auto uses = tree.uses(row, i);
            if (std::vector<std::size_t>(uses.begin(), uses.end()) !=
                (known == m_names[was.function].read.end() ? std::vector<std::size_t>()
                                                           : known->second))
                return "its readers";
        }
        const auto spans = ui::programSpans(tree, row);
        QString text;
        std::vector<ui::ProgramSpan> links;
        addArguments(was, text, links);
        if (!ui::programText(spans).contains(text))
            return "its arguments are not " + text.toStdString();
        std::vector<std::size_t> leadsTo, weights;
        for (const ui::ProgramSpan &span : spans) {
            if (span.isLink())
                leadsTo.insert(leadsTo.end(), {span.node, span.weight});
        }
        for (const ui::ProgramSpan &link : links) {
            if (link.isLink())
                weights.insert(weights.end(), {link.node, link.weight});
        }
        return leadsTo == weights ? std::string() : "its links";
    }

    /// "(x = y, shape = [1, 4])": x, other values, weights, biases, then constants.
    void addArguments(const Row &row, QString &text, std::vector<ui::ProgramSpan> &links) const
    {
        text += QStringLiteral(" (");
        std::map<std::pair<int, std::size_t>, std::pair<QString, std::vector<ui::ProgramSpan>>> all;
        std::size_t place = 0;
        for (const mil::Argument &argument : row.operation->inputs) {
            QString value;
            std::vector<ui::ProgramSpan> own;
            bool constant = true;
            for (const mil::ProgramValue &one : argument.values)
                constant = constant && isConstant(one, row.function);
            if (argument.values.size() == 1)
                addValue(argument.values.front(), row.function, value, own);
            else
                addList(argument.values, row.function, value, own);
            const int rank = constant                              ? 4
                             : argument.name == "x"                ? 0
                             : argument.name.starts_with("weight") ? 2
                             : argument.name.starts_with("bias")   ? 3
                                                                   : 1;
            all[{rank, place++}] = {ui::fromUtf8(argument.name) + QStringLiteral(" = ") + value,
                                    own};
        }
        QStringList parts;
        for (const auto &[at, part] : all) {
            parts += part.first;
            links.insert(links.end(), part.second.begin(), part.second.end());
        }
        text += parts.join(QStringLiteral(", "));
        // The parts of a weight of older programs follow: its attributes.
        if (!row.operation->type.starts_with("constexpr_"))
            text += QLatin1Char(')');
    }

    bool isConstant(const mil::ProgramValue &value, std::size_t f) const
    {
        if (const auto *list = std::get_if<mil::Values>(&value.content))
            return std::all_of(list->begin(), list->end(),
                               [&](const mil::ProgramValue &one) { return isConstant(one, f); });
        const mil::Reference *reference = value.reference();
        if (!reference)
            return value.literal() != nullptr;
        const auto constant = m_names[f].constants.find(reference->name);
        return m_names[f].weights.count(reference->name) == 0 &&
               constant != m_names[f].constants.end() && constant->second->literal();
    }

    void addList(const mil::Values &values, std::size_t f, QString &text,
                 std::vector<ui::ProgramSpan> &links) const
    {
        text += QLatin1Char('(');
        for (std::size_t i = 0; i < values.size(); ++i) {
            text += i > 0 ? QStringLiteral(", ") : QString();
            addValue(values[i], f, text, links);
        }
        text += QLatin1Char(')');
    }

    void addValue(const mil::ProgramValue &value, std::size_t f, QString &text,
                  std::vector<ui::ProgramSpan> &links) const
    {
        if (const auto *list = std::get_if<mil::Values>(&value.content))
            return addList(*list, f, text, links);
        if (const mil::Literal *literal = value.literal()) {
            text += ui::programLiteral(*literal);
        } else if (const mil::BlobReference *blob = value.blob()) {
            text += ui::programType(value.type) + QStringLiteral(" of ") +
                    ui::fromUtf8(blob->path).section(QLatin1Char('/'), -1) +
                    QStringLiteral(" at ") + ui::hexNumber(blob->offset);
        } else if (const mil::Reference *reference = value.reference()) {
            const Names &names = m_names[f];
            const auto made = names.made.find(reference->name);
            const auto weight = names.weights.find(reference->name);
            const auto constant = names.constants.find(reference->name);
            if (weight == names.weights.end() && constant != names.constants.end() &&
                !constant->second->reference())
                return addValue(*constant->second, f, text, links);
            text += ui::fromUtf8(reference->name);
            links.push_back({ui::fromUtf8(reference->name), ui::ProgramSpan::Kind::Value,
                             made == names.made.end() ? Tree::kNone : made->second,
                             weight == names.weights.end() ? Tree::kNone : weight->second});
        }
    }

    const Bundle &m_bundle;
    std::shared_ptr<const mil::Program> m_program;
    std::vector<Row> m_rows;
    std::vector<Names> m_names;
    std::map<std::size_t, std::size_t> m_readers;
};

} // namespace kernscope::test
