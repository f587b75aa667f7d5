// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/mil/wire.h"

namespace kernscope::mil {

/// Reads the ML program of a protobuf `Model` message by message (resources/formats/programs.md).
///
/// As in TextParser, a function that returns false has reported the fault, once. Most messages
/// are first cut into their fields, since nothing says that a type comes before its value.
class ProtobufParser
{
public:
    ProtobufParser(std::span<const std::byte> file, std::string_view fileName);

    ParsedProgram run();

private:
    using Element = std::function<bool(const WireBytes &key, const WireBytes &value)>;

    /// Calls `visit` for every field; false where the message is broken or a visitor says so.
    template <class Visit>
    bool each(const WireBytes &message, const Visit &visit)
    {
        WireMessage reader(message, m_state);
        for (WireField field; reader.next(field);) {
            if (!visit(field))
                return false;
        }
        return !reader.broken();
    }
    /// The same for fields of bytes alone: messages, texts, packed numbers.
    template <class Visit>
    bool eachBytes(const WireBytes &message, const Visit &visit)
    {
        return each(message,
                    [&](const WireField &field) { return !field.isBytes() || visit(field); });
    }
    /// The key and value of a map's entry; both may be missing, and are empty then.
    bool mapEntry(const WireBytes &entry, const Element &element);
    std::string text(const WireBytes &bytes) { return m_state.text(bytes); }
    bool enter(const WireBytes &message);
    void leave() { --m_depth; }
    bool spend(const WireBytes &place);
    bool fail(std::string_view code, SourceSpan place, std::string_view expected,
              std::string_view found, std::string_view message);

    // protobuf_reader.cpp
    bool parseModel(const WireBytes &model, const std::string &path, ParsedProgram &parsed);
    bool parsePipeline(const WireBytes &message, bool wrapped, const std::string &path,
                       ParsedProgram &parsed);
    bool refuseKind(const ModelNode &node, const WireBytes &model);
    template <class Read>
    void skipFaults(const Read &read);
    bool parseProgram(const WireBytes &message, Program &program);
    bool parseFunction(const WireBytes &message, Function &function);
    bool chooseBlock(const std::vector<WireField> &entries, const std::string &opset,
                     const WireBytes &function, WireBytes &chosen);

    // protobuf_operations.cpp
    bool parseBlock(const WireBytes &message, Block &block);
    void parseOperations(const std::vector<WireBytes> &operations, Block &block);
    bool parseOperation(const WireBytes &message, Operation &operation);
    bool parseInput(const WireBytes &entry, std::vector<Argument> &arguments);
    bool parseBinding(const WireBytes &message, ProgramValue &value);
    bool parseAttribute(const WireBytes &entry, std::vector<Argument> &arguments);
    bool parseNamedType(const WireBytes &message, NamedType &named);

    // protobuf_values.cpp
    bool parseType(const WireBytes &message, ValueType &type);
    bool parseTensorType(const WireBytes &message, ValueType &type);
    bool parseDimension(const WireBytes &message, ValueType &type);
    bool parseCompoundType(const WireField &field, ValueType &type);
    void checkExtents(const WireBytes &message, const ValueType &type);
    bool parseValue(const WireBytes &message, ProgramValue &value);
    bool parseImmediate(const WireBytes &message, ProgramValue &value);
    bool parseBlob(const WireBytes &message, BlobReference &blob);
    bool parseValues(const WireBytes &message, Values &values);
    bool parseDictionary(const WireBytes &message, Values &values);

    // protobuf_tensors.cpp
    bool parseTensor(const WireBytes &message, const ValueType &type, Literal &literal);
    bool parseNumbers(const WireField &field, Literal &literal);
    /// Calls `add` with each number of a packed field of `kind`, until it returns false.
    bool eachPacked(const WireBytes &content, std::uint32_t kind,
                    const std::function<bool(std::uint64_t, SourceSpan)> &add);
    bool parseStrings(const WireBytes &message, Literal &literal);
    bool parseRaw(const WireBytes &content, const ValueType &type, Literal &literal);

    WireState m_state;
    WireBytes m_file;
    int m_depth = 0;
    std::size_t m_nodes = 0;
    bool m_exhausted = false;
    Unread m_unread;
    std::string m_model; ///< path of the model that is being read
};

} // namespace kernscope::mil
