// SPDX-License-Identifier: GPL-3.0-or-later
// Saving in place: open, lock, check, back up, journal, write, bring to the disk, read back, remove
// the journal.
#include "core/patch/patch.h"
#include "core/patch/plan/pending.h"
#include "core/patch/save/backup.h"
#include "core/patch/save/file_io.h"
#include "core/patch/save/found_journal.h"
#include "core/patch/save/journal.h"
#include "core/patch/save_steps.h"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>

namespace kernscope {

namespace patch {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBlock = std::size_t{1} << 20;

Error staleError(const std::string &file, std::string expected, std::string found)
{
    Error error;
    error.code = "patch.stale";
    error.file = file;
    error.expected = std::move(expected);
    error.found = std::move(found);
    error.message = "The file on disk is not the one that was opened; open it again";
    return error;
}

/// One file that has changes.
struct Target {
    const BundleFile *file = nullptr;
    File onDisk;
    std::vector<ByteRange> ranges;
    std::size_t begun = 0; ///< ranges whose writing was begun
};

/// Calls `visit(at, count)` for the blocks of a run.
template <class Visit>
Result<void> forEachPiece(ByteRange range, const Visit &visit)
{
    for (std::uint64_t at = range.offset.value; at < range.end(); at += kBlock) {
        const auto count =
            static_cast<std::size_t>(std::min<std::uint64_t>(kBlock, range.end() - at));
        if (auto done = visit(at, count); !done)
            return done;
    }
    return {};
}

class InPlaceSave
{
public:
    InPlaceSave(const Bundle &bundle, const SaveHook &hook)
        : m_bundle(bundle), m_hook(hook), m_journal(journalPath(bundle.path()))
    {
    }

    Result<SaveReport> run(bool keepBackup);
    /// Files were written and put back: their times on disk are not those of the mapping any more.
    bool putBack() const { return m_putBack; }

private:
    Result<void> prepare(bool keepBackup);
    Result<void> openTargets();
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
    SaveReport report() const;

    const Bundle &m_bundle;
    const SaveHook &m_hook;
    fs::path m_journal;
    SaveLock m_lock;
    std::vector<Target> m_targets;
    std::optional<File> m_journalFile; ///< locked as long as the save goes on
    bool m_putBack = false;
    SignalShield m_shield;
};

/// What a step's end allows: not after a signal, and not where a test has it fail.
Result<void> InPlaceSave::passed(SaveStep step) const
{
    if (m_hook && !m_hook(step))
        return tl::unexpected(ioError("io.write", "", "The step failed", EIO));
    if (step != SaveStep::Verified && step != SaveStep::Removed && m_shield.signalled())
        return tl::unexpected(
            cancelledError("The save was interrupted; the files are as they were"));
    return {};
}

Result<void> InPlaceSave::openTargets()
{
    for (const BundleFile &file : m_bundle.files()) {
        auto ranges = rangesToWrite(*file.file);
        if (ranges.empty())
            continue;
        if (file.file->path().empty()) {
            Error error;
            error.code = "io.write";
            error.file = file.path;
            error.message = "The bundle is in memory only; save a copy of it";
            return tl::unexpected(std::move(error));
        }
        auto onDisk = File::open(file.file->path(), File::Mode::Change, file.path);
        if (!onDisk)
            return tl::unexpected(std::move(onDisk.error()));
        m_targets.push_back({&file, std::move(*onDisk), std::move(ranges)});
    }
    return {};
}

/// The bundle and each file that is going to be written, so that whoever has only one of the files
/// open, or another file of the bundle, is kept out as well.
Result<void> InPlaceSave::lock()
{
    auto locked = m_lock.add(m_bundle.path());
    for (const Target &target : m_targets) {
        if (locked)
            locked = m_lock.add(target.file->file->path());
    }
    return locked;
}

/// An interrupted save comes first: its journal holds bytes that this one would make meaningless.
Result<void> InPlaceSave::refusePending() const
{
    std::vector<fs::path> places{m_journal};
    for (const BundleFile &file : m_bundle.files())
        places.push_back(journalPath(file.file->path()));
    for (const fs::path &place : places) {
        auto found = findJournal(place, File::Lock::Shared);
        if (!found)
            continue;
        const bool unusable =
            found->state == InterruptedState::Unknown || found->state == InterruptedState::Foreign;
        if (unusable && place != m_journal)
            continue;
        Error error = std::move(found->error);
        if (found->state == InterruptedState::Busy) {
            error.code = "patch.busy";
            error.message = "Another process is saving this bundle";
        } else if (unusable) {
            error.message = "A file that is no journal of this bundle has the name that the "
                            "journal of this save "
                            "needs; move it away, or save a copy";
        } else {
            error.message = "Not saved: an earlier save of this bundle was interrupted and must be "
                            "recovered first (kernscope-cli recover PATH), or save a copy";
        }
        return tl::unexpected(std::move(error));
    }
    return {};
}

Result<void> InPlaceSave::checkStamp(const Target &target) const
{
    const OverlaidFile &overlay = *target.file->file;
    const auto stamp = OverlaidFile::stampOf(overlay.path());
    if (stamp && overlay.stamp() && *stamp == *overlay.stamp())
        return {};
    const bool size = stamp && overlay.stamp() && stamp->bytes != overlay.stamp()->bytes;
    return tl::unexpected(size ? staleError(target.file->path,
                                            std::to_string(overlay.stamp()->bytes) + " bytes",
                                            std::to_string(stamp->bytes) + " bytes")
                               : staleError(target.file->path, "the time of its last change",
                                            "a later change, or another file"));
}

/// The same file as was mapped, untouched since, and under each change the bytes that were there.
Result<void> InPlaceSave::checkUnchanged(const Target &target) const
{
    if (auto same = checkStamp(target); !same)
        return same;
    const OverlaidFile &overlay = *target.file->file;
    std::vector<std::byte> found(kBlock), mapped(kBlock);
    for (const ByteRange &range : target.ranges) {
        auto same = forEachPiece(range, [&](std::uint64_t at, std::size_t count) -> Result<void> {
            const auto now = std::span(found).first(count);
            const auto then = std::span(mapped).first(count);
            overlay.readDisk(FileOffset(at), then);
            if (auto read = target.onDisk.readAt(at, now); !read)
                return read;
            if (std::equal(then.begin(), then.end(), now.begin()))
                return {};
            return tl::unexpected(
                staleError(target.file->path, "the bytes that were mapped", "other bytes"));
        });
        if (!same)
            return same;
    }
    return {};
}

/// Relative to the journal's folder, links resolved.
Result<std::string> InPlaceSave::entryPath(const Target &target) const
{
    std::error_code fault;
    const auto real = fs::canonical(target.file->file->path(), fault);
    const auto path = real.lexically_relative(m_journal.parent_path());
    if (!fault && staysInside(path))
        return path.string();
    Error error;
    error.code = "io.write";
    error.file = target.file->path;
    error.expected = "a file inside of the bundle";
    error.found = real.string();
    error.message = "The file is a link that leaves the bundle; save a copy";
    return tl::unexpected(std::move(error));
}

Result<void> InPlaceSave::journal()
{
    std::vector<JournalPart> parts;
    for (const Target &target : m_targets) {
        auto path = entryPath(target);
        if (!path)
            return tl::unexpected(path.error());
        parts.push_back({std::move(*path), target.file->file.get(), target.ranges});
    }
    auto file = writeJournal(m_journal, parts);
    if (!file)
        return tl::unexpected(std::move(file.error()));
    m_journalFile = std::move(*file);
    return {};
}

Result<void> InPlaceSave::writeRanges()
{
    for (Target &target : m_targets) {
        // Writing the journal took its time.
        if (auto same = checkStamp(target); !same)
            return same;
    }
    for (Target &target : m_targets) {
        const auto bytes = target.file->file->bytes();
        for (const ByteRange &range : target.ranges) {
            ++target.begun;
            auto written = target.onDisk.writeAt(
                range.offset.value, bytes.subspan(range.offset.value, range.bytes.value));
            if (written)
                written = passed(SaveStep::RangeWritten);
            if (!written)
                return written;
        }
    }
    for (const Target &target : m_targets) {
        if (auto synced = target.onDisk.sync(); !synced)
            return synced;
    }
    return passed(SaveStep::Synced);
}

/// Through another descriptor than the one that wrote, by reading and not by the mapping.
Result<void> InPlaceSave::verify(const Target &target) const
{
    const OverlaidFile &overlay = *target.file->file;
    const auto file = File::open(overlay.path(), File::Mode::Read, target.file->path);
    if (!file)
        return tl::unexpected(file.error());
    std::vector<std::byte> block(kBlock);
    for (const ByteRange &range : target.ranges) {
        auto same = forEachPiece(range, [&](std::uint64_t at, std::size_t count) -> Result<void> {
            const auto found = std::span(block).first(count);
            if (auto read = file->readAt(at, found); !read)
                return read;
            if (std::equal(found.begin(), found.end(),
                           overlay.bytes().begin() + static_cast<std::ptrdiff_t>(at)))
                return {};
            Error error;
            error.code = "patch.verify";
            error.file = target.file->path;
            error.offset = range.offset;
            error.length = range.bytes;
            error.message = "The bytes read back are not those that were written";
            return tl::unexpected(std::move(error));
        });
        if (!same)
            return same;
    }
    return {};
}

/// Writes the old bytes back where new ones were begun. The journal stays where that fails.
Error InPlaceSave::rollBack(Error cause)
{
    Result<void> restored;
    std::vector<std::byte> block(kBlock);
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
        restored = removeJournal(m_journal);
    if (!restored)
        cause.message += "; the old bytes are in the journal beside the bundle "
                         "(kernscope-cli recover PATH)";
    return cause;
}

/// All that comes before the first byte of the bundle changes.
Result<void> InPlaceSave::prepare(bool keepBackup)
{
    auto done = openTargets();
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
    for (std::size_t i = 0; done && keepBackup && i < m_targets.size(); ++i)
        done = backUp(m_targets[i].file->file->path());
    if (done)
        done = passed(SaveStep::BackedUp);
    return done;
}

Result<void> InPlaceSave::writeAndVerify()
{
    auto done = passed(SaveStep::Journalled);
    if (done)
        done = writeRanges();
    for (std::size_t i = 0; done && i < m_targets.size(); ++i)
        done = verify(m_targets[i]);
    return done ? passed(SaveStep::Verified) : done;
}

SaveReport InPlaceSave::report() const
{
    SaveReport report;
    for (const Target &target : m_targets) {
        for (const ByteRange &range : target.ranges) {
            report.ranges.push_back({target.file->path, range});
            report.bytesWritten.value += range.bytes.value;
        }
    }
    report.verified = true;
    return report;
}

Result<SaveReport> InPlaceSave::run(bool keepBackup)
{
    if (auto ready = prepare(keepBackup); !ready)
        return tl::unexpected(std::move(ready.error()));
    SaveReport saved = report();
    if (m_targets.empty())
        return saved;
    if (auto kept = journal(); !kept)
        return tl::unexpected(std::move(kept.error()));
    auto done = writeAndVerify();
    if (done)
        done = removeJournal(m_journal);
    if (!done)
        return tl::unexpected(rollBack(std::move(done.error())));
    // From here on the save has succeeded, whatever happens.
    auto last = syncFolder(m_journal.parent_path());
    if (last)
        last = passed(SaveStep::Removed);
    if (!last) {
        Error error = std::move(last.error());
        error.code = "journal.sync";
        error.message =
            "Saved and verified, but the removal of the journal could not be brought to "
            "the disk: after a power failure it may come back, and with it the offer "
            "to undo this save";
        saved.warnings.push_back({Severity::Warning, std::move(error)});
    }
    return saved;
}

} // namespace

namespace {

struct Written {
    Result<SaveReport> report;
    bool putBack = false;
};

Written write(const Bundle &bundle, bool keepBackup, const SaveHook &hook)
{
    const BundleReadLock lock(bundle);
    InPlaceSave save(bundle, hook);
    auto report = save.run(keepBackup);
    return {std::move(report), save.putBack()};
}

/// Tells the overlays what is on disk now.
void settle(const Bundle &bundle, bool saved, bool putBack)
{
    for (const BundleFile &file : bundle.files()) {
        if (!file.file->modified())
            continue;
        if (saved)
            file.file->markSaved();
        else if (putBack)
            file.file->restamp();
    }
}

} // namespace

Result<SaveReport> saveInPlace(const Bundle &bundle, bool keepBackup, const SaveHook &hook)
{
    auto written = write(bundle, keepBackup, hook);
    settle(bundle, written.report.has_value(), written.putBack);
    return std::move(written.report);
}

} // namespace patch

Result<SaveReport> saveInPlace(const Bundle &bundle, bool keepBackup)
{
    return patch::saveInPlace(bundle, keepBackup, {});
}

Result<SaveReport> saveInPlace(const BundlePtr &bundle, bool keepBackup,
                               std::function<void()> &settle)
{
    auto written = patch::write(*bundle, keepBackup, {});
    settle = [bundle, saved = written.report.has_value(), putBack = written.putBack] {
        patch::settle(*bundle, saved, putBack);
    };
    return std::move(written.report);
}

} // namespace kernscope
