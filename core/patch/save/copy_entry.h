// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "core/base/progress.h"

#include "core/patch/save/file_io.h"

/// Entries of a folder copied as what they are. `name` is what errors call the entry.
namespace kernscope::patch {

inline constexpr std::size_t kCopyBlock = std::size_t{1} << 20; ///< bytes between two looks

/// A regular file: bytes, holes, permissions, time of change. Errors: "io.open", "io.read",
/// "io.write", "task.cancelled".
Result<void> copyRegularFile(const std::filesystem::path &from, const std::filesystem::path &to,
                             const std::string &name, Progress *progress);
/// The same between files that are open: bytes, holes and permissions, brought to the disk.
Result<void> copyContent(const DiskFile &in, const DiskFile &out, Progress *progress);
/// A symbolic link: the same text. Errors: "io.write".
Result<void> copyLink(const std::filesystem::path &from, const std::filesystem::path &to,
                      const std::string &name);
/// Permissions and time of change of a folder, once nothing is written into it any more. Errors:
/// "io.write".
Result<void> finishFolder(const std::filesystem::path &from, const std::filesystem::path &to,
                          const std::string &name);
/// The time of change, where it can be had; a copy without it is still a copy.
void copyTime(const std::filesystem::path &from, const std::filesystem::path &to);

} // namespace kernscope::patch
