// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bound_shapes.h"
#include "core/bundle/open/bundle_files.h"

namespace kernscope {

/// Lets the reader of a kind fill in a Bundle from opened files.
class BundleBuilder
{
public:
    static Result<BundlePtr> open(const std::filesystem::path &path, const OpenOptions &options);
    static BundlePtr reread(const Bundle &before);
    /// The same with the shapes of inputs bound (bound_shapes.h).
    static Result<BoundShapes> bind(const Bundle &before,
                                    const std::vector<shapes::ShapeBinding> &bindings);
    /// The same tables over files of its own (OverlaidFile::fork), for edits that are planned
    /// aside. The caller holds a BundleReadLock, or is the thread that edits.
    static Result<BundlePtr> fork(const Bundle &bundle);

private:
    BundleBuilder();

    static OpenedFiles openedAgain(const Bundle &before);
    void build(OpenedFiles &&opened);
    void markNames();
    void addNotes(Diagnostics notes);

    std::shared_ptr<Bundle> m_bundle;
    DiagnosticLog m_log;
    std::optional<Result<shapes::Summary>> m_shapes; ///< where Bundle::shapeBindings were inferred
};

} // namespace kernscope
