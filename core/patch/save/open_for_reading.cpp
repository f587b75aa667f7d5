// SPDX-License-Identifier: GPL-3.0-or-later
// Opening a bundle beside journals of interrupted saves, without writing.
#include "core/base/find.h"
#include "core/bundle/bundle.h"

#include "core/base/error_builder.h"
#include "core/patch/save/found_journal.h"

#include <algorithm>
#include <system_error>

namespace kernscope {

namespace patch {

namespace {

namespace fs = std::filesystem;

fs::path realPlace(const fs::path &path)
{
    std::error_code fault;
    fs::path real = fs::canonical(path, fault);
    return fault ? path : real;
}

/// "x.mlmodelc" of "x.mlmodelc.kernscope-journal".
fs::path bundleOfJournal(const fs::path &journal)
{
    return journal.parent_path() / journal.stem();
}

bool names(const FoundJournal &journal, const fs::path &place, std::size_t &file)
{
    const auto at = std::ranges::find(journal.places, place);
    file = static_cast<std::size_t>(at - journal.places.begin());
    return at != journal.places.end();
}

/// Whether the first file of a journal is there, of its size: what can be asked of any bundle
/// without reading the whole journal.
bool mayBeOf(const fs::path &journal, const fs::path &bundle)
{
    const auto file = DiskFile::open(journal, DiskFile::Mode::ReadPlain, journal.string());
    const auto size = file ? file->size() : tl::unexpected(file.error());
    if (!size)
        return false;
    const auto first = firstJournalled(
        *size, [&file](std::uint64_t at, std::span<std::byte> to) { return file->readAt(at, to); });
    std::error_code fault;
    return first &&
           fs::file_size(first->path == kBundleItself ? bundle : journalBase(bundle) / first->path,
                         fault) == first->bytes;
}

/// Whether the files of a journal hold some of the old bytes and some of the new ones, and no
/// others.
bool isHalfWritten(const FoundJournal &journal)
{
    bool before = false, after = false;
    for (std::size_t file = 0; file < journal.places.size(); ++file) {
        const auto onDisk = DiskFile::open(journal.places[file], DiskFile::Mode::ReadPlain,
                                           journal.index.files[file].path);
        const auto current = [&onDisk](std::uint64_t at, std::span<std::byte> to) {
            return onDisk->readAt(at, to);
        };
        const auto look = [&](const JournalBlock &block) -> Result<void> {
            for (std::size_t i = 0; i < block.now.size(); ++i) {
                if (block.before[i] != block.after[i])
                    (block.now[i] == block.after[i] ? after : before) = true;
            }
            return checkBlock(journal, file, block);
        };
        if (!onDisk || !forEachBlock(journal, file, current, look))
            return false;
    }
    return before && after;
}

} // namespace

JournalOverlay::JournalOverlay(const fs::path &path, DiskFile::Lock lock, Progress *progress)
    : m_path(path), m_lock(lock), m_progress(progress), m_keys(pendingSaveKeys())
{
}

/// Beside the bundle and each of its files; one that was seen before keeps its state.
void JournalOverlay::look(const fs::path &journal, const fs::path &bundle)
{
    const bool known = std::ranges::any_of(
        m_journals, [&journal](const auto &seen) { return seen.path == journal; });
    if (known)
        return;
    if (auto found = findJournal(journal, bundle, m_lock, m_progress))
        take(std::move(*found));
}

void JournalOverlay::take(FoundJournal found)
{
    m_journals.push_back(std::move(found));
    for (const auto &[place, file] : m_mapped)
        lay(m_journals.back(), place, *file);
}

void JournalOverlay::onMapped(const std::shared_ptr<OverlaidFile> &file)
{
    const fs::path place = realPlace(file->path());
    m_mapped.emplace_back(place, file);
    for (FoundJournal &journal : m_journals)
        lay(journal, place, *file);
    look(journalPath(place), place);
    for (const SaveKey &key : m_keys) {
        const auto known = [&] {
            return std::ranges::any_of(m_journals, [&key](const auto &seen) {
                return seen.key == key.digest || seen.path == key.journal;
            });
        };
        if (known() || !key.covers(identityOf(place)))
            continue;
        // The bundle was renamed since, or only this file of it is opened.
        const fs::path then = bundleOfJournal(key.journal);
        std::error_code fault;
        look(key.journal, fs::exists(then, fault) ? then : m_path);
        if (!known())
            take(missingJournal(key));
    }
}

/// A bundle that was copied, or moved to another disk, has other files than the key of its save
/// names, and the journal lies where the bundle was: what is half written is told by its bytes.
void JournalOverlay::lookForMoved()
{
    const fs::path bundle = realPlace(m_path);
    for (const SaveKey &key : m_keys) {
        std::error_code fault;
        const bool known = std::ranges::any_of(m_journals, [&](const auto &seen) {
            return seen.key == key.digest || seen.path == key.journal;
        });
        if (known || fs::exists(bundleOfJournal(key.journal), fault) ||
            !mayBeOf(key.journal, bundle))
            continue;
        auto found = findJournal(key.journal, m_path, m_lock, m_progress);
        if (found && found->usable() && isHalfWritten(*found))
            take(std::move(*found));
    }
}

/// The old bytes over one file. Where it does not hold what the journal says, all is opened again
/// without that journal.
void JournalOverlay::lay(FoundJournal &journal, const fs::path &place, OverlaidFile &file)
{
    std::size_t index = 0;
    if (!journal.usable() || !names(journal, place, index))
        return;
    const auto current = [&file](std::uint64_t offset, std::span<std::byte> bytes) {
        file.readDisk(FileOffset(offset), bytes);
        return Result<void>();
    };
    auto laid = file.size().value == journal.index.files[index].bytes
                    ? Result<void>()
                    : tl::unexpected(
                          valueError("journal.stale", "", "the size of then", "another size", ""));
    if (laid)
        laid = forEachBlock(journal, index, current, [&](const JournalBlock &block) {
            return checkBlock(journal, index, block);
        });
    if (laid)
        laid = forEachBlock(journal, index, current, [&file](const JournalBlock &block) {
            return file.restoreUnder(FileOffset(block.offset), block.before);
        });
    if (laid)
        return;
    journal.become(InterruptedState::Stale, std::move(laid.error()));
    m_again = true;
}

/// A journal with its suffix is none of the bundle's content; a file that only has the name is.
bool JournalOverlay::isJournal(const fs::path &path)
{
    if (path.extension() != kJournalSuffix)
        return false;
    const fs::path place = realPlace(path.parent_path()) / path.filename();
    look(place, bundleOfJournal(place));
    return std::ranges::any_of(m_journals, [&place](const auto &journal) {
        return journal.path == place && journal.state != InterruptedState::Unknown;
    });
}

Diagnostics JournalOverlay::notes() const
{
    Diagnostics rows;
    for (const FoundJournal &journal : m_journals) {
        const InterruptedSave save = journal.described();
        rows.push_back({save.severity(), save.error});
    }
    return rows;
}

Result<BundlePtr> JournalOverlay::open()
{
    OpenOptions options;
    options.mapped = [this](const auto &file) { onMapped(file); };
    options.leftOut = [this](const fs::path &place) { return isJournal(place); };
    options.notes = [this] { return notes(); };
    look(journalPath(m_path), m_path);
    lookForMoved();
    for (;;) {
        m_again = false;
        m_mapped.clear();
        auto bundle = Bundle::open(m_path, options);
        // Each turn takes a journal out of use, so this ends.
        if (!m_again)
            return bundle;
    }
}

Result<std::shared_ptr<OverlaidFile>> JournalOverlay::openFile()
{
    for (;;) {
        m_again = false;
        m_mapped.clear();
        auto file = TRY(OverlaidFile::open(m_path, m_path.filename().string()));
        onMapped(file);
        if (!m_again)
            return file;
    }
}

} // namespace patch

const Error *OpenedForReading::fault() const
{
    const auto *save = findBy(saves, &InterruptedSave::severity, Severity::Error);
    return !save ? nullptr : &save->error;
}

Result<FileForReading> openFileForReading(const std::filesystem::path &path)
{
    patch::JournalOverlay overlay(path, patch::DiskFile::Lock::Shared);
    auto file = TRY(overlay.openFile());
    return FileForReading{std::move(file), overlay.notes()};
}

OpenedForReading openForReading(const std::filesystem::path &path, Progress *progress)
{
    patch::JournalOverlay overlay(path, patch::DiskFile::Lock::Shared, progress);
    OpenedForReading opened{overlay.open(), {}};
    for (const patch::FoundJournal &journal : overlay.journals()) {
        opened.saves.push_back(journal.described());
        if (!opened.bundle && journal.state != InterruptedState::Unknown)
            opened.bundle.error().message +=
                " (" + journal.error.file + ": " + journal.error.message + ")";
    }
    return opened;
}

} // namespace kernscope
