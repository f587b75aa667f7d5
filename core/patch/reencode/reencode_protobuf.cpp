// SPDX-License-Identifier: GPL-3.0-or-later
// Operations as messages of an .mlpackage's model (resources/formats/programs.md).

#include "core/base/byte_text.h"
#include "core/base/error_builder.h"
#include "core/container/mil/wire.h"
#include "core/numeric/convert.h"
#include "core/patch/edit/literal_rewrite.h"
#include "core/patch/reencode/reencoder.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace kernscope::patch {

namespace {

using Bytes = std::vector<std::byte>;

constexpr unsigned kMaxDepth = 200;

void append(Bytes &out, std::span<const std::byte> more)
{
    out.insert(out.end(), more.begin(), more.end());
}

void sortByPlace(std::vector<Splice> &splices)
{
    std::ranges::sort(splices, {}, [](const Splice &splice) { return splice.span.offset; });
}

void appendNumber(Bytes &out, std::uint64_t field, std::uint64_t value)
{
    appendVarint(out, field << 3);
    appendVarint(out, value);
}

/// A message of one field.
Bytes wrapped(std::uint64_t field, const Bytes &content)
{
    Bytes out;
    appendBytes(out, field, content);
    return out;
}

Bytes mapEntry(std::string_view key, const Bytes &value)
{
    Bytes entry;
    appendBytes(entry, 1, bytesOfText(key));
    appendBytes(entry, 2, value);
    return entry;
}

/// ValueType of a tensor.
Bytes tensorType(ElementType type, const Shape &shape)
{
    Bytes tensor;
    appendNumber(tensor, 1, mil::programTypeCode(type));
    appendNumber(tensor, 2, shape.size());
    for (const std::uint64_t extent : shape) {
        Bytes constant;
        if (extent != DraftOperation::kOpen)
            appendNumber(constant, 1, extent);
        appendBytes(tensor, 3, wrapped(extent == DraftOperation::kOpen ? 2 : 1, constant));
    }
    return wrapped(1, tensor);
}

/// Value that is written out: `field` of TensorValue, and the content of its repeated values.
Bytes immediate(const Bytes &type, std::uint64_t field, const Bytes &values)
{
    Bytes value;
    appendBytes(value, 2, type);
    appendBytes(value, 3, wrapped(1, wrapped(field, wrapped(1, values))));
    return value;
}

/// In the field that coremltools writes for the type, and its loader asks for.
Bytes literal(const DraftOperand &operand)
{
    enum : std::uint64_t {
        Floats = 1,
        Ints = 2,
        Bools = 3,
        Strings = 4,
        LongInts = 5,
        Doubles = 6,
        Raw = 7
    };
    const auto field = [&]() -> std::uint64_t {
        switch (operand.type) {
        case ElementType::Fp32: return Floats;
        case ElementType::Fp64: return Doubles;
        case ElementType::Bool: return Bools;
        case ElementType::String: return Strings;
        case ElementType::Int16:
        case ElementType::Uint16:
        case ElementType::Int32: return Ints;
        case ElementType::Int64:
        case ElementType::Uint64: return LongInts;
        default: return Raw;
        }
    }();
    const Bytes type = tensorType(operand.type, operand.shape);
    if (field == Floats || field == Doubles || field == Raw || field == Strings)
        return immediate(type, field, operand.bytes);
    Bytes packed;
    const std::uint64_t count = elementCount(operand.shape).value_or(ElementCount()).value;
    for (std::uint64_t i = 0; i < count; ++i)
        appendVarint(packed, static_cast<std::uint64_t>(loadCode(operand.bytes, operand.type, i)));
    return immediate(type, field, packed);
}

Bytes valueOf(const DraftOperand &operand, const std::string &blobPath)
{
    if (operand.literal)
        return literal(operand);
    Bytes blob;
    appendBytes(blob, 1, bytesOfText(blobPath));
    appendNumber(blob, 2, operand.offset);
    Bytes value;
    appendBytes(value, 2, tensorType(operand.type, operand.shape));
    appendBytes(value, 5, blob);
    return value;
}

/// Argument of one binding: a name or a value.
Bytes argumentOf(const DraftOperand &operand, const std::string &blobPath)
{
    if (!operand.reference.empty())
        return wrapped(1, wrapped(1, bytesOfText(operand.reference)));
    return wrapped(1, wrapped(2, valueOf(operand, blobPath)));
}

/// Copies a message, with the splices that lie in it; sizes of nested messages follow.
class WireSplicer
{
public:
    WireSplicer(std::vector<Splice> splices, std::uint64_t bytes)
        : m_splices(std::move(splices)), m_state{mil::Faults(std::string_view()), bytes, false,
                                                 false}
    {
        sortByPlace(m_splices);
    }

    bool copy(const mil::WireBytes &message, Bytes &out, unsigned depth = 0)
    {
        if (depth > kMaxDepth)
            return false;
        std::uint64_t done = message.offset;
        mil::WireMessage reader(message, m_state);
        for (mil::WireField field; reader.next(field); done = field.content.end()) {
            const auto head =
                message.bytes.subspan(done - message.offset, field.content.offset - done);
            const auto next = firstFrom(field.content.offset);
            const bool any = next != m_splices.end();
            const bool exact = any && next->span.offset == field.content.offset &&
                               next->span.length == field.content.bytes.size();
            const bool inside = any && next->span.offset < field.content.end();
            if (field.cut)
                return false;
            if (exact) {
                for (const Bytes &replacement : next->contents) {
                    if (field.isBytes()) {
                        appendBytes(out, field.number, replacement);
                        continue;
                    }
                    append(out, head);
                    append(out, replacement);
                }
                ++m_used;
            } else if (field.isBytes() && inside) {
                Bytes inner;
                if (!copy(field.content, inner, depth + 1))
                    return false;
                appendBytes(out, field.number, inner);
            } else {
                append(out, head);
                append(out, field.content.bytes);
            }
        }
        return !reader.broken();
    }
    bool done() const { return m_used == m_splices.size(); }

private:
    std::vector<Splice>::const_iterator firstFrom(std::uint64_t offset) const
    {
        return std::partition_point(
            m_splices.begin(), m_splices.end(),
            [offset](const Splice &splice) { return splice.span.offset < offset; });
    }

    std::vector<Splice> m_splices;
    mil::WireState m_state;
    std::size_t m_used = 0;
};

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
    return std::isinf(value) ? (value < 0 ? "-inf" : "inf") : hexadecimal(value);
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

private:
    static void append(std::string &list, std::string_view name, const std::string &value)
    {
        list += fmt::format("{}{} = {}", list.empty() ? "" : ", ", name, value);
    }
    std::string tensor(ElementType type, const Shape &shape) const
    {
        if (m_newScalars && shape.empty())
            return std::string(elementTypeName(type));
        std::string extents;
        for (const std::uint64_t extent : shape)
            extents += (extents.empty() ? "" : ", ") +
                       (extent == DraftOperation::kOpen ? "?" : std::to_string(extent));
        return fmt::format("tensor<{}, [{}]>", elementTypeName(type), extents);
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

    const std::string &m_path;
    bool m_newScalars;
};

} // namespace

Bytes serialiseProtobuf(const DraftOperation &operation, const std::string &blobPath)
{
    Bytes message;
    appendBytes(message, 1, bytesOfText(operation.type));
    for (const DraftOperand &operand : operation.operands) {
        if (!operation.oldSignature)
            appendBytes(message, 2, mapEntry(operand.name, argumentOf(operand, blobPath)));
    }
    const auto addOutput = [&](const std::string &value, ElementType type, const Shape &shape) {
        Bytes output;
        appendBytes(output, 1, bytesOfText(value));
        appendBytes(output, 2, tensorType(type, shape));
        appendBytes(message, 3, output);
    };
    if (!operation.maskOutput.empty())
        addOutput(operation.maskOutput, ElementType::Uint1, operation.maskShape);
    addOutput(operation.output, operation.resultType, operation.resultShape);
    for (const DraftOperand &operand : operation.operands) {
        if (operation.oldSignature)
            appendBytes(message, 5, mapEntry(operand.name, valueOf(operand, blobPath)));
    }
    constexpr std::uint64_t kStrings = 4;
    const Bytes name =
        immediate(tensorType(ElementType::String, {}), kStrings, bytesOfText(operation.name));
    appendBytes(message, 5, mapEntry("name", name));
    return message;
}

Result<Bytes> spliceProtobuf(std::span<const std::byte> message, std::vector<Splice> splices)
{
    WireSplicer splicer(std::move(splices), message.size());
    Bytes out;
    out.reserve(message.size());
    if (splicer.copy({message, 0}, out) && splicer.done())
        return out;
    return ErrorBuilder("encode.program")
        .message("The model's messages cannot be written anew")
        .unexpected();
}

Bytes serialiseValue(const DraftOperand &operand, const std::string &blobPath, bool text,
                     unsigned opset)
{
    return text ? bytesOfText(StatementWriter(blobPath, opset).value(operand))
                : valueOf(operand, blobPath);
}

Bytes offsetBytes(std::uint64_t offset, bool text)
{
    Bytes out;
    if (text)
        return bytesOfText(std::to_string(offset));
    appendVarint(out, offset);
    return out;
}

std::string serialiseText(const DraftOperation &operation, const std::string &blobPath,
                          unsigned opset)
{
    return StatementWriter(blobPath, opset).statement(operation);
}

std::vector<std::byte> spliceText(std::span<const std::byte> text, std::vector<Splice> splices)
{
    sortByPlace(splices);
    Bytes out;
    std::uint64_t at = 0;
    for (const Splice &splice : splices) {
        append(out, text.subspan(at, splice.span.offset - at));
        for (const Bytes &content : splice.contents)
            append(out, content);
        at = splice.span.offset + splice.span.length;
    }
    append(out, text.subspan(at));
    return out;
}

void appendVarint(std::vector<std::byte> &out, std::uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        out.push_back(static_cast<std::byte>((value & 0x7f) | 0x80));
    out.push_back(static_cast<std::byte>(value));
}

void appendBytes(std::vector<std::byte> &out, std::uint64_t field,
                 std::span<const std::byte> content)
{
    appendVarint(out, field << 3 | 2);
    appendVarint(out, content.size());
    append(out, content);
}

} // namespace kernscope::patch
