// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>

namespace kernscope {

/// Where what belongs to single bundles and to work under way is kept for this user: kernscope in
/// $XDG_STATE_HOME, by default ~/.local/state. It may not exist yet.
std::filesystem::path stateFolder();

} // namespace kernscope
