// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/mil/text_parser.h"
#include "core/container/mil/type_text.h"

namespace kernscope::mil {

namespace {

ValueType::Kind kindOf(std::string_view word)
{
    if (word == "tensor_buffer")
        return ValueType::Kind::Buffer;
    if (word == "list")
        return ValueType::Kind::List;
    if (word == "tuple")
        return ValueType::Kind::Tuple;
    if (word == "dict")
        return ValueType::Kind::Dictionary;
    if (word == "state")
        return ValueType::Kind::State;
    return ValueType::Kind::Unknown;
}

} // namespace

bool TextParser::parseType(ValueType &type)
{
    if (!m_token.is(TextToken::Kind::Identifier))
        return unexpected("a type");
    const TextToken name = m_token;
    advance();
    return parseTypeAfter(name, type);
}

/// The type whose first word has been read: `fp16`, `tensor<fp16, [2]>`, `list<…>`.
bool TextParser::parseTypeAfter(const TextToken &name, ValueType &type)
{
    const Level level(m_depth);
    if (tooDeep() || !spend())
        return false;
    const std::string_view word = m_lexer.text(name);
    const bool parameters = m_token.is('<');
    if (word == "tensor" && parameters)
        return parseTensorType(type);
    if (parameters) {
        type.kind = kindOf(word);
        if (!parseTypeParameters(type))
            return false;
        type.text = shortened(textFrom(name.begin));
        return true;
    }
    type.element = elementTypeFromName(word);
    if (type.element != ElementType::Unknown)
        type.kind = ValueType::Kind::Tensor;
    else
        type.text = word;
    return true;
}

bool TextParser::parseTensorType(ValueType &type)
{
    type.kind = ValueType::Kind::Tensor;
    if (!expect('<'))
        return false;
    if (!m_token.is(TextToken::Kind::Identifier))
        return unexpected("an element type");
    type.element = elementTypeFromName(m_lexer.text(m_token));
    if (type.element == ElementType::Unknown) {
        type.text = m_lexer.text(m_token);
        remark("mil.type", Severity::Warning, {m_token.begin, m_token.length()}, "an element type",
               "This element type is not known.");
    }
    advance();
    if (!expect(',') || !parseDimensions(type) || !expect('>'))
        return false;
    checkExtents(type);
    return true;
}

bool TextParser::parseDimensions(ValueType &type)
{
    if (!expect('['))
        return false;
    if (accept(']'))
        return true;
    do {
        if (!parseDimension(type))
            return false;
    } while (accept(','));
    return expect(']');
}

bool TextParser::parseDimension(ValueType &type)
{
    if (!spend())
        return false;
    std::int64_t extent = kUnknownExtent;
    if (m_token.is(TextToken::Kind::Number)) {
        Integer number;
        const NumberFault fault = parseInteger(m_lexer.text(m_token), number);
        if (fault == NumberFault::Syntax)
            return fail("mil.number", m_token, "a whole number", "This is not a dimension.");
        if (number.negative || fault == NumberFault::TooLarge || number.magnitude > INT64_MAX)
            remark("mil.shape", Severity::Error, {m_token.begin, m_token.length()},
                   "0 to 9223372036854775807", "A dimension is negative or too large.");
        else
            extent = static_cast<std::int64_t>(number.magnitude);
    } else if (!m_token.is('?') && !m_token.is(TextToken::Kind::Ellipsis)) {
        return unexpected("a dimension");
    }
    type.dims.push_back(extent);
    type.dimSpans.push_back({m_token.begin, m_token.length()});
    advance();
    return true;
}

void TextParser::checkExtents(const ValueType &type)
{
    const auto shape = type.shape();
    if (!shape || type.dimSpans.empty() || elementCount(*shape))
        return;
    const SourceSpan &first = type.dimSpans.front();
    const SourceSpan &last = type.dimSpans.back();
    remark("mil.shape", Severity::Error, {first.offset, last.offset + last.length - first.offset},
           "fewer than 2^64 elements", "The product of the dimensions does not fit 64 bits.");
}

/// `<` types, dimensions, numbers and `name = value` of them `>`. A state's one parameter lends it
/// element and dims, as do a buffer's element type and shape. Of a type that is not known nothing
/// is asked but that its brackets close.
bool TextParser::parseTypeParameters(ValueType &type)
{
    if (type.kind == ValueType::Kind::Unknown) {
        const TextToken opening = m_token;
        if (!skipAngles())
            return false;
        remark("mil.type", Severity::Warning, spanFrom(opening.begin), "a type that is known",
               "This type is not known; it is shown as it is written.");
        return true;
    }
    if (!expect('<'))
        return false;
    do {
        if (!parseTypeParameter(type))
            return false;
    } while (accept(','));
    return expect('>');
}

bool TextParser::parseTypeParameter(ValueType &type)
{
    const Level level(m_depth);
    if (tooDeep() || !spend())
        return false;
    if (m_token.is('[')) {
        ValueType extents;
        if (!parseDimensions(extents))
            return false;
        if (type.kind == ValueType::Kind::Buffer && type.dims.empty())
            takeInner(type, std::move(extents));
        return true;
    }
    if (m_token.is(TextToken::Kind::Number) || m_token.is(TextToken::Kind::String) ||
        m_token.is('?') || m_token.is(TextToken::Kind::Ellipsis)) {
        advance();
        return true;
    }
    if (!m_token.is(TextToken::Kind::Identifier))
        return unexpected("a type");
    const TextToken word = m_token;
    advance();
    if (accept('='))
        return parseNamedParameter(type, m_lexer.text(word));
    ValueType inner;
    if (!parseTypeAfter(word, inner))
        return false;
    takeInner(type, std::move(inner));
    return true;
}

/// `shape=[…]`, `strides=[…]`, `interleave_factors=[…]`; others are passed over.
bool TextParser::parseNamedParameter(ValueType &type, std::string_view name)
{
    if (!m_token.is('[')) {
        ValueType ignored;
        return parseTypeParameter(ignored);
    }
    ValueType list;
    if (!parseDimensions(list))
        return false;
    if (name == "shape") {
        type.dims = std::move(list.dims);
        type.dimSpans = std::move(list.dimSpans);
        checkExtents(type);
    } else if (name == "strides") {
        type.strides = std::move(list.dims);
    } else if (name == "interleave_factors") {
        type.interleave = std::move(list.dims);
    }
    return true;
}

/// What a compound type has of a parameter of its own.
void TextParser::takeInner(ValueType &type, ValueType inner)
{
    using Kind = ValueType::Kind;
    const bool scalar = inner.kind == Kind::Tensor && inner.dims.empty();
    if (type.kind == Kind::State && inner.isTensor()) {
        type.element = inner.element;
        type.dims = std::move(inner.dims);
        type.dimSpans = std::move(inner.dimSpans);
    } else if (type.kind == Kind::Buffer) {
        if (inner.element != ElementType::Unknown)
            type.element = inner.element;
        if (!inner.dims.empty()) {
            type.dims = std::move(inner.dims);
            type.dimSpans = std::move(inner.dimSpans);
        }
    } else if ((type.kind == Kind::List || type.kind == Kind::Dictionary) && scalar) {
        type.element = inner.element; // of a dictionary the last one: its values'
    }
}

} // namespace kernscope::mil
