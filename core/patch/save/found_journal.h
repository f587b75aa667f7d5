// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/patch/interrupted_save.h"
#include "core/patch/save/journal.h"
#include "core/patch/save/save_key.h"

namespace kernscope::patch {

/// A journal that was found, checked as far as it can be without the files that it names.
struct FoundJournal {
    std::filesystem::path path;
    InterruptedState state = InterruptedState::Pending;
    Error error;                  ///< as InterruptedSave::error
    std::optional<DiskFile> file; ///< locked, unless it is busy or unusable
    std::string key;              ///< of a save of this user's own; empty: foreign, or no journal
    JournalIndex index;
    std::vector<std::filesystem::path> places; ///< of the files of the index, links resolved
    std::vector<FileStamp> stamps;             ///< of the same

    JournalReader reader() const;
    /// The state, with its error.
    void become(InterruptedState newState, Error cause = {});
    InterruptedSave described() const;
    /// Pending or Busy: its bytes can be laid over the files.
    bool usable() const
    {
        return state == InterruptedState::Pending || state == InterruptedState::Busy;
    }
};

/// The journal at `path` of the bundle at `bundle`; nothing where there is none. Of one without a
/// key no more is read than it takes to say so.
/// `lock`: Alone for a process that is going to write.
std::optional<FoundJournal> findJournal(const std::filesystem::path &path,
                                        const std::filesystem::path &bundle, DiskFile::Lock lock,
                                        Progress *progress = nullptr);
/// A save whose journal is gone, though it never ended.
FoundJournal missingJournal(const SaveKey &key);

/// Reads the bytes of a file as they are now.
using CurrentBytes = std::function<Result<void>(std::uint64_t, std::span<std::byte>)>;
/// A block of a run: the offset in the file, the old bytes, the new ones and the current ones.
struct JournalBlock {
    std::uint64_t offset = 0;
    std::span<const std::byte> before, after, now;
};

/// Calls `visit` for each block of the runs of one file of the journal, until it returns an error.
Result<void> forEachBlock(const FoundJournal &journal, std::size_t file,
                          const CurrentBytes &current,
                          const std::function<Result<void>(const JournalBlock &)> &visit);

/// "journal.stale" where a byte is neither the old one nor the new one.
Result<void> checkBlock(const FoundJournal &journal, std::size_t file, const JournalBlock &block);

/// Opens a bundle with the old bytes of interrupted saves laid over its files, in memory.
class JournalOverlay
{
public:
    /// `lock`: how the journals are held, Alone for a process that is going to write.
    JournalOverlay(const std::filesystem::path &path, DiskFile::Lock lock,
                   Progress *progress = nullptr);

    /// Errors: those of Bundle::open.
    Result<BundlePtr> open();

    /// The one file alone. Errors: those of OverlaidFile::open.
    Result<std::shared_ptr<OverlaidFile>> openFile();
    /// A row for each journal.
    Diagnostics notes() const;

    /// Those that were found, after open(): beside the bundle, then beside its files.
    std::vector<FoundJournal> &journals() { return m_journals; }

private:
    void look(const std::filesystem::path &journal, const std::filesystem::path &bundle);
    void take(FoundJournal found);
    void lookForMoved();
    void onMapped(const std::shared_ptr<OverlaidFile> &file);
    void lay(FoundJournal &journal, const std::filesystem::path &place, OverlaidFile &file);
    bool isJournal(const std::filesystem::path &path);

    std::filesystem::path m_path;
    DiskFile::Lock m_lock;
    Progress *m_progress;
    std::vector<SaveKey> m_keys;
    std::vector<FoundJournal> m_journals;
    std::vector<std::pair<std::filesystem::path, std::shared_ptr<OverlaidFile>>> m_mapped;
    bool m_again = false;
};

} // namespace kernscope::patch
