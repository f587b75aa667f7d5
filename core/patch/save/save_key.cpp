// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/save/save_key.h"

#include "core/patch/save/file_io.h"

#include <algorithm>
#include <chrono>
#include <sstream>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <fmt/format.h>

namespace kernscope::patch {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kDigestDigits = 64;
constexpr std::size_t kMostKeys = 1024;
constexpr std::uint64_t kMostKeyBytes = std::uint64_t{1} << 20;
constexpr const char *kIdle = ".idle"; ///< of a save that has not begun, or has ended

fs::path keyFolder()
{
    return stateFolder() / "saves";
}

/// "file DEVICE INODE SECONDS NANOSECONDS" a line; the path is all that follows "journal ".
std::string keyText(const SaveKey &key)
{
    std::string text;
    for (const FileIdentity &file : key.files)
        text += fmt::format("file {} {} {} {}\n", file.device, file.inode, file.seconds,
                            file.nanoseconds);
    return text + "journal " + key.journal.string();
}

std::optional<std::string> readKey(const fs::path &path)
{
    const auto file = DiskFile::open(path, DiskFile::Mode::ReadPlain, path.filename().string());
    const auto size = file ? file->size() : Result<std::uint64_t>(std::uint64_t{0});
    std::string text(static_cast<std::size_t>(std::min(size.value_or(0), kMostKeyBytes)), '\0');
    if (file && file->readAt(0, std::as_writable_bytes(std::span(text))))
        return text;
    return std::nullopt;
}

SaveKey parseKey(std::string digest, const std::string &text)
{
    SaveKey key{std::move(digest), {}, {}};
    std::istringstream in(text);
    std::string word;
    while (in >> word && word == "file") {
        FileIdentity file;
        in >> file.device >> file.inode >> file.seconds >> file.nanoseconds;
        key.files.push_back(file);
    }
    in.get(); // the space
    std::ostringstream rest;
    rest << in.rdbuf();
    key.journal = rest.str();
    return key;
}

/// Keys of saves that were killed before they began or after they had ended: their journal is gone,
/// and too old to be brought back by a power failure.
void removeOldIdle(const fs::path &folder)
{
    constexpr auto kKept = std::chrono::hours(24 * 7);
    std::vector<fs::path> old;
    std::error_code fault;
    fs::directory_iterator at(folder, fault);
    for (; !fault && at != fs::directory_iterator(); at.increment(fault)) {
        std::error_code none;
        const auto changed = at->last_write_time(none);
        if (at->path().extension() == kIdle && !none &&
            changed + kKept < fs::file_time_type::clock::now())
            old.push_back(at->path());
    }
    for (const fs::path &path : old) {
        const auto text = readKey(path);
        std::error_code none;
        if (text && !fs::exists(parseKey({}, *text).journal, none) && !none)
            fs::remove(path, none);
    }
}

} // namespace

FileIdentity identityOf(const fs::path &file)
{
    struct statx status = {};
    if (::statx(AT_FDCWD, file.c_str(), 0, STATX_INO | STATX_BTIME, &status) != 0 ||
        (status.stx_mask & STATX_BTIME) == 0)
        return {};
    return {makedev(status.stx_dev_major, status.stx_dev_minor), status.stx_ino,
            status.stx_btime.tv_sec, status.stx_btime.tv_nsec};
}

bool SaveKey::covers(const FileIdentity &file) const
{
    return file.inode != 0 && std::ranges::find(files, file) != files.end();
}

Result<void> writeSaveKey(const SaveKey &key)
{
    const fs::path folder = keyFolder(), place = folder / (key.digest + kIdle);
    std::error_code fault;
    fs::create_directories(folder, fault);
    removeSaveKey(key.digest);
    removeOldIdle(folder);
    auto file = DiskFile::open(place, DiskFile::Mode::CreatePrivate, place.string());
    const std::string text = keyText(key);
    auto done = file ? file->append(std::as_bytes(std::span(text)))
                     : tl::unexpected(std::move(file.error()));
    if (done)
        done = file->sync();
    if (done)
        done = syncFolder(folder);
    if (!done)
        done.error().message += "; what belongs to a save under way is kept there (XDG_STATE_HOME)";
    return done;
}

Result<void> beginSaveKey(const std::string &digest)
{
    std::error_code fault;
    fs::rename(keyFolder() / (digest + kIdle), keyFolder() / digest, fault);
    if (fault)
        return tl::unexpected(ioError("io.write", (keyFolder() / digest).string(),
                                      "The key of the save cannot be renamed", fault.value()));
    return syncFolder(keyFolder());
}

bool hasSaveKey(const std::string &digest)
{
    std::error_code fault;
    return fs::is_regular_file(keyFolder() / digest, fault) ||
           fs::is_regular_file(keyFolder() / (digest + kIdle), fault);
}

void endSaveKey(const std::string &digest)
{
    std::error_code fault;
    fs::rename(keyFolder() / digest, keyFolder() / (digest + kIdle), fault);
}

void removeSaveKey(const std::string &digest)
{
    std::error_code fault;
    fs::remove(keyFolder() / digest, fault);
    fs::remove(keyFolder() / (digest + kIdle), fault);
}

std::vector<SaveKey> pendingSaveKeys()
{
    std::vector<SaveKey> keys;
    std::error_code fault;
    fs::directory_iterator at(keyFolder(), fault);
    for (; !fault && at != fs::directory_iterator() && keys.size() < kMostKeys;
         at.increment(fault)) {
        const std::string name = at->path().filename().string();
        if (name.size() != kDigestDigits)
            continue;
        if (const auto text = readKey(at->path()))
            keys.push_back(parseKey(name, *text));
    }
    return keys;
}

} // namespace kernscope::patch
