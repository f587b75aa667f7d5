// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "faults.h"

#include <filesystem>
#include <random>

namespace kernscope::simulator {

/// Takes back what a power cut now may take: of bytes that were not brought to the disk any blocks
/// of 512, of names the last ones, as a file system with an ordered journal does. A name is sure
/// once its folder, or one whose names changed later, was brought to the disk. `random` chooses.
/// `root`: below it lie the watched folder and the grave.
void cutPower(const std::vector<LogEntry> &log, const std::filesystem::path &root,
              std::mt19937 &random);

} // namespace kernscope::simulator
