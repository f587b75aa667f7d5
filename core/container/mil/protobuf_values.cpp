// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/mil/number.h"
#include "core/container/mil/protobuf_parser.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

namespace kernscope::mil {

namespace {

/// Fields of TensorValue, each the values of one kind.
enum TensorField : std::uint32_t {
    Floats = 1,
    Ints = 2,
    Bools = 3,
    Strings = 4,
    LongInts = 5,
    Doubles = 6,
    Bytes = 7
};

bool isInteger(ElementType type)
{
    return isSignedInteger(type) || isUnsignedInteger(type);
}

/// True where a field's numbers are, byte for byte, the elements of `type`.
bool isVerbatim(std::uint32_t field, ElementType type)
{
    return (field == Floats && type == ElementType::Fp32) ||
           (field == Doubles && type == ElementType::Fp64);
}

bool fits(std::uint32_t field, ElementType type)
{
    switch (field) {
    case Floats:
    case Doubles: return isFloatingPoint(type);
    case Ints:
    case LongInts: return isInteger(type);
    default: return type == ElementType::Bool;
    }
}

/// The element that a number of the wire stands for.
NumberFault bitsOf(std::uint32_t field, std::uint64_t number, ElementType type, std::uint64_t &bits)
{
    if (isVerbatim(field, type)) { // keeps what a NaN carries
        bits = number;
        return NumberFault::None;
    }
    if (field == Floats || field == Doubles) {
        const double value = field == Floats
                                 ? double{std::bit_cast<float>(static_cast<std::uint32_t>(number))}
                                 : std::bit_cast<double>(number);
        bits = roundToFloat(realOf(value), type);
        return NumberFault::None;
    }
    if (field == Bools) {
        bits = number != 0 ? 1 : 0;
        return NumberFault::None;
    }
    // on the wire an int32 is an int64, and a uint64 is the int64 of the same bits
    const bool negative = type != ElementType::Uint64 && number > INT64_MAX;
    return integerBits({negative, negative ? 0 - number : number}, type, bits);
}

/// One number of a packed field.
bool readNumber(google::protobuf::io::CodedInputStream &stream, std::uint32_t field,
                std::uint64_t &number)
{
    if (field == Doubles)
        return stream.ReadLittleEndian64(&number);
    if (field != Floats)
        return stream.ReadVarint64(&number);
    std::uint32_t small = 0;
    const bool read = stream.ReadLittleEndian32(&small);
    number = small;
    return read;
}

void addSpan(Literal &literal, SourceSpan span)
{
    if (literal.count <= Literal::kMaxElementSpans)
        literal.elementSpans.push_back(span);
    else if (!literal.elementSpans.empty())
        literal.elementSpans.clear();
}

} // namespace

bool ProtobufParser::parseTensor(const WireBytes &message, const ValueType &type, Literal &literal)
{
    literal.element = type.element;
    if (type.element == ElementType::Unknown)
        return true; // a type of tomorrow: its value is not shown
    std::uint32_t member = 0;
    const bool read = each(message, [&](const WireField &field) {
        if (!field.isBytes() || field.number < Floats || field.number > Bytes)
            return true;
        if (member != field.number) { // of a oneof the last member counts
            literal = Literal();
            literal.element = type.element;
        }
        member = field.number;
        if (field.number == Bytes) {
            return each(field.content, [&](const WireField &values) {
                return values.number != 1 || !values.isBytes() ||
                       parseRaw(values.content, type, literal);
            });
        }
        if (field.number == Strings && type.element == ElementType::String)
            return parseStrings(field.content, literal);
        if (field.number >= Floats && field.number <= Doubles)
            return parseNumbers(field, literal);
        return true;
    });
    if (literal.packedSpan && (literal.elementSpans.size() != 1 ||
                               literal.elementSpans.front().length != literal.bytes.size())) {
        literal.packedSpan = false; // the member is there more than once, and its values are joined
        literal.elementSpans.clear();
    }
    if (read)
        checkElementCount(type, literal, message.span(), m_state.faults);
    return read;
}

bool ProtobufParser::parseStrings(const WireBytes &message, Literal &literal)
{
    return eachBytes(message, [&](const WireField &field) {
        if (field.number != 1)
            return true;
        if (!spend(field.content))
            return false;
        literal.strings.push_back(text(field.content));
        ++literal.count;
        addSpan(literal, field.content.span());
        return true;
    });
}

/// The bytes as a weight file would have them.
bool ProtobufParser::parseRaw(const WireBytes &content, const ValueType &type, Literal &literal)
{
    const unsigned width = bitWidth(type.element);
    const std::uint64_t bits = std::uint64_t(content.bytes.size()) * 8;
    // the last byte of sub-byte elements may be filled up
    if (width == 0 || (width >= 8 && bits % width != 0))
        return fail("proto.value", content.span(),
                    fmt::format("whole elements of {}", elementTypeName(type.element)),
                    fmt::format("{} bytes", content.bytes.size()),
                    "The bytes of a value do not fit its type.");
    literal.bytes.assign(content.bytes.begin(), content.bytes.end());
    literal.count = bits / width;
    const auto shape = type.shape();
    const auto count = shape ? elementCount(*shape) : std::nullopt;
    const auto bytes = count ? packedBytes(*count, type.element) : std::nullopt;
    if (bytes && bytes->value == content.bytes.size())
        literal.count = count->value;
    literal.elementSpans = {content.span()};
    literal.packedSpan = true;
    return true;
}

bool ProtobufParser::eachPacked(const WireBytes &content, std::uint32_t kind,
                                const std::function<bool(std::uint64_t, SourceSpan)> &add)
{
    const SourceSpan run = content.span();
    const auto size = static_cast<int>(content.bytes.size());
    google::protobuf::io::CodedInputStream stream(
        reinterpret_cast<const std::uint8_t *>(content.bytes.data()), size);
    while (stream.CurrentPosition() < size) {
        const auto at = static_cast<std::uint64_t>(stream.CurrentPosition());
        std::uint64_t number = 0;
        if (!readNumber(stream, kind, number))
            return fail("proto.wire", {run.offset + at, run.length - at}, "a whole number", "",
                        "A number of the wire format has no end.");
        const auto length = static_cast<std::uint64_t>(stream.CurrentPosition()) - at;
        if (!add(number, {run.offset + at, length}))
            return false;
    }
    return true;
}

bool ProtobufParser::parseNumbers(const WireField &field, Literal &literal)
{
    if (!fits(field.number, literal.element))
        return fail("proto.value", field.content.span(),
                    fmt::format("values of {}", elementTypeName(literal.element)),
                    fmt::format("values in field {}", field.number),
                    "The values do not fit their type.");
    PackedElements packed(literal.element, literal.bytes);
    const auto add = [&](std::uint64_t number, SourceSpan span) {
        std::uint64_t bits = 0;
        if (bitsOf(field.number, number, literal.element, bits) != NumberFault::None)
            return fail("mil.number", span,
                        fmt::format("a value of {}", elementTypeName(literal.element)),
                        fmt::format("{}", static_cast<std::int64_t>(number)),
                        "This number does not fit the element type.");
        packed.add(bits);
        ++literal.count;
        addSpan(literal, span);
        return true;
    };
    std::size_t runs = 0;
    SourceSpan run;
    const bool read = each(field.content, [&](const WireField &values) {
        if (values.number != 1)
            return true;
        ++runs;
        run = values.content.span();
        if (!values.isBytes()) // not packed, as old writers may have it
            return add(values.value, run);
        return eachPacked(values.content, field.number, add);
    });
    packed.finish();
    if (runs == 1 && isVerbatim(field.number, literal.element)) {
        literal.elementSpans = {run};
        literal.packedSpan = true;
    }
    return read;
}

bool ProtobufParser::parseType(const WireBytes &message, ValueType &type)
{
    if (!enter(message))
        return false;
    const bool read = spend(message) && eachBytes(message, [&](const WireField &field) {
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
            type.elementOffset = field.content.offset;
            if (type.element == ElementType::Unknown)
                type.text = fmt::format("type {}", field.value);
        } else if (field.number == 3 && field.isBytes()) {
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
        spend(message) && eachBytes(message, [&](const WireField &field) {
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
    const bool read = eachBytes(field.content, [&](const WireField &part) {
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
    if (!enter(message))
        return false;
    value.span = message.span();
    std::optional<WireBytes> immediate, blob;
    bool read = spend(message) && eachBytes(message, [&](const WireField &field) {
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
        if (field.number == 1 && field.isBytes()) {
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
    return eachBytes(message, [&](const WireField &field) {
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
    return eachBytes(message, [&](const WireField &field) {
        if (field.number != 1)
            return true;
        return parseValue(field.content, values.emplace_back());
    });
}

/// Every entry becomes a value that holds two: its key and what it stands for.
bool ProtobufParser::parseDictionary(const WireBytes &message, Values &values)
{
    return eachBytes(message, [&](const WireField &field) {
        if (field.number != 1)
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
