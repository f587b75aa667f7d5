// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"

#include <cstdint>
#include <filesystem>
#include <string>

namespace kernscope {

/// The content of a small file, such as notes beside a bundle: regular files only, so that neither
/// a pipe nor a device keeps anybody waiting, and no more than `most` bytes, however many there
/// turn out to be. Links are followed. Errors: "io.open" (none, or no regular file), "io.read",
/// "io.limit".
Result<std::string> readSmallFile(const std::filesystem::path &path, std::uint64_t most);

} // namespace kernscope
