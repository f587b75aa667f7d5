// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"

#include <string>
#include <string_view>

namespace kernscope {

/// The path within the bundle that a blob reference means: "@model_path" replaced, "." and empty
/// parts removed. Errors: "blob.path" for absolute paths, "..", other "@" prefixes and names that
/// hold a NUL.
Result<std::string> resolveBlobPath(std::string_view written, std::string_view modelFolder);

/// What "@model_path" stands for, given the program's path: "" or "Data/com.apple.CoreML/".
std::string modelFolderOf(std::string_view programPath);

} // namespace kernscope
