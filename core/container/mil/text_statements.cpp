// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/mil/text_parser.h"

namespace kernscope::mil {

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
