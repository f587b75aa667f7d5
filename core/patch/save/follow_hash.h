// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/overlaid_file.h"
#include "core/bundle/bundle_fwd.h"

/// A file that says the SHA-256 of another one: main.hash of a Core AI package. It follows when the
/// other one is saved, so that edits need not hash a module each.
namespace kernscope::patch {

/// Such a file whose other one is changed; nothing where there is none, or it has another length.
std::optional<std::size_t> followingFile(const Bundle &bundle);

/// The file with the hash of the other one as it is now, as an overlay of its own. Errors:
/// "io.hash", those of OverlaidFile::fork and write.
Result<std::shared_ptr<OverlaidFile>> followed(const Bundle &bundle, std::size_t file);

} // namespace kernscope::patch
