// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/patch/interrupted_save.h"
#include "core/patch/save/journal.h"
#include "core/patch/save/save_key.h"
#include "on_disk.h"

/// Saves that stop in the middle, and their journals.
namespace kernscope::test {

/// A save that ends in the middle: one range is written.
inline void interrupt(const OnDisk &disk, const char *script = kThree)
{
    cutSave(disk.path, script);
}

/// A journal that puts `before` in the place of `after`, at the start of a file. `own`: with its
/// key, as a save of this user leaves it.
inline void forge(const fs::path &journal, const std::string &path, const Bytes &before,
                  const Bytes &after, bool own = false)
{
    const auto file = OverlaidFile::fromMemory(before, path);
    if (!file->write(FileOffset(0), after))
        return;
    const std::vector<patch::JournalPart> parts{
        {path, file.get(), {{FileOffset(0), ByteCount(after.size())}}}};
    const auto written = patch::writeJournal(journal, parts);
    if (written && !own)
        patch::removeSaveKey(written->key);
}

/// Everything below a folder, links and journals included.
using Listing = std::map<std::string, std::pair<fs::file_type, Bytes>>;
inline Listing listing(const fs::path &folder)
{
    Listing all;
    for (const auto &entry : fs::recursive_directory_iterator(folder)) {
        const auto type = entry.symlink_status().type();
        all[entry.path().string()] = {type, type == fs::file_type::regular ? readAll(entry.path())
                                                                           : Bytes()};
    }
    return all;
}

} // namespace kernscope::test
