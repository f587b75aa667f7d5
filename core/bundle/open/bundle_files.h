// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/overlaid_file.h"
#include "core/bundle/bundle_fwd.h"
#include "core/bundle/diagnostic_log.h"
#include "core/bundle/kinds.h"

#include <functional>
#include <optional>

namespace kernscope {

struct ContainerReader;

/// What `openFiles` found at a path: the files, mapped, in the order of their names, and what kind
/// of bundle they make. Nothing is read but the first bytes that tell the kind.
struct OpenedFiles {
    BundleKind kind = BundleKind::Unknown;
    std::string name; ///< last component of the path
    std::vector<BundleFile> files;
    std::string programPath;      ///< of the program among `files`; empty where there is none
    std::filesystem::path folder; ///< of a lone file: where it lies; empty otherwise
    std::string readOnlyReason;   ///< why nothing of it can be changed; empty where it can
    std::function<void(const std::shared_ptr<OverlaidFile> &)> mapped; ///< of OpenOptions
    const ContainerReader *reader = nullptr;                           ///< of OpenOptions
    std::optional<std::size_t> package; ///< 1 of "x.pte/1": of an ExecuTorch program's packages
};

/// Lists and maps the files of the bundle at `path`; a package in a zip archive is unpacked into
/// memory. Errors: "io.open" and its like, "bundle.kind", "bundle.several" (a folder of several
/// bundles), "bundle.lfs" (a pointer of Git LFS), those of the package's manifest and of
/// archive::readZip.
Result<OpenedFiles> openFiles(const std::filesystem::path &path, const OpenOptions &options,
                              DiagnosticLog &log);

/// Error "io.changed" where a file was changed or replaced since it was mapped.
Result<void> checkInPlace(const std::vector<BundleFile> &files);

/// Adds to `files` those of these names (resolved paths) that lie beside a lone program; does
/// nothing for folders. A name that is no file there is left to the reader of the reference.
void openReferenced(std::vector<BundleFile> &files, const OpenedFiles &opened,
                    const std::vector<std::string> &paths, DiagnosticLog &log);

/// Error "bundle.kind": `found` is not what Kernscope opens.
Error kindError(std::string_view found, std::string message);
/// Bundles and files that can be opened, right inside a folder or one folder below, by their
/// endings: paths from the folder, ascending, at most 1,000.
std::vector<std::string> bundlesIn(const std::filesystem::path &folder);
/// What a folder without a program is: "bundle.several" where bundles lie in it or one folder
/// below, else "bundle.kind".
Error noBundle(const std::filesystem::path &folder);

/// Names what the first bytes are, for an error: "a hardware container (.hwx)", "a ZIP archive".
std::string_view knownKind(std::span<const std::byte> bytes);
/// The same by the name of a file that a folder of an older kind holds; empty: no such name.
std::string_view espressoKind(std::string_view name);

/// A regular file below a folder.
struct ListedFile {
    std::string path;            ///< relative, with '/'
    std::filesystem::path place; ///< where to open it
};

/// The regular files below `folder`, by path. Bounded in number and depth; symbolic links are
/// followed only to files inside the folder, never to folders, so that a bundle cannot show what
/// is not its own. What is left out is a note or a warning in `log`.
/// Errors: "io.open" where the folder itself cannot be listed.
Result<std::vector<ListedFile>> listFolder(const std::filesystem::path &folder, DiagnosticLog &log);

/// True where `place` is a regular file that, links resolved, lies inside `folder`.
bool isFileInside(const std::filesystem::path &place, const std::filesystem::path &folder);

} // namespace kernscope
