// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/mil/number.h"
#include "core/container/mil/packed_elements.h"
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
    const bool read = each(message, [&](const WireField &field) {
        if (field.type != WireField::Type::Bytes)
            return true;
        if (field.number == Bytes) {
            return each(field.content, [&](const WireField &values) {
                return values.number != 1 || values.type != WireField::Type::Bytes ||
                       parseRaw(values.content, type, literal);
            });
        }
        if (field.number == Strings && type.element == ElementType::String)
            return parseStrings(field.content, literal);
        if (field.number >= Floats && field.number <= Doubles)
            return parseNumbers(field, literal);
        return true;
    });
    if (read)
        checkElementCount(type, literal, message.span(), m_state.faults);
    return read;
}

bool ProtobufParser::parseStrings(const WireBytes &message, Literal &literal)
{
    return each(message, [&](const WireField &field) {
        if (field.number != 1 || field.type != WireField::Type::Bytes)
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
        if (values.type != WireField::Type::Bytes) // not packed, as old writers may have it
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

} // namespace kernscope::mil
