// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/save/found_journal.h"

#include "core/base/error_builder.h"
#include "core/base/sha256.h"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>

namespace kernscope {

std::string_view interruptedStateName(InterruptedState state)
{
    constexpr std::array<std::string_view, 6> kNames{"pending", "busy",    "damaged",
                                                     "stale",   "foreign", "unknown"};
    return kNames[static_cast<std::size_t>(state)];
}

Severity InterruptedSave::severity() const
{
    switch (state) {
    case InterruptedState::Unknown: return Severity::Note;
    case InterruptedState::Busy: return Severity::Warning;
    case InterruptedState::Pending:
    case InterruptedState::Damaged:
    case InterruptedState::Stale:
    case InterruptedState::Foreign: break;
    }
    return Severity::Error;
}

namespace patch {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kCompareBlock = std::size_t{1} << 18;

std::string_view sentenceOf(InterruptedState state)
{
    switch (state) {
    case InterruptedState::Pending:
        return "A save of this bundle was interrupted. It is shown as it was before that save; "
               "the files are half written until it is recovered: kernscope-cli recover PATH";
    case InterruptedState::Busy:
        return "Another process is saving this bundle. It is shown as it was before that save";
    case InterruptedState::Damaged:
        return "The journal of an interrupted save is damaged: the files may be half written, and "
               "are shown as they are. kernscope-cli recover --discard PATH removes the journal";
    case InterruptedState::Stale:
        return "The files were changed since a save of them was interrupted: they are shown as "
               "they are. kernscope-cli recover --discard PATH removes the journal";
    case InterruptedState::Foreign:
        return "A pending save journal of another user, machine or origin lies here: it is not "
               "used, and the files are shown as they are on the disk. They may be half written; "
               "kernscope-cli recover --discard PATH removes the journal";
    case InterruptedState::Unknown: break;
    }
    return "A file with the name of a journal that is none; it is left as it is";
}

/// The files that it names: there, of the size that it says, and not through links.
Result<void> resolve(FoundJournal &found, const fs::path &given)
{
    std::error_code fault;
    const fs::path bundle = fs::canonical(given, fault), folder = journalBase(bundle);
    for (const JournalledFile &file : found.index.files) {
        fs::path place =
            file.path == kBundleItself ? bundle : (folder / file.path).lexically_normal();
        const auto real = fs::canonical(place, fault);
        if (fault || real != place || !fs::is_regular_file(real, fault)) {
            return refused({file.path}, "journal.stale", {}, "a file of the bundle",
                           fault ? fault.message() : real.string(), {});
        }
        const auto bytes = fs::file_size(real, fault);
        if (fault || bytes != file.bytes) {
            return refused({file.path}, "journal.stale", {}, fmt::format("{} bytes", file.bytes),
                           fault ? fault.message() : fmt::format("{} bytes", bytes), {});
        }
        found.stamps.push_back(FileStamp::of(place).value_or(FileStamp()));
        found.places.push_back(std::move(place));
    }
    return {};
}

InterruptedState stateOf(const Error &error)
{
    if (error.code == "journal.unknown")
        return InterruptedState::Unknown;
    if (error.code == "journal.stale")
        return InterruptedState::Stale;
    return InterruptedState::Damaged;
}

/// Whether a journal without a key is a damaged one of the user's own is asked up to this size.
constexpr std::uint64_t kMostForeignBytes = std::uint64_t{64} << 20;

void examine(FoundJournal &found, const fs::path &bundle, DiskFile::Lock lock, Progress *progress)
{
    const auto size = found.file->size();
    Sha256::Digest digest{};
    auto checked = size ? checkJournalHead(*size, found.reader()) : tl::unexpected(size.error());
    if (checked)
        checked = found.file->readAt(*size - digest.size(), digest);
    if (!checked)
        return found.become(stateOf(checked.error()), checked.error());
    const std::string key = Sha256::textOf(digest);
    const bool own = hasSaveKey(key) && found.file->ownedByUser();
    if (own)
        found.key = key;
    // The digest is looked at before anything else that a journal says.
    if (own || (found.file->ownedByUser() && *size <= kMostForeignBytes))
        checked = checkJournalDigest(*size, found.reader(), progress);
    if (checked && !own) {
        return found.become(InterruptedState::Foreign,
                            valueError("", {}, "the journal of a save that this user made here",
                                       found.file->ownedByUser() ? "a journal without its key"
                                                                 : "one of another user",
                                       {}));
    }
    auto index = checked ? indexJournal(*size, found.reader())
                         : Result<JournalIndex>(tl::unexpected(checked.error()));
    if (!index)
        return found.become(stateOf(index.error()), index.error());
    found.index = std::move(*index);
    checked = resolve(found, bundle);
    if (!checked)
        return found.become(stateOf(checked.error()), checked.error());
    const bool locked = found.file->tryLock(lock);
    found.become(locked ? InterruptedState::Pending : InterruptedState::Busy);
}

} // namespace

JournalReader FoundJournal::reader() const
{
    return [this](std::uint64_t offset, std::span<std::byte> bytes) {
        return file->readAt(offset, bytes);
    };
}

void FoundJournal::become(InterruptedState newState, Error cause)
{
    state = newState;
    // A stale journal's error names the file that differs.
    const bool named = !cause.file.empty() && state == InterruptedState::Stale;
    std::string name = named ? cause.file : path.filename().string();
    const bool foreign = state == InterruptedState::Foreign;
    if (foreign)
        cause.field = kForeignJournal;
    error = ErrorBuilder(std::move(cause))
                .code(foreign ? "journal.pending"
                              : fmt::format("journal.{}", interruptedStateName(state)))
                .file(std::move(name))
                .message(sentenceOf(state));
}

InterruptedSave FoundJournal::described() const
{
    InterruptedSave save;
    save.journal = path;
    save.state = state;
    save.error = error;
    save.ranges.reserve(index.runs.size());
    for (const JournalRun &run : index.runs)
        save.ranges.push_back(
            {index.files[run.file].path, {FileOffset(run.offset), ByteCount(run.bytes)}});
    return save;
}

std::optional<FoundJournal> findJournal(const fs::path &path, const fs::path &bundle,
                                        DiskFile::Lock lock, Progress *progress)
{
    std::error_code fault;
    const auto status = fs::symlink_status(path, fault);
    if (!fs::exists(status))
        return std::nullopt;
    FoundJournal found;
    found.path = path;
    if (!fs::is_regular_file(status)) {
        found.become(InterruptedState::Foreign,
                     ErrorBuilder("")
                         .expected("a regular file")
                         .found(fs::is_symlink(status) ? "a link" : "something else"));
        return found;
    }
    auto file = DiskFile::open(path, DiskFile::Mode::ReadPlain, path.filename().string());
    if (!file) {
        found.become(InterruptedState::Foreign, file.error());
        return found;
    }
    found.file = std::move(*file);
    examine(found, bundle, lock, progress);
    return found;
}

FoundJournal missingJournal(const SaveKey &key)
{
    FoundJournal found;
    found.path = key.journal;
    found.key = key.digest;
    found.become(InterruptedState::Damaged,
                 ErrorBuilder("").expected(key.journal.string()).found("no such file"));
    return found;
}

Result<void> forEachBlock(const FoundJournal &journal, std::size_t file,
                          const CurrentBytes &current,
                          const std::function<Result<void>(const JournalBlock &)> &visit)
{
    std::vector<std::byte> before, after, now;
    const auto &runs = journal.index.runs;
    auto first = std::partition_point(runs.begin(), runs.end(),
                                      [file](const auto &run) { return run.file < file; });
    for (; first != runs.end() && first->file == file; ++first) {
        const JournalRun &run = *first;
        for (std::uint64_t at = 0; at < run.bytes; at += kCompareBlock) {
            const auto count =
                static_cast<std::size_t>(std::min<std::uint64_t>(kCompareBlock, run.bytes - at));
            for (auto *block : {&before, &after, &now})
                block->resize(count);
            auto read = journal.file->readAt(run.at + at, before);
            if (read)
                read = journal.file->readAt(run.at + run.bytes + at, after);
            if (read)
                read = current(run.offset + at, now);
            if (read)
                read = visit({run.offset + at, before, after, now});
            if (!read)
                return read;
        }
    }
    return {};
}

Result<void> checkBlock(const FoundJournal &journal, std::size_t file, const JournalBlock &block)
{
    for (std::size_t i = 0; i < block.now.size(); ++i) {
        if (block.now[i] == block.before[i] || block.now[i] == block.after[i])
            continue;
        return refused({journal.index.files[file].path, FileOffset(block.offset + i)},
                       "journal.stale", {}, "bytes from before or after the interrupted save",
                       "other ones", {});
    }
    return {};
}

} // namespace patch

} // namespace kernscope
