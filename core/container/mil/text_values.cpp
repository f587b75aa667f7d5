// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/mil/limits.h"
#include "core/container/mil/packed_elements.h"
#include "core/container/mil/text_parser.h"

#include <fmt/format.h>

namespace kernscope::mil {

namespace {

char closingOf(const TextToken &opening)
{
    switch (opening.symbol) {
    case '(': return ')';
    case '[': return ']';
    default: return '}';
    }
}

bool opensGroup(const TextToken &token)
{
    return token.is('(') || token.is('[') || token.is('{');
}

/// The element type that a number without a type has, as the program builder gives it.
ElementType bareNumberType(std::string_view text)
{
    Integer integer;
    std::uint64_t bits = 0;
    if (parseInteger(text, integer) == NumberFault::Syntax)
        return ElementType::Fp32;
    for (const ElementType type : {ElementType::Int32, ElementType::Int64}) {
        if (elementBits(text, type, bits) == NumberFault::None)
            return type;
    }
    return ElementType::Uint64;
}

bool isSpecialNumber(std::string_view word)
{
    const auto real = parseReal(word);
    return real && real->kind != ExactReal::Kind::Finite;
}

/// The one number of a literal, as an unsigned one of 64 bits.
std::optional<std::uint64_t> singleNumber(const Literal &literal)
{
    const bool integer = isUnsignedInteger(literal.element) || isSignedInteger(literal.element);
    if (!integer || literal.count != 1 || literal.bytes.empty() || literal.bytes.size() > 8)
        return std::nullopt;
    std::uint64_t value = 0;
    for (std::size_t i = literal.bytes.size(); i-- > 0;)
        value = value << 8 | std::to_integer<std::uint64_t>(literal.bytes[i]);
    const bool negative = isSignedInteger(literal.element) &&
                          (std::to_integer<unsigned>(literal.bytes.back()) & 0x80) != 0;
    return negative ? std::nullopt : std::optional(value);
}

} // namespace

bool TextParser::parseValue(ProgramValue &value)
{
    const Level level(m_depth);
    if (tooDeep() || !spend())
        return false;
    const std::size_t begin = m_token.begin;
    bool read = false;
    if (m_token.is(TextToken::Kind::Identifier)) {
        read = parseWord(value);
    } else if (opensGroup(m_token)) {
        const char closing = closingOf(m_token);
        advance();
        read = parseGroup(closing, value.content.emplace<Values>());
    } else {
        read = parseBareLiteral(value);
    }
    value.span = spanFrom(begin);
    return read;
}

/// A value that starts with a word: a reference, a bare literal, a blob, a type and its body.
bool TextParser::parseWord(ProgramValue &value)
{
    const TextToken word = m_token;
    const std::string_view text = m_lexer.text(word);
    if (text == "true" || text == "false" || isSpecialNumber(text))
        return parseBareLiteral(value);
    if (text == "BLOBFILE")
        return parseBlob(value.content.emplace<BlobReference>());
    advance();
    if (!m_token.is('<') && !m_token.is('(')) {
        value.content = Reference{std::string(text), {word.begin, word.length()}};
        return true;
    }
    return parseTypeAfter(word, value.type) && parseTypedBody(value);
}

bool TextParser::parseTypedBody(ProgramValue &value)
{
    if (!expect('('))
        return false;
    if (atWord("BLOBFILE")) {
        if (!parseBlob(value.content.emplace<BlobReference>()))
            return false;
    } else if (value.type.isTensor() && value.type.element != ElementType::Unknown) {
        if (!parseTensorLiteral(value.type, value.content.emplace<Literal>()))
            return false;
    } else if (value.type.kind == ValueType::Kind::Unknown) {
        return parseCall(value);
    } else {
        const ElementType around = m_bareNumbers;
        m_bareNumbers = value.type.element;
        const bool read = parseGroup(')', value.content.emplace<Values>());
        m_bareNumbers = around;
        return read;
    }
    return expect(')');
}

/// `word(name = value, …)[…]`: an operation within an argument, or a type that is not known. Its
/// operands are kept as values without their names.
bool TextParser::parseCall(ProgramValue &value)
{
    auto &values = value.content.emplace<Values>();
    while (!m_token.is(')')) {
        ProgramValue &operand = values.emplace_back();
        if (!parseValue(operand))
            return false;
        if (operand.reference() && accept('=')) {
            operand = ProgramValue{};
            if (!parseValue(operand))
                return false;
        }
        if (!accept(','))
            break;
    }
    return expect(')') && (!m_token.is('[') || skipBalanced());
}

bool TextParser::parseBareLiteral(ProgramValue &value)
{
    const std::string_view text = m_lexer.text(m_token);
    ValueType &type = value.type;
    if (m_token.is(TextToken::Kind::String))
        type.element = ElementType::String;
    else if (m_token.is(TextToken::Kind::Number))
        type.element = isFloatingPoint(m_bareNumbers) ? m_bareNumbers : bareNumberType(text);
    else if (!m_token.is(TextToken::Kind::Identifier))
        return unexpected("a value");
    else
        type.element = isSpecialNumber(text) ? ElementType::Fp32 : ElementType::Bool;
    type.kind = ValueType::Kind::Tensor;
    Literal &literal = value.content.emplace<Literal>();
    literal.element = type.element;
    PackedElements packed(type.element, literal.bytes);
    return parseElement(type.element, literal, packed);
}

/// Values up to `closing`, the opening bracket having been read.
bool TextParser::parseGroup(char closing, Values &values)
{
    if (accept(closing))
        return true;
    do {
        if (!parseValue(values.emplace_back()))
            return false;
    } while (accept(','));
    return expect(closing);
}

bool TextParser::parseBlob(BlobReference &blob)
{
    const TextToken word = m_token;
    advance();
    bool hasPath = false;
    bool hasOffset = false;
    if (!expect('('))
        return false;
    do {
        if (!parseBlobField(blob, hasPath, hasOffset))
            return false;
    } while (accept(','));
    if (!expect(')'))
        return false;
    if (!hasPath || !hasOffset)
        return fail("mil.syntax", word, hasPath ? "an offset" : "a path",
                    "A blob needs a path and an offset.");
    return true;
}

bool TextParser::parseBlobField(BlobReference &blob, bool &hasPath, bool &hasOffset)
{
    const TextToken name = m_token;
    std::string field;
    ProgramValue value;
    if (!expectIdentifier(field, "\"path\" or \"offset\"") || !expect('='))
        return false;
    const TextToken start = m_token;
    if (!parseValue(value))
        return false;
    const Literal *literal = value.literal();
    if (field == "path") {
        if (!literal || literal->strings.size() != 1)
            return fail("mil.syntax", start, "a string", "The path of a blob must be a string.");
        blob.path = literal->strings.front();
        hasPath = true;
    } else if (field == "offset") {
        const auto offset = literal ? singleNumber(*literal) : std::nullopt;
        if (!offset)
            return fail("mil.number", start, "a whole number from 0 on",
                        "The offset of a blob must be a number.");
        blob.offset = *offset;
        blob.offsetSpan = literal->elementSpans.front();
        hasOffset = true;
    } else {
        return fail("mil.syntax", name, "\"path\" or \"offset\"", "A blob has no such field.");
    }
    return true;
}

/// The elements of a tensor in row-major order, brackets of any nesting left out. Iterative: the
/// depth of the brackets is data here, not recursion.
bool TextParser::parseTensorLiteral(const ValueType &type, Literal &literal)
{
    literal.element = type.element;
    PackedElements packed(type.element, literal.bytes);
    const TextToken opening = m_token;
    std::string closings;
    if (m_token.is(')')) { // no elements
        checkElementCount(type, literal, spanFrom(opening.begin), m_faults);
        return true;
    }
    bool wantsElement = true; // after a comma; after an opening bracket it may be missing
    do {
        if (opensGroup(m_token) && wantsElement) {
            const Level level(m_depth);
            closings += closingOf(m_token);
            if (closings.size() + static_cast<std::size_t>(m_depth) > kMaxDepth)
                return fail("mil.depth", m_token, fmt::format("at most {} levels", kMaxDepth),
                            "Types, values or blocks are nested too deeply.");
            advance();
            if (!closings.empty() && m_token.is(closings.back()))
                wantsElement = false;
        } else if (wantsElement) {
            if (!parseElement(type.element, literal, packed))
                return false;
            wantsElement = false;
        } else if (!closings.empty() && m_token.is(closings.back())) {
            closings.pop_back();
            advance();
        } else if (!closings.empty() && m_token.is(',')) {
            wantsElement = true;
            advance();
        } else {
            return unexpected(closings.empty() ? "\")\"" : "\",\" or a closing bracket");
        }
    } while (wantsElement || !closings.empty());
    packed.finish();
    checkElementCount(type, literal, spanFrom(opening.begin), m_faults);
    return true;
}

bool TextParser::parseElement(ElementType type, Literal &literal, PackedElements &packed)
{
    const std::string_view text = m_lexer.text(m_token);
    if (type == ElementType::String) {
        if (!m_token.is(TextToken::Kind::String))
            return unexpected("a string");
        if (!spend())
            return false;
        literal.strings.push_back(unquoted(text));
    } else {
        if (!m_token.is(TextToken::Kind::Number) && !m_token.is(TextToken::Kind::Identifier))
            return unexpected(fmt::format("an element of {}", elementTypeName(type)));
        std::uint64_t bits = 0;
        switch (elementBits(text, type, bits)) {
        case NumberFault::None: break;
        case NumberFault::Syntax:
            return fail("mil.number", m_token, fmt::format("a value of {}", elementTypeName(type)),
                        "This is not a value of the element type.");
        case NumberFault::TooLarge:
            return fail("mil.number", m_token, fmt::format("a value of {}", elementTypeName(type)),
                        "This number does not fit the element type.");
        }
        packed.add(bits);
    }
    ++literal.count;
    if (literal.count <= Literal::kMaxElementSpans)
        literal.elementSpans.push_back({m_token.begin, m_token.length()});
    else if (!literal.elementSpans.empty())
        literal.elementSpans.clear();
    advance();
    return true;
}

} // namespace kernscope::mil
