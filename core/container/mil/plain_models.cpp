// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/mil/plain_models.h"

#include "core/base/little_endian.h"
#include "core/container/mil/wire.h"

#include <algorithm>
#include <bit>
#include <climits>
#include <cmath>

namespace kernscope::mil {

namespace {

constexpr std::size_t kMostNumbers = 4'000'000;
constexpr std::uint32_t kLinear = 300, kVectors = 301, kTrees = 302, kLinearClasses = 400,
                        kVectorClasses = 401, kTreeClasses = 402;
constexpr const char *kTransform = "post-evaluation transform";

/// TreeNodeBehavior of TreeEnsemble.proto, by number.
constexpr std::string_view kBehaviors[] = {"BranchOnValueLessThanEqual",
                                           "BranchOnValueLessThan",
                                           "BranchOnValueGreaterThanEqual",
                                           "BranchOnValueGreaterThan",
                                           "BranchOnValueEqual",
                                           "BranchOnValueNotEqual",
                                           "LeafNode"};

/// Kernel of SVM.proto, by number less one, and the fields of its message from 1 on.
struct KernelKind {
    const char *name;
    std::vector<std::string> fields;
};
const std::vector<KernelKind> &kernelKinds()
{
    static const std::vector<KernelKind> kinds{{"kernel (linear)", {}},
                                               {"kernel (rbf)", {"gamma"}},
                                               {"kernel (polynomial)", {"degree", "c", "gamma"}},
                                               {"kernel (sigmoid)", {"gamma", "c"}}};
    return kinds;
}

class Tables
{
public:
    Tables(const ModelNode &node, std::string_view fileName, std::size_t bytes)
        : m_node(node), m_state{Faults(fileName), bytes, false, false}
    {
    }

    std::vector<NumberTable> read(const WireBytes &content, bool &cut)
    {
        switch (m_node.field) {
        case kTrees:
        case kTreeClasses:
            trees(content);
            choice(content, 2, kTransform,
                   {"NoTransform", "Classification_SoftMax", "Regression_Logistic",
                    "Classification_SoftMaxWithZeroClassReference"});
            break;
        case kLinear:
            linear(content);
            choice(content, 3, kTransform, {"NoTransform", "Logit", "Probit"});
            break;
        case kLinearClasses:
            linear(content);
            choice(content, 3, kTransform, {"Logit", "Probit"});
            choice(content, 4, "class encoding", {"ReferenceClass", "OneVsRest"});
            break;
        default: vectors(content, m_node.field == kVectorClasses ? 1 : 0);
        }
        cut = cut || m_left == 0;
        return std::move(m_tables);
    }

private:
    template <class Visit>
    void each(const WireBytes &message, const Visit &visit)
    {
        WireMessage reader(message, m_state);
        WireField field;
        while (m_left > 0 && reader.next(field))
            visit(field);
    }

    /// Rows of a table; of none the table is left out.
    void add(std::string name, std::vector<std::string> columns,
             std::vector<std::vector<double>> rows)
    {
        if (!rows.empty())
            m_tables.push_back({m_node.path, std::move(name), std::move(columns), std::move(rows)});
    }

    void addRow(std::string name, std::vector<double> row)
    {
        if (!row.empty())
            add(std::move(name), {}, {std::move(row)});
    }

    /// A choice by its number, left out where it is 0: a table that has its name.
    void choice(const WireBytes &content, std::uint32_t number, const char *what,
                std::initializer_list<std::string_view> names)
    {
        std::uint64_t chosen = 0;
        each(content, [&](const WireField &field) {
            if (field.number == number && field.type == WireField::Type::Varint)
                chosen = field.value;
        });
        const std::string_view name = chosen < names.size() ? names.begin()[chosen] : "unknown";
        add(std::string(what) + " (" + std::string(name) + ")", {},
            {{static_cast<double>(chosen)}});
    }

    void take(std::vector<double> &row, double number)
    {
        if (m_left == 0)
            return;
        --m_left;
        row.push_back(number);
    }

    /// A double, or several of them packed.
    void numbers(const WireField &field, std::vector<double> &row)
    {
        if (field.type == WireField::Type::Fixed64)
            take(row, std::bit_cast<double>(field.value));
        if (!field.isBytes())
            return;
        const auto bytes = field.content.bytes;
        for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8)
            take(row, std::bit_cast<double>(loadLittle<std::uint64_t>(bytes, at)));
    }

    /// An int32, or several of them packed.
    void integers(const WireField &field, std::vector<double> &row)
    {
        forEachInteger(field, [&](std::uint64_t number) {
            take(row, static_cast<double>(static_cast<std::int64_t>(number)));
        });
    }

    static double numberOf(const WireField &field)
    {
        return field.type == WireField::Type::Fixed64 ? std::bit_cast<double>(field.value)
                                                      : static_cast<double>(field.value);
    }

    /// Field 1 of a message: repeated doubles.
    std::vector<double> list(const WireBytes &message)
    {
        std::vector<double> row;
        each(message, [&](const WireField &field) {
            if (field.number == 1)
                numbers(field, row);
        });
        return row;
    }

    void trees(const WireBytes &content)
    {
        static constexpr std::uint32_t kFields[] = {1, 2, 3, 10, 11, 12, 13, 14, 30};
        std::vector<std::vector<double>> nodes, leaves;
        std::vector<double> base;
        const auto node = [&](const WireBytes &message) {
            std::vector<double> row(std::size(kFields), 0.0);
            std::vector<WireBytes> values;
            m_left -= std::min(m_left, row.size());
            each(message, [&](const WireField &field) {
                const auto at = std::ranges::find(kFields, field.number);
                if (field.number == 20 && field.isBytes())
                    values.push_back(field.content);
                else if (at != std::end(kFields))
                    row[static_cast<std::size_t>(at - kFields)] = numberOf(field);
            });
            for (const WireBytes &value : values) {
                std::vector<double> leaf{row[0], row[1], 0, 0};
                each(value, [&](const WireField &field) {
                    if (field.number == 1 || field.number == 2)
                        leaf[1 + field.number] = numberOf(field);
                });
                leaves.push_back(std::move(leaf));
            }
            if (treeBehavior(row[2]) == "LeafNode") // no branch: feature to "missing is true"
                std::fill(row.begin() + 3, row.end() - 1, std::nan(""));
            nodes.push_back(std::move(row));
        };
        each(content, [&](const WireField &ensemble) {
            if (ensemble.number != 1 || !ensemble.isBytes())
                return;
            each(ensemble.content, [&](const WireField &field) {
                if (field.number == 1 && field.isBytes())
                    node(field.content);
                else if (field.number == 3)
                    numbers(field, base);
            });
        });
        add("nodes",
            {"tree", "node", "behavior", "feature", "value", "true", "false", "missing is true",
             "hit rate"},
            std::move(nodes));
        add("leaf values", {"tree", "node", "index", "value"}, std::move(leaves));
        addRow("base prediction", std::move(base));
    }

    void linear(const WireBytes &content)
    {
        std::vector<std::vector<double>> weights;
        std::vector<double> offset;
        each(content, [&](const WireField &field) {
            if (field.number == 1 && field.isBytes())
                weights.push_back(list(field.content));
            else if (field.number == 2)
                numbers(field, offset);
        });
        add("weights", {}, std::move(weights));
        addRow("offset", std::move(offset));
    }

    void kernel(const WireBytes &message)
    {
        each(message, [&](const WireField &field) {
            const auto &kinds = kernelKinds();
            if (field.number == 0 || field.number > kinds.size() || !field.isBytes())
                return;
            const KernelKind &kind = kinds[field.number - 1];
            std::vector<double> row(kind.fields.size(), 0.0);
            each(field.content, [&](const WireField &number) {
                if (number.number >= 1 && number.number <= row.size())
                    row[number.number - 1] = numberOf(number);
            });
            add(kind.name, kind.fields, {std::move(row)});
        });
    }

    /// `shift`: a classifier's fields are one further on.
    void vectors(const WireBytes &content, std::uint32_t shift)
    {
        std::vector<std::vector<double>> sparse, dense, coefficients;
        std::vector<double> rho, counts, probA, probB;
        const auto sparseVector = [&](const WireBytes &message) {
            std::vector<double> row;
            each(message, [&](const WireField &entry) {
                double index = 0, value = 0;
                if (entry.number != 1 || !entry.isBytes())
                    return;
                each(entry.content, [&](const WireField &field) {
                    (field.number == 1 ? index : value) = numberOf(field);
                });
                take(row, index);
                take(row, value);
            });
            sparse.push_back(std::move(row));
        };
        each(content, [&](const WireField &field) {
            if (field.number == 5 + shift)
                return numbers(field, rho);
            if (shift == 1 && (field.number == 7 || field.number == 8))
                return numbers(field, field.number == 7 ? probA : probB);
            if (shift == 1 && field.number == 2)
                return integers(field, counts);
            if (!field.isBytes())
                return;
            if (field.number == 1) {
                kernel(field.content);
            } else if (field.number == 4 + shift) {
                coefficients.push_back(list(field.content));
            } else if (field.number == 2 + shift || field.number == 3 + shift) {
                each(field.content, [&](const WireField &vector) {
                    if (vector.number != 1 || !vector.isBytes())
                        return;
                    if (field.number == 2 + shift)
                        sparseVector(vector.content);
                    else
                        dense.push_back(list(vector.content));
                });
            }
        });
        add("support vectors", {}, std::move(dense));
        add("support vectors (index, value, ...)", {}, std::move(sparse));
        add("coefficients", {}, std::move(coefficients));
        if (shift == 0 && rho.empty() && !m_state.lost) // one number, left out where it is 0
            take(rho, 0);
        addRow("rho", std::move(rho));
        addRow("support vectors per class", std::move(counts));
        addRow("probA", std::move(probA));
        addRow("probB", std::move(probB));
    }

    const ModelNode &m_node;
    WireState m_state;
    std::size_t m_left = kMostNumbers;
    std::vector<NumberTable> m_tables;
};

} // namespace

std::string_view treeBehavior(double number)
{
    // Compared first: no other number can be cast.
    const bool known = number >= 0 && number < static_cast<double>(std::size(kBehaviors));
    return known ? kBehaviors[static_cast<std::size_t>(number)] : std::string_view();
}

bool hasNumberTables(const ModelNode &node)
{
    return (node.field >= kLinear && node.field <= kTrees) ||
           (node.field >= kLinearClasses && node.field <= kTreeClasses);
}

std::vector<NumberTable> numberTables(std::span<const std::byte> model, const ModelNode &node,
                                      std::string_view fileName, bool &cut)
{
    if (!hasNumberTables(node) || model.size() > INT_MAX || node.content.offset > model.size() ||
        node.content.length > model.size() - node.content.offset)
        return {};
    return Tables(node, fileName, model.size())
        .read({model.subspan(node.content.offset, node.content.length), node.content.offset}, cut);
}

} // namespace kernscope::mil
