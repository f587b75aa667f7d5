// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/mil/text_parser.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

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
    type.elementOffset = name.begin;
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
    type.elementOffset = m_token.begin;
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
        case NumberFault::Infinite:
            remark("mil.number", Severity::Warning, {m_token.begin, m_token.length()},
                   fmt::format("a value of {}", elementTypeName(type)),
                   "This number is beyond the element type and is read as an infinity or NaN.");
            break;
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

namespace {

enum Class : std::uint8_t { Other, Space, Letter, Digit, Symbolic };

constexpr std::array<Class, 256> makeClasses()
{
    std::array<Class, 256> classes{};
    for (const char c : std::string_view(" \t\r\n\v\f"))
        classes[static_cast<std::uint8_t>(c)] = Space;
    for (const char c : std::string_view("()[]{}<>=,;?:"))
        classes[static_cast<std::uint8_t>(c)] = Symbolic;
    for (unsigned c = 'a'; c <= 'z'; ++c)
        classes[c] = classes[c - 'a' + 'A'] = Letter;
    for (unsigned c = '0'; c <= '9'; ++c)
        classes[c] = Digit;
    classes['_'] = Letter;
    return classes;
}

constexpr std::array<Class, 256> kClasses = makeClasses();

Class classOf(char c)
{
    return kClasses[static_cast<std::uint8_t>(c)];
}

bool continuesIdentifier(char c)
{
    return classOf(c) == Letter || classOf(c) == Digit || c == '@';
}

int hexDigit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    const int lower = c | 0x20;
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/// Reads up to `limit` digits of `base`; `at` moves behind them.
unsigned digits(std::string_view text, std::size_t &at, std::size_t limit, int base)
{
    unsigned value = 0;
    for (std::size_t i = 0; i < limit && at < text.size(); ++i, ++at) {
        const int digit = hexDigit(text[at]);
        if (digit < 0 || digit >= base)
            break;
        value = value * static_cast<unsigned>(base) + static_cast<unsigned>(digit);
    }
    return value;
}

void appendCodePoint(std::string &to, unsigned point)
{
    const auto put = [&to](unsigned byte) { to += static_cast<char>(byte); };
    if (point < 0x80) {
        put(point);
    } else if (point < 0x800) {
        put(0xC0 | point >> 6);
        put(0x80 | (point & 0x3F));
    } else {
        put(0xE0 | point >> 12);
        put(0x80 | (point >> 6 & 0x3F));
        put(0x80 | (point & 0x3F));
    }
}

/// `at` stands behind the backslash and moves behind the escape.
void appendEscape(std::string &to, std::string_view text, std::size_t &at)
{
    const char c = text[at];
    if (c >= '0' && c <= '7') {
        to += static_cast<char>(digits(text, at, 3, 8) & 0xFF);
        return;
    }
    ++at;
    switch (c) {
    case 'n': to += '\n'; break;
    case 't': to += '\t'; break;
    case 'r': to += '\r'; break;
    case 'a': to += '\a'; break;
    case 'b': to += '\b'; break;
    case 'f': to += '\f'; break;
    case 'v': to += '\v'; break;
    case 'x': to += static_cast<char>(digits(text, at, 2, 16) & 0xFF); break;
    case 'u': appendCodePoint(to, digits(text, at, 4, 16)); break;
    default: to += c; break;
    }
}

} // namespace

Lexer::Lexer(std::string_view text) : m_text(text)
{
    if (m_text.starts_with("\xEF\xBB\xBF")) // a byte order mark
        m_at = 3;
}

TextToken Lexer::finish(TextToken::Kind kind, std::size_t end, char symbol)
{
    TextToken token{kind, symbol, m_at, end};
    m_at = end;
    return token;
}

void Lexer::skipSpaceAndComments()
{
    while (m_at < m_text.size()) {
        if (classOf(m_text[m_at]) == Space)
            ++m_at;
        else if (m_text[m_at] == '/' && at(m_at + 1) == '/')
            m_at = std::min(m_text.find('\n', m_at), m_text.size());
        else
            return;
    }
}

TextToken Lexer::next()
{
    skipSpaceAndComments();
    if (m_at >= m_text.size())
        return finish(TextToken::Kind::End, m_at);
    const char c = m_text[m_at];
    if (classOf(c) == Letter) {
        std::size_t end = m_at + 1;
        while (end < m_text.size() && continuesIdentifier(m_text[end]))
            ++end;
        return finish(TextToken::Kind::Identifier, end);
    }
    if (classOf(c) == Symbolic)
        return finish(TextToken::Kind::Symbol, m_at + 1, c);
    if (c == '"')
        return string();
    if (startsNumber())
        return number();
    return symbol();
}

bool Lexer::startsNumber() const
{
    const char c = at(m_at);
    const char second = at(m_at + 1);
    if (classOf(c) == Digit)
        return true;
    if (c == '.')
        return classOf(second) == Digit;
    if (c != '-' && c != '+')
        return false;
    return classOf(second) == Digit || second == '.' || (second | 0x20) == 'i' ||
           (second | 0x20) == 'n';
}

TextToken Lexer::number()
{
    std::size_t end = m_at + 1;
    const char digit = at(m_at);
    const std::size_t first = digit == '-' || digit == '+' ? end : m_at;
    const bool hex = at(first) == '0' && (at(first + 1) | 0x20) == 'x';
    for (; end < m_text.size(); ++end) {
        const char c = m_text[end];
        if (classOf(c) == Digit || classOf(c) == Letter || c == '.')
            continue;
        const int before = m_text[end - 1] | 0x20;
        if ((c != '-' && c != '+') || before != (hex ? 'p' : 'e'))
            break;
    }
    return finish(TextToken::Kind::Number, end);
}

TextToken Lexer::string()
{
    for (std::size_t end = m_at + 1; end < m_text.size(); ++end) {
        switch (m_text[end]) {
        case '"': return finish(TextToken::Kind::String, end + 1);
        case '\\': ++end; break;
        case '\n': return finish(TextToken::Kind::OpenString, end);
        case '\0': return finish(TextToken::Kind::OpenString, end);
        default: break;
        }
    }
    return finish(TextToken::Kind::OpenString, m_text.size());
}

TextToken Lexer::symbol()
{
    const char c = m_text[m_at];
    if (c == '-' && at(m_at + 1) == '>')
        return finish(TextToken::Kind::Arrow, m_at + 2);
    if (m_text.substr(m_at, 3) == "...")
        return finish(TextToken::Kind::Ellipsis, m_at + 3);
    if (c != '\0')
        return finish(TextToken::Kind::Stray, m_at + 1);
    std::size_t end = m_at;
    while (end < m_text.size() && m_text[end] == '\0')
        ++end;
    return finish(TextToken::Kind::NulByte, end);
}

std::string unquoted(std::string_view token)
{
    const std::string_view inner = token.substr(1, token.size() - 2);
    if (inner.find('\\') == std::string_view::npos)
        return cleanUtf8(inner);
    std::string plain;
    plain.reserve(inner.size());
    for (std::size_t at = 0; at < inner.size();) {
        if (inner[at] == '\\' && at + 1 < inner.size())
            appendEscape(plain, inner, ++at);
        else
            plain += inner[at++];
    }
    return cleanUtf8(plain);
}

} // namespace kernscope::mil
