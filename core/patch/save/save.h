// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle.h"
#include "core/patch/patch.h"
#include "core/patch/save/journal.h"

#include <algorithm>

namespace kernscope::patch {

class InPlaceSave
{
public:
    InPlaceSave(const Bundle &bundle, const SaveHook &hook, Progress *progress)
        : m_bundle(bundle), m_hook(hook), m_progress(progress),
          m_journal(journalPath(bundle.path()))
    {
    }

    Result<SaveReport> run(const SaveOptions &options);
    /// Files were written and put back, or copied: those on disk are not as they were mapped.
    bool putBack() const { return m_putBack; }
    /// A file that follows another one (follow_hash.h), as it was written; null where none does.
    const BundleFile *follower() const { return m_follower ? &*m_follower : nullptr; }

private:
    /// One file that has changes.
    struct Target {
        const BundleFile *file = nullptr;
        DiskFile onDisk;
        FileStamp stamp; ///< of the file that was read, or of its copy of a single name
        std::vector<ByteRange> ranges;
        std::size_t begun = 0; ///< ranges whose writing was begun
    };

    Result<void> prepare(const SaveOptions &options);
    Result<void> openTargets(bool breakLinks);
    Result<void> breakLinks(Target &target);
    Result<void> lock();
    Result<void> refusePending() const;
    Result<void> checkStamp(const Target &target) const;
    Result<void> checkUnchanged(const Target &target) const;
    Result<void> journal();
    Result<std::string> entryPath(const Target &target) const;
    Result<void> writeAndVerify();
    Result<void> writeRanges();
    Result<void> verify(const Target &target) const;
    Error rollBack(Error cause);
    Result<void> passed(SaveStep step) const;
    Result<void> advance(std::uint64_t bytes) const;
    bool stopped() const;
    SaveReport report() const;
    void noteFollower(SaveReport &saved) const;

    const Bundle &m_bundle;
    const SaveHook &m_hook;
    Progress *m_progress; ///< may be null; counts each byte four times: checked, kept in the
                          ///< journal, written, read back
    std::filesystem::path m_journal;
    SaveLock m_lock;
    std::optional<BundleFile> m_follower; ///< with an overlay of its own
    std::vector<Target> m_targets;
    std::vector<std::filesystem::path> m_backups;
    std::optional<WrittenJournal> m_written; ///< locked as long as the save goes on
    bool m_putBack = false;
    SignalShield m_shield;
};

/// Bytes that are read and written at once.
inline constexpr std::size_t kSaveBlock = std::size_t{1} << 20;

/// Calls `visit(at, count)` for the blocks of a run.
template <class Visit>
Result<void> forEachPiece(ByteRange range, const Visit &visit)
{
    for (std::uint64_t at = range.offset.value; at < range.end(); at += kSaveBlock) {
        const auto count =
            static_cast<std::size_t>(std::min<std::uint64_t>(kSaveBlock, range.end() - at));
        TRY(visit(at, count));
    }
    return {};
}

} // namespace kernscope::patch
