// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/shapes/rules.h"

#include "core/base/parts.h"
#include "core/format/table_rows.h"
#include "core/numeric/half.h"

#include <algorithm>
#include <cstring>

namespace kernscope::shapes {

namespace {

template <class Float>
std::optional<double> firstOf(const mil::Literal &literal)
{
    Float number{};
    if (literal.bytes.size() < sizeof number)
        return std::nullopt;
    std::memcpy(&number, literal.bytes.data(), sizeof number);
    return static_cast<double>(number);
}

} // namespace

Tensor OperationView::tensor(const mil::ProgramValue &value) const
{
    if (const mil::Reference *reference = value.reference()) {
        const std::size_t definition = m_graph.resolve(*reference);
        return definition < m_tensors.size() ? m_tensors[definition] : Tensor();
    }
    Tensor result;
    if (value.type.isTensor())
        result.dims = value.type.dims;
    const mil::Literal *written = value.literal();
    if (written && written->count <= kMaxNumbers) {
        auto integers = literalIntegers(*written);
        if (integers.size() == written->count)
            result.numbers = std::move(integers);
    }
    return result;
}

Tensor OperationView::operand(std::string_view name) const
{
    const mil::ProgramValue *value = m_operation.operand(name);
    return value ? tensor(*value) : Tensor();
}

std::vector<Tensor> OperationView::operands(std::string_view name) const
{
    std::vector<Tensor> all;
    const mil::Argument *argument = m_operation.input(name);
    if (!argument)
        return all;
    for (const mil::ProgramValue &value : argument->values) {
        forEachValue(value, [&](const mil::ProgramValue &each) {
            if (!std::holds_alternative<mil::Values>(each.content))
                all.push_back(tensor(each));
        });
    }
    return all;
}

std::vector<Tensor> OperationView::inputs() const
{
    std::vector<Tensor> all;
    for (const mil::Argument &argument : m_operation.inputs) {
        for (const mil::ProgramValue &value : argument.values) {
            forEachValue(value, [&](const mil::ProgramValue &each) {
                const mil::ValueType *type = m_graph.typeOf(each);
                if (type && (type->isTensor() || type->kind == mil::ValueType::Kind::List))
                    all.push_back(tensor(each));
            });
        }
    }
    return all;
}

std::optional<Dims> OperationView::numbers(std::string_view name) const
{
    auto known = operand(name).numbers;
    if (known && std::find(known->begin(), known->end(), kUnknownNumber) != known->end())
        return std::nullopt;
    return known;
}

std::optional<Dims> OperationView::numbers(std::string_view name, std::size_t count,
                                           std::int64_t fallback) const
{
    if (!has(name))
        return Dims(count, fallback);
    auto known = numbers(name);
    return known && known->size() == count ? std::move(known) : std::nullopt;
}

std::optional<std::int64_t> OperationView::number(std::string_view name,
                                                  std::int64_t fallback) const
{
    return has(name) ? number(name) : fallback;
}

std::optional<std::int64_t> OperationView::number(std::string_view name) const
{
    const auto known = numbers(name);
    return known && known->size() == 1 ? std::optional(known->front()) : std::nullopt;
}

const mil::Literal *OperationView::literal(std::string_view name) const
{
    const mil::ProgramValue *value = m_operation.operand(name);
    const mil::ProgramValue *constant = value ? m_graph.constant(*value) : nullptr;
    return constant ? constant->literal() : nullptr;
}

std::optional<double> OperationView::real(std::string_view name) const
{
    if (const auto integer = number(name))
        return static_cast<double>(*integer);
    const mil::Literal *written = literal(name);
    if (!written || written->count != 1)
        return std::nullopt;
    switch (written->element) {
    case ElementType::Fp32: return firstOf<float>(*written);
    case ElementType::Fp64: return firstOf<double>(*written);
    case ElementType::Fp16: {
        std::uint16_t bits = 0;
        if (written->bytes.size() < sizeof bits)
            return std::nullopt;
        std::memcpy(&bits, written->bytes.data(), sizeof bits);
        return static_cast<double>(halfToFloat(bits));
    }
    default: return std::nullopt;
    }
}

std::string OperationView::text(std::string_view name, std::string fallback) const
{
    const mil::Literal *written = literal(name);
    return written && written->strings.size() == 1 ? written->strings.front() : fallback;
}

namespace {

struct NamedRule {
    std::string_view name;
    Rule rule;
};

constexpr NamedRule kRules[] = {
    {"same", sameRule},
    {"broadcast", broadcastRule},
    {"reduce", reduceRule},
    {"argument", argumentRule},
    {"conv", convRule},
    {"conv_transpose", convTransposeRule},
    {"pool", poolRule},
    {"linear", linearRule},
    {"matmul", matmulRule},
    {"einsum", einsumRule},
    {"attention", attentionRule},
    {"recurrent", recurrentRule},
    {"reshape", reshapeRule},
    {"flatten", flattenRule},
    {"transpose", transposeRule},
    {"expand_dims", expandDimsRule},
    {"squeeze", squeezeRule},
    {"concat", concatRule},
    {"stack", stackRule},
    {"split", splitRule},
    {"pad", padRule},
    {"tile", tileRule},
    {"block", blockRule},
    {"batch", batchRule},
    {"slice_by_index", sliceByIndexRule},
    {"slice_by_size", sliceBySizeRule},
    {"sliding_windows", slidingWindowsRule},
    {"gather", gatherRule},
    {"gather_nd", gatherNdRule},
    {"topk", topkRule},
    {"suppression", suppressionRule},
    {"upsample", upsampleRule},
    {"resize", resizeRule},
    {"resample", resampleRule},
    {"filled", filledRule},
    {"list_gather", listGatherRule},
    {"list_scatter", listScatterRule},
    {"scalar", scalarRule},
    {"shape", shapeRule},
    {"range", rangeRule},
    {"one_hot", oneHotRule},
    {"drawn", drawnRule},
    {"dense", denseRule},
    {"palette", paletteRule},
    {"survivors", survivorsRule},
};

using Table = std::map<std::string, RuleRow, std::less<>>;

const Table &table()
{
    static const Table made = [] {
        Table rows;
        const auto csv = tables::load("shape_rules");
        for (std::size_t row = 0; csv && row < csv->rows(); ++row)
            rows.emplace(csv->cell(row, "operation"),
                         RuleRow{ruleByName(csv->cell(row, "rule")),
                                 partsOf(csv->cell(row, "operands"), ' ')});
        return rows;
    }();
    return made;
}

} // namespace

Rule ruleByName(std::string_view name)
{
    for (const NamedRule &each : kRules) {
        if (each.name == name)
            return each.rule;
    }
    return nullptr;
}

const RuleRow *ruleOf(std::string_view operation)
{
    const auto found = table().find(operation);
    return found == table().end() || !found->second.rule ? nullptr : &found->second;
}

std::vector<std::string> rowsWithoutRule()
{
    std::vector<std::string> names;
    for (const auto &[operation, row] : table()) {
        if (!row.rule)
            names.push_back(operation);
    }
    return names;
}

} // namespace kernscope::shapes
