// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/open/bundle_builder.h"

#include "core/bundle/reader/container_reader.h"

#include <iterator>

namespace kernscope {

Result<BundlePtr> Bundle::open(const std::filesystem::path &path, const OpenOptions &options)
{
    return BundleBuilder::open(path, options);
}

Result<BundlePtr> Bundle::reread() const
{
    return BundleBuilder::reread(*this);
}

BundleBuilder::BundleBuilder() : m_bundle(new Bundle) {}

Result<BundlePtr> BundleBuilder::open(const std::filesystem::path &path, const OpenOptions &options)
{
    // A build that is written at this moment would be read half old, half new.
    constexpr int kAttempts = 3;
    Result<void> same;
    for (int i = 0; i < kAttempts; ++i) {
        BundleBuilder builder;
        auto opened = TRY(openFiles(path, options, builder.m_log));
        builder.m_bundle->m_path = path;
        builder.build(std::move(opened));
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
        entry.file = TRY(entry.file->fork());
    }
    return copy;
}

OpenedFiles BundleBuilder::openedAgain(const Bundle &before)
{
    OpenedFiles opened;
    opened.kind = before.m_kind;
    opened.name = before.m_name;
    opened.readOnlyReason = before.m_readOnlyReason;
    opened.reader = before.m_reader;
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
    if (builder.m_shapes && !*builder.m_shapes) {
        builder.m_bundle->m_shapeBindings.reset();
        builder.m_bundle->m_diagnostics.push_back({Severity::Warning, builder.m_shapes->error()});
    }
    builder.addNotes(before.m_notes);
    return builder.m_bundle;
}

Result<BoundShapes> BundleBuilder::bind(const Bundle &before,
                                        const std::vector<shapes::ShapeBinding> &bindings)
{
    if (before.m_programFile == kNoIndex || before.program()->functions.empty())
        return refused("cli.option", "--shape", "a program with inputs",
                       std::string(bundleKindName(before.m_kind)),
                       "Only the inputs of a program have shapes.");
    BundleBuilder builder;
    if (!bindings.empty())
        builder.m_bundle->m_shapeBindings =
            std::make_shared<const std::vector<shapes::ShapeBinding>>(bindings);
    builder.m_bundle->m_path = before.m_path;
    builder.build(openedAgain(before));
    shapes::Summary summary;
    if (builder.m_shapes && !*builder.m_shapes)
        return tl::unexpected(std::move(builder.m_shapes->error()));
    if (builder.m_shapes)
        summary = std::move(**builder.m_shapes);
    builder.addNotes(before.m_notes);
    return BoundShapes{builder.m_bundle, std::move(summary)};
}

Result<BoundShapes> bindShapes(const Bundle &bundle,
                               const std::vector<shapes::ShapeBinding> &bindings)
{
    return BundleBuilder::bind(bundle, bindings);
}

void BundleBuilder::addNotes(Diagnostics notes)
{
    Diagnostics &rows = m_bundle->m_diagnostics;
    rows.insert(rows.begin(), notes.begin(), notes.end());
    m_bundle->m_notes = std::move(notes);
}

void BundleBuilder::markNames()
{
    std::map<std::string_view, std::size_t> uses;
    for (const Weight &weight : m_bundle->m_weights)
        ++uses[weight.name];
    for (Weight &weight : m_bundle->m_weights)
        weight.sharesName = uses[weight.name] > 1;
}

void BundleBuilder::build(OpenedFiles &&opened)
{
    Bundle &bundle = *m_bundle;
    bundle.m_kind = opened.kind;
    bundle.m_name = std::move(opened.name);
    bundle.m_readOnlyReason = std::move(opened.readOnlyReason);
    bundle.m_files = std::move(opened.files);
    bundle.m_reader = opened.reader;
    ContainerInput input{bundle.m_files, opened.programPath, {}, bundle.m_shapeBindings.get()};
    ContainerContents contents;
    contents.log = std::move(m_log);
    contents.claims.resize(bundle.m_files.size());
    if (!opened.folder.empty())
        input.openBeside = [&](const std::vector<std::string> &paths) {
            openReferenced(bundle.m_files, opened, paths, contents.log);
        };
    const ContainerReader *reader =
        bundle.m_reader != nullptr ? bundle.m_reader : containerReader(bundle.m_kind);
    if (reader != nullptr)
        reader->read(input, contents);
    bundle.m_kind = contents.kind.value_or(bundle.m_kind);
    bundle.m_weights = std::move(contents.weights);
    bundle.m_totals = bundle.addUp();
    bundle.m_openInputs = std::make_shared<const std::vector<shapes::OpenInput>>(
        shapes::openInputs(contents.program));
    bundle.m_program = std::make_shared<const mil::Program>(std::move(contents.program));
    bundle.m_programFile = contents.programFile;
    bundle.m_programFiles = std::move(contents.programFiles);
    bundle.m_hardware = std::move(contents.hardware);
    bundle.m_section = std::move(contents.section);
    bundle.m_compiled = std::move(contents.compiled);
    if (!contents.readOnlyReason.empty())
        bundle.m_readOnlyReason = std::move(contents.readOnlyReason);
    m_shapes = std::move(contents.shapes);
    contents.claims.resize(bundle.m_files.size());
    std::vector<std::vector<Section>> sections;
    std::size_t count = 0;
    for (std::size_t i = 0; i < bundle.m_files.size(); ++i) {
        sections.push_back(
            coverFile(i, bundle.m_files[i].file->size(), std::move(contents.claims[i])));
        count += sections.back().size();
    }
    bundle.m_sections.reserve(count); // no more: there may be hundreds of thousands
    for (std::vector<Section> &file : sections)
        std::move(file.begin(), file.end(), std::back_inserter(bundle.m_sections));
    bundle.m_diagnostics = contents.log.take();
    markNames();
}

} // namespace kernscope
