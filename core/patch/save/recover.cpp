// SPDX-License-Identifier: GPL-3.0-or-later
// Undoing a save in place that was cut short.
#include "core/patch/patch.h"
#include "core/patch/save/file_io.h"
#include "core/patch/save/journal.h"

#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace kernscope {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 10000; ///< looked at inside of a bundle
constexpr int kMostFolders = 6;           ///< looked at above a file

Error changedSince(const patch::JournalEntry &entry, std::uint64_t offset)
{
    Error error;
    error.code = "patch.journal";
    error.file = entry.path;
    error.offset = FileOffset(offset);
    error.expected = "bytes from before or after the interrupted save";
    error.found = "other ones";
    error.message = "The file was changed since a save of it was interrupted; the journal beside "
                    "the bundle is left as it is";
    return error;
}

/// The files that a journal names, each opened once. Entries of one file follow each other.
class JournalledFiles
{
public:
    explicit JournalledFiles(fs::path folder) : m_folder(std::move(folder)) {}

    Result<const patch::File *> open(const patch::JournalEntry &entry)
    {
        if (m_file && m_file->name() == entry.path)
            return &*m_file;
        if (auto synced = sync(); !synced)
            return tl::unexpected(std::move(synced.error()));
        // A link could lead anywhere, and a journal can come with a bundle from anywhere.
        std::error_code fault;
        const fs::path place = m_folder / entry.path;
        if (fs::weakly_canonical(place, fault) != place.lexically_normal())
            return tl::unexpected(changedSince(entry, 0));
        auto file = patch::File::open(place, patch::File::Mode::Change, entry.path);
        if (!file)
            return tl::unexpected(std::move(file.error()));
        m_file = std::move(*file);
        return &*m_file;
    }
    Result<void> sync() { return m_file ? m_file->sync() : Result<void>(); }

private:
    fs::path m_folder;
    std::optional<patch::File> m_file;
};

/// Checks that nobody but the save has touched the bytes: each is the old one or the new one.
Result<void> checkEntry(const patch::File &file, const patch::JournalEntry &entry)
{
    const auto size = file.size();
    if (!size)
        return tl::unexpected(size.error());
    if (*size != entry.fileBytes) {
        Error error = changedSince(entry, 0);
        error.expected = fmt::format("{} bytes", entry.fileBytes);
        error.found = fmt::format("{} bytes", *size);
        return tl::unexpected(std::move(error));
    }
    std::vector<std::byte> now(entry.before.size());
    if (auto read = file.readAt(entry.offset, now); !read)
        return read;
    for (std::size_t i = 0; i < now.size(); ++i) {
        if (now[i] != entry.before[i] && now[i] != entry.after[i])
            return tl::unexpected(changedSince(entry, entry.offset + i));
    }
    return {};
}

Result<void> restore(const patch::File &file, const patch::JournalEntry &entry)
{
    auto done = file.writeAt(entry.offset, entry.before);
    std::vector<std::byte> now(entry.before.size());
    if (done)
        done = file.readAt(entry.offset, now);
    if (done && !std::equal(now.begin(), now.end(), entry.before.begin())) {
        Error error = changedSince(entry, entry.offset);
        error.code = "patch.verify";
        error.message = "The old bytes could not be put back";
        return tl::unexpected(std::move(error));
    }
    return done;
}

/// All entries are checked before the first is written.
Result<void> restoreAll(const patch::Journal &journal, const fs::path &folder)
{
    using Step = Result<void> (*)(const patch::File &, const patch::JournalEntry &);
    for (const Step step : {Step(checkEntry), Step(restore)}) {
        JournalledFiles files(folder);
        for (const patch::JournalEntry &entry : journal.entries) {
            const auto file = files.open(entry);
            if (!file)
                return tl::unexpected(file.error());
            if (auto done = step(**file, entry); !done)
                return done;
        }
        if (auto synced = files.sync(); !synced)
            return synced;
    }
    return {};
}

/// Of a save that never came to its journal, so that nothing was changed.
void removeUnfinished(fs::path journal)
{
    journal += ".new";
    std::error_code fault;
    if (!fs::exists(fs::symlink_status(journal, fault)))
        return;
    const auto file = patch::File::open(journal, patch::File::Mode::Read, journal.string());
    if (file && file->tryLock())
        fs::remove(journal, fault);
}

Result<bool> undo(const fs::path &journal)
{
    removeUnfinished(journal);
    std::error_code fault;
    if (!fs::exists(fs::symlink_status(journal, fault)))
        return false;
    const patch::SignalShield shield;
    const auto read = patch::readJournal(journal);
    if (!read && read.error().code == "patch.busy")
        return false; // not interrupted: another process is at it
    const bool torn = !read && read.error().code == "patch.journal.torn";
    if (!read && !torn)
        return tl::unexpected(read.error());
    if (!torn) {
        const fs::path folder = fs::weakly_canonical(journal, fault).parent_path();
        if (auto restored = restoreAll(*read, folder); !restored)
            return tl::unexpected(std::move(restored.error()));
    }
    if (auto removed = patch::removeJournal(journal); !removed)
        return tl::unexpected(std::move(removed.error()));
    return !torn; // files are only touched once the journal is whole
}

/// Journals that could hold bytes of the bundle at `path`: its own; of the files in it, where
/// one was opened alone; of the folders above it, where it is a file of a bundle.
std::vector<fs::path> candidates(const fs::path &path)
{
    std::vector<fs::path> found{patch::journalPath(path)};
    std::error_code fault;
    if (fs::is_directory(path, fault)) {
        fs::recursive_directory_iterator at(path, fs::directory_options::skip_permission_denied,
                                            fault);
        std::size_t seen = 0;
        for (; !fault && at != fs::recursive_directory_iterator() && ++seen < kMostFiles;
             at.increment(fault)) {
            if (at->path().extension() == patch::kJournalSuffix)
                found.push_back(at->path());
        }
        return found;
    }
    fs::path folder = fs::weakly_canonical(path, fault).parent_path();
    for (int i = 0; i < kMostFolders && folder.has_filename(); ++i, folder = folder.parent_path())
        found.push_back(patch::journalPath(folder));
    return found;
}

} // namespace

Result<bool> recoverJournal(const std::filesystem::path &path)
{
    bool any = false;
    for (const fs::path &journal : candidates(path)) {
        const auto undone = undo(journal);
        if (!undone)
            return undone;
        any = any || *undone;
    }
    return any;
}

} // namespace kernscope
