// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error_builder.h"
#include "core/container/mil/limits.h"
#include "core/container/mil/reader.h"
#include "core/container/mil/text_parser.h"

#include <fmt/format.h>

namespace kernscope::mil {

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
bool TextParser::parseAttributes(CompactVector<Argument> &attributes)
{
    const Lexer lexer = m_lexer;
    const TextToken token = m_token;
    const std::size_t previousEnd = m_previousEnd;
    const int braces = m_braces, depth = m_depth;
    const bool cut = m_cut;
    const Faults::Mark mark = m_faults.mark();
    Operation holder;
    advance();
    if (parseArguments(']', holder, attributes) && holder.blocks.empty())
        return true;
    m_faults.rollBack(mark);
    m_cut = cut;
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

/// Goes to the next function, wherever the text got lost.
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
             ErrorBuilder("mil.limit")
                 .file(fileName)
                 .at(FileOffset(kMaxTextBytes - sum.bytes))
                 .expected(fmt::format("at most {} bytes of a bundle", kMaxTextBytes))
                 .found(fmt::format("{} bytes", text.size()))
                 .message("The program text is larger than is read.")});
        return none;
    }
    const std::string_view view(reinterpret_cast<const char *>(text.data()), text.size());
    TextParser parser(view, fileName, sum.nodes);
    ParsedProgram parsed = parser.run();
    sum = {parser.nodes(), sum.bytes + text.size()};
    return parsed;
}

} // namespace kernscope::mil
