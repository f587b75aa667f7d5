// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/mil/limits.h"
#include "core/container/mil/protobuf_parser.h"

#include <fmt/format.h>

namespace kernscope::mil {

bool ProtobufParser::parseBlock(const WireBytes &message, Block &block)
{
    if (!enter()) {
        leave();
        return fail("proto.depth", message.span(), fmt::format("at most {} levels", kMaxDepth), "",
                    "Blocks, types or values are nested too deeply.");
    }
    std::vector<WireBytes> operations;
    const bool whole = each(message, [&](const WireField &field) {
        if (field.type != WireField::Type::Bytes)
            return true;
        switch (field.number) {
        case 1: return parseNamedType(field.content, block.inputs.emplace_back());
        case 2:
            block.outputs.push_back(text(field.content));
            block.outputSpans.push_back(field.content.span());
            return spend(field.content);
        case 3: operations.push_back(field.content); return spend(field.content);
        default: return true;
        }
    });
    parseOperations(operations, block);
    leave();
    return whole;
}

/// Reads every operation; those with a fault are left out and their names noted.
void ProtobufParser::parseOperations(const std::vector<WireBytes> &operations, Block &block)
{
    for (const WireBytes &message : operations) {
        Operation operation;
        operation.span = message.span();
        if (parseOperation(message, operation)) {
            block.operations.push_back(std::move(operation));
            continue;
        }
        for (const NamedType &output : operation.outputs)
            m_unread.names.insert(output.name);
    }
}

bool ProtobufParser::parseOperation(const WireBytes &message, Operation &operation)
{
    const bool cutBefore = m_state.cut;
    bool cutInBlock = false;
    if (!spend(message))
        return false;
    bool sound = true; // one fault is enough; the outputs are read in any case, for their names
    const bool whole = each(message, [&](const WireField &field) {
        if (field.type != WireField::Type::Bytes)
            return true;
        switch (field.number) {
        case 1: operation.type = text(field.content); break;
        case 2: sound = sound && parseInput(field.content, operation.inputs); break;
        case 3:
            sound = parseNamedType(field.content, operation.outputs.emplace_back()) && sound;
            break;
        case 4:
            sound = sound && parseBlock(field.content, operation.blocks.emplace_back());
            cutInBlock = field.cut;
            break;
        case 5: sound = sound && parseAttribute(field.content, operation.attributes); break;
        default: break;
        }
        return true;
    });
    // Of an operation that the file ends in, only its finished nested operations mean anything.
    const bool cutHere = m_state.cut && !cutBefore && !cutInBlock;
    return sound && whole && !cutHere;
}

/// An entry of Operation.inputs: name of the parameter, and its bindings.
bool ProtobufParser::parseInput(const WireBytes &entry, std::vector<Argument> &arguments)
{
    return mapEntry(entry, [&](const WireBytes &key, const WireBytes &value) {
        Argument &argument = arguments.emplace_back();
        argument.name = text(key);
        return spend(entry) && each(value, [&](const WireField &field) {
                   if (field.number != 1 || field.type != WireField::Type::Bytes)
                       return true;
                   return parseBinding(field.content, argument.values.emplace_back());
               });
    });
}

bool ProtobufParser::parseBinding(const WireBytes &message, ProgramValue &value)
{
    value.span = message.span();
    return spend(message) && each(message, [&](const WireField &field) {
               if (field.type != WireField::Type::Bytes)
                   return true;
               if (field.number == 1)
                   value.content = Reference{text(field.content), field.content.span()};
               else if (field.number == 2)
                   return parseValue(field.content, value);
               return true;
           });
}

bool ProtobufParser::parseAttribute(const WireBytes &entry, std::vector<Argument> &arguments)
{
    return mapEntry(entry, [&](const WireBytes &key, const WireBytes &value) {
        Argument &argument = arguments.emplace_back();
        argument.name = text(key);
        return spend(entry) && parseValue(value, argument.values.emplace_back());
    });
}

bool ProtobufParser::parseNamedType(const WireBytes &message, NamedType &named)
{
    return spend(message) && each(message, [&](const WireField &field) {
               if (field.type != WireField::Type::Bytes)
                   return true;
               if (field.number == 1) {
                   named.name = text(field.content);
                   named.span = field.content.span();
               } else if (field.number == 2)
                   return parseType(field.content, named.type);
               return true;
           });
}

} // namespace kernscope::mil
