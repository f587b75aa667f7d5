// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/mil/faults.h"
#include "core/container/mil/number.h"

namespace kernscope::mil {

/// A word of program text: a view into it, nothing copied.
struct TextToken {
    enum class Kind : std::uint8_t {
        End,
        Identifier,
        Number,
        String, ///< with its quotes
        Symbol, ///< one of ( ) [ ] { } < > = , ; ? :
        Arrow,  ///< ->
        Ellipsis,
        OpenString, ///< no closing quote before the end of the line
        NulByte,    ///< a run of them
        Stray       ///< any other character
    };
    Kind kind = Kind::End;
    char symbol = 0; ///< of a Symbol
    std::size_t begin = 0;
    std::size_t end = 0;

    bool is(char c) const { return kind == Kind::Symbol && symbol == c; }
    bool is(Kind k) const { return kind == k; }
    std::size_t length() const { return end - begin; }
};

/// Cuts program text into tokens, one at a time, each byte looked at a bounded number of times.
/// White space and comments (from two slashes to the end of the line; compilers write none,
/// programs written by hand have them) lie between tokens.
class Lexer
{
public:
    explicit Lexer(std::string_view text);

    TextToken next();
    std::string_view text(const TextToken &token) const
    {
        return m_text.substr(token.begin, token.length());
    }
    std::size_t size() const { return m_text.size(); }

private:
    void skipSpaceAndComments();
    TextToken string();
    TextToken number();
    TextToken symbol();
    bool startsNumber() const;
    char at(std::size_t i) const { return i < m_text.size() ? m_text[i] : '\0'; }
    TextToken finish(TextToken::Kind kind, std::size_t end, char symbol = 0);

    std::string_view m_text;
    std::size_t m_at = 0;
};

/// What a String token writes: escapes resolved, malformed UTF-8 replaced.
std::string unquoted(std::string_view token);

class PackedElements;

/// Recursive descent over the tokens of one program text (resources/formats/programs.md).
///
/// Every parse function returns false where it could not go on; the fault has then been reported,
/// once, and the caller only returns. Recovery is in `recoverStatement` and `recoverFunction`.
class TextParser
{
public:
    /// `nodes`: those that other texts of the same bundle have spent.
    TextParser(std::string_view text, std::string_view fileName, std::size_t nodes);

    ParsedProgram run();
    std::size_t nodes() const { return m_nodes; }

private:
    /// Counts one level of nesting as long as it lives.
    class Level
    {
    public:
        explicit Level(int &depth) : m_depth(depth) { ++m_depth; }
        ~Level() { --m_depth; }
        Level(const Level &) = delete;
        Level &operator=(const Level &) = delete;

    private:
        int &m_depth;
    };

    // text_parser.cpp: tokens, faults, recovery
    void advance();
    bool accept(char symbol);
    bool expect(char symbol);
    bool expect(TextToken::Kind kind, std::string_view what);
    bool expectIdentifier(std::string &name, std::string_view what);
    bool atWord(std::string_view word) const;
    bool unexpected(std::string_view expected);
    bool fail(std::string_view code, const TextToken &token, std::string_view expected,
              std::string_view message);
    void remark(std::string_view code, Severity severity, SourceSpan span,
                std::string_view expected, std::string_view message);
    bool tooDeep();
    bool spend(std::size_t nodes = 1);
    bool skipBalanced();
    bool skipAngles();
    std::string_view textFrom(std::size_t begin) const;
    SourceSpan spanFrom(std::size_t begin) const { return {begin, m_previousEnd - begin}; }

    // text_types.cpp
    bool parseType(ValueType &type);
    bool parseTypeAfter(const TextToken &name, ValueType &type);
    bool parseTensorType(ValueType &type);
    bool parseTypeParameters(ValueType &type);
    bool parseTypeParameter(ValueType &type);
    bool parseNamedParameter(ValueType &type, std::string_view name);
    void takeInner(ValueType &type, ValueType inner);
    bool parseDimensions(ValueType &type);
    bool parseDimension(ValueType &type);
    void checkExtents(const ValueType &type);

    // text_values.cpp
    bool parseValue(ProgramValue &value);
    bool parseTypedBody(ProgramValue &value);
    bool parseWord(ProgramValue &value);
    bool parseBareLiteral(ProgramValue &value);
    bool parseGroup(char closing, Values &values);
    bool parseCall(ProgramValue &value);
    bool parseBlob(BlobReference &blob);
    bool parseBlobField(BlobReference &blob, bool &hasPath, bool &hasOffset);
    bool parseTensorLiteral(const ValueType &type, Literal &literal);
    bool parseElement(ElementType type, Literal &literal, PackedElements &packed);

    // text_statements.cpp
    bool parseHeader(Program &program);
    bool parseAttributes(std::vector<Argument> &attributes);
    bool parseFunction(Function &function);
    bool parseSignature(Function &function);
    bool parseParameters(std::vector<NamedType> &parameters);
    bool parseParameter(NamedType &parameter);
    bool hasNoOutputs() const;
    bool parseOperationOpset(Operation &operation);
    bool parseOutputNames(Block &block);
    void parseStatements(Block &block);
    bool parseStatement(Operation &operation);
    bool parseOutputs(std::vector<NamedType> &outputs);
    bool parseOutput(NamedType &output);
    bool parseArguments(char closing, Operation &operation, std::vector<Argument> &arguments);
    bool startsBlock(int words) const;
    bool opensStatements() const;
    bool parseBlock(Block &block);
    bool parseNestedBlocks(std::vector<Block> &blocks);
    bool parseLabelledBlock(std::vector<Block> &blocks);
    void poison(const Operation &operation);
    void recoverStatement(int braces);
    void recoverFunction();
    void recoverParameters();
    void parseFunctions(Program &program);

    Lexer m_lexer;
    std::string_view m_text;
    Faults m_faults;
    TextToken m_token;
    std::size_t m_previousEnd = 0;
    int m_depth = 0;
    int m_braces = 0;
    std::size_t m_nodes = 0;
    bool m_cut = false;       ///< the end of the text was met too early, and reported
    bool m_exhausted = false; ///< kMaxNodes was met, and reported
    Unread m_unread;
    /// What a number without a type is within a typed list or dictionary; Unknown elsewhere.
    ElementType m_bareNumbers = ElementType::Unknown;
};

} // namespace kernscope::mil
