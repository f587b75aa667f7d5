// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/text.h"
#include "core/container/mil/protobuf_parser.h"
#include "core/container/mil/reader.h"
#include "core/format/table_rows.h"

#include <algorithm>
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

/// Models that one file may hold; bounds what a file of empty messages costs.
constexpr std::size_t kMaxModels = 4096;
/// Pipelines within pipelines; real ones are not nested at all.
constexpr int kMaxPipelineDepth = 16;

const std::map<std::uint32_t, std::string> &kindNames()
{
    static const auto names = [] {
        std::map<std::uint32_t, std::string> made;
        if (const auto table = tables::load("model_kinds")) {
            for (std::size_t row = 0; row < table->rows(); ++row) {
                if (const auto number = kernscope::parseInteger(table->cell(row, "field")))
                    made[static_cast<std::uint32_t>(*number)] = table->cell(row, "kind");
            }
        }
        return made;
    }();
    return names;
}

std::string kindName(std::uint32_t field)
{
    const auto found = kindNames().find(field);
    return found == kindNames().end() ? fmt::format("field {}", field) : found->second;
}

/// A step of a path: no '/', never empty, and no other model's.
std::string stepName(std::string name, std::size_t index, std::set<std::string> &taken)
{
    std::replace(name.begin(), name.end(), '/', '_');
    if (name.empty())
        name = fmt::format("model{}", index);
    if (!taken.insert(name).second) {
        name = fmt::format("{}_{}", name, index);
        taken.insert(name);
    }
    return name;
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

bool ProtobufParser::mapEntry(const WireBytes &entry, const Element &element)
{
    WireBytes key{{}, entry.offset};
    WireBytes value{{}, entry.offset};
    const bool read = eachBytes(entry, [&](const WireField &field) {
        if (field.number == 1)
            key = field.content;
        else if (field.number == 2)
            value = field.content;
        return true;
    });
    return read && element(key, value);
}

/// One level deeper; `leave` must follow where it says true.
bool ProtobufParser::enter(const WireBytes &message)
{
    if (++m_depth <= kMaxDepth)
        return true;
    leave();
    return fail("proto.depth", message.span(), fmt::format("at most {} levels", kMaxDepth), "",
                "Blocks, types or values are nested too deeply.");
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
        } else if (field.number == 4 && field.isBytes()) {
            skipFaults([&] { return parseAttribute(field.content, program.attributes); });
        } else if (field.number == 2 && field.isBytes()) {
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
    const bool whole = eachBytes(message, [&](const WireField &field) {
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

// Model messages: programs, pipelines of models, and models of other kinds, which are named.

bool ProtobufParser::refuseKind(const ModelNode &node, const WireBytes &model)
{
    const std::string found =
        node.field == 0 ? "no model at all" : fmt::format("{} (field {})", node.kind, node.field);
    return fail("proto.kind", {model.offset, 0},
                "an ML program (field 502), a neural network (500) or a pipeline (202)", found,
                "The model is not an ML program.");
}

/// The outermost model (an empty path) must be of a kind that is known.
bool ProtobufParser::parseModel(const WireBytes &model, const std::string &path,
                                ParsedProgram &parsed)
{
    constexpr std::uint32_t kVersion = 1, kDescriptionField = 2, kFirstKind = 200;
    ModelNode node;
    node.path = path;
    node.span = model.span();
    std::optional<WireBytes> content, description;
    const bool whole = each(model, [&](const WireField &field) {
        if (field.number == kVersion && field.type == WireField::Type::Varint)
            node.specification = std::to_string(field.value);
        else if (field.number == kDescriptionField && field.isBytes())
            description = field.content; // the last one holds, as of every single field
        // Of several kinds the last one holds, as in every oneof; a program is never given up.
        else if (field.number >= kFirstKind && field.isBytes() && node.field != 502) {
            node.field = field.number;
            content = field.content;
        }
        return true;
    });
    node.kind = kindName(node.field);
    if (content)
        node.content = content->span();
    if (path.empty())
        parsed.specification = node.specification;
    const bool broken = !whole || m_state.cut;
    if (node.field == 0 && broken)
        return false;
    parsed.program.models.push_back(node);
    if (description) {
        const bool labelled = node.isClassifier() && content;
        parsed.program.descriptions.push_back(
            readDescription(*description, labelled ? *content : WireBytes{}, m_state));
        parsed.program.descriptions.back().model = path;
    }
    if (node.isProgram()) {
        m_model = path;
        return parseProgram(*content, parsed.program) && whole;
    }
    if (node.isPipeline())
        return parsePipeline(*content, node.field != 202, path, parsed) && whole;
    // The content of other kinds is not read; they have no weights.
    if (kindNames().count(node.field) > 0 || !path.empty() || broken)
        return whole;
    return refuseKind(node, model);
}

/// `wrapped`: classifiers and regressors hold the pipeline in a message of their own.
bool ProtobufParser::parsePipeline(const WireBytes &message, bool wrapped, const std::string &path,
                                   ParsedProgram &parsed)
{
    const auto level = std::ranges::count(path, '/');
    if (level >= kMaxPipelineDepth)
        return fail("proto.depth", message.span(),
                    fmt::format("at most {} pipelines", kMaxPipelineDepth), "",
                    "Pipelines are nested too deeply.");
    std::vector<WireBytes> models;
    std::vector<std::string> names;
    bool whole = eachBytes(message, [&](const WireField &field) {
        if (field.number == 1)
            models.push_back(field.content);
        else if (field.number == 2)
            names.push_back(text(field.content));
        return spend(field.content);
    });
    if (wrapped) {
        for (const WireBytes &pipeline : models)
            whole = parsePipeline(pipeline, false, path, parsed) && whole;
        return whole;
    }
    std::set<std::string> taken;
    for (std::size_t i = 0; i < models.size(); ++i) {
        if (parsed.program.models.size() >= kMaxModels)
            return fail("mil.limit", models[i].span(), fmt::format("at most {} models", kMaxModels),
                        "",
                        "The pipeline is too large to be held in memory; the rest is not read.");
        const std::string step = stepName(i < names.size() ? names[i] : std::string(), i, taken);
        // What is wrong inside one model leaves the others readable.
        parseModel(models[i], path.empty() ? step : path + "/" + step, parsed);
    }
    return whole;
}

bool ProtobufParser::parseBlock(const WireBytes &message, Block &block)
{
    if (!enter(message))
        return false;
    std::vector<WireBytes> operations;
    const bool whole = eachBytes(message, [&](const WireField &field) {
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
    const bool whole = eachBytes(message, [&](const WireField &field) {
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
        return spend(entry) && eachBytes(value, [&](const WireField &field) {
                   if (field.number != 1)
                       return true;
                   return parseBinding(field.content, argument.values.emplace_back());
               });
    });
}

bool ProtobufParser::parseBinding(const WireBytes &message, ProgramValue &value)
{
    value.span = message.span();
    return spend(message) && eachBytes(message, [&](const WireField &field) {
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
    return spend(message) && eachBytes(message, [&](const WireField &field) {
               if (field.number == 1) {
                   named.name = text(field.content);
                   named.span = field.content.span();
               } else if (field.number == 2)
                   return parseType(field.content, named.type);
               return true;
           });
}

} // namespace kernscope::mil
