// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/files.h"
#include "core/bundle/bundle.h"
#include "core/container/milblob/milblob.h"
#include "core/patch/interrupted_save.h"
#include "core/patch/save/journal.h"
#include "core/patch/save/save_key.h"
#include "tests/fuzz/fuzz_check.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

using namespace kernscope;

namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::byte>;

/// A folder of this process alone, with the user's state in it; in memory where that is to be had.
struct Folder {
    Folder()
    {
        const fs::path shared("/dev/shm");
        std::string name = (fs::is_directory(shared) ? shared : fs::temp_directory_path()) /
                           "fuzz_recovery.XXXXXX";
        fuzz::require(::mkdtemp(name.data()) != nullptr);
        path = name;
        ::setenv("XDG_STATE_HOME", (path / "state").c_str(), 1);
    }
    ~Folder()
    {
        std::error_code ignored;
        fs::remove_all(path, ignored);
    }
    fs::path path;
};

Bytes read(const fs::path &path)
{
    const auto text = readSmallFile(path, 1 << 20);
    fuzz::require(text.has_value());
    const auto bytes = std::as_bytes(std::span(*text));
    return {bytes.begin(), bytes.end()};
}

void write(const fs::path &path, const Bytes &bytes)
{
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char *>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
}

/// A save of these bytes was killed: its journal is left, and its key.
void leaveJournal(const OverlaidFile &file, const fs::path &path)
{
    const std::vector<patch::JournalPart> parts{
        {std::string(patch::kBundleItself), &file, file.changedRanges()}};
    fuzz::require(patch::writeJournal(patch::journalPath(path), parts).has_value());
}

/// Any text as the key of a save that has begun: it is told which journal is missed, and no more.
void tryKey(const fs::path &state, std::span<const std::byte> text)
{
    const std::string digest(64, 'a');
    fuzz::require(patch::writeSaveKey({digest, "/none", {}}) && patch::beginSaveKey(digest));
    for (const auto &entry : fs::recursive_directory_iterator(state)) {
        if (entry.path().filename() == digest)
            write(entry.path(), {text.begin(), text.end()});
    }
    for (const patch::SaveKey &key : patch::pendingSaveKeys())
        fuzz::require(key.digest == digest && !key.covers({}));
    patch::removeSaveKey(digest);
}

} // namespace

/// A save of a weight file that was killed, with any of its bytes written, and after which a byte
/// of the file or the journal may have changed: it is read as it was, undone and finished, or,
/// where that cannot be, left as it is.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    static const Folder kFolder;
    static const fs::path kPath = kFolder.path / "weight.bin";
    static const Bytes kBefore = [] {
        milblob::Writer writer;
        writer.add(ElementType::Uint8, Bytes(128, std::byte{7}), 0);
        return writer.finish();
    }();
    fs::remove_all(kFolder.path / "state");
    tryKey(kFolder.path / "state", fuzz::bytesOf(data, size));
    fs::remove(patch::journalPath(kPath));
    write(kPath, kBefore);
    fuzz::Choices choices(data, size);
    const auto payload = static_cast<std::uint32_t>(kBefore.size() - 128);
    Bytes after = kBefore;
    {
        const auto file = OverlaidFile::open(kPath, "weight.bin");
        fuzz::require(file.has_value());
        for (std::uint32_t runs = 1 + choices.below(6); runs > 0; --runs) {
            const std::size_t at = 128 + choices.below(payload);
            Bytes run(std::min<std::size_t>(1 + choices.below(32), after.size() - at));
            for (std::byte &byte : run)
                byte = static_cast<std::byte>(choices.take(1));
            fuzz::require((*file)->write(FileOffset(at), run).has_value());
        }
        if (!(*file)->modified())
            return 0;
        after.assign((*file)->bytes().begin(), (*file)->bytes().end());
        leaveJournal(**file, kPath);
    }
    Bytes now = kBefore;
    for (std::size_t i = 128; i < now.size(); ++i) {
        if (now[i] != after[i] && choices.below(2) == 1)
            now[i] = after[i];
    }
    // A byte of somebody else's: in a run that is neither the old one nor the new one.
    bool sound = true;
    Bytes undone = kBefore, finished = after;
    if (choices.below(3) == 1) {
        const std::size_t at = 128 + choices.below(payload);
        const auto other = static_cast<std::byte>(choices.take(1));
        const bool inRun = kBefore[at] != after[at];
        sound = !inRun || other == kBefore[at] || other == after[at];
        now[at] = other;
        if (!inRun)
            undone[at] = finished[at] = other;
    }
    write(kPath, now);
    if (choices.below(3) == 1) {
        Bytes journal = read(patch::journalPath(kPath));
        const std::size_t at = choices.take(2) % journal.size();
        if (choices.below(2) == 0)
            journal[at] ^= static_cast<std::byte>(1 + choices.below(255));
        else
            journal.resize(at);
        write(patch::journalPath(kPath), journal);
        sound = false;
    }
    const auto opened = openForReading(kPath);
    fuzz::require(opened.bundle.has_value() && !opened.saves.empty());
    const auto shown = (*opened.bundle)->files().front().file->bytes();
    fuzz::require(std::ranges::equal(shown, sound ? undone : now));
    fuzz::require(read(kPath) == now);
    const bool undo = choices.below(2) == 0;
    const auto recovered = recoverSave(kPath, undo ? RecoverAction::Undo : RecoverAction::Finish);
    fuzz::require(read(kPath) == (!sound ? now : undo ? undone : finished));
    fuzz::require(!sound || (recovered && recovered->saves.size() == 1 &&
                             !fs::exists(patch::journalPath(kPath))));
    return 0;
}
