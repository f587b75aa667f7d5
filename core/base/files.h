// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

struct stat;

namespace kernscope {

class OverlaidFile;

/// The content of a small file, such as notes beside a bundle: regular files only, so that neither
/// a pipe nor a device blocks the reader, and no more than `most` bytes, however many there
/// turn out to be. Links are followed. Errors: "io.open" (none, or no regular file), "io.read",
/// "io.limit".
Result<std::string> readSmallFile(const std::filesystem::path &path, std::uint64_t most);

/// Room in which a large file is made: a file without a name, mapped for reading and writing, so
/// that the system may move its pages to the disk. It goes with the object.
class ScratchFile
{
public:
    /// This many zeros on the disk of `folder`, or, where it takes none, among the files for a
    /// time. Error "io.write": there is no room.
    static Result<ScratchFile> make(std::uint64_t bytes, const std::filesystem::path &folder);
    ScratchFile(ScratchFile &&other) noexcept;
    ScratchFile &operator=(ScratchFile &&) = delete;
    ~ScratchFile();

    std::span<std::byte> bytes() const { return m_bytes; }
    /// The first `bytes` of it as a file of a bundle, which may outlive this. Error "io.map".
    Result<std::shared_ptr<OverlaidFile>> asFile(std::uint64_t bytes, std::string name) const;

private:
    ScratchFile() = default;

    int m_descriptor = -1;
    std::span<std::byte> m_bytes;
};

/// Where what belongs to single bundles and to work under way is kept for this user: kernscope in
/// $XDG_STATE_HOME, by default ~/.local/state. It may not exist yet.
std::filesystem::path stateFolder();

/// What a mode of stat() is, for messages: "a folder", "a device", "a pipe", "a socket", "a file",
/// "something else".
std::string_view fileKindText(std::uint32_t mode);

/// Which file on disk was mapped, and its state then.
struct FileStamp {
    std::uint64_t device = 0, inode = 0, bytes = 0;
    std::int64_t modifiedSeconds = 0, modifiedNanoseconds = 0;
    friend bool operator==(const FileStamp &, const FileStamp &) = default;

    static FileStamp from(const struct stat &status);
    /// Of the file that the path leads to now; empty where there is none.
    static std::optional<FileStamp> of(const std::filesystem::path &path);
    /// "4096 bytes, changed 2026-11-22 05:50:56.123456789 UTC, inode 12".
    std::string text() const;
};

/// When a file's status changed, and those parts of its status that say why. A program that writes
/// a file and then sets its old time (cp -p, rsync) shows only here.
struct FileStatusMark {
    std::int64_t seconds = 0, nanoseconds = 0;
    std::uint64_t mode = 0, links = 0, owner = 0, group = 0;
    friend bool operator==(const FileStatusMark &, const FileStatusMark &) = default;

    static FileStatusMark from(const struct stat &status);
    /// True where the time differs though permissions, owner and number of links are the same:
    /// something else than those was changed.
    bool unexplained(const FileStatusMark &before) const;
};

} // namespace kernscope
