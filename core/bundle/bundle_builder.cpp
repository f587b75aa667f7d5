// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/bundle_builder.h"

#include "core/bundle/model_claims.h"
#include "core/bundle/network_weights.h"
#include "core/bundle/value_graph.h"
#include "core/bundle/weight_reader.h"
#include "core/container/container_reader.h"
#include "core/container/mil/reader.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace kernscope {

namespace {

/// visit(BlobReference) of every blob that a block and the blocks within it name.
template <class Visitor>
void forEachBlob(const mil::Block &block, const Visitor &visit)
{
    for (const mil::Operation &operation : block.operations) {
        forEachValue(operation, [&visit](std::string_view, const mil::Value &value) {
            if (const mil::BlobReference *blob = value.blob())
                visit(*blob);
        });
        for (const mil::Block &body : operation.blocks)
            forEachBlob(body, visit);
    }
}

/// Both lists by offset, each offset once.
std::vector<milblob::Record> merged(std::vector<milblob::Record> walked,
                                    const std::vector<milblob::Record> &named)
{
    const auto byOffset = [](const milblob::Record &a, const milblob::Record &b) {
        return a.metaOffset < b.metaOffset;
    };
    std::sort(walked.begin(), walked.end(), byOffset);
    std::vector<milblob::Record> all;
    std::set_union(walked.begin(), walked.end(), named.begin(), named.end(),
                   std::back_inserter(all), byOffset);
    return all;
}

Weight bareWeight(std::size_t file, const milblob::Record &record)
{
    Weight weight;
    weight.name = fmt::format("blob@{:#x}", record.metaOffset.value);
    weight.opName = weight.name;
    weight.sourceOp = "blob";
    weight.type = record.type;
    weight.shape = {record.elements.value};
    weight.elements = record.elements;
    weight.storedBytes = record.bytes;
    Part part;
    part.type = record.type;
    part.shape = weight.shape;
    part.bytes = record.bytes;
    part.file = file;
    part.metaOffset = record.metaOffset;
    part.dataOffset = record.dataOffset;
    weight.parts.push_back(std::move(part));
    codec::Encoding encoding;
    encoding.type = record.type;
    encoding.shape = weight.shape;
    encoding.payload = codec::Operand{codec::PartRole::Data, record.type, weight.shape, {}};
    weight.form = StorageForm(std::move(encoding));
    return weight;
}

} // namespace

BundleBuilder::BundleBuilder() : m_bundle(new Bundle) {}

Result<BundlePtr> BundleBuilder::open(const std::filesystem::path &path, const OpenOptions &options)
{
    // A build that is written at this moment would be read half old, half new.
    constexpr int kAttempts = 3;
    Result<void> same;
    for (int i = 0; i < kAttempts; ++i) {
        BundleBuilder builder;
        auto opened = openFiles(path, options, builder.m_log);
        if (!opened)
            return tl::unexpected(std::move(opened.error()));
        builder.m_bundle->m_path = path;
        builder.build(std::move(*opened));
        if (options.notes)
            builder.addNotes(options.notes());
        same = checkInPlace(builder.m_bundle->m_files);
        if (same)
            return builder.m_bundle;
    }
    return tl::unexpected(std::move(same.error()));
}

Result<BundlePtr> BundleBuilder::fork(const Bundle &bundle)
{
    const std::shared_ptr<Bundle> copy(new Bundle(bundle));
    for (BundleFile &entry : copy->m_files) {
        auto file = entry.file->fork();
        if (!file)
            return tl::unexpected(std::move(file.error()));
        entry.file = std::move(*file);
    }
    return copy;
}

OpenedFiles BundleBuilder::openedAgain(const Bundle &before)
{
    OpenedFiles opened;
    opened.kind = before.m_kind;
    opened.name = before.m_name;
    opened.readOnlyReason = before.m_readOnlyReason;
    for (const BundleFile &known : before.m_files) {
        BundleFile file;
        file.file = known.file;
        file.path = known.path;
        opened.files.push_back(std::move(file));
    }
    if (before.m_programFile != kNoIndex)
        opened.programPath = before.m_files[before.m_programFile].path;
    return opened;
}

BundlePtr BundleBuilder::reread(const Bundle &before)
{
    BundleBuilder builder;
    builder.m_bundle->m_path = before.m_path;
    builder.m_bundle->m_shapeBindings = before.m_shapeBindings;
    builder.build(openedAgain(before));
    if (!builder.m_shapes) {
        builder.m_bundle->m_shapeBindings.reset();
        builder.m_bundle->m_diagnostics.push_back({Severity::Warning, builder.m_shapes.error()});
    }
    builder.addNotes(before.m_notes);
    return builder.m_bundle;
}

Result<BoundShapes> BundleBuilder::bind(const Bundle &before,
                                        const std::vector<shapes::Binding> &bindings)
{
    if (before.m_programFile == kNoIndex || before.m_program.functions.empty())
        return refused("cli.option", "--shape", "a program with inputs",
                       std::string(bundleKindName(before.m_kind)),
                       "Only the inputs of a program have shapes.");
    BundleBuilder builder;
    if (!bindings.empty())
        builder.m_bundle->m_shapeBindings =
            std::make_shared<const std::vector<shapes::Binding>>(bindings);
    builder.m_bundle->m_path = before.m_path;
    builder.build(openedAgain(before));
    if (!builder.m_shapes)
        return tl::unexpected(std::move(builder.m_shapes.error()));
    builder.addNotes(before.m_notes);
    return BoundShapes{builder.m_bundle, std::move(*builder.m_shapes)};
}

Result<BoundShapes> bindShapes(const Bundle &bundle, const std::vector<shapes::Binding> &bindings)
{
    return BundleBuilder::bind(bundle, bindings);
}

/// Before the weights are read, so that what they say of their consumers has the shapes.
void BundleBuilder::bindShapes()
{
    m_shapes = shapes::inferShapes(m_bundle->m_program, *m_bundle->m_shapeBindings, m_programPath);
    if (m_shapes)
        m_log.add(m_shapes->diagnostics);
}

void BundleBuilder::addNotes(Diagnostics notes)
{
    Diagnostics &rows = m_bundle->m_diagnostics;
    rows.insert(rows.begin(), notes.begin(), notes.end());
    m_bundle->m_notes = std::move(notes);
}

void BundleBuilder::build(OpenedFiles &&opened)
{
    buildTables(std::move(opened));
    markNames();
}

void BundleBuilder::markNames()
{
    std::map<std::string_view, std::size_t> uses;
    for (const Weight &weight : m_bundle->m_weights)
        ++uses[weight.name];
    for (Weight &weight : m_bundle->m_weights)
        weight.sharesName = uses[weight.name] > 1;
}

void BundleBuilder::buildTables(OpenedFiles &&opened)
{
    m_bundle->m_kind = opened.kind;
    m_bundle->m_name = std::move(opened.name);
    m_bundle->m_readOnlyReason = std::move(opened.readOnlyReason);
    m_programPath = opened.programPath;
    if (!m_programPath.empty())
        readProgram(opened);
    m_bundle->m_files = std::move(opened.files);
    if (m_bundle->m_kind == BundleKind::Hwx || m_bundle->m_kind == BundleKind::Anec)
        return buildHardware();
    if (m_bundle->m_kind == BundleKind::Section)
        return buildSection();
    if (const ContainerReader *reader = containerReader(m_bundle->m_kind))
        return buildWith(*reader);
    if (!m_programPath.empty())
        m_bundle->m_programFile = m_bundle->fileByPath(m_programPath).value_or(kNoIndex);
    m_blobs =
        std::make_unique<BlobTable>(m_bundle->m_files, modelFolderOf(m_programPath), m_programPath);
    nameBlobs();
    readBlobFiles();
    if (m_bundle->m_kind == BundleKind::MilBlob)
        addBareWeights();
    else
        readWeights();
    markShared();
    addSections();
    m_bundle->m_diagnostics = m_log.take();
}

void BundleBuilder::buildWith(const ContainerReader &reader)
{
    std::vector<BundleFile> &files = m_bundle->m_files;
    ContainerContents contents;
    contents.claims.resize(files.size());
    reader.read(files, contents);
    m_bundle->m_weights = std::move(contents.weights);
    m_bundle->m_readOnlyReason = std::move(contents.readOnlyReason);
    m_log.add(std::move(contents.diagnostics));
    contents.claims.resize(files.size());
    for (std::size_t i = 0; i < files.size(); ++i) {
        auto sections = coverFile(i, files[i].file->size(), std::move(contents.claims[i]));
        std::move(sections.begin(), sections.end(), std::back_inserter(m_bundle->m_sections));
    }
    m_bundle->m_diagnostics = m_log.take();
}

/// Also opens the weight files that a lone program names.
void BundleBuilder::readProgram(OpenedFiles &opened)
{
    const auto place =
        std::find_if(opened.files.begin(), opened.files.end(),
                     [this](const BundleFile &file) { return file.path == m_programPath; });
    if (place == opened.files.end())
        return;
    const auto bytes = place->file->bytes();
    if (lfsPointer(bytes))
        return; // was said when it was opened
    mil::ParsedProgram parsed = isModelProtobuf(bytes, m_programPath)
                                    ? mil::readModelProtobuf(bytes, m_programPath)
                                    : mil::readProgramText(bytes, m_programPath);
    m_log.add(std::move(parsed.diagnostics));
    m_bundle->m_program = std::move(parsed.program);
    if (m_bundle->m_shapeBindings)
        bindShapes();
    const auto &models = m_bundle->m_program.models;
    if (m_bundle->m_kind == BundleKind::MilText && !models.empty() && !models.front().isProgram())
        m_bundle->m_kind = models.front().isPipeline()  ? BundleKind::Pipeline
                           : models.front().isNetwork() ? BundleKind::Network
                                                        : BundleKind::MilText;
    if (opened.folder.empty())
        return;
    std::set<std::string> paths;
    for (const mil::Function &function : m_bundle->m_program.functions) {
        forEachBlob(function.body, [&](const mil::BlobReference &blob) {
            if (auto path = resolveBlobPath(blob.path, modelFolderOf(m_programPath)))
                paths.insert(std::move(*path));
        });
    }
    openReferenced(opened, {paths.begin(), paths.end()}, m_log);
}

/// Reads every record that the program names, so that none of them counts as unused because a
/// weight's fault lies before it.
void BundleBuilder::nameBlobs()
{
    for (const mil::Function &function : m_bundle->m_program.functions) {
        forEachBlob(function.body, [this](const mil::BlobReference &blob) {
            auto place = m_blobs->find(blob);
            if (!place)
                m_log.add(Severity::Error, std::move(place.error()));
        });
    }
}

void BundleBuilder::readBlobFiles()
{
    m_records.resize(m_bundle->m_files.size());
    for (std::size_t i = 0; i < m_bundle->m_files.size(); ++i) {
        BundleFile &file = m_bundle->m_files[i];
        file.role = roleOf(i);
        // Of one that was not downloaded that was said when it was opened.
        if (file.role != SectionKind::Data || lfsPointer(file.file->bytes()))
            continue;
        milblob::BlobFile found = milblob::readBlobFile(file.file->bytes(), file.path);
        m_log.add(std::move(found.diagnostics));
        const auto named = m_blobs->named(i);
        m_records[i] = merged(std::move(found.records), named);
        file.blobVersion = found.version;
        file.blobCount = found.count;
        file.records = m_records[i].size();
        file.unusedRecords = m_records[i].size() - named.size();
        std::uint64_t payload = 0;
        for (const milblob::Record &record : m_records[i])
            payload = checkedAdd(payload, record.bytes.value).value_or(UINT64_MAX);
        file.payloadBytes = ByteCount(payload);
    }
}

SectionKind BundleBuilder::roleOf(std::size_t file) const
{
    const std::string &path = m_bundle->m_files[file].path;
    if (file == m_bundle->m_programFile)
        return SectionKind::Program;
    if (m_bundle->m_kind == BundleKind::MilBlob || m_blobs->isWeightFile(file))
        return SectionKind::Data;
    return path.ends_with(".json") || path.ends_with(".plist") ? SectionKind::Manifest
                                                               : SectionKind::Unknown;
}

void BundleBuilder::readWeights()
{
    for (const mil::Function &function : m_bundle->m_program.functions)
        WeightReader(m_bundle->m_program, function, *m_blobs, m_programPath, m_log)
            .read(m_bundle->m_weights);
    if (m_bundle->m_programFile == kNoIndex)
        return;
    const BundleFile &file = m_bundle->m_files[m_bundle->m_programFile];
    for (const mil::ModelNode &node : m_bundle->m_program.models) {
        if (!node.isNetwork())
            continue;
        network::Network network =
            network::readNetwork(file.file->bytes(), node.content, file.path);
        m_log.add(std::move(network.diagnostics));
        auto weights = networkWeights(network, m_bundle->m_programFile, node.path);
        std::move(weights.begin(), weights.end(), std::back_inserter(m_bundle->m_weights));
    }
}

void BundleBuilder::addBareWeights()
{
    for (const milblob::Record &record : m_records.front())
        m_bundle->m_weights.push_back(bareWeight(0, record));
    m_bundle->m_files.front().unusedRecords = 0;
}

void BundleBuilder::markShared()
{
    std::map<std::pair<std::size_t, std::uint64_t>, std::size_t> uses;
    for (const Weight &weight : m_bundle->m_weights) {
        for (const Part &part : weight.parts) {
            if (!part.isLiteral())
                ++uses[{part.file, part.metaOffset.value}];
        }
    }
    for (Weight &weight : m_bundle->m_weights) {
        for (Part &part : weight.parts)
            part.shared = !part.isLiteral() && uses[{part.file, part.metaOffset.value}] > 1;
    }
}

std::vector<Claim> BundleBuilder::claimsOf(std::size_t file,
                                           const std::vector<PartPlace> &places) const
{
    const BundleFile &owner = m_bundle->m_files[file];
    if (owner.role == SectionKind::Data)
        return claimsOfBlobFile(m_records[file], places, m_bundle->m_weights);
    if (owner.role == SectionKind::Program)
        return claimsOfProgram(m_bundle->m_program, file, owner.file->size(), m_bundle->m_weights);
    Claim whole;
    whole.range = {FileOffset(0), owner.file->size()};
    whole.kind = owner.role;
    whole.name = owner.path;
    return {std::move(whole)};
}

void BundleBuilder::addSections()
{
    std::vector<std::vector<PartPlace>> places(m_bundle->m_files.size());
    for (std::size_t w = 0; w < m_bundle->m_weights.size(); ++w) {
        const std::vector<Part> &parts = m_bundle->m_weights[w].parts;
        for (std::size_t p = 0; p < parts.size(); ++p) {
            if (!parts[p].isLiteral())
                places[parts[p].file].push_back({parts[p].metaOffset, w, p});
        }
    }
    for (std::size_t i = 0; i < m_bundle->m_files.size(); ++i) {
        std::stable_sort(
            places[i].begin(), places[i].end(),
            [](const PartPlace &a, const PartPlace &b) { return a.metaOffset < b.metaOffset; });
        auto sections = coverFile(i, m_bundle->m_files[i].file->size(), claimsOf(i, places[i]));
        std::move(sections.begin(), sections.end(), std::back_inserter(m_bundle->m_sections));
    }
}

} // namespace kernscope
