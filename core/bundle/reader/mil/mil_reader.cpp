// SPDX-License-Identifier: GPL-3.0-or-later
// Programs and the weight files that they name, as the files of a bundle.
#include "core/bundle/reader/readers.h"

#include "core/base/error_builder.h"
#include "core/bundle/reader/mil/weight_reader.h"
#include "core/bundle/reader/milblob/blob_claims.h"
#include "core/bundle/reader/network/network_weights.h"
#include "core/bundle/shapes/described.h"
#include "core/container/archive/zip.h"
#include "core/container/espresso/espresso.h"
#include "core/container/mil/model_files.h"
#include "core/container/mil/reader.h"

#include <fmt/format.h>

namespace kernscope {

namespace {

constexpr std::string_view kTextProgram = "model.mil", kNetworkLayers = "model.espresso.net";
constexpr std::string_view kManifest = "Manifest.json", kMetadata = "metadata.json";

/// visit(BlobReference) of every blob that a block and the blocks within it name.
template <class Visitor>
void forEachBlob(const mil::Block &block, const Visitor &visit)
{
    for (const mil::Operation &operation : block.operations) {
        forEachValue(operation, [&visit](std::string_view, const mil::ProgramValue &value) {
            if (const mil::BlobReference *blob = value.blob())
                visit(*blob);
        });
        for (const mil::Block &body : operation.blocks)
            forEachBlob(body, visit);
    }
}

/// "model0/model.mil", of a compiled pipeline.
bool isMemberProgram(std::string_view path)
{
    return path.ends_with(kTextProgram) &&
           mil::isMemberFolder(path.substr(0, path.size() - kTextProgram.size()));
}

/// Reads one bundle: its program, the records of its weight files, its weights.
class ProgramReading
{
public:
    ProgramReading(BundleKind kind, ContainerInput &input, ContainerContents &out)
        : m_kind(kind), m_input(input), m_files(input.files), m_out(out)
    {
    }

    void read()
    {
        m_out.programFile = indexOfPath(m_files, m_input.programPath);
        if (isEspressoNet(m_input.programPath))
            readNetwork();
        else if (m_kind == BundleKind::Mlmodelc && indexOfPath(m_files, kTextProgram) == kNoIndex)
            readMembers();
        else
            readProgram();
        describe();
        m_out.claims.resize(m_files.size());
        if (m_out.programFiles.empty())
            m_blobs.emplace(std::string(), BlobTable(m_files, modelFolderOf(m_input.programPath),
                                                     m_input.programPath));
        for (const auto &[model, file] : m_out.programFiles)
            m_blobs.emplace(model, BlobTable(m_files, model + "/", m_files[file].path));
        nameBlobs();
        readBlobFiles();
        readWeights();
        markSharedOperands(m_out.weights);
        const auto uses = recordUses(m_out.weights, m_files.size());
        for (std::size_t i = 0; i < m_files.size(); ++i)
            m_out.claims[i] = claimsOf(i, uses[i]);
    }

private:
    void readProgram()
    {
        const std::size_t place = indexOfPath(m_files, m_input.programPath);
        if (place == kNoIndex)
            return;
        const auto bytes = m_files[place].file->bytes();
        if (lfsPointer(bytes))
            return; // was said when it was opened
        const std::string &path = m_input.programPath;
        mil::ParsedProgram parsed = isModelProtobuf(bytes, path)
                                        ? mil::readModelProtobuf(bytes, path)
                                        : mil::readProgramText(bytes, path);
        m_out.log.add(std::move(parsed.diagnostics));
        m_out.program = std::move(parsed.program);
        if (const std::size_t words = indexOfPath(m_files, kMetadata); words != kNoIndex)
            m_out.program.descriptions = {
                mil::readCompiledDescription(m_files[words].file->bytes())};
    }

    /// A compiled neural network of the kind before programs.
    void readNetwork()
    {
        if (m_input.openBeside)
            m_input.openBeside(besideEspressoNet(m_input.programPath));
        m_out.programFile = indexOfPath(m_files, m_input.programPath);
        if (m_out.programFile == kNoIndex)
            return;
        readEspresso(m_files, m_out.programFile, {}, m_out);
        if (const std::size_t words = indexOfPath(m_files, kMetadata); words != kNoIndex)
            m_out.program.descriptions = {
                mil::readCompiledDescription(m_files[words].file->bytes())};
    }

    /// The models of a compiled pipeline as one program, as a package's pipeline is.
    void readMembers()
    {
        std::vector<std::string_view> paths;
        for (const BundleFile &file : m_files)
            paths.push_back(file.path);
        const auto metadataOf = [this](const std::string &folder) {
            const std::size_t words = indexOfPath(m_files, folder + std::string(kMetadata));
            return words == kNoIndex ? std::span<const std::byte>() : m_files[words].file->bytes();
        };
        const auto kinds = mil::readCompiledKinds(metadataOf({}));
        mil::ModelNode whole;
        whole.field = mil::ModelNode::kPipelineField;
        whole.kind = "pipeline";
        m_out.program.models = {std::move(whole)};
        m_out.program.descriptions = {mil::readCompiledDescription(metadataOf({}))};
        std::size_t outermost = 0;
        for (const mil::PipelineMember &member : mil::pipelineMembers(paths)) {
            mil::ModelNode node;
            node.path = member.path;
            if (const auto own = metadataOf(member.path + "/"); !own.empty()) {
                m_out.program.descriptions.push_back(mil::readCompiledDescription(own));
                m_out.program.descriptions.back().model = member.path;
            }
            const bool nested = member.path.find('/') != std::string::npos;
            const std::size_t at = nested ? kinds.size() : outermost++;
            node.kind = at < kinds.size() && !kinds[at].empty() ? kinds[at] : "compiled model";
            readMember(member, node);
            m_out.program.models.push_back(std::move(node));
        }
        if (!m_out.programFiles.empty())
            m_out.programFile = m_out.programFiles.begin()->second;
    }

    void readMember(const mil::PipelineMember &member, mil::ModelNode &node)
    {
        const std::string folder = member.path + "/";
        if (member.program) {
            node.field = mil::ModelNode::kProgramField;
            node.kind = "mlProgram";
            const std::size_t place = indexOfPath(m_files, folder + std::string(kTextProgram));
            m_out.programFiles.emplace(member.path, place);
            const auto bytes = m_files[place].file->bytes();
            if (lfsPointer(bytes))
                return;                                    // was said when it was opened
            const std::string &path = m_files[place].path; // of a .pte's package: no text
            mil::ParsedProgram parsed = isModelProtobuf(bytes, path)
                                            ? mil::readModelProtobuf(bytes, path)
                                            : mil::readProgramText(bytes, path, &m_spent);
            m_out.log.add(std::move(parsed.diagnostics));
            mil::Program &all = m_out.program;
            for (mil::ModelDescription &own : parsed.program.descriptions) {
                own.model = member.path;
                all.descriptions.push_back(std::move(own));
            }
            if (all.version.empty()) { // those of the others are hardly ever different
                all.version = std::move(parsed.program.version);
                all.attributes = std::move(parsed.program.attributes);
            }
            for (mil::Function &function : parsed.program.functions) {
                function.model = member.path;
                all.functions.push_back(std::move(function));
            }
        } else if (member.pipeline) {
            node.field = mil::ModelNode::kPipelineField;
            node.kind = "pipeline";
        } else if (member.network) {
            node.kind = "neuralNetwork (Espresso)";
            readEspresso(m_files, indexOfPath(m_files, folder + std::string(kNetworkLayers)),
                         member.path, m_out);
        }
    }

    /// What is read of the program, or of all of them, before their weights.
    void describe()
    {
        addLabels();
        shapes::describeFlexibleShapes(m_out.program);
        // Before the weights are read, so that what they say of their consumers has the shapes.
        if (m_input.bindings) {
            m_out.shapes =
                shapes::inferShapes(m_out.program, *m_input.bindings, m_input.programPath);
            if (*m_out.shapes)
                m_out.log.add((*m_out.shapes)->diagnostics);
        }
        const auto &models = m_out.program.models;
        if (m_kind == BundleKind::MilText && !models.empty() && !models.front().isProgram())
            m_out.kind = models.front().isPipeline()  ? BundleKind::Pipeline
                         : models.front().isNetwork() ? BundleKind::Network
                                                      : BundleKind::Model;
        openWeightFiles();
    }

    /// The classes of a classifier that is a program are an operand of its classify operation.
    void addLabels()
    {
        for (const mil::Function &function : m_out.program.functions) {
            auto &all = m_out.program.descriptions;
            const auto own = std::ranges::find_if(all, [&](const auto &description) {
                return description.model == function.model && description.labels.empty();
            });
            const auto &operations = function.body.operations;
            const auto classify = std::ranges::find_if(
                operations, [](const auto &each) { return each.type == "classify"; });
            const mil::ProgramValue *classes =
                classify == operations.end() ? nullptr : classify->operand("classes");
            if (own == all.end() || !classes)
                continue;
            const ValueGraph graph(function);
            if (const mil::Operation *maker = graph.maker(*classes))
                classes = maker->operand("val");
            const auto add = [&own](const mil::ProgramValue &value) {
                const mil::Literal *literal = value.literal();
                if (!literal)
                    return;
                own->labels.insert(own->labels.end(), literal->strings.begin(),
                                   literal->strings.end());
                for (const std::int64_t number : literalIntegers(*literal))
                    own->labels.push_back(std::to_string(number));
            };
            if (classes)
                forEachValue(*classes, add);
        }
    }

    void openWeightFiles()
    {
        if (!m_input.openBeside)
            return;
        std::set<std::string> paths;
        for (const mil::Function &function : m_out.program.functions) {
            forEachBlob(function.body, [&](const mil::BlobReference &blob) {
                if (auto path = resolveBlobPath(blob.path, modelFolderOf(m_input.programPath)))
                    paths.insert(std::move(*path));
            });
        }
        m_input.openBeside({paths.begin(), paths.end()});
    }

    /// Reads every record that the program names, so that none of them counts as unused because
    /// a
    /// weight's fault lies before it.
    void nameBlobs()
    {
        for (const mil::Function &function : m_out.program.functions) {
            BlobTable &blobs = blobsOf(function);
            forEachBlob(function.body, [&](const mil::BlobReference &blob) { blobs.count(blob); });
        }
        for (const mil::Function &function : m_out.program.functions) {
            BlobTable &blobs = blobsOf(function);
            forEachBlob(function.body, [&](const mil::BlobReference &blob) {
                auto place = blobs.find(blob);
                if (!place)
                    m_out.log.add(Severity::Error, std::move(place.error()));
            });
        }
    }

    void readBlobFiles()
    {
        m_records.resize(m_files.size());
        for (std::size_t i = 0; i < m_files.size(); ++i) {
            m_files[i].role = roleOf(i);
            if (m_files[i].role != SectionKind::Data || espresso::isWeightFile(m_files[i].path))
                continue;
            std::vector<milblob::Record> named;
            bool cut = false;
            for (const BlobTable *blobs : blobsAround(m_files[i].path)) {
                const auto own = blobs->named(i);
                named.insert(named.end(), own.begin(), own.end());
                cut = cut || blobs->isCut(i);
            }
            DiagnosticLog log;
            m_records[i] = readBlobRecords(m_files[i], named, log);
            for (Diagnostic &row : log.take()) {
                if (!cut || row.error.code != "blob.range") // that was said of all of them
                    m_out.log.add(row.severity, std::move(row.error));
            }
        }
    }

    void readWeights()
    {
        const mil::SegmentBackends segments(m_out.program);
        for (const mil::Function &function : m_out.program.functions) {
            const auto own = m_out.programFiles.find(function.model);
            MilWeightReader(function, segments.of(function), blobsOf(function),
                            own == m_out.programFiles.end() ? m_input.programPath
                                                            : m_files[own->second].path,
                            m_out.log)
                .read(m_out.weights);
        }
        m_out.weights.shrink_to_fit();
        if (m_out.programFile == kNoIndex)
            return;
        const BundleFile &file = m_files[m_out.programFile];
        for (const mil::ModelNode &node : m_out.program.models) {
            if (!node.isNetwork())
                continue;
            network::Network network =
                network::readNetwork(file.file->bytes(), node.content, file.path);
            m_out.log.add(std::move(network.diagnostics));
            auto weights = networkWeights(network, m_out.programFile, node.path);
            std::move(weights.begin(), weights.end(), std::back_inserter(m_out.weights));
        }
    }

    bool isProgramFile(std::size_t file) const
    {
        return file == m_out.programFile ||
               (!m_out.programFiles.empty() && isMemberProgram(m_files[file].path));
    }

    BlobTable &blobsOf(const mil::Function &function)
    {
        const auto own = m_blobs.find(function.model);
        return own == m_blobs.end() ? m_blobs.begin()->second : own->second;
    }

    /// Those of the models whose folder a path lies in: they alone can name it.
    std::vector<const BlobTable *> blobsAround(std::string_view path) const
    {
        std::vector<const BlobTable *> all;
        if (const auto whole = m_blobs.find(std::string_view()); whole != m_blobs.end())
            all.push_back(&whole->second);
        for (auto slash = path.find('/'); slash != path.npos; slash = path.find('/', slash + 1)) {
            if (const auto own = m_blobs.find(path.substr(0, slash)); own != m_blobs.end())
                all.push_back(&own->second);
        }
        return all;
    }

    SectionKind roleOf(std::size_t file) const
    {
        const std::string &path = m_files[file].path;
        if (isProgramFile(file) || isEspressoNet(path))
            return SectionKind::Program;
        if (espresso::isWeightFile(path))
            return SectionKind::Data;
        const auto around = blobsAround(path);
        if (looksLikeBlobFile(m_files[file].file->bytes(), path) ||
            std::ranges::any_of(around,
                                [file](const BlobTable *each) { return each->names(file); }))
            return SectionKind::Data;
        return path.ends_with(".json") || path.ends_with(".plist") ||
                       path.ends_with(".espresso.shape")
                   ? SectionKind::Manifest
                   : SectionKind::Unknown;
    }

    std::vector<ByteClaim> claimsOf(std::size_t file, const std::vector<RecordUse> &uses) const
    {
        const BundleFile &owner = m_files[file];
        if (espresso::isWeightFile(owner.path))
            return espressoClaims(m_files[file], file, m_out.weights);
        if (owner.role == SectionKind::Data)
            return claimsOfBlobFile(m_records[file], uses, m_out.weights);
        if (owner.role == SectionKind::Program && !isEspressoNet(owner.path))
            return claimsOfProgram(m_out.program, file, owner.file->size(), m_out.weights);
        return {{{FileOffset(0), owner.file->size()}, owner.role, owner.path}};
    }

    BundleKind m_kind;
    ContainerInput &m_input;
    std::vector<BundleFile> &m_files;
    ContainerContents &m_out;
    mil::SpentOnText m_spent;                              ///< by a pipeline's models
    std::map<std::string, BlobTable, std::less<>> m_blobs; ///< by the path of a pipeline's model
    std::vector<std::vector<milblob::Record>> m_records;   ///< of each weight file, by offset
};

template <BundleKind kind>
void readProgram(ContainerInput &input, ContainerContents &out)
{
    ProgramReading(kind, input, out).read();
}

Result<std::string> pathOfCompiledModel(const std::vector<BundleFile> &files)
{
    if (files.size() == 1 && isEspressoNet(files.front().path))
        return files.front().path;
    const bool network = indexOfPath(files, kTextProgram) == kNoIndex &&
                         indexOfPath(files, kNetworkLayers) != kNoIndex;
    return std::string(network ? kNetworkLayers : kTextProgram); // of a pipeline: several
}

Result<std::string> pathOfModelPackage(const std::vector<BundleFile> &files)
{
    const std::size_t manifest = indexOfPath(files, kManifest);
    if (manifest == kNoIndex)
        return std::string();
    auto model = mil::modelPathFromManifest(files[manifest].file->bytes(), kManifest);
    if (model && indexOfPath(files, *model) == kNoIndex) {
        return refused({*model}, "io.open", {}, fmt::format("the model that {} names", kManifest),
                       "no such file",
                       "The model that the package's manifest names is not in the package.");
    }
    return model;
}

bool knowsProgram(std::span<const std::byte> bytes, std::string_view path)
{
    return !archive::isZip(bytes) &&
           (looksLikeProgramText(bytes, path) || isModelProtobuf(bytes, path));
}

} // namespace

const ContainerReader &compiledModelReader()
{
    static const ContainerReader reader{
        .kind = BundleKind::Mlmodelc,
        .key = "mlmodelc",
        .name = "a compiled model (.mlmodelc)",
        .wanted = "a .mlmodelc folder",
        .endings = {".mlmodelc", ".espresso.net"},
        .folderMarks = {kTextProgram, "model0/model.mil", "model0/coremldata.bin", kNetworkLayers},
        // A network without its folder.
        .knows = [](auto, auto path) { return isEspressoNet(path); },
        .programPath = pathOfCompiledModel,
        .read = readProgram<BundleKind::Mlmodelc>,
        .helpPage = "programs",
        .fuzzTarget = "fuzz_bundle"};
    return reader;
}

const ContainerReader &modelPackageReader()
{
    static const ContainerReader reader{.kind = BundleKind::Mlpackage,
                                        .key = "mlpackage",
                                        .name = "a model package (.mlpackage)",
                                        .wanted =
                                            "a .mlpackage folder (or a zip archive of either)",
                                        .endings = {".mlpackage"},
                                        .folderMarks = {kManifest},
                                        .programPath = pathOfModelPackage,
                                        .read = readProgram<BundleKind::Mlpackage>,
                                        .helpPage = "programs",
                                        .fuzzTarget = "fuzz_mil_protobuf"};
    return reader;
}

const ContainerReader &programReader()
{
    static const ContainerReader reader{
        .kind = BundleKind::MilText,
        .key = "mil",
        .name = "a program (.mil, .mlmodel)",
        .wanted = "a lone program (.mil, .mlmodel)",
        .endings = {".mil", ".mlmodel"},
        .knows = knowsProgram,
        .programPath = [](const auto &files) { return Result<std::string>(files.front().path); },
        .read = readProgram<BundleKind::MilText>,
        .helpPage = "programs",
        .fuzzTarget = "fuzz_mil_text"};
    return reader;
}

} // namespace kernscope
