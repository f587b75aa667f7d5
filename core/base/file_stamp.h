// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

struct stat;

namespace kernscope {

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
