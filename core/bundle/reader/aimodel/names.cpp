// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/reader/aimodel/names.h"

#include <algorithm>
#include <numeric>

namespace kernscope::aimodel {

namespace {

/// Attributes that are looked at for one value: a file may write them out without end.
constexpr unsigned kMostVisited = 400, kMostDeep = 12;
constexpr std::size_t kMostFrames = 16, kMostText = 4096;

/// The fields of a column by its name in mlir_kinds.csv, or the value of the first one.
std::vector<mlir::Field> fieldsOf(const mlir::Decoded &decoded, std::string_view name)
{
    for (std::size_t i = 0; decoded.row && i < decoded.row->fields.size(); ++i) {
        if (decoded.row->fields[i].name == name)
            return decoded.all(i);
    }
    return {};
}

std::uint32_t valueOf(const mlir::Decoded &decoded, std::string_view column)
{
    const auto fields = fieldsOf(decoded, column);
    return fields.empty() ? mlir::kNone : static_cast<std::uint32_t>(fields.front().value);
}

std::string_view textOf(const mlir::Module &module, const mlir::Decoded &decoded,
                        std::string_view column)
{
    const std::uint32_t text = valueOf(decoded, column);
    return text < module.strings.size() ? module.strings[text] : std::string_view();
}

/// What an attribute says, as far as it is looked at. What only holds another attribute is that
/// one: data of metadata, a callee, one value under a name.
MetaValue metaValue(const mlir::Module &module, std::uint32_t attribute, unsigned &visited,
                    unsigned depth = 0)
{
    MetaValue made;
    if (attribute >= module.attributes.size() || depth > kMostDeep || ++visited > kMostVisited)
        return made;
    const mlir::Decoded decoded = module.attribute(attribute);
    if (decoded.is("serialization.integer"))
        made.number = decoded.fields.back().value;
    const bool list = decoded.is("serialization.array") || decoded.is("serialization.dictionary");
    for (const mlir::Field &field : decoded.fields) {
        if (field.letter == 'A')
            made.parts.push_back(
                metaValue(module, static_cast<std::uint32_t>(field.value), visited, depth + 1));
        else if (field.letter == 'S' && made.text.empty())
            made.text = module.strings[field.value].substr(0, kMostText);
    }
    std::string name = decoded.is("serialization.opaque") ? std::move(made.text) : std::string();
    if (!list && made.parts.size() == 1)
        made = MetaValue(std::move(made.parts.front()));
    if (!name.empty())
        made.name = std::move(name);
    return made;
}

MetaValue metaValue(const mlir::Module &module, std::uint32_t attribute)
{
    unsigned visited = 0;
    return metaValue(module, attribute, visited);
}

/// The entries of metadata of a location, each under its name.
template <class Take>
void eachMetadata(const mlir::Module &module, const mlir::Decoded &location, const Take &take)
{
    for (const mlir::Field &field : fieldsOf(location, "metadata")) {
        if (field.value >= module.attributes.size())
            continue;
        const mlir::Decoded entry = module.attribute(static_cast<std::uint32_t>(field.value));
        if (const auto name = textOf(module, entry, "name");
            entry.is("debuginfo.metadata_v1") && !name.empty())
            take(name, debugEntry(name, metaValue(module, valueOf(entry, "data"))));
    }
}

std::string uniqueName(std::string name, auto &taken)
{
    std::string unique = name;
    for (std::size_t i = 2; !taken.insert(unique).second; ++i)
        unique = name + "_" + std::to_string(i);
    return unique;
}

std::string lastComponent(std::string_view path)
{
    const auto slash = path.find_last_of("/\\");
    return std::string(slash == path.npos ? path : path.substr(slash + 1));
}

/// "nets.py:22" of a source location; empty where it is of no file.
std::string sourceLine(const mlir::Module &module, std::uint32_t source)
{
    if (source >= module.attributes.size())
        return {};
    const mlir::Decoded decoded = module.attribute(source);
    const std::uint32_t file = valueOf(decoded, "file"), line = valueOf(decoded, "line");
    std::string name;
    if (decoded.is("debuginfo.source_location_v1") && file < module.attributes.size())
        name = lastComponent(textOf(module, module.attribute(file), "file"));
    else if (decoded.is("file_location"))
        name = lastComponent(module.stringOf(file));
    if (name.empty() || name == "-" || line == mlir::kNone)
        return {};
    return name + ":" + std::to_string(line);
}

std::string_view storedName(const mlir::Module &module, std::uint32_t graphOperation)
{
    return module.stringOf(module.attributeOf(module.operations[graphOperation], "name"));
}

} // namespace

Location readLocation(const mlir::Module &module, std::uint32_t attribute)
{
    Location location;
    std::vector<std::string> lines;
    for (unsigned i = 0; i < kMostFrames && attribute < module.attributes.size(); ++i) {
        const mlir::Decoded decoded = module.attribute(attribute);
        if (decoded.is("name_location")) {
            location.name = plainName(module.stringOf(valueOf(decoded, "name")));
            attribute = valueOf(decoded, "child");
            continue;
        }
        if (!decoded.is("debuginfo.location_v1")) {
            lines.push_back(sourceLine(module, attribute));
            break;
        }
        lines.push_back(sourceLine(module, valueOf(decoded, "source")));
        std::vector<std::string> frames;
        std::string node;
        eachMetadata(module, decoded, [&](std::string_view, DebugEntry entry) {
            if (location.name.empty())
                location.name = std::move(entry.name);
            if (frames.empty())
                frames = std::move(entry.callStack);
            if (node.empty())
                node = std::move(entry.node);
        });
        if (!node.empty())
            frames.insert(frames.begin(), std::move(node));
        location.scope = scopeOf(frames);
        for (const mlir::Field &field : fieldsOf(decoded, "fused")) {
            const auto each = static_cast<std::uint32_t>(field.value);
            if (lines.size() < kMostFrames && each < module.attributes.size())
                lines.push_back(sourceLine(module, valueOf(module.attribute(each), "source")));
        }
        break;
    }
    for (const std::string &line : lines) {
        if (!line.empty())
            location.source += (location.source.empty() ? "" : " < ") + line;
    }
    return location;
}

std::optional<std::uint64_t> operationId(const mlir::Module &module, std::uint32_t location)
{
    if (location >= module.attributes.size())
        return std::nullopt;
    std::optional<std::uint64_t> id;
    eachMetadata(module, module.attribute(location), [&](auto name, const DebugEntry &entry) {
        if (name == "op_id" && !id && !entry.sourceOps.empty())
            id = entry.sourceOps.front();
    });
    return id;
}

std::vector<std::string> argumentNames(const mlir::Module &module, std::uint32_t attribute)
{
    std::vector<std::string> names;
    if (attribute >= module.attributes.size())
        return names;
    for (const mlir::Field &each : module.attribute(attribute).fields) {
        const MetaValue all = metaValue(module, static_cast<std::uint32_t>(each.value));
        const MetaValue *name = all.part("aicode.name");
        names.push_back(name ? name->text : std::string());
    }
    return names;
}

static bool isPrivate(const mlir::Module &module, std::uint32_t graph)
{
    const std::uint32_t attribute = module.attributeOf(module.operations[graph], "isPrivate");
    return metaValue(module, attribute).number != 0;
}

std::vector<std::size_t> graphOrder(const ModuleGraph &graph, const std::vector<std::string> &names)
{
    std::vector<std::size_t> order(names.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
        const auto rank = [&](std::size_t each) {
            return isPrivate(graph.module(), graph.graphs()[each]) ? 2
                   : names[each] == "main"                         ? 0
                                                                   : 1;
        };
        return rank(a) < rank(b);
    });
    return order;
}

std::vector<std::string> graphNames(const ModuleGraph &graph)
{
    constexpr std::size_t kLetters = 8;
    const mlir::Module &module = graph.module();
    std::vector<std::string> names;
    std::set<std::string, std::less<>> taken;
    for (const std::uint32_t each : graph.graphs()) {
        std::string name(storedName(module, each));
        const auto end = name.rfind('_');
        if (isPrivate(module, each) && end != name.npos && end > 0 &&
            name.size() - end == kLetters + 1 &&
            std::all_of(name.begin() + static_cast<std::ptrdiff_t>(end) + 1, name.end(),
                        [](char letter) { return letter >= 'a' && letter <= 'z'; }))
            name.resize(end);
        names.push_back(uniqueName(std::move(name), taken));
    }
    return names;
}

std::uint32_t calleeOf(const ModuleGraph &graph, const mlir::Operation &invoke)
{
    const mlir::Module &module = graph.module();
    const std::string name = metaValue(module, module.attributeOf(invoke, "callee")).text;
    const auto &graphs = graph.graphs();
    for (std::uint32_t i = 0; i < graphs.size(); ++i) {
        if (!name.empty() && storedName(module, graphs[i]) == name)
            return i;
    }
    return mlir::kNone;
}

std::set<std::string> sharedLocations(const ModuleGraph &graph,
                                      const std::vector<std::uint32_t> &weights)
{
    constexpr std::size_t kFew = 3;
    const mlir::Module &module = graph.module();
    std::map<std::string, std::size_t> uses;
    for (const std::uint32_t value : weights) {
        ++uses[readLocation(module, module.operations[*graph.maker(value)].location).name];
        const auto readers = graph.readers(value);
        if (!readers.empty())
            ++uses[readLocation(module, module.operations[readers.front().operation].location)
                       .scope];
    }
    std::set<std::string> shared;
    for (const auto &[text, count] : uses) {
        if (!text.empty() && count >= kFew && count * 2 > weights.size())
            shared.insert(text);
    }
    return shared;
}

ValueNames::ValueNames(const ModuleGraph &graph, std::uint32_t graphOperation,
                       const std::vector<std::uint32_t> &weights,
                       const std::set<std::string> &noNames)
    : m_graph(graph), m_operation(graphOperation),
      m_end(graph.module().operations[graphOperation].end), m_noNames(noNames)
{
    const mlir::Module &module = graph.module();
    const mlir::Operation &own = module.operations[graphOperation];
    m_inputs = argumentNames(module, module.attributeOf(own, "argAttrs"));
    m_outputs = argumentNames(module, module.attributeOf(own, "resAttrs"));
    giveArguments(own, m_inputs, "input_");
    nameOperations(graphOperation + 1, m_end);
    nameWeights(weights);
    // Outputs, then all other values, by their operations.
    for (std::uint32_t i = graphOperation + 1; i < m_end; ++i) {
        if (!module.is(module.operations[i], "aicode.dataflow.output_v1"))
            continue;
        const auto operands = module.operandsOf(module.operations[i]);
        for (std::size_t k = 0; k < operands.size() && k < m_outputs.size(); ++k) {
            if (!m_outputs[k].empty() && m_values.count(operands[k]) == 0)
                give(operands[k], m_outputs[k]);
        }
    }
    for (std::uint32_t i = graphOperation + 1; i < m_end; ++i) {
        if (graph.isInside(i))
            continue;
        const mlir::Operation &operation = module.operations[i];
        for (std::uint32_t k = 0; k < operation.results.count; ++k) {
            if (m_values.count(operation.results.first + k) == 0)
                give(operation.results.first + k,
                     m_operations[i] + (k == 0 ? "" : "." + std::to_string(k + 1)));
        }
        if (!graph.isComposite(i))
            giveArguments(operation, {}, m_operations[i] + ".variable_");
    }
}

void ValueNames::giveArguments(const mlir::Operation &operation,
                               const std::vector<std::string> &names, const std::string &prefix)
{
    const mlir::Module &module = m_graph.module();
    for (const std::uint32_t region : module.regionsOf(operation)) {
        for (const std::uint32_t block : module.blocksOf(module.regions[region])) {
            const mlir::Run arguments = module.blocks[block].arguments;
            for (std::uint32_t i = 0; i < arguments.count; ++i)
                give(arguments.first + i, i < names.size() && !names[i].empty()
                                              ? names[i]
                                              : prefix + std::to_string(i + 1));
        }
    }
}

void ValueNames::give(std::uint32_t value, std::string name)
{
    m_values[value] = uniqueName(std::move(name), m_taken);
}

void ValueNames::nameOperations(std::uint32_t from, std::uint32_t to)
{
    std::map<std::string, std::size_t> counts;
    for (std::uint32_t i = from; i < to; ++i) {
        if (!m_graph.isInside(i)) {
            const std::string &type = m_graph.row(i).type;
            m_operations[i] = type + "_" + std::to_string(++counts[type]);
        }
    }
}

std::string ValueNames::roleIn(const ValueUse &use) const
{
    const mlir::Module &module = m_graph.module();
    const CoreAiOperand operand = m_graph.row(use.operation).operand(use.operand);
    if (m_graph.row(use.operation).type == "invoke") {
        // As the graph that it calls names its input.
        const std::uint32_t callee = calleeOf(m_graph, module.operations[use.operation]);
        if (callee != mlir::kNone) {
            const auto &graph = module.operations[m_graph.graphs()[callee]];
            const auto names = argumentNames(module, module.attributeOf(graph, "argAttrs"));
            if (use.operand < names.size() && !names[use.operand].empty())
                return names[use.operand];
        }
    }
    if (operand.list)
        return operand.name + "_" + std::to_string(use.operand + 1);
    return operand.role.empty() ? operand.name : operand.role;
}

std::string ValueNames::weightName(std::uint32_t value, const std::vector<ValueUse> &readers) const
{
    const mlir::Module &module = m_graph.module();
    const auto usable = [this](std::string text) {
        return m_noNames.count(text) == 0 ? text : std::string();
    };
    const std::string own =
        usable(readLocation(module, module.operations[*m_graph.maker(value)].location).name);
    if (!own.empty())
        return own;
    if (readers.empty())
        return "constant";
    const ValueUse &use = readers.front();
    const mlir::Operation &reader = module.operations[use.operation];
    if (module.is(reader, "aicode.dataflow.output_v1"))
        return use.operand < m_outputs.size() && !m_outputs[use.operand].empty()
                   ? m_outputs[use.operand]
                   : "output_" + std::to_string(use.operand + 1);
    const std::string role = roleIn(use);
    const std::string scope = usable(readLocation(module, reader.location).scope);
    return (scope.empty() ? m_operations.at(use.operation) : scope) + "." + role;
}

void ValueNames::nameWeights(const std::vector<std::uint32_t> &weights)
{
    for (const std::uint32_t value : weights) {
        const std::uint32_t maker = *m_graph.maker(value);
        if (maker <= m_operation || maker >= m_end || m_values.count(value) != 0)
            continue;
        give(value, weightName(value, m_graph.readers(value)));
        nameParts(value, m_values[value]);
    }
}

/// The values that a weight is made of, by what they are for.
void ValueNames::nameParts(std::uint32_t value, const std::string &name)
{
    std::vector<std::pair<std::uint32_t, std::string>> open{{value, name}};
    for (std::size_t next = 0; next < open.size(); ++next) {
        const auto [at, prefix] = open[next];
        const auto maker = m_graph.maker(at);
        if (!maker || !m_graph.isConstant(at))
            continue;
        const auto operands = m_graph.module().operandsOf(m_graph.module().operations[*maker]);
        for (std::size_t i = 0; i < operands.size(); ++i) {
            if (m_values.count(operands[i]) != 0)
                continue;
            const std::string part = prefix + "." + m_graph.row(*maker).operand(i).name;
            give(operands[i], part);
            open.emplace_back(operands[i], part);
        }
    }
}

const std::string &ValueNames::ofValue(std::uint32_t value) const
{
    static const std::string none;
    const auto found = m_values.find(value);
    return found == m_values.end() ? none : found->second;
}

} // namespace kernscope::aimodel
