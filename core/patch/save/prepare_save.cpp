// SPDX-License-Identifier: GPL-3.0-or-later
// All of a save in place that comes before the first byte of the bundle changes.
#include "core/bundle/bundle.h"
#include "core/patch/plan/pending.h"

#include "core/base/error_builder.h"
#include "core/patch/save/backup.h"
#include "core/patch/save/found_journal.h"
#include "core/patch/save/in_place_save.h"
#include "core/patch/save/journal.h"

#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>

namespace kernscope::patch {

namespace {

Error staleError(const std::string &file, std::string expected, std::string found)
{
    return ErrorBuilder("patch.stale")
        .file(file)
        .expected(std::move(expected))
        .found(std::move(found))
        .message("The file on disk is not the one that was opened; open it again");
}

} // namespace

Result<void> InPlaceSave::openTargets()
{
    for (const BundleFile &file : m_bundle.files()) {
        auto ranges = rangesToWrite(*file.file);
        if (ranges.empty())
            continue;
        if (file.file->path().empty()) {
            return ErrorBuilder("io.write")
                .file(file.path)
                .message("The bundle is in memory only; save a copy of it")
                .unexpected();
        }
        auto onDisk = DiskFile::open(file.file->path(), DiskFile::Mode::Change, file.path);
        if (!onDisk)
            return tl::unexpected(std::move(onDisk.error()));
        m_targets.push_back({&file, std::move(*onDisk), std::move(ranges)});
    }
    if (m_progress != nullptr)
        m_progress->setTotal(4 * report().bytesWritten.value);
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
    std::vector<std::filesystem::path> places{m_journal};
    for (const BundleFile &file : m_bundle.files())
        places.push_back(journalPath(file.file->path()));
    for (const std::filesystem::path &place : places) {
        auto found = findJournal(place, DiskFile::Lock::Shared);
        if (!found)
            continue;
        const bool unusable =
            found->state == InterruptedState::Unknown || found->state == InterruptedState::Foreign;
        if (unusable && place != m_journal)
            continue;
        ErrorBuilder error(std::move(found->error));
        if (found->state == InterruptedState::Busy)
            return error.code("patch.busy")
                .message("Another process is saving this bundle")
                .unexpected();
        return error
            .message(unusable
                         ? "A file that is no journal of this bundle has the name that the "
                           "journal of this save needs; move it away, or save a copy"
                         : "Not saved: an earlier save of this bundle was interrupted and must be "
                           "recovered first (kernscope-cli recover PATH), or save a copy")
            .unexpected();
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
    std::vector<std::byte> found(kSaveBlock), mapped(kSaveBlock);
    for (const ByteRange &range : target.ranges) {
        auto same = forEachPiece(range, [&](std::uint64_t at, std::size_t count) -> Result<void> {
            const auto now = std::span(found).first(count);
            const auto then = std::span(mapped).first(count);
            overlay.readDisk(FileOffset(at), then);
            if (auto read = target.onDisk.readAt(at, now); !read)
                return read;
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

/// Relative to the journal's folder, links resolved.
Result<std::string> InPlaceSave::entryPath(const Target &target) const
{
    std::error_code fault;
    const auto real = std::filesystem::canonical(target.file->file->path(), fault);
    const auto path = real.lexically_relative(m_journal.parent_path());
    if (!fault && staysInside(path))
        return path.string();
    return ErrorBuilder("io.write")
        .file(target.file->path)
        .expected("a file inside of the bundle")
        .found(real.string())
        .message("The file is a link that leaves the bundle; save a copy")
        .unexpected();
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
    // Whoever cancels now is heard after this step, whose journal has to be removed then.
    (void)advance(report().bytesWritten.value);
    return {};
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

} // namespace kernscope::patch
