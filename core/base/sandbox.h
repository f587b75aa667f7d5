// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <vector>

namespace kernscope {

/// What a process that only reads may still reach, files by what they lie under.
struct SandboxRights {
    std::vector<std::filesystem::path> read;  ///< files, and folders with all that they hold
    std::vector<std::filesystem::path> write; ///< folders in which files are made and replaced
    std::vector<std::filesystem::path> list;  ///< folders of which only names are read
};

/// Gives up all other rights on files, and new network connections, for this thread and those that
/// it starts: call it before the first one. What is open stays so. The system's own folders stay
/// readable (/usr, /etc, /dev, /proc, /sys, /var/cache/fontconfig). Paths that do not exist are
/// left out. Cannot be undone.
///
/// By Landlock (Linux 5.13; landlock(7)) and a filter of system calls (seccomp(2)). False where the
/// kernel has no Landlock or refuses: then nothing was given up.
bool enterSandbox(const SandboxRights &rights);

} // namespace kernscope
