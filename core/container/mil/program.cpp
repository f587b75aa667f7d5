// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/mil/program.h"

#include "core/base/find.h"
#include "core/container/mil/number.h"
#include "core/format/table_rows.h"

#include <fmt/format.h>

namespace kernscope::mil {

namespace {

const Argument *find(const std::vector<Argument> &arguments, std::string_view name)
{
    return findBy(arguments, &Argument::name, name);
}

/// A row of resources/tables/program_types.csv.
struct ProgramTypeRow {
    std::uint32_t code = 0;
    std::string name;
    ElementType type = ElementType::Unknown; ///< of that name
};

const std::vector<ProgramTypeRow> &programTypeRows()
{
    static const auto rows = [] {
        auto loaded = tables::loadRows<ProgramTypeRow>(
            "program_types", {{"code", &ProgramTypeRow::code}, {"name", &ProgramTypeRow::name}});
        for (ProgramTypeRow &row : loaded)
            row.type = elementTypeFromName(row.name);
        return loaded;
    }();
    return rows;
}

} // namespace

std::optional<Shape> ValueType::shape() const
{
    Shape shape;
    shape.reserve(dims.size());
    for (const std::int64_t extent : dims) {
        if (extent < 0)
            return std::nullopt;
        shape.push_back(static_cast<std::uint64_t>(extent));
    }
    return shape;
}

const Argument *Operation::input(std::string_view name) const
{
    return find(inputs, name);
}

const Argument *Operation::attribute(std::string_view name) const
{
    return find(attributes, name);
}

const ProgramValue *Operation::operand(std::string_view name) const
{
    for (const Argument *argument : {input(name), attribute(name)}) {
        if (argument && !argument->values.empty())
            return &argument->values.front();
    }
    return nullptr;
}

std::string Operation::displayName() const
{
    if (const Argument *argument = attribute("name"); argument && !argument->values.empty()) {
        const Literal *literal = argument->values.front().literal();
        if (literal && !literal->strings.empty())
            return literal->strings.front();
    }
    return outputs.empty() ? std::string() : outputs.front().name;
}

ProgramValue textValue(std::string text)
{
    ProgramValue value;
    value.type.kind = ValueType::Kind::Tensor;
    auto &literal = value.content.emplace<Literal>();
    value.type.element = literal.element = ElementType::String;
    literal.count = 1;
    literal.strings.push_back(std::move(text));
    return value;
}

ProgramValue numberValue(std::int64_t number)
{
    ProgramValue value;
    value.type.kind = ValueType::Kind::Tensor;
    auto &literal = value.content.emplace<Literal>();
    value.type.element = literal.element = ElementType::Int64;
    literal.count = 1;
    PackedElements(literal.element, literal.bytes).add(static_cast<std::uint64_t>(number));
    return value;
}

std::size_t operationCount(const Block &block)
{
    std::size_t count = block.operations.size();
    for (const Operation &operation : block.operations) {
        for (const Block &nested : operation.blocks)
            count += operationCount(nested);
    }
    return count;
}

std::string shortened(std::string_view text)
{
    constexpr std::size_t kLimit = 1000; // also keeps nested types from being copied over and over
    if (text.size() <= kLimit)
        return std::string(text);
    return fmt::format("{}...", text.substr(0, kLimit));
}

std::string typeText(const ValueType &type)
{
    if (type.kind != ValueType::Kind::Tensor)
        return type.text.empty() ? std::string("unknown") : type.text;
    const std::string_view element =
        type.text.empty() ? elementTypeName(type.element) : std::string_view(type.text);
    if (type.dims.empty())
        return std::string(element);
    std::string text = "tensor<" + std::string(element) + ", [";
    for (std::size_t i = 0; i < type.dims.size() && text.size() < 1000; ++i) {
        text += i == 0 ? "" : ", ";
        text += type.dims[i] < 0 ? "?" : std::to_string(type.dims[i]);
    }
    return text + "]>";
}

std::string shapedTypeText(const ValueType &type)
{
    // Of what is no array its words.
    if (!type.isTensor() && type.kind != ValueType::Kind::State && !type.text.empty())
        return type.text;
    std::string text(elementTypeName(type.element));
    text += " [";
    for (std::size_t i = 0; i < type.dims.size(); ++i) {
        text += i == 0 ? "" : ", ";
        text += type.dims[i] == kUnknownExtent ? "?" : std::to_string(type.dims[i]);
    }
    return text + "]";
}

ElementType programType(std::uint64_t code)
{
    const auto &rows = programTypeRows();
    const auto *row = findBy(rows, &ProgramTypeRow::code, code);
    return !row ? ElementType::Unknown : row->type;
}

std::uint64_t programTypeCode(ElementType type)
{
    const auto &rows = programTypeRows();
    const auto *row = findBy(rows, &ProgramTypeRow::type, type);
    return !row || type == ElementType::Unknown ? 0 : row->code;
}

} // namespace kernscope::mil

namespace kernscope {

std::vector<std::int64_t> literalIntegers(const mil::Literal &literal)
{
    const unsigned bits = bitWidth(literal.element);
    const bool isSigned = isSignedInteger(literal.element);
    const bool usable =
        isSigned || isUnsignedInteger(literal.element) || literal.element == ElementType::Bool;
    if (!usable || bits < 8 || literal.bytes.size() / (bits / 8) < literal.count)
        return {};
    const std::size_t each = bits / 8;
    std::vector<std::int64_t> numbers;
    numbers.reserve(literal.count);
    for (std::size_t at = 0; numbers.size() < literal.count; at += each) {
        std::uint64_t number = 0;
        for (std::size_t i = each; i-- > 0;)
            number = number << 8 | std::to_integer<std::uint64_t>(literal.bytes[at + i]);
        const std::uint64_t sign = std::uint64_t(1) << (bits - 1);
        if (isSigned)
            number = (number ^ sign) - sign;
        numbers.push_back(static_cast<std::int64_t>(number));
    }
    return numbers;
}

} // namespace kernscope
