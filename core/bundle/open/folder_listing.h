// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "core/bundle/diagnostic_log.h"

#include <filesystem>

namespace kernscope {

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
