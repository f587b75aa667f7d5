// SPDX-License-Identifier: GPL-3.0-or-later
#include "rewrite.h"

#include "core/base/error_builder.h"
#include "core/container/mil/model_files.h"
#include "core/container/mil/number.h"
#include "core/container/mil/reader.h"
#include "core/container/mil/value_graph.h"

#include <algorithm>

#include <fmt/format.h>

namespace kernscope::mil {

namespace {

/// Puts the numbers of a program at the places that they were read from.
class NumberWriter
{
public:
    NumberWriter(std::span<const std::byte> source, bool wire)
        : m_bytes(source.begin(), source.end()), m_wire(wire)
    {
    }

    void write(const Function &function)
    {
        for (const NamedType &input : function.inputs)
            write(input.type);
        for (const Argument &attribute : function.attributes)
            write(attribute);
        write(function.body);
    }
    void write(const Argument &argument)
    {
        for (const ProgramValue &value : argument.values)
            forEachValue(value, [this](const ProgramValue &each) { write(each); });
    }

    Result<std::vector<std::byte>> take()
    {
        if (m_fault)
            return tl::unexpected(std::move(*m_fault));
        return std::move(m_bytes);
    }

private:
    void write(const Block &block)
    {
        for (const NamedType &input : block.inputs)
            write(input.type);
        for (const Operation &operation : block.operations) {
            for (const NamedType &output : operation.outputs)
                write(output.type);
            for (const auto *arguments : {&operation.inputs, &operation.attributes}) {
                for (const Argument &argument : *arguments)
                    write(argument);
            }
            for (const Block &body : operation.blocks)
                write(body);
        }
    }

    void write(const ValueType &type)
    {
        for (std::size_t i = 0; i < std::min(type.dims.size(), type.dimSpans.size()); ++i) {
            if (type.dims[i] >= 0)
                putNumber(type.dimSpans[i], std::uint64_t(type.dims[i]));
        }
    }

    void write(const ProgramValue &value)
    {
        write(value.type);
        if (const BlobReference *blob = value.blob())
            putNumber(blob->offsetSpan, blob->offset);
        else if (const Literal *literal = value.literal())
            write(*literal);
    }

    void write(const Literal &literal)
    {
        if (literal.packedSpan && literal.elementSpans.size() == 1 &&
            literal.elementSpans.front().length == literal.bytes.size())
            return put(literal.elementSpans.front(), literal.bytes);
        if (m_wire || literal.element == ElementType::Bool)
            return;
        const auto numbers = literalIntegers(literal);
        if (numbers.size() != literal.elementSpans.size())
            return;
        const bool isSigned = isSignedInteger(literal.element);
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            const bool negative = isSigned && numbers[i] < 0;
            const auto bits = std::uint64_t(numbers[i]);
            putText(literal.elementSpans[i], {negative, negative ? 0 - bits : bits});
        }
    }

    /// A span without a length is not known, or the number is absent (0 of the wire).
    void putNumber(SourceSpan span, std::uint64_t number)
    {
        if (span.length == 0)
            return;
        if (!m_wire)
            return putText(span, {false, number});
        std::vector<std::byte> varint;
        for (std::uint64_t rest = number; varint.size() < span.length; rest >>= 7) {
            const bool last = varint.size() + 1 == span.length;
            varint.push_back(static_cast<std::byte>((rest & 0x7F) | (last ? 0 : 0x80)));
            if (last && (rest >> 7) != 0)
                return refuse(span, fmt::format("{} in {} bytes", number, span.length));
        }
        put(span, varint);
    }

    /// A number that the text gives already stays as it is written; else digits, with zeros before
    /// them where there is room for more.
    void putText(SourceSpan span, Integer number)
    {
        if (span.offset > m_bytes.size() || span.length > m_bytes.size() - span.offset)
            return refuse(span, "a place outside the file");
        const std::string_view before(reinterpret_cast<const char *>(m_bytes.data()) + span.offset,
                                      std::size_t(span.length));
        Integer known;
        if (parseInteger(before, known) == NumberFault::None &&
            known.magnitude == number.magnitude &&
            (known.negative == number.negative || number.magnitude == 0))
            return;
        std::string digits = std::to_string(number.magnitude);
        const std::size_t sign = number.negative ? 1 : 0;
        if (digits.size() + sign > span.length)
            return refuse(span, digits);
        digits.insert(0, std::size_t(span.length) - sign - digits.size(), '0');
        digits.insert(0, sign, '-');
        put(span, std::as_bytes(std::span(digits)));
    }

    void put(SourceSpan span, std::span<const std::byte> bytes)
    {
        if (span.offset > m_bytes.size() || bytes.size() > m_bytes.size() - span.offset)
            return refuse(span, "a place outside the file");
        std::ranges::copy(bytes, m_bytes.begin() + std::ptrdiff_t(span.offset));
    }

    void refuse(SourceSpan span, std::string found)
    {
        if (!m_fault)
            m_fault = valueError({{}, FileOffset(span.offset), ByteCount(span.length)}, "mil.write",
                                 {}, "a number that fits its place", found,
                                 "The program's numbers do not fit its bytes");
    }

    std::vector<std::byte> m_bytes;
    bool m_wire;
    std::optional<Error> m_fault;
};

} // namespace

Result<std::vector<std::byte>> writeProgram(const Program &program,
                                            std::span<const std::byte> source, bool wire)
{
    NumberWriter writer(source, wire);
    for (const Argument &attribute : program.attributes)
        writer.write(attribute);
    for (const Function &function : program.functions)
        writer.write(function);
    return writer.take();
}

Result<std::vector<std::byte>> rewriteProgram(std::span<const std::byte> source,
                                              std::string_view fileName)
{
    const bool wire = isModelProtobuf(source, fileName);
    const ParsedProgram parsed =
        wire ? readModelProtobuf(source, fileName) : readProgramText(source, fileName);
    for (const Diagnostic &row : parsed.diagnostics) {
        if (row.severity == Severity::Error)
            return tl::unexpected(row.error);
    }
    return writeProgram(parsed.program, source, wire);
}

} // namespace kernscope::mil
