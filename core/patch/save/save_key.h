// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"

#include <filesystem>

/// What makes the journal of a save this user's own: a file in the folder of the user's state,
/// named by the journal's digest, which no archive can bring along. It is on the disk before the
/// journal has its name, and removed after the journal.
namespace kernscope::patch {

/// Which file it is, also once it has another name; a file that got its inode later is another one.
struct FileIdentity {
    std::uint64_t device = 0, inode = 0;
    std::int64_t seconds = 0; ///< of its making
    std::uint32_t nanoseconds = 0;
    friend bool operator==(const FileIdentity &, const FileIdentity &) = default;
};
/// All zero where there is no such file or the file system does not say when it was made.
FileIdentity identityOf(const std::filesystem::path &file);

struct SaveKey {
    std::string digest; ///< of the journal, 64 hexadecimal digits
    std::filesystem::path journal;
    std::vector<FileIdentity> files; ///< that the save writes

    bool covers(const FileIdentity &file) const;
};

/// Before the journal has its name; a journal that is not there is not missed yet. Errors:
/// "io.write".
Result<void> writeSaveKey(const SaveKey &key);
bool hasSaveKey(const std::string &digest);
/// From now on, and until now: the files change, and the journal is missed where it is gone. A
/// journal that a power failure brings back is this user's own still. Errors: "io.write".
Result<void> beginSaveKey(const std::string &digest);
void endSaveKey(const std::string &digest);
void removeSaveKey(const std::string &digest);
/// Of the saves that have begun.
std::vector<SaveKey> pendingSaveKeys();

} // namespace kernscope::patch
