// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/blob_table.h"
#include "core/bundle/bound_shapes.h"
#include "core/bundle/bundle.h"
#include "core/bundle/bundle_files.h"
#include "core/bundle/diagnostic_log.h"
#include "core/bundle/section_map.h"
#include "core/container/hwx/cover.h"
#include "core/container/milblob/milblob.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace kernscope {

class ContainerReader;

/// Reads the tables of opened files into a Bundle: program, weights, records, sections.
class BundleBuilder
{
public:
    static Result<BundlePtr> open(const std::filesystem::path &path, const OpenOptions &options);
    static BundlePtr reread(const Bundle &before);
    /// The same with the shapes of inputs bound (bound_shapes.h).
    static Result<BoundShapes> bind(const Bundle &before,
                                    const std::vector<shapes::Binding> &bindings);
    /// The same tables over files of its own (OverlaidFile::fork), for edits that are planned
    /// aside. The caller holds a BundleReadLock, or is the thread that edits.
    static Result<BundlePtr> fork(const Bundle &bundle);

private:
    BundleBuilder();

    static OpenedFiles openedAgain(const Bundle &before);
    void bindShapes();
    void build(OpenedFiles &&opened);
    void buildTables(OpenedFiles &&opened);
    void markNames();
    void buildWith(const ContainerReader &reader);
    void addNotes(Diagnostics notes);
    void buildHardware();
    void buildSection();
    void readProgram(OpenedFiles &opened);
    void nameBlobs();
    void readBlobFiles();
    void readWeights();
    void addBareWeights();
    void markShared();
    void addSections();
    SectionKind roleOf(std::size_t file) const;
    std::vector<Claim> claimsOfHardware(const std::vector<hwx::CoverSpan> &spans) const;
    std::vector<Claim> claimsOf(std::size_t file, const std::vector<PartPlace> &places) const;

    std::shared_ptr<Bundle> m_bundle;
    DiagnosticLog m_log;
    Result<shapes::Summary> m_shapes; ///< of Bundle::shapeBindings, where there are some
    std::string m_programPath;
    std::unique_ptr<BlobTable> m_blobs;
    std::vector<std::vector<milblob::Record>> m_records; ///< of each weight file, by offset
};

} // namespace kernscope
