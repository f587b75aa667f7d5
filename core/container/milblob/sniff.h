// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"

#include <cstddef>
#include <span>

namespace kernscope {

/// True where the bytes begin as a weight file (storage version 1 or 2) does. A file that is too
/// short to tell counts as one only by its name.
bool looksLikeBlobFile(std::span<const std::byte> bytes, std::string_view name);

// Files of which Git LFS left only the pointer.

/// What a file that Git LFS has not downloaded says of the content; nothing for any other file.
struct LfsPointer {
    std::string oid;   ///< "sha256:…"
    std::string bytes; ///< of the content
};
std::optional<LfsPointer> lfsPointer(std::span<const std::byte> bytes);
/// Error "bundle.lfs".
Error lfsError(const LfsPointer &pointer, const std::string &path);

} // namespace kernscope
