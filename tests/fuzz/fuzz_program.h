// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/mil/reader.h"
#include "tests/fuzz/fuzz_check.h"

namespace fuzz {

/// Looks at everything that a program reader hands out.
class ProgramCheck
{
public:
    explicit ProgramCheck(std::size_t fileBytes) : m_fileBytes(fileBytes) {}

    void program(const kernscope::mil::ParsedProgram &parsed)
    {
        for (const auto &function : parsed.program.functions) {
            for (const auto &input : function.inputs)
                type(input.type);
            block(function.body);
            (void)kernscope::mil::operationCount(function.body);
        }
        for (const auto &diagnostic : parsed.diagnostics) {
            require(!diagnostic.error.code.empty() && !diagnostic.error.message.empty());
            require(!diagnostic.error.offset || diagnostic.error.offset->value <= m_fileBytes);
        }
        require(parsed.diagnostics.size() <= 601);
    }

private:
    void span(kernscope::mil::SourceSpan span) const
    {
        require(span.offset <= m_fileBytes && span.length <= m_fileBytes - span.offset);
    }

    void type(const kernscope::mil::ValueType &type) const
    {
        require(type.dims.size() == type.dimSpans.size());
        for (const auto &place : type.dimSpans)
            span(place);
        for (const auto extent : type.dims)
            require(extent >= kernscope::mil::kUnknownExtent);
        (void)type.shape();
    }

    void literal(const kernscope::mil::Literal &literal) const
    {
        using kernscope::mil::Literal;
        if (literal.element == kernscope::ElementType::String) {
            require(literal.strings.size() == literal.count);
        } else {
            const auto bytes =
                kernscope::packedBytes(kernscope::ElementCount(literal.count), literal.element);
            require(bytes && bytes->value <= literal.bytes.size());
        }
        require(literal.elementSpans.size() <= Literal::kMaxElementSpans);
        require(!literal.packedSpan || (literal.elementSpans.size() == 1 &&
                                        literal.elementSpans[0].length == literal.bytes.size()));
        for (const auto &place : literal.elementSpans)
            span(place);
    }

    void value(const kernscope::mil::ProgramValue &value) const
    {
        type(value.type);
        span(value.span);
        if (const auto *reference = value.reference())
            span(reference->span);
        if (const auto *blob = value.blob())
            span(blob->offsetSpan);
        if (const auto *content = value.literal())
            literal(*content);
        if (const auto *values = std::get_if<kernscope::mil::Values>(&value.content)) {
            for (const auto &inner : *values)
                this->value(inner);
        }
    }

    void block(const kernscope::mil::Block &block) const
    {
        for (const auto &input : block.inputs)
            type(input.type);
        for (const auto &operation : block.operations) {
            span(operation.span);
            (void)operation.displayName();
            for (const auto &output : operation.outputs)
                type(output.type);
            for (const auto *arguments : {&operation.inputs, &operation.attributes}) {
                for (const auto &argument : *arguments) {
                    for (const auto &v : argument.values)
                        value(v);
                }
            }
            for (const auto &nested : operation.blocks)
                this->block(nested);
        }
    }

    std::size_t m_fileBytes;
};

} // namespace fuzz
