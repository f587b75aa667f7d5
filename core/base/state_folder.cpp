// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/state_folder.h"

#include <cstdlib>

#include <pwd.h>
#include <unistd.h>

namespace kernscope {

std::filesystem::path stateFolder()
{
    // A relative path in the variable is to be ignored, says the base directory specification.
    const auto absolute = [](const char *path) { return path != nullptr && *path == '/'; };
    const char *folder = std::getenv("XDG_STATE_HOME");
    if (absolute(folder))
        return std::filesystem::path(folder) / "kernscope";
    const char *home = std::getenv("HOME");
    if (!absolute(home)) {
        const passwd *user = ::getpwuid(::geteuid());
        home = user != nullptr && absolute(user->pw_dir) ? user->pw_dir : "/";
    }
    return std::filesystem::path(home) / ".local/state/kernscope";
}

} // namespace kernscope
