// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/patch/patch.h"

/// The steps of a save in place, for the tests that stop it at each of them.
namespace kernscope::patch {

enum class SaveStep : std::uint8_t {
    Opened,       ///< the files are open, nothing is locked
    Locked,       ///< no other process can save from here on
    Checked,      ///< the files are those that were opened; nothing was written yet
    BackedUp,     ///< the backups are made
    Journalled,   ///< the journal is on the disk
    RangeWritten, ///< once for each range
    Synced,       ///< all files are on the disk
    Verified,     ///< and were read back
    Removed,      ///< the journal is gone
};

/// Called after each step; false makes that step fail as a fault of the disk would. After Removed
/// that is the last call of the save, which has succeeded by then.
using SaveHook = std::function<bool(SaveStep)>;

/// kernscope::saveInPlace() with a hook, for tests of interrupted saves.
Result<SaveReport> saveInPlace(const Bundle &bundle, const SaveOptions &options,
                               const SaveHook &hook);

} // namespace kernscope::patch
