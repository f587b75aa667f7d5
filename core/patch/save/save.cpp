// SPDX-License-Identifier: GPL-3.0-or-later
// Saving in place, from the journal on.
#include "core/base/error_builder.h"
#include "core/base/text.h"
#include "core/bundle/bundle.h"
#include "core/format/catalogue.h"
#include "core/patch/plan/recorder.h"
#include "core/patch/save/backup.h"
#include "core/patch/save/found_journal.h"

#include <algorithm>
#include <system_error>

namespace kernscope::patch {

namespace {

/// Bytes that are read and written at once.
constexpr std::size_t kSaveBlock = std::size_t{1} << 20;

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

Error staleError(const std::string &file, std::string expected, std::string found)
{
    return valueError({file}, "patch.stale", {}, expected, found,
                      "The file on disk is not the one that was opened; open it again");
}

class InPlaceSave
{
public:
    InPlaceSave(const Bundle &bundle, const SaveHook &hook, Progress *progress)
        : m_bundle(bundle), m_hook(hook), m_progress(progress),
          m_journal(journalPath(bundle.path()))
    {
    }

    Result<SaveReport> run(const SaveOptions &options)
    {
        TRY(prepare(options));
        SaveReport saved = report();
        if (m_targets.empty())
            return saved;
        TRY(journal());
        auto done = writeAndVerify();
        if (done)
            done = removeJournal(m_journal, m_written->key);
        if (!done)
            return tl::unexpected(rollBack(std::move(done.error())));
        // From here on the save has succeeded, whatever happens.
        auto last = syncFolder(m_journal.parent_path());
        if (last)
            last = passed(SaveStep::Removed);
        if (!last) {
            saved.warnings.push_back(
                {Severity::Warning,
                 ErrorBuilder(std::move(last.error()))
                     .code("journal.sync")
                     .message(
                         "Saved and verified, but the removal of the journal could not be brought "
                         "to the disk: after a power failure it may come back, and with it the "
                         "offer to undo this save")});
        }
        noteFollower(saved);
        return saved;
    }

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

    /// All that comes before the first byte of the bundle changes.
    Result<void> prepare(const SaveOptions &options)
    {
        auto done = openTargets(options.breakLinks);
        if (done)
            done = passed(SaveStep::Opened);
        if (done && !m_targets.empty())
            done = lock();
        if (done)
            done = passed(SaveStep::Locked);
        if (done && !m_targets.empty())
            done = refusePending();
        for (std::size_t i = 0; done && i < m_targets.size(); ++i)
            done = checkUnchanged(m_targets[i]);
        if (done)
            done = passed(SaveStep::Checked);
        if (done && options.keepBackup && !m_targets.empty()) {
            std::vector<std::filesystem::path> files;
            for (const Target &target : m_targets)
                files.push_back(target.file->file->path());
            auto made = backUp(files);
            if (made)
                m_backups = std::move(*made);
            else
                done = tl::unexpected(std::move(made.error()));
        }
        for (std::size_t i = 0; done && i < m_targets.size(); ++i)
            done = breakLinks(m_targets[i]);
        if (done)
            done = passed(SaveStep::BackedUp);
        return done;
    }

    Result<void> openTargets(bool breakLinks)
    {
        const auto follower = followingFile(m_bundle);
        if (follower) {
            auto own = TRY(followed(m_bundle, *follower));
            m_follower = m_bundle.files()[*follower];
            m_follower->file = std::move(own);
        }
        for (std::size_t i = 0; i < m_bundle.files().size(); ++i) {
            const BundleFile &file = follower == i ? *m_follower : m_bundle.files()[i];
            auto ranges = rangesToWrite(*file.file);
            if (ranges.empty())
                continue;
            if (file.file->path().empty()) {
                return ErrorBuilder("io.write")
                    .file(file.path)
                    .message("The bundle is in memory only; save a copy of it")
                    .unexpected();
            }
            // What is written is the file that was read: never what a link leads to by now.
            std::error_code fault;
            const auto real = std::filesystem::canonical(file.file->path(), fault);
            auto onDisk = TRY(DiskFile::open(fault ? file.file->path() : real,
                                             DiskFile::Mode::Change, file.path));
            if (auto alone = onDisk.checkOnlyName(); !alone && !breakLinks)
                return alone;
            m_targets.push_back({&file, std::move(onDisk), file.file->stamp().value_or(FileStamp()),
                                 std::move(ranges)});
        }
        if (m_progress != nullptr)
            m_progress->setTotal(4 * report().bytesWritten.value);
        return {};
    }

    /// A copy of the file takes the name that the bundle has it by; the others keep the old one.
    Result<void> breakLinks(Target &target)
    {
        if (target.onDisk.checkOnlyName())
            return {};
        std::error_code fault;
        const auto real = std::filesystem::canonical(target.file->file->path(), fault);
        {
            auto place = TRY(OutputPlace::claim(real, OutputKind::File, OutputRules{true, {}}));
            auto copy =
                TRY(DiskFile::open(place.temporary(), DiskFile::Mode::Change, target.file->path));
            TRY(copyContent(target.onDisk, copy, m_progress));
            TRY(checkStamp(target));
            TRY(place.publish());
            m_putBack = true;
            target.onDisk = std::move(copy);
        }
        target.stamp = TRY(target.onDisk.stamp());
        return m_lock.add(real);
    }

    /// The bundle and each file that is going to be written, so that a process that has only one of
    /// the
    /// files open, or another file of the bundle, is kept out as well.
    Result<void> lock()
    {
        auto locked = m_lock.add(m_bundle.path());
        for (const Target &target : m_targets) {
            if (locked)
                locked = m_lock.add(target.file->file->path());
        }
        return locked;
    }

    /// An interrupted save comes first: its journal holds bytes that this one would make
    /// meaningless.
    Result<void> refusePending() const
    {
        const std::vector<SaveKey> keys = pendingSaveKeys();
        struct Place {
            std::filesystem::path journal, bundle;
            const SaveKey *key = nullptr; ///< of a bundle that may have had another name then
        };
        std::vector<Place> places{{m_journal, m_bundle.path()}};
        for (const BundleFile &file : m_bundle.files()) {
            const std::filesystem::path &path = file.file->path();
            places.push_back({journalPath(path), path});
            for (const SaveKey &key : keys) {
                if (key.covers(identityOf(path)))
                    places.push_back({key.journal, m_bundle.path(), &key});
            }
        }
        for (const auto &[place, bundle, key] : places) {
            auto found = findJournal(place, bundle, DiskFile::Lock::Shared);
            if (!found && key != nullptr)
                found = missingJournal(*key);
            if (!found)
                continue;
            const bool unusable = found->state == InterruptedState::Unknown ||
                                  found->state == InterruptedState::Foreign;
            if (unusable && place != m_journal)
                continue;
            const std::string code = "journal." + std::string(interruptedStateName(found->state));
            ErrorBuilder error(std::move(found->error));
            error.code(code);
            if (found->state == InterruptedState::Busy)
                return error.code("patch.busy")
                    .message("Another process is saving this bundle")
                    .unexpected();
            return error
                .message(
                    unusable
                        ? "A file that is not a journal of this bundle has the name that the "
                          "journal of this save needs; move it away, or save a copy"
                        : "Not saved: an earlier save of this bundle was interrupted and must be "
                          "recovered first (kernscope-cli recover PATH), or save a copy")
                .unexpected();
        }
        return {};
    }

    Result<void> checkStamp(const Target &target) const
    {
        const auto stamp = OverlaidFile::stampOf(target.file->file->path());
        const auto opened = target.onDisk.stamp();
        if (stamp == target.stamp && opened && *opened == target.stamp)
            return {};
        const bool size = stamp && stamp->bytes != target.stamp.bytes;
        return tl::unexpected(size ? staleError(target.file->path,
                                                std::to_string(target.stamp.bytes) + " bytes",
                                                std::to_string(stamp->bytes) + " bytes")
                                   : staleError(target.file->path, "the time of its last change",
                                                "a later change, or another file"));
    }

    /// The same file as was mapped, untouched since, and under each change the bytes that were
    /// there.
    Result<void> checkUnchanged(const Target &target) const
    {
        TRY(checkStamp(target));
        const OverlaidFile &overlay = *target.file->file;
        std::vector<std::byte> found(kSaveBlock), mapped(kSaveBlock);
        for (const ByteRange &range : target.ranges) {
            auto same =
                forEachPiece(range, [&](std::uint64_t at, std::size_t count) -> Result<void> {
                    const auto now = std::span(found).first(count);
                    const auto then = std::span(mapped).first(count);
                    overlay.readDisk(FileOffset(at), then);
                    TRY(target.onDisk.readAt(at, now));
                    if (std::equal(then.begin(), then.end(), now.begin()))
                        return advance(count);
                    return tl::unexpected(
                        staleError(target.file->path, "the bytes that were mapped", "other bytes"));
                });
            if (!same)
                return same;
        }
        return {};
    }

    Result<void> journal()
    {
        std::vector<JournalPart> parts;
        for (const Target &target : m_targets) {
            auto path = TRY(entryPath(target));
            parts.push_back({std::move(path), target.file->file.get(), target.ranges});
        }
        auto written = TRY(writeJournal(m_journal, parts));
        m_written.emplace(std::move(written));
        // A cancel that comes now is heard after this step, whose journal has to be removed then.
        (void)advance(report().bytesWritten.value);
        return {};
    }

    /// As the journal names it, links resolved.
    Result<std::string> entryPath(const Target &target) const
    {
        std::error_code fault;
        const auto real = std::filesystem::canonical(target.file->file->path(), fault);
        const auto bundle = std::filesystem::canonical(m_bundle.path(), fault);
        const auto path = real.lexically_relative(journalBase(bundle));
        if (real == bundle)
            return std::string(kBundleItself);
        if (!fault && staysInside(path))
            return path.string();
        return refused({target.file->path}, "io.write", {}, "a file inside of the bundle",
                       real.string(), "The file is a link that leaves the bundle; save a copy");
    }

    Result<void> writeAndVerify()
    {
        auto done = passed(SaveStep::Journalled);
        if (done)
            done = writeRanges();
        for (std::size_t i = 0; done && i < m_targets.size(); ++i)
            done = verify(m_targets[i]);
        return done ? passed(SaveStep::Verified) : done;
    }

    Result<void> writeRanges()
    {
        for (Target &target : m_targets) {
            // Writing the journal took its time.
            TRY(checkStamp(target));
        }
        for (Target &target : m_targets) {
            const auto bytes = target.file->file->bytes();
            for (const ByteRange &range : target.ranges) {
                ++target.begun;
                auto written = forEachPiece(range, [&](std::uint64_t at, std::size_t count) {
                    auto done = target.onDisk.writeAt(at, bytes.subspan(at, count));
                    return done ? advance(count) : done;
                });
                if (written)
                    written = passed(SaveStep::RangeWritten);
                if (!written)
                    return written;
            }
        }
        for (const Target &target : m_targets) {
            TRY(target.onDisk.sync());
        }
        return passed(SaveStep::Synced);
    }

    /// Through another descriptor than the one that wrote, by reading and not by the mapping.
    Result<void> verify(const Target &target) const
    {
        const OverlaidFile &overlay = *target.file->file;
        const auto file =
            TRY(DiskFile::open(overlay.path(), DiskFile::Mode::Read, target.file->path));
        std::vector<std::byte> block(kSaveBlock);
        for (const ByteRange &range : target.ranges) {
            auto same =
                forEachPiece(range, [&](std::uint64_t at, std::size_t count) -> Result<void> {
                    const auto found = std::span(block).first(count);
                    TRY(file.readAt(at, found));
                    if (std::equal(found.begin(), found.end(),
                                   overlay.bytes().begin() + static_cast<std::ptrdiff_t>(at)))
                        return advance(count);
                    return refused({target.file->path, range.offset, range.bytes}, "patch.verify",
                                   {}, {}, {},
                                   "The bytes read back are not those that were written");
                });
            if (!same)
                return same;
        }
        return {};
    }

    /// Writes the old bytes back where new ones were begun. The journal stays where that fails.
    Error rollBack(Error cause)
    {
        Result<void> restored;
        std::vector<std::byte> block(kSaveBlock);
        for (const Target &target : m_targets) {
            m_putBack = m_putBack || target.begun > 0;
            for (std::size_t i = 0; restored && i < target.begun; ++i) {
                restored = forEachPiece(target.ranges[i], [&](std::uint64_t at, std::size_t count) {
                    const auto old = std::span(block).first(count);
                    target.file->file->readDisk(FileOffset(at), old);
                    return target.onDisk.writeAt(at, old);
                });
            }
            if (restored && target.begun > 0)
                restored = target.onDisk.sync();
        }
        if (restored)
            restored = removeJournal(m_journal, m_written->key);
        if (!restored)
            cause.message += "; the old bytes are in the journal beside the bundle "
                             "(kernscope-cli recover PATH)";
        return cause;
    }

    /// What a step's end allows: not after a signal, and not where a test has it fail.
    Result<void> passed(SaveStep step) const
    {
        if (m_hook && !m_hook(step))
            return tl::unexpected(ioError("io.write", "", "The step failed", EIO));
        if (step != SaveStep::Verified && step != SaveStep::Removed && stopped())
            return tl::unexpected(
                cancelledError("The save was interrupted; the files are as they were"));
        return {};
    }

    /// Work that was done on bytes, before the save has succeeded.
    Result<void> advance(std::uint64_t bytes) const
    {
        if (m_progress == nullptr || m_progress->advance(bytes))
            return {};
        return tl::unexpected(
            cancelledError("The save was interrupted; the files are as they were"));
    }

    bool stopped() const
    {
        return m_shield.signalled() || (m_progress != nullptr && m_progress->cancelled());
    }

    SaveReport report() const
    {
        SaveReport report;
        for (const Target &target : m_targets) {
            for (const ByteRange &range : target.ranges) {
                report.ranges.push_back({target.file->path, range});
                report.bytesWritten.value += range.bytes.value;
            }
        }
        report.backups = m_backups;
        report.verified = true;
        return report;
    }

    /// The hash of a module is a key elsewhere: what is known of that is a row of engine_notes.csv.
    void noteFollower(SaveReport &saved) const
    {
        if (!m_follower)
            return;
        std::vector<std::byte> before(m_follower->file->bytes().size());
        m_follower->file->readDisk(FileOffset(0), before);
        for (const format::EngineNote &note : format::engineNotes("aimodel"))
            saved.warnings.push_back(
                {Severity::Note, valueError({m_follower->path, FileOffset(0)}, "aimodel.cache",
                                            note.what, hexBytesText(m_follower->file->bytes(), ""),
                                            hexBytesText(before, ""), note.text)});
    }

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

struct Written {
    Result<SaveReport> report;
    bool putBack = false;
    std::optional<BundleFile> follower;
};

Written write(const Bundle &bundle, const SaveOptions &options, const SaveHook &hook,
              Progress *progress = nullptr)
{
    const BundleReadLock lock(bundle);
    InPlaceSave save(bundle, hook, progress);
    auto report = save.run(options);
    const BundleFile *follower = save.follower();
    return {std::move(report), save.putBack(), follower ? std::optional(*follower) : std::nullopt};
}

/// Tells the overlays what is on disk now.
void finishSave(const Bundle &bundle, bool saved, bool putBack,
                const std::optional<BundleFile> &follower)
{
    for (const BundleFile &file : bundle.files()) {
        const bool follows = follower && follower->path == file.path;
        if (follows && saved) // cannot fail: as many bytes as are there
            static_cast<void>(file.file->write(FileOffset(0), follower->file->bytes()));
        if (!file.file->modified() && !follows)
            continue;
        if (saved)
            file.file->markSaved();
        else if (putBack)
            file.file->restamp();
    }
}

} // namespace

Result<SaveReport> saveInPlace(const Bundle &bundle, const SaveOptions &options,
                               const SaveHook &hook)
{
    auto written = write(bundle, options, hook);
    finishSave(bundle, written.report.has_value(), written.putBack, written.follower);
    return std::move(written.report);
}

} // namespace kernscope::patch

namespace kernscope {

Result<SaveReport> saveInPlace(const Bundle &bundle, const SaveOptions &options)
{
    return patch::saveInPlace(bundle, options, {});
}

Result<SaveReport> saveInPlace(const BundlePtr &bundle, const SaveOptions &options,
                               std::function<void()> &finish, Progress *progress)
{
    auto written = patch::write(*bundle, options, {}, progress);
    finish = [bundle, saved = written.report.has_value(), putBack = written.putBack,
              follower = written.follower] {
        patch::finishSave(*bundle, saved, putBack, follower);
    };
    return std::move(written.report);
}

} // namespace kernscope
