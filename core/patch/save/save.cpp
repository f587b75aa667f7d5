// SPDX-License-Identifier: GPL-3.0-or-later
// Saving in place: check, back up, journal, write, bring to the disk, read back, remove the
// journal.
#include "core/patch/patch.h"
#include "core/patch/save/file_io.h"
#include "core/patch/save/journal.h"
#include "core/patch/save_steps.h"

#include <algorithm>
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
};

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
    Result<void> openTargets();
    Result<void> checkUnchanged(const Target &target) const;
    Result<void> backUp(const Target &target) const;
    Result<void> journal();
    Result<std::string> entryPath(const Target &target) const;
    Result<void> writeRanges();
    Result<void> verify(const Target &target) const;
    Error rollBack(Error cause);
    Result<void> passed(SaveStep step) const;

    const Bundle &m_bundle;
    const SaveHook &m_hook;
    fs::path m_journal;
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
        auto ranges = file.file->changedRanges();
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
        if (auto same = checkUnchanged(m_targets.back()); !same)
            return same;
    }
    return {};
}

/// The same file as was mapped, untouched since, and under each change the bytes that were there.
Result<void> InPlaceSave::checkUnchanged(const Target &target) const
{
    const OverlaidFile &overlay = *target.file->file;
    const auto stamp = OverlaidFile::stampOf(overlay.path());
    if (!stamp || !overlay.stamp() || *stamp != *overlay.stamp()) {
        const bool size = stamp && overlay.stamp() && stamp->bytes != overlay.stamp()->bytes;
        return tl::unexpected(size ? staleError(target.file->path,
                                                std::to_string(overlay.stamp()->bytes) + " bytes",
                                                std::to_string(stamp->bytes) + " bytes")
                                   : staleError(target.file->path, "the time of its last change",
                                                "a later change, or another file"));
    }
    std::vector<std::byte> block(kBlock);
    for (const ByteRange &range : target.ranges) {
        const auto mapped = overlay.diskBytes(range);
        for (std::size_t at = 0; at < mapped.size(); at += kBlock) {
            const auto part = mapped.subspan(at, std::min(kBlock, mapped.size() - at));
            const auto found = std::span(block).first(part.size());
            if (auto read = target.onDisk.readAt(range.offset.value + at, found); !read)
                return read;
            if (!std::equal(part.begin(), part.end(), found.begin()))
                return tl::unexpected(
                    staleError(target.file->path, "the bytes that were mapped", "other bytes"));
        }
    }
    return {};
}

Result<void> InPlaceSave::backUp(const Target &target) const
{
    fs::path backup = target.file->file->path();
    backup += ".bak";
    std::error_code fault;
    if (fs::exists(fs::symlink_status(backup, fault)))
        return {};
    fs::path unfinished = backup;
    unfinished += ".new";
    fs::remove(unfinished, fault);
    fs::copy_file(target.file->file->path(), unfinished, fault);
    if (!fault) {
        auto file = File::open(unfinished, File::Mode::Change, unfinished.filename().string());
        auto synced = file ? file->sync() : tl::unexpected(file.error());
        if (!synced)
            return synced;
        fs::rename(unfinished, backup, fault);
    }
    if (fault) {
        std::error_code ignored;
        fs::remove(unfinished, ignored);
        return tl::unexpected(ioError("io.write", backup.filename().string(),
                                      "The backup cannot be made", fault.value()));
    }
    return syncFolder(backup.parent_path());
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
    std::vector<JournalEntry> entries;
    for (const Target &target : m_targets) {
        const OverlaidFile &overlay = *target.file->file;
        const auto path = entryPath(target);
        if (!path)
            return tl::unexpected(path.error());
        for (const ByteRange &range : target.ranges) {
            entries.push_back({*path, overlay.size().value, range.offset.value,
                               overlay.diskBytes(range),
                               overlay.bytes().subspan(range.offset.value, range.bytes.value)});
        }
    }
    auto file = writeJournal(m_journal, entries);
    if (!file)
        return tl::unexpected(std::move(file.error()));
    m_journalFile = std::move(*file);
    return {};
}

Result<void> InPlaceSave::writeRanges()
{
    for (const Target &target : m_targets) {
        const auto bytes = target.file->file->bytes();
        for (const ByteRange &range : target.ranges) {
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
        const auto wanted = overlay.bytes().subspan(range.offset.value, range.bytes.value);
        for (std::size_t at = 0; at < wanted.size(); at += kBlock) {
            const auto part = wanted.subspan(at, std::min(kBlock, wanted.size() - at));
            const auto found = std::span(block).first(part.size());
            if (auto read = file->readAt(range.offset.value + at, found); !read)
                return read;
            if (std::equal(part.begin(), part.end(), found.begin()))
                continue;
            Error error;
            error.code = "patch.verify";
            error.file = target.file->path;
            error.offset = range.offset;
            error.length = range.bytes;
            error.message = "The bytes read back are not those that were written";
            return tl::unexpected(std::move(error));
        }
    }
    return {};
}

/// Writes the old bytes back. The journal stays where that fails, for the next opening.
Error InPlaceSave::rollBack(Error cause)
{
    m_putBack = true;
    Result<void> restored;
    for (const Target &target : m_targets) {
        for (const ByteRange &range : target.ranges) {
            if (restored)
                restored =
                    target.onDisk.writeAt(range.offset.value, target.file->file->diskBytes(range));
        }
        if (restored)
            restored = target.onDisk.sync();
    }
    if (restored)
        restored = removeJournal(m_journal);
    if (!restored)
        cause.message += "; the old bytes are in the journal beside the bundle and come back when "
                         "it is opened again";
    return cause;
}

Result<SaveReport> InPlaceSave::run(bool keepBackup)
{
    SaveReport report;
    report.ranges = pendingRanges(m_bundle);
    if (auto opened = openTargets(); !opened)
        return tl::unexpected(std::move(opened.error()));
    if (auto go = passed(SaveStep::Checked); !go)
        return tl::unexpected(std::move(go.error()));
    for (const Target &target : m_targets) {
        if (!keepBackup)
            break;
        if (auto kept = backUp(target); !kept)
            return tl::unexpected(std::move(kept.error()));
    }
    if (auto go = passed(SaveStep::BackedUp); !go)
        return tl::unexpected(std::move(go.error()));
    if (!m_targets.empty()) {
        if (auto kept = journal(); !kept)
            return tl::unexpected(std::move(kept.error()));
        auto done = passed(SaveStep::Journalled);
        if (done)
            done = writeRanges();
        for (std::size_t i = 0; done && i < m_targets.size(); ++i)
            done = verify(m_targets[i]);
        if (done)
            done = passed(SaveStep::Verified);
        if (!done)
            return tl::unexpected(rollBack(std::move(done.error())));
        if (auto removed = removeJournal(m_journal); !removed)
            return tl::unexpected(std::move(removed.error()));
        if (auto go = passed(SaveStep::Removed); !go)
            return tl::unexpected(std::move(go.error()));
    }
    for (const WrittenRange &range : report.ranges)
        report.bytesWritten.value += range.range.bytes.value;
    report.verified = true;
    return report;
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
