// SPDX-License-Identifier: GPL-3.0-or-later
// Saving in place, from the journal on.
#include "core/base/error_builder.h"
#include "core/base/text.h"
#include "core/bundle/bundle.h"
#include "core/format/catalogue.h"
#include "core/patch/aside.h"
#include "core/patch/patch.h"
#include "core/patch/save/in_place_save.h"
#include "core/patch/save/journal.h"

#include <algorithm>
#include <cerrno>

namespace kernscope {

namespace patch {

/// What a step's end allows: not after a signal, and not where a test has it fail.
Result<void> InPlaceSave::passed(SaveStep step) const
{
    if (m_hook && !m_hook(step))
        return tl::unexpected(ioError("io.write", "", "The step failed", EIO));
    if (step != SaveStep::Verified && step != SaveStep::Removed && stopped())
        return tl::unexpected(
            cancelledError("The save was interrupted; the files are as they were"));
    return {};
}

bool InPlaceSave::stopped() const
{
    return m_shield.signalled() || (m_progress != nullptr && m_progress->cancelled());
}

/// Work that was done on bytes, before the save has succeeded.
Result<void> InPlaceSave::advance(std::uint64_t bytes) const
{
    if (m_progress == nullptr || m_progress->advance(bytes))
        return {};
    return tl::unexpected(cancelledError("The save was interrupted; the files are as they were"));
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
        if (auto synced = target.onDisk.sync(); !synced)
            return synced;
    }
    return passed(SaveStep::Synced);
}

/// Through another descriptor than the one that wrote, by reading and not by the mapping.
Result<void> InPlaceSave::verify(const Target &target) const
{
    const OverlaidFile &overlay = *target.file->file;
    const auto file = DiskFile::open(overlay.path(), DiskFile::Mode::Read, target.file->path);
    if (!file)
        return tl::unexpected(file.error());
    std::vector<std::byte> block(kSaveBlock);
    for (const ByteRange &range : target.ranges) {
        auto same = forEachPiece(range, [&](std::uint64_t at, std::size_t count) -> Result<void> {
            const auto found = std::span(block).first(count);
            if (auto read = file->readAt(at, found); !read)
                return read;
            if (std::equal(found.begin(), found.end(),
                           overlay.bytes().begin() + static_cast<std::ptrdiff_t>(at)))
                return advance(count);
            return ErrorBuilder("patch.verify")
                .file(target.file->path)
                .at(range.offset)
                .length(range.bytes)
                .message("The bytes read back are not those that were written")
                .unexpected();
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
    report.backups = m_backups;
    report.verified = true;
    return report;
}

Result<SaveReport> InPlaceSave::run(const SaveOptions &options)
{
    if (auto ready = prepare(options); !ready)
        return tl::unexpected(std::move(ready.error()));
    SaveReport saved = report();
    if (m_targets.empty())
        return saved;
    if (auto kept = journal(); !kept)
        return tl::unexpected(std::move(kept.error()));
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
                 .message("Saved and verified, but the removal of the journal could not be brought "
                          "to the disk: after a power failure it may come back, and with it the "
                          "offer to undo this save")});
    }
    noteFollower(saved);
    return saved;
}

/// The hash of a module is a key elsewhere: what is known of that is a row of engine_notes.csv.
void InPlaceSave::noteFollower(SaveReport &saved) const
{
    if (!m_follower)
        return;
    std::vector<std::byte> before(m_follower->file->bytes().size());
    m_follower->file->readDisk(FileOffset(0), before);
    for (const format::EngineNote &note : format::engineNotes("aimodel"))
        saved.warnings.push_back(
            {Severity::Note, ErrorBuilder("aimodel.cache")
                                 .file(m_follower->path)
                                 .at(FileOffset(0))
                                 .field(note.what)
                                 .expected(hexBytesText(m_follower->file->bytes(), ""))
                                 .found(hexBytesText(before, ""))
                                 .message(note.text)});
}

namespace {

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

} // namespace patch

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

Result<SaveReport> saveInPlace(const BundlePtr &bundle, const SaveOptions &options,
                               std::function<void()> &finish)
{
    return saveInPlace(bundle, options, finish, nullptr);
}

} // namespace kernscope
