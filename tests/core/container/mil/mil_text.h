// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/mil/reader.h"
#include "tests/test_program.h"

/// Small programs for the tests of mil, and what was read of them as text that can be compared.
namespace miltest {

using namespace kernscope;

inline mil::ParsedProgram readText(const QByteArray &text)
{
    return mil::readProgramText(test::asSpan(text), "model.mil");
}

inline mil::ParsedProgram readProto(const QByteArray &file)
{
    return mil::readModelProtobuf(test::asSpan(file), "model.mlmodel");
}

/// A program of one function with the parameter x.
inline QByteArray program(const QByteArray &statements)
{
    return "program(1.3)\n[buildInfo = dict<string, string>({{\"a\", \"b\"}})]\n{\n"
           "    func main<ios18>(tensor<fp16, [1, 4]> x) {\n" +
           statements + "\n        } -> (x);\n}";
}

inline QByteArray hexOf(const std::vector<std::byte> &bytes)
{
    return QByteArray(reinterpret_cast<const char *>(bytes.data()), qsizetype(bytes.size()))
        .toHex();
}

/// "e:mil.syntax@12 w:mil.count@30": severity, code and offset of each.
inline QByteArray codesOf(const Diagnostics &diagnostics)
{
    QByteArrayList codes;
    for (const Diagnostic &d : diagnostics) {
        const std::string offset = d.error.offset ? std::to_string(d.error.offset->value) : "-";
        codes << QByteArray::fromStdString(std::string(severityName(d.severity)).substr(0, 1) +
                                           ":" + d.error.code + "@" + offset);
    }
    return codes.join(' ');
}

/// "fp16[1,?]" of a tensor; else the type's text.
inline QByteArray shown(const mil::ValueType &type)
{
    if (!type.isTensor())
        return QByteArray::fromStdString(type.text);
    QByteArrayList dims;
    for (const std::int64_t d : type.dims)
        dims << (d < 0 ? QByteArray("?") : QByteArray::number(qint64(d)));
    return QByteArray::fromStdString(std::string(elementTypeName(type.element))) + "[" +
           dims.join(',') + "]";
}

inline QByteArray shown(const mil::ProgramValue &value)
{
    if (const auto *reference = value.reference())
        return QByteArray::fromStdString(reference->name);
    if (const auto *blob = value.blob())
        return shown(value.type) + "@" + QByteArray::fromStdString(blob->path) + "+" +
               QByteArray::number(quint64(blob->offset));
    QByteArrayList parts;
    if (const auto *literal = value.literal()) {
        for (const std::string &s : literal->strings)
            parts << "'" + QByteArray::fromStdString(s) + "'";
        if (!literal->bytes.empty() || parts.isEmpty())
            parts << hexOf(literal->bytes);
        return shown(value.type) + ":" + parts.join(',');
    }
    if (const auto *values = std::get_if<mil::Values>(&value.content)) {
        for (const mil::ProgramValue &v : *values)
            parts << shown(v);
        return shown(value.type) + "(" + parts.join(',') + ")";
    }
    return shown(value.type) + "-";
}

inline QByteArray shown(const std::vector<mil::Argument> &arguments)
{
    QByteArrayList parts;
    for (const mil::Argument &argument : arguments) {
        QByteArrayList values;
        for (const mil::ProgramValue &value : argument.values)
            values << shown(value);
        parts << QByteArray::fromStdString(argument.name) + "=" + values.join('|');
    }
    return parts.join("; ");
}

inline QByteArray shown(const mil::Block &block);

/// "fp16[2] a = const()[val=…]{…}"
inline QByteArray shown(const mil::Operation &operation)
{
    QByteArrayList outputs;
    for (const mil::NamedType &output : operation.outputs)
        outputs << shown(output.type) + " " + QByteArray::fromStdString(output.name);
    QByteArray text = outputs.join(", ") + " = " + QByteArray::fromStdString(operation.type) + "(" +
                      shown(operation.inputs) + ")[" + shown(operation.attributes) + "]";
    for (const mil::Block &block : operation.blocks)
        text += shown(block);
    return text;
}

inline QByteArray shown(const mil::Block &block)
{
    QByteArrayList inputs, operations, outputs;
    for (const mil::NamedType &input : block.inputs)
        inputs << shown(input.type) + " " + QByteArray::fromStdString(input.name);
    for (const mil::Operation &operation : block.operations)
        operations << shown(operation);
    for (const std::string &output : block.outputs)
        outputs << QByteArray::fromStdString(output);
    return "(" + inputs.join(", ") + "){" + operations.join(" / ") + "}->(" + outputs.join(", ") +
           ")";
}

/// Of the statements of the first function, one after the other.
inline QByteArray shown(const mil::Program &program)
{
    return program.functions.empty() ? QByteArray() : shown(program.functions.front().body);
}

} // namespace miltest
