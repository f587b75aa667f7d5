// SPDX-License-Identifier: GPL-3.0-or-later
// Core AI packages as bundles (coreai-format.md).
#include "core/base/error_builder.h"
#include "core/base/find.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/bundle/reader/aimodel/form_builder.h"
#include "core/bundle/reader/aimodel/names.h"
#include "core/bundle/reader/mil/consumers.h"
#include "core/bundle/reader/milblob/blob_claims.h"
#include "core/bundle/reader/readers.h"
#include "core/bundle/section_map.h"
#include "core/container/aimodel/package.h"
#include "core/container/mlir/writer.h"
#include "core/form/form_steps.h"
#include "core/numeric/convert.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kernscope::aimodel {

namespace {

SourceSpan spanOf(ByteRange range)
{
    return {range.offset.value, range.bytes.value};
}

/// Of kinds that are no tensors the text says what it is.
mil::ValueType typeOfValue(const mlir::Module &module, std::uint32_t type, unsigned depth = 0)
{
    using Kind = mil::ValueType::Kind;
    mil::ValueType made;
    if (type == mlir::kNone || type >= module.types.size() || depth > 4)
        return made;
    const mlir::Decoded decoded = module.type(type);
    if (const auto tensor = tensorInfo(module, type)) {
        made.kind = Kind::Tensor;
        for (const std::int64_t extent : tensor->dims)
            made.dims.push_back(extent < 0 ? mil::kUnknownExtent : extent);
        made.element = tensor->element;
    } else if (decoded.is("handle_v1") && decoded.field(0)) {
        made = typeOfValue(module, static_cast<std::uint32_t>(decoded.field(0)->value), depth + 1);
        made.kind = Kind::State;
        made.text = "state";
    } else if (decoded.is("image_v1") && decoded.field(2)) {
        const auto format = static_cast<std::uint32_t>(decoded.field(0)->value);
        std::string letters = "?";
        if (format < module.attributes.size()) {
            const mlir::Decoded code = module.attribute(format);
            if (const mlir::Field *field = code.field(0))
                letters = fourccText(field->value);
        }
        made.text = fmt::format("image {}x{} {}", decoded.field(1)->integer(),
                                decoded.field(2)->integer(), letters);
    } else {
        made.text = decoded.row ? decoded.row->name : "unknown";
    }
    return made;
}

class FunctionMaker
{
public:
    FunctionMaker(const ModuleGraph &graph, const ValueNames &names,
                  const std::vector<std::string> &graphNames, const std::string &path)
        : m_graph(graph), m_module(graph.module()), m_names(names), m_graphNames(graphNames),
          m_path(path)
    {
    }

    mil::Block makeBlock(const mlir::Block &block)
    {
        mil::Block made;
        for (std::uint32_t i = 0; i < block.arguments.count; ++i)
            made.inputs.push_back(named(block.arguments.first + i));
        for (const std::uint32_t operation : m_module.operationsOf(block)) {
            if (endsBlock(operation)) {
                const bool ofGraph = m_graph.row(operation).type == "output";
                for (const std::uint32_t value :
                     m_module.operandsOf(m_module.operations[operation])) {
                    if (ofGraph && typeOf(value).text == "token_v1")
                        continue; // that a state was written before the graph ends
                    made.outputs.push_back(m_names.ofValue(value));
                    made.outputSpans.push_back({});
                }
            } else {
                made.operations.push_back(makeOperation(operation));
            }
        }
        return made;
    }

private:
    bool endsBlock(std::uint32_t operation) const
    {
        const std::string &type = m_graph.row(operation).type;
        return m_module.operations[operation].results.count == 0 &&
               (type == "output" || type == "yield" || type == "condition");
    }

    mil::ValueType typeOf(std::uint32_t value) const
    {
        return typeOfValue(m_module, m_module.values[value].type);
    }

    mil::NamedType named(std::uint32_t value) const
    {
        return {m_names.ofValue(value), typeOf(value)};
    }

    mil::ProgramValue reference(std::uint32_t value) const
    {
        mil::ProgramValue made;
        made.type = typeOf(value);
        made.content = mil::Reference{m_names.ofValue(value), {}};
        return made;
    }

    mil::Operation makeOperation(std::uint32_t index)
    {
        const mlir::Operation &from = m_module.operations[index];
        const CoreAiOperation &row = m_graph.row(index);
        mil::Operation made;
        made.type = row.type;
        const bool isStep = from.results.count == 1 && m_graph.isConstant(from.results.first);
        if (isStep && row.step == CoreAiStep::Dequantize)
            made.type = "constexpr_dequantize";
        made.span = spanOf(from.range);
        for (std::uint32_t i = 0; i < from.results.count; ++i)
            made.outputs.push_back(named(from.results.first + i));
        const auto operands = m_module.operandsOf(from);
        for (std::size_t i = 0; i < operands.size(); ++i) {
            const CoreAiOperand operand = row.operand(i);
            if (!operand.list || made.inputs.empty() || made.inputs.back().name != operand.name)
                made.inputs.push_back({operand.name, {}});
            made.inputs.back().values.push_back(reference(operands[i]));
        }
        if (row.step == CoreAiStep::Constant && from.results.count == 1)
            made.attributes.push_back({"val", {constant(from.results.first, from)}});
        else
            made.attributes.push_back({"stored_as", {mil::textValue(row.stored)}});
        if (row.type == "invoke") {
            const std::uint32_t callee = calleeOf(m_graph, from);
            made.attributes.push_back(
                {"callee",
                 {mil::textValue(callee < m_graphNames.size() ? m_graphNames[callee] : "?")}});
        }
        if (m_graph.isComposite(index))
            return made;
        for (const std::uint32_t region : m_module.regionsOf(from)) {
            for (const std::uint32_t each : m_module.blocksOf(m_module.regions[region]))
                made.blocks.push_back(makeBlock(m_module.blocks[each]));
        }
        return made;
    }

    mil::ProgramValue constant(std::uint32_t value, const mlir::Operation &from) const
    {
        mil::ProgramValue made;
        made.type = typeOf(value);
        const auto data = mlir::constantBytes(m_module, m_module.attributeOf(from, "value"));
        if (!data)
            return made;
        if (const auto numbers = m_graph.integers(value)) {
            mil::Literal literal;
            literal.element = made.type.element;
            literal.count = numbers->size();
            const unsigned bytes = bitWidth(literal.element) / 8;
            for (const std::int64_t number : *numbers) {
                for (unsigned b = 0; b < bytes; ++b)
                    literal.bytes.push_back(static_cast<std::byte>(
                        static_cast<std::uint64_t>(number) >> 8 * b & 0xFFU));
            }
            made.content = std::move(literal);
        } else {
            made.content = mil::BlobReference{m_path, data->data.offset.value, {}};
        }
        made.span = spanOf(data->data);
        return made;
    }

    const ModuleGraph &m_graph;
    const mlir::Module &m_module;
    const ValueNames &m_names;
    const std::vector<std::string> &m_graphNames;
    const std::string &m_path;
};

/// The graph at a position as a function of a program: operations by the names that programs of
/// Core ML have for them (resources/tables/coreai_ops.csv), their attribute "stored_as" in the
/// file's own words. Constants that are weights or parts of them name their bytes in `path`; others
/// are written out where they are short.
mil::Function makeFunction(const ModuleGraph &graph, const ValueNames &names, std::size_t position,
                           const std::vector<std::string> &graphNames, const std::string &path)
{
    const mlir::Module &module = graph.module();
    const mlir::Operation &own = module.operations[graph.graphs()[position]];
    mil::Function function;
    function.name = graphNames[position];
    function.opset = "CoreAI";
    for (const std::uint32_t region : module.regionsOf(own)) {
        for (const std::uint32_t block : module.blocksOf(module.regions[region])) {
            function.body =
                FunctionMaker(graph, names, graphNames, path).makeBlock(module.blocks[block]);
            break; // a graph is one block
        }
        break;
    }
    function.inputs = std::exchange(function.body.inputs, {});
    return function;
}

} // namespace

} // namespace kernscope::aimodel

namespace kernscope {

namespace {

using aimodel::kHashFile, aimodel::kMetadataFile, aimodel::kModuleFile;

const BundleFile *fileOf(const std::vector<BundleFile> &files, std::string_view path)
{
    return findBy(files, &BundleFile::path, path);
}

std::optional<Error> hashFinding(const std::vector<BundleFile> &files)
{
    const BundleFile *module = fileOf(files, kModuleFile), *hash = fileOf(files, kHashFile);
    if (!module || lfsPointer(module->file->bytes()))
        return std::nullopt;
    return aimodel::hashFinding(module->file->bytes(),
                                hash ? std::optional(hash->file->bytes()) : std::nullopt);
}

/// Reads one package.
class PackageReading
{
public:
    PackageReading(ContainerInput &input, ContainerContents &out)
        : m_files(input.files), m_bindings(input.bindings), m_path(input.programPath), m_out(out)
    {
        // A module that was opened by itself is a package's where its hash lies beside it.
        if (!input.openBeside || m_path != kModuleFile)
            return;
        input.openBeside({std::string(kHashFile)});
        if (m_files.size() > 1)
            input.openBeside({std::string(kMetadataFile)});
    }

    void read()
    {
        m_out.claims.resize(m_files.size());
        for (std::size_t i = 0; i < m_files.size(); ++i) {
            m_files[i].role = m_files[i].path == m_path ? SectionKind::Program
                              : m_files[i].path == kHashFile || m_files[i].path == kMetadataFile
                                  ? SectionKind::Manifest
                                  : SectionKind::Unknown;
            if (m_files[i].path == m_path)
                m_out.programFile = i;
            else
                claim(i, {FileOffset(0), m_files[i].file->size()}, m_files[i].role,
                      m_files[i].path);
        }
        readMetadata();
        if (m_out.programFile == kNoIndex)
            return;
        const auto bytes = m_files[m_out.programFile].file->bytes();
        if (const auto pointer = lfsPointer(bytes)) {
            compareHash(*pointer);
            return;
        }
        const mlir::Module module = mlir::readModule(bytes, m_path);
        if (module.fault)
            m_out.log.add(Severity::Error, *module.fault);
        m_out.log.add(module.diagnostics);
        readModule(module);
        if (m_files.size() > 1 && bytes.size() <= aimodel::kHashedOnOpening) {
            if (auto finding = hashFinding(m_files))
                m_out.log.add(Severity::Warning, std::move(*finding));
        }
        if (auto finding = aimodel::authorPathFinding(aimodel::authorPaths(module)))
            m_out.log.add(Severity::Note, std::move(*finding));
    }

private:
    void claim(std::size_t file, ByteRange range, SectionKind kind, std::string name)
    {
        m_out.claims[file].push_back({range, kind, std::move(name)});
    }

    void readMetadata()
    {
        const BundleFile *file = fileOf(m_files, kMetadataFile);
        if (m_files.size() == 1) // a lone module
            return;
        auto metadata = file ? aimodel::readMetadata(file->file->bytes(), file->path)
                             : Result<aimodel::Metadata>();
        if (!metadata)
            return m_out.log.add(Severity::Error, std::move(metadata.error()));
        m_out.log.add(aimodel::metadataFindings(file ? &*metadata : nullptr));
        mil::ModelDescription description;
        const auto add = [&](std::string_view key, const std::string &text) {
            if (!text.empty())
                description.metadata.emplace_back(key, text);
        };
        add("shortDescription", metadata->description);
        add("author", metadata->author);
        add("license", metadata->license);
        add("assetVersion", metadata->assetVersion.value_or(std::string()));
        add("producer", metadata->producer);
        add("creationDate", metadata->creationDate);
        for (const auto *more : {&metadata->custom, &metadata->others}) {
            for (const auto &[key, text] : *more)
                description.metadata.emplace_back(key, text);
        }
        m_out.program.version = metadata->assetVersion.value_or(std::string());
        m_out.program.descriptions.push_back(std::move(description));
    }

    /// Of a module that was not downloaded: main.hash says whether the pointer is its own.
    void compareHash(const LfsPointer &pointer)
    {
        const BundleFile *hash = fileOf(m_files, kHashFile);
        if (!hash)
            return;
        const std::string own = "sha256:" + hexBytesText(hash->file->bytes(), "");
        const bool same = pointer.oid == own;
        m_out.log.add(same ? Severity::Note : Severity::Warning,
                      valueError({std::string(kHashFile), FileOffset(0)}, "aimodel.hash", {},
                                 pointer.oid, own,
                                 same ? "main.hash is that of the module which the pointer names."
                                      : "main.hash is of another module than the pointer's."));
    }

    void readModule(const mlir::Module &module)
    {
        const aimodel::ModuleGraph graph(module);
        const std::vector<std::uint32_t> values = graph.weights();
        const auto shared = aimodel::sharedLocations(graph, values);
        if (!shared.empty())
            m_out.log.add(Severity::Note,
                          valueError({m_path, module.header.offset}, "aimodel.shared_location", {},
                                     "a location for each constant", *shared.begin(),
                                     "Most constants have the location of one operation: it is no "
                                     "name, and they are named by what reads them."));
        const auto graphNames = aimodel::graphNames(graph);
        const auto order = aimodel::graphOrder(graph, graphNames);
        std::vector<aimodel::ValueNames> names;
        for (const std::size_t i : order) {
            names.emplace_back(graph, graph.graphs()[i], values, shared);
            m_out.program.functions.push_back(
                aimodel::makeFunction(graph, names.back(), i, graphNames, m_path));
        }
        if (auto unknown = graph.unknownOperations(); !unknown.empty()) {
            constexpr std::size_t kShown = 12;
            const std::size_t count = unknown.size();
            unknown.resize(std::min(count, kShown));
            m_out.log.add(
                Severity::Note,
                valueError(
                    {m_path, module.header.offset}, "aimodel.operation", {},
                    "operations of coreai_ops.csv",
                    fmt::format("{}{}", fmt::join(unknown, ", "), count > kShown ? ", …" : ""),
                    "Operations make something of constants alone that is not known: it may "
                    "be a way to store weights."));
        }
        if (m_bindings) {
            m_out.shapes = shapes::inferShapes(m_out.program, *m_bindings, m_path);
            if (*m_out.shapes)
                m_out.log.add((*m_out.shapes)->diagnostics);
        }
        aimodel::ModuleForms forms(graph, m_out.programFile, m_path, m_out.log);
        for (std::size_t i = 0; i < names.size(); ++i)
            addWeights(graph, graph.graphs()[order[i]], m_out.program.functions[i], names[i],
                       values, forms);
        markSharedOperands(m_out.weights);
        claimModule(module);
    }

    void addWeights(const aimodel::ModuleGraph &graph, std::uint32_t graphOperation,
                    const mil::Function &function, const aimodel::ValueNames &names,
                    const std::vector<std::uint32_t> &values, aimodel::FormBuilder &forms)
    {
        const mlir::Module &module = graph.module();
        const ValueGraph functionGraph(function);
        std::unordered_map<std::string_view, std::size_t> makers;
        for (const Definition &definition : functionGraph.definitions())
            makers.emplace(definition.name, definition.operation);
        for (const std::uint32_t value : values) {
            const std::uint32_t maker = *graph.maker(value);
            if (maker <= graphOperation || maker >= module.operations[graphOperation].end)
                continue;
            Weight weight;
            weight.name = names.ofValue(value);
            weight.function = function.name;
            weight.sourceOp = graph.row(maker).type;
            if (const auto found = makers.find(weight.name);
                found != makers.end() && found->second != Definition::kNoOperation)
                weight.consumers = findConsumers(functionGraph, found->second);
            auto built = forms.weight(value);
            if (const auto info = graph.tensor(value)) {
                weight.type = info->element;
                auto shape = info->shape();
                if (!shape && built && info->admits(built->encoding.shape))
                    shape = built->encoding.shape;
                const auto count = shape ? elementCount(*shape) : std::nullopt;
                if (count && packedBytes(*count, ElementType::Fp64)) {
                    weight.shape = *shape;
                    weight.elements = *count;
                }
            }
            if (built && built->encoding.shape != weight.shape)
                built = refused({m_path, module.operations[maker].range.offset}, "codec.shape",
                                "result", shapeText(built->encoding.shape), shapeText(weight.shape),
                                "The declared shape is not the one that the operands give.");
            forms.setForm(weight, std::move(built),
                          nodeOfOperation(weight.sourceOp)
                              .value_or(graph.step(value) == CoreAiStep::Constant
                                            ? FormNode::Dense
                                            : FormNode::Unknown),
                          m_out.log);
            if (!forms.absentElements().empty())
                weight.detail.emplace_back("absent_elements", forms.absentElements());
            weight.detail.emplace_back("stored_as", graph.row(maker).stored);
            if (const auto id = aimodel::operationId(module, module.operations[maker].location))
                weight.detail.emplace_back("op_id", *id);
            const auto readers = graph.readers(value);
            auto location = aimodel::readLocation(module, module.operations[maker].location);
            if (location.source.empty() && !readers.empty())
                location = aimodel::readLocation(
                    module, module.operations[readers.front().operation].location);
            if (!location.source.empty())
                weight.detail.emplace_back("source_line", std::move(location.source));
            m_out.weights.push_back(std::move(weight));
        }
    }

    /// Every section of the module, and over them what belongs to weights.
    void claimModule(const mlir::Module &module)
    {
        const std::size_t file = m_out.programFile;
        std::vector<ByteClaim> around;
        std::uint64_t at = 0;
        const auto add = [&](ByteRange range, SectionKind kind, std::string name) {
            if (range.offset.value < at || range.bytes.value == 0)
                return;
            at = range.end();
            around.push_back({range, kind, std::move(name)});
        };
        add(module.header, SectionKind::Header, "MLIR bytecode: version, producer");
        for (const mlir::Section &section : module.sections) {
            const std::string name(mlir::sectionName(section.id));
            add(section.header, SectionKind::Header, name + ": header");
            if (section.id == mlir::SectionId::Resources) {
                for (const mlir::Resource &resource : module.resources) {
                    if (resource.entry.offset.value >= at && resource.data.offset.value >= at) {
                        add({FileOffset(at), ByteCount(resource.data.offset.value - at)},
                            SectionKind::Padding, "padding of resources");
                        add(resource.data, SectionKind::Data,
                            fmt::format("resource {}", module.strings[resource.key]));
                    }
                }
                if (section.data.end() > at)
                    add({FileOffset(at), ByteCount(section.data.end() - at)}, SectionKind::Padding,
                        "padding of resources");
                continue;
            }
            add(section.data,
                section.id == mlir::SectionId::Ir ? SectionKind::Program : SectionKind::Metadata,
                name);
        }
        m_out.claims[file] = claimsAround(std::move(around), file, m_out.weights);
        if (module.sections.empty())
            claim(file, {FileOffset(0), m_files[file].file->size()}, SectionKind::Program,
                  "program");
    }

    std::vector<BundleFile> &m_files;
    const std::vector<shapes::ShapeBinding> *m_bindings;
    const std::string &m_path;
    ContainerContents &m_out;
};

Result<std::string> pathOfAimodel(const std::vector<BundleFile> &files)
{
    return files.size() == 1 ? files.front().path : std::string(kModuleFile);
}

} // namespace

const ContainerReader &aimodelReader()
{
    static const ContainerReader reader{
        .kind = BundleKind::Aimodel,
        .key = "aimodel",
        .name = "a Core AI package (.aimodel)",
        .wanted = "an .aimodel folder",
        .endings = {".aimodel", ".mlirb"},
        .folderMarks = {kModuleFile},
        .knows = [](auto bytes, auto) { return mlir::isModule(bytes); },
        .programPath = pathOfAimodel,
        .read = [](auto &input, auto &out) { PackageReading(input, out).read(); },
        .helpPage = "aimodel",
        .fuzzTarget = "fuzz_aimodel"};
    return reader;
}

} // namespace kernscope
