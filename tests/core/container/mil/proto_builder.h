// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QList>

#include <utility>

/// Writes the wire format by hand (resources/formats/programs.md), for tests of the reader.
namespace prototest {

inline QByteArray varint(quint64 value)
{
    QByteArray raw;
    for (; value >= 0x80; value >>= 7)
        raw += char((value & 0x7F) | 0x80);
    return raw + char(value);
}

inline QByteArray number(quint64 field, quint64 value)
{
    return varint(field << 3) + varint(value);
}

inline QByteArray bytes(quint64 field, const QByteArray &content)
{
    return varint(field << 3 | 2) + varint(quint64(content.size())) + content;
}

inline QByteArray entry(quint64 field, const QByteArray &key, const QByteArray &value)
{
    return bytes(field, bytes(1, key) + bytes(2, value));
}

constexpr int Bool = 1, String = 2, Fp16 = 10, Fp32 = 11, Fp64 = 12, Bf16 = 13, Int8 = 21,
              Int16 = 22, Int32 = 23, Int64 = 24, Int4 = 25, Uint8 = 31, Uint16 = 32, Uint32 = 33,
              Uint64 = 34, Uint4 = 35, Uint2 = 36, Uint1 = 37, Uint6 = 38, Uint3 = 39, E4m3 = 40,
              E5m2 = 41;

/// ValueType of a tensor; -1 is an unknown extent.
inline QByteArray tensor(int type, const QList<qint64> &dims = {})
{
    QByteArray message = number(1, quint64(type)) + number(2, quint64(dims.size()));
    for (const qint64 d : dims) {
        message += bytes(3, d < 0 ? bytes(2, QByteArray()) : bytes(1, number(1, quint64(d))));
    }
    return bytes(1, message);
}

/// Value with an immediate tensor: `field` and `values` as TensorValue has them.
inline QByteArray immediate(const QByteArray &type, quint64 field, const QByteArray &values)
{
    return bytes(2, type) + bytes(3, bytes(1, bytes(field, bytes(1, values))));
}

inline QByteArray text(const QByteArray &string)
{
    return immediate(tensor(String), 4, string);
}

inline QByteArray blob(const QByteArray &type, const QByteArray &path, quint64 offset)
{
    return bytes(2, type) + bytes(5, bytes(1, path) + number(2, offset));
}

inline QByteArray named(const QByteArray &name, const QByteArray &type)
{
    return bytes(1, name) + bytes(2, type);
}

inline QByteArray reference(const QByteArray &name)
{
    return bytes(1, bytes(1, name));
}

using Fields = QList<std::pair<QByteArray, QByteArray>>;

/// Operation: its outputs as NamedValueType, inputs as Argument, attributes as Value.
inline QByteArray opMessage(const QByteArray &type, const Fields &inputs, const Fields &attributes,
                            const QList<QByteArray> &outputs, const QList<QByteArray> &blocks = {})
{
    QByteArray raw = bytes(1, type);
    for (const auto &[name, argument] : inputs)
        raw += entry(2, name, argument);
    for (const QByteArray &output : outputs)
        raw += bytes(3, output);
    for (const QByteArray &block : blocks)
        raw += bytes(4, block);
    for (const auto &[name, value] : attributes)
        raw += entry(5, name, value);
    return raw;
}

inline QByteArray block(const QList<QByteArray> &operations, const QList<QByteArray> &outputs,
                        const QList<QByteArray> &inputs = {})
{
    QByteArray raw;
    for (const QByteArray &input : inputs)
        raw += bytes(1, input);
    for (const QByteArray &output : outputs)
        raw += bytes(2, output);
    for (const QByteArray &operation : operations)
        raw += bytes(3, operation);
    return raw;
}

inline QByteArray function(const QByteArray &opset, const QByteArray &body)
{
    return bytes(1, named("x", tensor(Fp16, {1, 4}))) + bytes(2, opset) + entry(3, opset, body);
}

inline QByteArray model(const QByteArray &program)
{
    return number(1, 7) + bytes(2, "description") + bytes(502, program);
}

/// A model of one function "main" for CoreML7.
inline QByteArray model(const QList<QByteArray> &operations, const QList<QByteArray> &outputs)
{
    return model(number(1, 1) + entry(2, "main", function("CoreML7", block(operations, outputs))));
}

/// const named w with the value `val`.
inline QByteArray constant(const QByteArray &val, const QByteArray &type = tensor(Fp16, {2}))
{
    return opMessage("const", {}, {{"name", text("w")}, {"val", val}}, {named("w", type)});
}

} // namespace prototest
