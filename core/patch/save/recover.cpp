// SPDX-License-Identifier: GPL-3.0-or-later
// Finishing, undoing or discarding saves in place that were cut short, because somebody asked.
#include "core/base/error_builder.h"
#include "core/patch/save/found_journal.h"

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace kernscope {

namespace patch {

namespace {

namespace fs = std::filesystem;

using Stopped = std::function<Result<void>()>; ///< an error where no more is to be done

class Recovery
{
public:
    Recovery(RecoverAction action, bool dryRun, FoundJournal &journal, const Stopped &stopped)
        : m_action(action), m_dryRun(dryRun), m_journal(journal), m_stopped(stopped)
    {
    }

    Result<RecoveredSave> run(Diagnostics &warnings);

private:
    Result<void> recoverFile(std::size_t file, RecoveredSave &done);
    Result<void> checkOpened(const DiskFile &onDisk, std::size_t file) const;
    Result<void> writeBlocks(const DiskFile &onDisk, std::size_t file);
    Result<void> verify(std::size_t file) const;
    std::span<const std::byte> wanted(const JournalBlock &block) const
    {
        return m_action == RecoverAction::Finish ? block.after : block.before;
    }

    RecoverAction m_action;
    bool m_dryRun;
    FoundJournal &m_journal;
    const Stopped &m_stopped;
};

/// At any moment: the journal stays, and with it all that it takes to begin again.
Result<void> stopWhere(bool stopped)
{
    return stopped ? tl::unexpected(cancelledError(
                         "Stopped; the save is not recovered yet, its journal is still there"))
                   : Result<void>();
}

CurrentBytes currentBytesOf(const DiskFile &file)
{
    return [&file](std::uint64_t offset, std::span<std::byte> bytes) {
        return file.readAt(offset, bytes);
    };
}

/// The run grows where the block follows it.
void addRange(std::vector<WrittenRange> &ranges, const std::string &file, std::uint64_t offset,
              std::uint64_t bytes)
{
    if (!ranges.empty() && ranges.back().file == file && ranges.back().range.end() == offset)
        ranges.back().range.bytes.value += bytes;
    else
        ranges.push_back({file, {FileOffset(offset), ByteCount(bytes)}});
}

Result<void> Recovery::writeBlocks(const DiskFile &onDisk, std::size_t file)
{
    auto written = forEachBlock(
        m_journal, file, currentBytesOf(onDisk), [&](const JournalBlock &block) -> Result<void> {
            const auto bytes = wanted(block);
            auto done = m_stopped();
            if (done && !std::equal(bytes.begin(), bytes.end(), block.now.begin())) {
                done = onDisk.writeAt(block.offset, bytes);
                onDisk.flush(block.offset, bytes.size());
            }
            return done;
        });
    return written ? onDisk.sync() : written;
}

/// Not what took the file's place since, and nothing that has further names.
Result<void> Recovery::checkOpened(const DiskFile &onDisk, std::size_t file) const
{
    const auto stamp = TRY(onDisk.stamp());
    if (stamp.device != m_journal.stamps[file].device ||
        stamp.inode != m_journal.stamps[file].inode)
        return refused({onDisk.name()}, "patch.stale", {}, "the file that was read", "another file",
                       "The file was replaced while its save was recovered; nothing was written");
    return onDisk.checkOnlyName();
}

/// Through another descriptor than the one that wrote.
Result<void> Recovery::verify(std::size_t file) const
{
    const std::string &name = m_journal.index.files[file].path;
    const auto onDisk =
        TRY(DiskFile::open(m_journal.places[file], DiskFile::Mode::ReadPlain, name));
    return forEachBlock(
        m_journal, file, currentBytesOf(onDisk), [&](const JournalBlock &block) -> Result<void> {
            const auto bytes = wanted(block);
            TRY(m_stopped());
            if (std::equal(bytes.begin(), bytes.end(), block.now.begin()))
                return {};
            return refused({name, FileOffset(block.offset), ByteCount(block.now.size())},
                           "patch.verify", {}, {}, {},
                           "The bytes read back are not those that were written");
        });
}

/// Looks at everything first: what is neither old nor new was written by somebody else.
Result<void> Recovery::recoverFile(std::size_t file, RecoveredSave &done)
{
    const std::string &name = m_journal.index.files[file].path;
    const auto mode = m_dryRun ? DiskFile::Mode::ReadPlain : DiskFile::Mode::Change;
    const auto onDisk = TRY(DiskFile::open(m_journal.places[file], mode, name));
    TRY(checkOpened(onDisk, file));
    auto checked = forEachBlock(
        m_journal, file, currentBytesOf(onDisk), [&](const JournalBlock &block) -> Result<void> {
            const auto bytes = wanted(block);
            TRY(m_stopped());
            if (!std::equal(bytes.begin(), bytes.end(), block.now.begin())) {
                addRange(done.ranges, name, block.offset, bytes.size());
                done.bytesWritten.value += bytes.size();
            }
            return checkBlock(m_journal, file, block);
        });
    if (!checked || m_dryRun)
        return checked;
    // Bytes that came out wrong are neither old nor new: no later recovery would touch them.
    constexpr int kMostTries = 3;
    for (int tries = 1;; ++tries) {
        TRY(writeBlocks(onDisk, file));
        auto same = verify(file);
        if (same || same.error().code != "patch.verify" || tries == kMostTries)
            return same;
    }
}

Result<RecoveredSave> Recovery::run(Diagnostics &warnings)
{
    RecoveredSave done;
    done.save = m_journal.described();
    if (m_action != RecoverAction::Discard) {
        for (std::size_t file = 0; file < m_journal.index.files.size(); ++file) {
            TRY(recoverFile(file, done));
        }
    }
    if (m_dryRun)
        return done;
    TRY(removeJournal(m_journal.path, m_journal.key));
    for (const SaveKey &key : pendingSaveKeys()) { // of what was damaged there
        if (key.journal == m_journal.path)
            removeSaveKey(key.digest);
    }
    if (auto synced = syncFolder(m_journal.path.parent_path()); !synced)
        warnings.push_back({Severity::Warning, std::move(synced.error())});
    return done;
}

/// Whether an action can be taken on a journal: nothing where it can, and nothing where there is
/// nothing to be done (`skip`).
Result<void> permitted(const FoundJournal &journal, RecoverAction action, bool &skip)
{
    skip = journal.state == InterruptedState::Unknown;
    if (skip || journal.state == InterruptedState::Pending)
        return {};
    if (journal.state == InterruptedState::Busy) {
        return ErrorBuilder(journal.error)
            .code("patch.busy")
            .message("Another process is saving this bundle; nothing is to be recovered yet")
            .unexpected();
    }
    const bool own = journal.file ? journal.file->ownedByUser() : !journal.key.empty();
    if (action == RecoverAction::Discard && own)
        return {};
    return tl::unexpected(journal.error);
}

/// The bundle and the files that the journals name, against saves and further recoveries.
Result<void> lockAll(SaveLock &lock, const fs::path &path,
                     const std::vector<FoundJournal> &journals)
{
    auto locked = lock.add(path);
    for (const FoundJournal &journal : journals) {
        for (std::size_t i = 0; locked && i < journal.places.size(); ++i)
            locked = lock.add(journal.places[i]);
    }
    // Between the look and the lock another recovery may have ended, and a new save begun.
    for (const FoundJournal &journal : journals) {
        if (!locked || !journal.file || journal.file->isAt(journal.path))
            continue;
        locked = ErrorBuilder("patch.busy")
                     .file(journal.error.file)
                     .message("Another process has just recovered this bundle")
                     .unexpected();
    }
    return locked;
}

} // namespace

} // namespace patch

Result<RecoverReport> recoverSave(const std::filesystem::path &path, RecoverAction action,
                                  bool dryRun, Progress *progress)
{
    patch::SaveLock lock;
    patch::JournalOverlay overlay(path, patch::DiskFile::Lock::Alone, progress);
    std::error_code fault;
    if (!std::filesystem::exists(path, fault))
        return tl::unexpected(ioError("io.open", path.filename().string(),
                                      "There is nothing at this path",
                                      fault ? fault.value() : ENOENT));
    const auto bundle = overlay.open();
    // Until here only reading was done, which may end anywhere.
    const patch::SignalShield shield;
    const patch::Stopped stopped = [&] {
        return patch::stopWhere(shield.signalled() ||
                                (progress != nullptr && progress->cancelled()));
    };
    TRY(stopped());
    auto &journals = overlay.journals();
    RecoverReport report;
    std::vector<patch::FoundJournal *> chosen;
    for (patch::FoundJournal &journal : journals) {
        bool skip = false;
        TRY(patch::permitted(journal, action, skip));
        if (skip)
            report.warnings.push_back({Severity::Note, journal.error});
        else
            chosen.push_back(&journal);
    }
    if (chosen.empty())
        return bundle ? Result<RecoverReport>(std::move(report)) : tl::unexpected(bundle.error());
    TRY(patch::lockAll(lock, path, journals));
    // All of them as for a dry run first, so that nothing is written where one cannot be used.
    for (const bool dry : {true, false}) {
        report.saves.clear();
        for (std::size_t i = 0; i < chosen.size(); ++i) {
            auto done = patch::Recovery(action, dry, *chosen[i], stopped).run(report.warnings);
            if (!done && !dry && done.error().code == "task.cancelled")
                done.error().found = "some bytes may be written";
            if (!done)
                return tl::unexpected(std::move(done.error()));
            report.saves.push_back(std::move(*done));
        }
        if (dryRun)
            break;
    }
    report.verified = !dryRun;
    return report;
}

} // namespace kernscope
