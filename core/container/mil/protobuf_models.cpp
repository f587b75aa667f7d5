// SPDX-License-Identifier: GPL-3.0-or-later
// Model messages: programs, pipelines of models, and models of other kinds, which are named.
#include "core/container/mil/limits.h"
#include "core/container/mil/protobuf_parser.h"
#include "core/format/tables.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace kernscope::mil {

namespace {

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
        else if (field.number == kDescriptionField && field.type == WireField::Type::Bytes)
            description = field.content; // the last one holds, as of every single field
        // Of several kinds the last one holds, as in every oneof; a program is never given up.
        else if (field.number >= kFirstKind && field.type == WireField::Type::Bytes &&
                 node.field != 502) {
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
        parsed.program.descriptions.push_back(readDescription(
            description->bytes, labelled ? content->bytes : std::span<const std::byte>()));
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
    const auto level = std::count(path.begin(), path.end(), '/');
    if (level >= kMaxPipelineDepth)
        return fail("proto.depth", message.span(),
                    fmt::format("at most {} pipelines", kMaxPipelineDepth), "",
                    "Pipelines are nested too deeply.");
    std::vector<WireBytes> models;
    std::vector<std::string> names;
    bool whole = each(message, [&](const WireField &field) {
        if (field.type != WireField::Type::Bytes)
            return true;
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

} // namespace kernscope::mil
