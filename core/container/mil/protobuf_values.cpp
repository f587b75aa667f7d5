// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/mil/limits.h"
#include "core/container/mil/protobuf_parser.h"
#include "core/container/mil/type_text.h"

#include <fmt/format.h>

namespace kernscope::mil {

bool ProtobufParser::parseType(const WireBytes &message, ValueType &type)
{
    if (!enter()) {
        leave();
        return fail("proto.depth", message.span(), fmt::format("at most {} levels", kMaxDepth), "",
                    "Blocks, types or values are nested too deeply.");
    }
    const bool read = spend(message) && each(message, [&](const WireField &field) {
                          if (field.type != WireField::Type::Bytes)
                              return true;
                          if (field.number == 1)
                              return parseTensorType(field.content, type);
                          return parseCompoundType(field, type);
                      });
    leave();
    return read;
}

bool ProtobufParser::parseTensorType(const WireBytes &message, ValueType &type)
{
    type = ValueType{};
    type.kind = ValueType::Kind::Tensor;
    const bool read = each(message, [&](const WireField &field) {
        if (field.number == 1 && field.type == WireField::Type::Varint) {
            type.element = programType(field.value);
            if (type.element == ElementType::Unknown)
                type.text = fmt::format("type {}", field.value);
        } else if (field.number == 3 && field.type == WireField::Type::Bytes) {
            return parseDimension(field.content, type);
        }
        return true;
    });
    if (read)
        checkExtents(message, type);
    return read;
}

bool ProtobufParser::parseDimension(const WireBytes &message, ValueType &type)
{
    std::int64_t extent = 0; // a zero may be absent on the wire
    SourceSpan span{message.offset, 0};
    const bool read =
        spend(message) && each(message, [&](const WireField &field) {
            if (field.type != WireField::Type::Bytes)
                return true;
            if (field.number == 2)
                extent = kUnknownExtent;
            return field.number != 1 || each(field.content, [&](const WireField &size) {
                       if (size.number != 1 || size.type != WireField::Type::Varint)
                           return true;
                       span = size.content.span();
                       if (size.value > INT64_MAX) {
                           fail("mil.shape", span, "0 to 9223372036854775807",
                                fmt::format("{}", size.value),
                                "A dimension is negative or too large.");
                           extent = kUnknownExtent;
                       } else {
                           extent = static_cast<std::int64_t>(size.value);
                       }
                       return true;
                   });
        });
    type.dims.push_back(extent);
    type.dimSpans.push_back(span);
    return read;
}

void ProtobufParser::checkExtents(const WireBytes &message, const ValueType &type)
{
    const auto shape = type.shape();
    if (shape && !elementCount(*shape))
        fail("mil.shape", message.span(), "fewer than 2^64 elements", typeText(type),
             "The product of the dimensions does not fit 64 bits.");
}

/// Lists, tuples, dictionaries and states: their text, and the tensor that a state wraps.
bool ProtobufParser::parseCompoundType(const WireField &field, ValueType &type)
{
    if (field.number < 2 || field.number > 5)
        return true;
    static constexpr std::string_view kNames[] = {"list", "tuple", "dict", "state"};
    static constexpr ValueType::Kind kKinds[] = {ValueType::Kind::List, ValueType::Kind::Tuple,
                                                 ValueType::Kind::Dictionary,
                                                 ValueType::Kind::State};
    type = ValueType{};
    type.kind = kKinds[field.number - 2];
    std::string inner;
    const bool isList = type.kind == ValueType::Kind::List;
    const bool read = each(field.content, [&](const WireField &part) {
        if (part.type != WireField::Type::Bytes)
            return true;
        ValueType element;
        if (isList && part.number == 2) { // a Dimension
            if (!parseDimension(part.content, element))
                return false;
            inner += element.dims.front() < 0 ? ", ?" : fmt::format(", {}", element.dims.front());
            return true;
        }
        if (!parseType(part.content, element))
            return false;
        if (inner.size() < 1000)
            inner += (inner.empty() ? "" : ", ") + typeText(element);
        if (type.kind == ValueType::Kind::State && element.isTensor()) {
            type.element = element.element;
            type.dims = std::move(element.dims);
            type.dimSpans = std::move(element.dimSpans);
        }
        return true;
    });
    type.text = shortened(fmt::format("{}<{}>", kNames[field.number - 2], inner));
    return read;
}

bool ProtobufParser::parseValue(const WireBytes &message, ProgramValue &value)
{
    if (!enter()) {
        leave();
        return fail("proto.depth", message.span(), fmt::format("at most {} levels", kMaxDepth), "",
                    "Blocks, types or values are nested too deeply.");
    }
    value.span = message.span();
    std::optional<WireBytes> immediate, blob;
    bool read = spend(message) && each(message, [&](const WireField &field) {
                    if (field.type != WireField::Type::Bytes)
                        return true;
                    switch (field.number) {
                    case 2: return parseType(field.content, value.type);
                    case 3: immediate = field.content; return true;
                    case 5: blob = field.content; return true;
                    default: return true;
                    }
                });
    if (read && blob)
        read = parseBlob(*blob, value.content.emplace<BlobReference>());
    else if (read && immediate)
        read = parseImmediate(*immediate, value);
    leave();
    return read;
}

bool ProtobufParser::parseBlob(const WireBytes &message, BlobReference &blob)
{
    blob.offsetSpan = {message.offset, 0}; // a zero offset may be absent
    return each(message, [&](const WireField &field) {
        if (field.number == 1 && field.type == WireField::Type::Bytes) {
            blob.path = text(field.content);
        } else if (field.number == 2 && field.type == WireField::Type::Varint) {
            blob.offset = field.value;
            blob.offsetSpan = field.content.span();
        }
        return true;
    });
}

bool ProtobufParser::parseImmediate(const WireBytes &message, ProgramValue &value)
{
    return each(message, [&](const WireField &field) {
        if (field.type != WireField::Type::Bytes)
            return true;
        switch (field.number) {
        case 1: return parseTensor(field.content, value.type, value.content.emplace<Literal>());
        case 2:
        case 3: return parseValues(field.content, value.content.emplace<Values>());
        case 4: return parseDictionary(field.content, value.content.emplace<Values>());
        default: return true;
        }
    });
}

bool ProtobufParser::parseValues(const WireBytes &message, Values &values)
{
    return each(message, [&](const WireField &field) {
        if (field.number != 1 || field.type != WireField::Type::Bytes)
            return true;
        return parseValue(field.content, values.emplace_back());
    });
}

/// Every entry becomes a value that holds two: its key and what it stands for.
bool ProtobufParser::parseDictionary(const WireBytes &message, Values &values)
{
    return each(message, [&](const WireField &field) {
        if (field.number != 1 || field.type != WireField::Type::Bytes)
            return true;
        ProgramValue &entry = values.emplace_back();
        entry.span = field.content.span();
        auto &pair = entry.content.emplace<Values>(2);
        return mapEntry(field.content, [&](const WireBytes &key, const WireBytes &value) {
            return parseValue(key, pair[0]) && parseValue(value, pair[1]);
        });
    });
}

} // namespace kernscope::mil
