// SPDX-License-Identifier: GPL-3.0-or-later
// Operations as statements of model.mil.
#include "core/patch/reencode/reencode_draft.h"

#include "core/numeric/convert.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace kernscope::patch {

namespace {

/// As the compiler writes them: floating point as C hex floats.
std::string literalText(ElementType type, std::int64_t code)
{
    if (type == ElementType::Bool)
        return code != 0 ? "true" : "false";
    if (!isFloatingPoint(type))
        return std::to_string(code);
    const double value = codeValue(type, code);
    if (std::isnan(value))
        return "nan";
    return std::isinf(value) ? (value < 0 ? "-inf" : "inf") : fmt::format("{:a}", value);
}

class StatementWriter
{
public:
    StatementWriter(const std::string &blobPath, unsigned opset)
        : m_path(blobPath), m_newScalars(opset >= 18)
    {
    }

    std::string statement(const DraftOperation &operation) const
    {
        std::string arguments;
        std::string attributes;
        // The compiler orders both by name; the name is among the attributes.
        bool named = false;
        const auto addName = [&](const std::string &before) {
            if (named || (!before.empty() && before < "name"))
                return;
            append(attributes, "name", scalar("string", quoted(operation.name)));
            named = true;
        };
        for (const DraftOperand &operand : operation.operands) {
            if (operation.oldSignature)
                addName(operand.name);
            append(operation.oldSignature ? attributes : arguments, operand.name, value(operand));
        }
        addName({});
        const std::string mask =
            operation.maskOutput.empty()
                ? std::string()
                : fmt::format("{} {}, ", tensor(ElementType::Uint1, operation.maskShape),
                              operation.maskOutput);
        return fmt::format("{}{} {} = {}({})[{}]", mask,
                           tensor(operation.resultType, operation.resultShape), operation.output,
                           operation.type, arguments, attributes);
    }

private:
    static void append(std::string &list, std::string_view name, const std::string &value)
    {
        list += fmt::format("{}{} = {}", list.empty() ? "" : ", ", name, value);
    }
    static std::string tensor(ElementType type, const Shape &shape)
    {
        return fmt::format("tensor<{}, {}>", elementTypeName(type), shapeText(shape));
    }
    static std::string quoted(std::string_view text)
    {
        std::string out = "\"";
        for (const char c : text) {
            if (c == '"' || c == '\\')
                out += '\\';
            out += c;
        }
        return out + "\"";
    }
    std::string scalar(std::string_view type, const std::string &text) const
    {
        return m_newScalars ? fmt::format("{}({})", type, text)
                            : fmt::format("tensor<{}, []>({})", type, text);
    }

    std::string value(const DraftOperand &operand) const
    {
        if (!operand.reference.empty())
            return operand.reference;
        if (!operand.literal)
            return fmt::format(
                "{}(BLOBFILE(path = {}, offset = {}))", tensor(operand.type, operand.shape),
                scalar("string", quoted(m_path)), scalar("uint64", std::to_string(operand.offset)));
        if (operand.type == ElementType::String)
            return scalar("string", quoted({reinterpret_cast<const char *>(operand.bytes.data()),
                                            operand.bytes.size()}));
        std::string list;
        const std::uint64_t count = elementCount(operand.shape).value_or(ElementCount()).value;
        for (std::uint64_t i = 0; i < count; ++i) {
            const std::int64_t code = loadCode(operand.bytes, operand.type, i);
            list += i == 0 ? "" : ", ";
            list += literalText(operand.type, code);
        }
        if (operand.shape.empty())
            return scalar(elementTypeName(operand.type), list);
        return fmt::format("{}([{}])", tensor(operand.type, operand.shape), list);
    }

    const std::string &m_path;
    bool m_newScalars;
};

} // namespace

std::string serialiseText(const DraftOperation &operation, const std::string &blobPath,
                          unsigned opset)
{
    return StatementWriter(blobPath, opset).statement(operation);
}

std::vector<std::byte> spliceText(std::span<const std::byte> text, std::vector<Splice> splices)
{
    std::sort(splices.begin(), splices.end(),
              [](const Splice &a, const Splice &b) { return a.span.offset < b.span.offset; });
    std::vector<std::byte> out;
    std::uint64_t at = 0;
    const auto copyTo = [&](std::uint64_t end) {
        const auto run = text.subspan(at, end - at);
        out.insert(out.end(), run.begin(), run.end());
    };
    for (const Splice &splice : splices) {
        copyTo(splice.span.offset);
        for (const auto &content : splice.contents)
            out.insert(out.end(), content.begin(), content.end());
        at = splice.span.offset + splice.span.length;
    }
    copyTo(text.size());
    return out;
}

} // namespace kernscope::patch
