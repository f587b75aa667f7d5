// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/utf8.h"
#include "core/container/mil/limits.h"
#include "core/container/mil/protobuf_parser.h"
#include "core/container/mil/reader.h"
#include "core/format/table_rows.h"

#include <climits>

#include <fmt/format.h>

namespace kernscope::mil {

namespace {

struct OpsetRow {
    std::string key, opset;
};

/// "CoreML6" is what program text calls ios16 (resources/tables/program_opsets.csv); others as they
/// are.
std::string opsetName(const std::string &written)
{
    static const auto rows = tables::loadRows<OpsetRow>(
        "program_opsets", {{"key", &OpsetRow::key}, {"opset", &OpsetRow::opset}});
    for (const OpsetRow &row : rows) {
        if (row.key == written)
            return row.opset;
    }
    return written;
}

} // namespace

ProtobufParser::ProtobufParser(std::span<const std::byte> file, std::string_view fileName)
    : m_state{Faults(fileName), file.size(), false, false}, m_file{file, 0}
{
}

bool ProtobufParser::fail(std::string_view code, SourceSpan place, std::string_view expected,
                          std::string_view found, std::string_view message)
{
    return m_state.fail(code, place, expected, found, message);
}

bool ProtobufParser::each(const WireBytes &message, const Visitor &visit)
{
    WireMessage reader(message, m_state);
    WireField field;
    while (reader.next(field)) {
        if (!visit(field))
            return false;
    }
    return !reader.broken();
}

bool ProtobufParser::mapEntry(const WireBytes &entry, const Element &element)
{
    WireBytes key{{}, entry.offset};
    WireBytes value{{}, entry.offset};
    const bool read = each(entry, [&](const WireField &field) {
        if (field.type == WireField::Type::Bytes && field.number == 1)
            key = field.content;
        else if (field.type == WireField::Type::Bytes && field.number == 2)
            value = field.content;
        return true;
    });
    return read && element(key, value);
}

std::string ProtobufParser::text(const WireBytes &bytes)
{
    const std::string_view view(reinterpret_cast<const char *>(bytes.bytes.data()),
                                bytes.bytes.size());
    if (const std::size_t bad = findInvalidUtf8(view); bad != std::string_view::npos) {
        m_state.faults.add(Severity::Warning,
                           m_state.faults.make("mil.encoding", bytes.offset + bad, 1)
                               .expected("UTF-8")
                               .found(excerpt(view.substr(bad, 1)))
                               .message("A string holds bytes that are not UTF-8."));
    }
    return cleanUtf8(view);
}

/// One level deeper; `leave` must follow where it says true.
bool ProtobufParser::enter()
{
    return ++m_depth <= kMaxDepth;
}

bool ProtobufParser::spend(const WireBytes &place)
{
    if (++m_nodes <= kMaxNodes)
        return true;
    if (!m_exhausted)
        fail("mil.limit", place.span(), fmt::format("at most {} values and types", kMaxNodes), "",
             "The program is too large to be held in memory; the rest is not read.");
    m_exhausted = true;
    return false;
}

ParsedProgram ProtobufParser::run()
{
    ParsedProgram parsed;
    if (m_file.bytes.empty()) {
        fail("mil.empty", {}, "a model", "nothing", "The model file is empty.");
    } else if (m_file.bytes.size() > INT_MAX) {
        fail("proto.size", {}, "at most 2147483647 bytes",
             fmt::format("{} bytes", m_file.bytes.size()), "The model file is too large.");
    } else {
        parseModel(m_file, {}, parsed);
        m_unread.more = m_state.lost;
        validate(parsed.program, m_unread, m_state.faults);
    }
    parsed.diagnostics = m_state.faults.take();
    return parsed;
}

/// Attributes of programs and functions hold nothing that a weight depends on: what cannot be read
/// of them is passed over.
template <class Read>
void ProtobufParser::skipFaults(const Read &read)
{
    const Faults::Mark mark = m_state.faults.mark();
    const bool lost = m_state.lost, cut = m_state.cut, exhausted = m_exhausted;
    if (read() || m_state.cut != cut)
        return;
    m_state.faults.rollBack(mark);
    m_state.lost = lost;
    m_exhausted = exhausted; // its fault went with the others: the next value reports it
}

bool ProtobufParser::parseProgram(const WireBytes &message, Program &program)
{
    return each(message, [&](const WireField &field) {
        if (field.number == 1 && field.type == WireField::Type::Varint) {
            program.version = std::to_string(field.value);
        } else if (field.number == 4 && field.type == WireField::Type::Bytes) {
            skipFaults([&] { return parseAttribute(field.content, program.attributes); });
        } else if (field.number == 2 && field.type == WireField::Type::Bytes) {
            if (!spend(field.content))
                return false;
            mapEntry(field.content, [&](const WireBytes &key, const WireBytes &value) {
                Function &function = program.functions.emplace_back();
                function.name = text(key);
                function.nameSpan = key.bytes.empty() ? field.content.span() : key.span();
                function.model = m_model;
                return parseFunction(value, function);
            });
        }
        return true; // what is wrong inside one function leaves the others readable
    });
}

bool ProtobufParser::parseFunction(const WireBytes &message, Function &function)
{
    std::vector<WireField> blocks;
    std::string opset;
    const bool whole = each(message, [&](const WireField &field) {
        if (field.type != WireField::Type::Bytes)
            return true;
        switch (field.number) {
        case 1: return parseNamedType(field.content, function.inputs.emplace_back());
        case 2: opset = text(field.content); return true;
        case 3: blocks.push_back(field); return spend(field.content);
        case 4:
            skipFaults([&] { return parseAttribute(field.content, function.attributes); });
            return true;
        default: return true;
        }
    });
    function.opset = opsetName(opset);
    WireBytes chosen;
    return chooseBlock(blocks, opset, message, chosen) && parseBlock(chosen, function.body) &&
           whole;
}

/// The specialization of the function's opset, else the first one, with a warning.
bool ProtobufParser::chooseBlock(const std::vector<WireField> &entries, const std::string &opset,
                                 const WireBytes &function, WireBytes &chosen)
{
    std::optional<WireBytes> first;
    std::string firstKey;
    bool matched = false;
    for (const WireField &entry : entries) {
        mapEntry(entry.content, [&](const WireBytes &key, const WireBytes &value) {
            if (matched)
                return true;
            const std::string name = text(key);
            if (!first) {
                first = value;
                firstKey = name;
            }
            matched = name == opset;
            if (matched)
                chosen = value;
            return true;
        });
    }
    if (matched)
        return true;
    if (!first)
        return m_state.cut ||
               fail("proto.block", function.span(), "a block", "none", "A function has no body.");
    m_state.faults.add(
        Severity::Warning,
        m_state.faults.make("proto.opset", first->offset, 0)
            .expected(excerpt(opset))
            .found(excerpt(firstKey))
            .message("A function has no body for its opset; the first one is shown."));
    chosen = *first;
    return true;
}

ParsedProgram readModelProtobuf(std::span<const std::byte> model, std::string_view fileName)
{
    return ProtobufParser(model, fileName).run();
}

} // namespace kernscope::mil
