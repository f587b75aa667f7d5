// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/mil/text_parser.h"

#include "core/base/text.h"
#include "core/container/mil/reader.h"

#include <fmt/format.h>

namespace kernscope::mil {

TextParser::TextParser(std::string_view text, std::string_view fileName, std::size_t nodes)
    : m_lexer(text), m_text(text), m_faults(fileName), m_nodes(nodes)
{
    m_token = m_lexer.next();
}

void TextParser::advance()
{
    if (m_token.is('{'))
        ++m_braces;
    else if (m_token.is('}'))
        --m_braces;
    if (m_token.is(TextToken::Kind::String)) {
        const std::size_t bad = findInvalidUtf8(m_lexer.text(m_token));
        if (bad != std::string_view::npos)
            remark("mil.encoding", Severity::Warning, {m_token.begin + bad, 1}, "UTF-8",
                   "A string holds bytes that are not UTF-8.");
    }
    m_previousEnd = m_token.end;
    m_token = m_lexer.next();
}

bool TextParser::accept(char symbol)
{
    if (!m_token.is(symbol))
        return false;
    advance();
    return true;
}

bool TextParser::expect(char symbol)
{
    return accept(symbol) || unexpected(fmt::format("\"{}\"", symbol));
}

bool TextParser::expect(TextToken::Kind kind, std::string_view what)
{
    if (!m_token.is(kind))
        return unexpected(what);
    advance();
    return true;
}

bool TextParser::expectIdentifier(std::string &name, std::string_view what)
{
    if (!m_token.is(TextToken::Kind::Identifier))
        return unexpected(what);
    name = m_lexer.text(m_token);
    advance();
    return true;
}

bool TextParser::atWord(std::string_view word) const
{
    return m_token.is(TextToken::Kind::Identifier) && m_lexer.text(m_token) == word;
}

std::string_view TextParser::textFrom(std::size_t begin) const
{
    return m_text.substr(begin, m_previousEnd - begin);
}

/// The token at hand is not what the grammar asks for; says so by what it is.
bool TextParser::unexpected(std::string_view expected)
{
    switch (m_token.kind) {
    case TextToken::Kind::End:
        return fail("mil.cut", m_token, expected, "The text ends before the program does.");
    case TextToken::Kind::OpenString:
        if (m_token.end < m_text.size() && m_text[m_token.end] == '\0')
            return fail("mil.encoding", m_token, "text without NUL bytes",
                        "A string holds a NUL byte.");
        return fail("mil.string", m_token, "a closing quote on the same line",
                    "A string is never closed.");
    case TextToken::Kind::NulByte:
        return fail("mil.encoding", m_token, "text without NUL bytes", "The text holds NUL bytes.");
    default:
        return fail("mil.syntax", m_token, expected, "The text is not what a program needs here.");
    }
}

bool TextParser::fail(std::string_view code, const TextToken &token, std::string_view expected,
                      std::string_view message)
{
    const bool atEnd = token.is(TextToken::Kind::End);
    if (token.end == m_text.size()) { // what is wrong with the last token is that it is the last
        if (m_cut)
            return false;
        m_cut = true;
        if (code == "mil.syntax" || code == "mil.number") {
            code = "mil.cut";
            message = "The text ends before the program does.";
        }
    }
    m_faults.add(Severity::Error,
                 m_faults.make(code, token.begin, token.length())
                     .expected(expected)
                     .found(atEnd ? "the end of the text" : excerpt(m_lexer.text(token)))
                     .message(message));
    return false;
}

/// A fault that the statement survives.
void TextParser::remark(std::string_view code, Severity severity, SourceSpan span,
                        std::string_view expected, std::string_view message)
{
    m_faults.add(severity, m_faults.make(code, span.offset, span.length)
                               .expected(expected)
                               .found(excerpt(m_text.substr(span.offset, span.length)))
                               .message(message));
}

bool TextParser::tooDeep()
{
    if (m_depth <= kMaxDepth)
        return false;
    fail("mil.depth", m_token, fmt::format("at most {} levels", kMaxDepth),
         "Types, values or blocks are nested too deeply.");
    return true;
}

bool TextParser::spend(std::size_t nodes)
{
    m_nodes += nodes;
    if (m_nodes <= kMaxNodes)
        return true;
    if (!m_exhausted) {
        m_exhausted = true;
        fail("mil.limit", m_token, fmt::format("at most {} values and types", kMaxNodes),
             "The program is too large to be held in memory; the rest is not read.");
    }
    return false;
}

/// Skips a bracketed group of any kinds of brackets without a look at what is inside; iterative,
/// so that nesting costs nothing.
bool TextParser::skipBalanced()
{
    std::size_t open = 0;
    do {
        if (m_token.is('(') || m_token.is('[') || m_token.is('{'))
            ++open;
        else if (m_token.is(')') || m_token.is(']') || m_token.is('}'))
            --open;
        else if (m_token.is(TextToken::Kind::End) || m_token.is(TextToken::Kind::OpenString) ||
                 m_token.is(TextToken::Kind::NulByte))
            return unexpected("a closing bracket");
        advance();
    } while (open > 0);
    return true;
}

/// Skips `<…>` with everything inside; iterative as well.
bool TextParser::skipAngles()
{
    std::size_t open = 0;
    do {
        if (m_token.is('<')) {
            ++open;
        } else if (m_token.is('>')) {
            --open;
        } else if (m_token.is('(') || m_token.is('[') || m_token.is('{')) {
            if (!skipBalanced())
                return false;
            continue;
        } else if (m_token.is(TextToken::Kind::End) || m_token.is(TextToken::Kind::OpenString) ||
                   m_token.is(TextToken::Kind::NulByte) || m_token.is(';')) {
            return unexpected("\">\"");
        }
        advance();
    } while (open > 0);
    return true;
}

bool TextParser::parseHeader(Program &program)
{
    if (!atWord("program"))
        return unexpected("\"program\"");
    advance();
    if (!expect('('))
        return false;
    program.version = m_lexer.text(m_token);
    if (!expect(TextToken::Kind::Number, "a version number") || !expect(')'))
        return false;
    if (m_token.is('[') && !parseAttributes(program.attributes))
        return false;
    return expect('{');
}

/// `[name = value, …]` of a program or a function. What cannot be read is left out with a warning:
/// new compilers add attributes, and no weight depends on them.
bool TextParser::parseAttributes(std::vector<Argument> &attributes)
{
    const Lexer lexer = m_lexer;
    const TextToken token = m_token;
    const std::size_t previousEnd = m_previousEnd;
    const int braces = m_braces, depth = m_depth;
    const bool cut = m_cut, exhausted = m_exhausted;
    const Faults::Mark mark = m_faults.mark();
    Operation holder;
    advance();
    if (parseArguments(']', holder, attributes) && holder.blocks.empty())
        return true;
    m_faults.rollBack(mark);
    m_cut = cut;
    m_exhausted = exhausted; // its fault went with the others: the next value reports it
    m_lexer = lexer;
    m_token = token;
    m_previousEnd = previousEnd;
    m_braces = braces;
    m_depth = depth;
    attributes.clear();
    if (!skipBalanced())
        return false;
    remark("mil.attribute", Severity::Note, spanFrom(token.begin), "attributes that are known",
           "These attributes are not read.");
    return true;
}

/// `func name<opset>(parameters) [attributes]` and the opening brace.
bool TextParser::parseSignature(Function &function)
{
    function.nameSpan = {m_token.begin, m_token.length()};
    if (!expectIdentifier(function.name, "the name of a function"))
        return false;
    if (accept('<')) {
        if (!expectIdentifier(function.opset, "an opset") || !expect('>'))
            return false;
    }
    const TextToken list = m_token;
    if (!parseParameters(function.inputs)) {
        if (!list.is('('))
            return false;
        m_unread.more = true; // parameters whose names are not known
        recoverParameters();
    }
    if (m_token.is('[') && !parseAttributes(function.attributes))
        return false;
    return expect('{');
}

/// Goes behind the parameter list that a fault lies in, so that the body is still read.
void TextParser::recoverParameters()
{
    while (!m_token.is(TextToken::Kind::End) && !m_token.is('{') && !m_token.is(';') &&
           !atWord("func")) {
        if (m_token.is(')')) {
            advance();
            if (m_token.is('{') || m_token.is('['))
                return;
            continue;
        }
        advance();
    }
}

/// The word `func` has been read. What was read of a faulty function stays.
bool TextParser::parseFunction(Function &function)
{
    if (!parseSignature(function))
        return false;
    parseStatements(function.body);
    if (!expect('}'))
        return false;
    if (!m_token.is(TextToken::Kind::Arrow))
        return unexpected("\"->\"");
    advance();
    return parseOutputNames(function.body) && expect(';');
}

/// Goes to the next function from any place.
void TextParser::recoverFunction()
{
    while (!m_token.is(TextToken::Kind::End) && !atWord("func"))
        advance();
}

void TextParser::parseFunctions(Program &program)
{
    while (!m_token.is('}')) {
        if (!atWord("func")) {
            unexpected("\"func\" or \"}\"");
            recoverFunction();
        }
        if (m_token.is(TextToken::Kind::End))
            return;
        if (!spend())
            return;
        advance();
        const bool read = parseFunction(program.functions.emplace_back());
        if (!read)
            recoverFunction();
        if (!read && m_token.is(TextToken::Kind::End))
            return;
    }
    advance();
    if (!m_token.is(TextToken::Kind::End))
        remark("mil.syntax", Severity::Error, {m_token.begin, m_token.length()},
               "the end of the text", "Something follows the program.");
}

ParsedProgram TextParser::run()
{
    ParsedProgram parsed;
    if (m_token.is(TextToken::Kind::End)) {
        fail("mil.empty", m_token, "\"program\"", "The program text is empty.");
        parsed.diagnostics = m_faults.take();
        return parsed;
    }
    const bool header = parseHeader(parsed.program);
    if (!header)
        recoverFunction();
    if (header || !m_token.is(TextToken::Kind::End))
        parseFunctions(parsed.program);
    validate(parsed.program, m_unread, m_faults);
    parsed.diagnostics = m_faults.take();
    return parsed;
}

ParsedProgram readProgramText(std::span<const std::byte> text, std::string_view fileName,
                              SpentOnText *spent)
{
    SpentOnText alone;
    SpentOnText &sum = spent != nullptr ? *spent : alone;
    if (text.size() > kMaxTextBytes - sum.bytes) {
        ParsedProgram none;
        none.diagnostics.push_back(
            {Severity::Error,
             valueError({fileName, FileOffset(kMaxTextBytes - sum.bytes)}, "mil.limit", {},
                        fmt::format("at most {} bytes of a bundle", kMaxTextBytes),
                        fmt::format("{} bytes", text.size()),
                        "The program text is larger than is read.")});
        return none;
    }
    const std::string_view view(reinterpret_cast<const char *>(text.data()), text.size());
    TextParser parser(view, fileName, sum.nodes);
    ParsedProgram parsed = parser.run();
    sum = {parser.nodes(), sum.bytes + text.size()};
    return parsed;
}

/// A type and a name; or, as other tools write lists of outputs, a name alone.
bool TextParser::parseOutput(NamedType &output)
{
    if (!spend())
        return false;
    if (!m_token.is(TextToken::Kind::Identifier))
        return unexpected("a type");
    const TextToken first = m_token;
    advance();
    if (m_token.is(',') || m_token.is(')')) {
        output.name = m_lexer.text(first);
        output.span = {first.begin, first.length()};
        return true;
    }
    if (!parseTypeAfter(first, output.type))
        return false;
    output.span = {m_token.begin, m_token.length()};
    return expectIdentifier(output.name, "a name");
}

bool TextParser::parseOutputs(std::vector<NamedType> &outputs)
{
    const bool bracketed = accept('(');
    do {
        if (!parseOutput(outputs.emplace_back()))
            return false;
    } while (accept(','));
    return !bracketed || expect(')');
}

/// `name = value`, … up to `closing`. A value may be a block: those go to the operation's.
bool TextParser::parseArguments(char closing, Operation &operation,
                                std::vector<Argument> &arguments)
{
    if (accept(closing))
        return true;
    do {
        std::string name;
        if (!spend() || !expectIdentifier(name, "the name of an argument") || !expect('='))
            return false;
        if (opensStatements() || (m_token.is('(') && startsBlock(0))) {
            if (!parseBlock(operation.blocks.emplace_back()))
                return false;
            continue;
        }
        Argument &argument = arguments.emplace_back();
        argument.name = std::move(name);
        if (m_token.is('(')) {
            advance();
            if (!parseGroup(')', argument.values))
                return false;
        } else if (!parseValue(argument.values.emplace_back())) {
            return false;
        }
    } while (accept(','));
    return expect(closing);
}

/// True at a `{` behind which statements stand, and not values: a type and a name come first, or
/// the outputs in parentheses, or nothing.
bool TextParser::opensStatements() const
{
    if (!m_token.is('{'))
        return false;
    Lexer ahead = m_lexer;
    const TextToken first = ahead.next();
    const TextToken second = ahead.next();
    if (first.is(TextToken::Kind::Identifier))
        return second.is(TextToken::Kind::Identifier) || second.is('<');
    return first.is('}') || (first.is('(') && second.is(TextToken::Kind::Identifier));
}

/// True at `{`, or at a bracketed parameter list that `{` follows, with up to `words` words before
/// them. Looks ahead over the list only.
bool TextParser::startsBlock(int words) const
{
    Lexer ahead = m_lexer;
    TextToken token = m_token;
    for (; words > 0 && token.is(TextToken::Kind::Identifier); --words)
        token = ahead.next();
    if (!token.is('('))
        return token.is('{');
    std::size_t open = 0;
    do {
        if (token.is('('))
            ++open;
        else if (token.is(')'))
            --open;
        else if (token.is(TextToken::Kind::End) || token.is('{') || token.is(';'))
            return false;
        token = ahead.next();
    } while (open > 0);
    return token.is('{');
}

/// `(parameters) { statements } -> (names)`; all but the braces may be missing. The exact text of
/// nested blocks is not documented: this is what functions look like.
bool TextParser::parseBlock(Block &block)
{
    const Level level(m_depth);
    if (tooDeep() || !spend())
        return false;
    if (m_token.is('(') && !parseParameters(block.inputs))
        return false;
    if (!expect('{'))
        return false;
    parseStatements(block);
    if (!expect('}'))
        return false;
    if (!m_token.is(TextToken::Kind::Arrow))
        return true;
    advance();
    return parseOutputNames(block);
}

/// What may follow an operation's attributes: a block, with or without a label before it, or
/// labelled blocks in braces of their own.
bool TextParser::parseNestedBlocks(std::vector<Block> &blocks)
{
    Lexer ahead = m_lexer;
    if (m_token.is('{') && m_lexer.text(ahead.next()) == "block") {
        const Level level(m_depth);
        advance();
        while (!m_token.is('}')) {
            if (!parseLabelledBlock(blocks))
                return false;
            accept(';');
        }
        advance();
        return true;
    }
    accept(',');
    return parseLabelledBlock(blocks);
}

/// `block name (parameters) { … }`; both words may be missing.
bool TextParser::parseLabelledBlock(std::vector<Block> &blocks)
{
    if (!startsBlock(2))
        return unexpected("a block");
    while (m_token.is(TextToken::Kind::Identifier))
        advance();
    return parseBlock(blocks.emplace_back());
}

/// Statements up to the closing brace, which stays. A faulty one is left out and its names noted.
void TextParser::parseStatements(Block &block)
{
    while (!m_token.is('}') && !m_token.is(TextToken::Kind::End)) {
        const int braces = m_braces;
        Operation operation;
        if (parseStatement(operation)) {
            block.operations.push_back(std::move(operation));
        } else {
            poison(operation);
            recoverStatement(braces);
        }
    }
    block.operations.shrink_to_fit(); // they stay as long as the bundle
}

bool TextParser::parseStatement(Operation &operation)
{
    const std::size_t begin = m_token.begin;
    if (!spend())
        return false;
    if (!hasNoOutputs() && (!parseOutputs(operation.outputs) || !expect('=')))
        return false;
    if (!expectIdentifier(operation.type, "an operation") || !parseOperationOpset(operation) ||
        !expect('(') || !parseArguments(')', operation, operation.inputs))
        return false;
    if (accept('[') && !parseArguments(']', operation, operation.attributes))
        return false;
    while (m_token.is(',') || startsBlock(2)) {
        if (!parseNestedBlocks(operation.blocks))
            return false;
    }
    operation.span = {begin, m_token.end - begin};
    if (accept(';'))
        return true;
    if (!m_token.is('}') && !m_token.is(TextToken::Kind::Identifier))
        return unexpected("\";\"");
    // only the semicolon is missing: here the next statement starts, or the block ends
    operation.span = spanFrom(begin);
    remark("mil.syntax", Severity::Error, {m_token.begin, m_token.length()}, "\";\"",
           "The text is not what a program needs here.");
    return true;
}

/// True at `word(` and `word<…>(`: an operation whose outputs have no names, such as write_state.
bool TextParser::hasNoOutputs() const
{
    if (!m_token.is(TextToken::Kind::Identifier))
        return false;
    Lexer ahead = m_lexer;
    TextToken token = ahead.next();
    for (std::size_t open = 0; token.is('<') || open > 0; token = ahead.next()) {
        if (token.is('<'))
            ++open;
        else if (token.is('>'))
            --open;
        else if (token.is(TextToken::Kind::End) || token.is(';') || token.is('{') || token.is('}'))
            return false;
    }
    return token.is('(');
}

/// `<ios17>` between an operation and its arguments; may be missing.
bool TextParser::parseOperationOpset(Operation &operation)
{
    if (!m_token.is('<'))
        return true;
    Lexer ahead = m_lexer;
    const TextToken opset = ahead.next();
    if (!opset.is(TextToken::Kind::Identifier))
        return unexpected("an opset");
    operation.opset = m_lexer.text(opset);
    return skipAngles();
}

/// What a faulty statement would have defined must not be reported as undefined later.
void TextParser::poison(const Operation &operation)
{
    for (const NamedType &output : operation.outputs) {
        if (!output.name.empty())
            m_unread.names.insert(output.name);
    }
}

/// Goes behind the next `;` of the same block, or behind the line whose string never closes and
/// so hides it. Only braces are counted: a fault may have hidden the other brackets' partners,
/// and no `;` stands inside them.
void TextParser::recoverStatement(int braces)
{
    while (!m_token.is(TextToken::Kind::End)) {
        if (m_token.is('}') && m_braces <= braces)
            return;
        const bool line = m_token.is(TextToken::Kind::OpenString) && m_token.end < m_text.size() &&
                          m_text[m_token.end] == '\n';
        const bool end = (line || m_token.is(';')) && m_braces <= braces;
        advance();
        if (end)
            return;
    }
}

/// `(name, …)`: what a block hands out.
bool TextParser::parseOutputNames(Block &block)
{
    if (!expect('('))
        return false;
    if (accept(')'))
        return true;
    do {
        const SourceSpan place{m_token.begin, m_token.length()};
        std::string name;
        if (!spend() || !expectIdentifier(name, "a name"))
            return false;
        block.outputSpans.push_back(place);
        block.outputs.push_back(std::move(name));
    } while (accept(','));
    return expect(')');
}

bool TextParser::parseParameters(std::vector<NamedType> &parameters)
{
    if (!expect('('))
        return false;
    if (accept(')'))
        return true;
    do {
        if (!parseParameter(parameters.emplace_back())) {
            parameters.pop_back();
            return false;
        }
    } while (accept(','));
    return expect(')');
}

bool TextParser::parseParameter(NamedType &parameter)
{
    if (!parseType(parameter.type))
        return false;
    parameter.span = {m_token.begin, m_token.length()};
    return expectIdentifier(parameter.name, "a name");
}

} // namespace kernscope::mil
