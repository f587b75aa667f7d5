// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/file_stamp.h"

#include <ctime>

#include <sys/stat.h>

#include <fmt/format.h>

namespace kernscope {

std::string_view fileKindText(std::uint32_t mode)
{
    if (S_ISDIR(mode))
        return "a folder";
    if (S_ISCHR(mode) || S_ISBLK(mode))
        return "a device";
    if (S_ISFIFO(mode))
        return "a pipe";
    if (S_ISSOCK(mode))
        return "a socket";
    return S_ISREG(mode) ? "a file" : "something else";
}

FileStamp FileStamp::from(const struct stat &status)
{
    FileStamp stamp;
    stamp.device = static_cast<std::uint64_t>(status.st_dev);
    stamp.inode = static_cast<std::uint64_t>(status.st_ino);
    stamp.bytes = static_cast<std::uint64_t>(status.st_size);
    stamp.modifiedSeconds = status.st_mtim.tv_sec;
    stamp.modifiedNanoseconds = status.st_mtim.tv_nsec;
    return stamp;
}

std::optional<FileStamp> FileStamp::of(const std::filesystem::path &path)
{
    struct stat status = {};
    if (::stat(path.c_str(), &status) != 0)
        return std::nullopt;
    return from(status);
}

std::string FileStamp::text() const
{
    const auto seconds = static_cast<std::time_t>(modifiedSeconds);
    std::tm when = {};
    ::gmtime_r(&seconds, &when);
    return fmt::format("{} bytes, changed {}-{:02}-{:02} {:02}:{:02}:{:02}.{:09} UTC, inode {}",
                       bytes, when.tm_year + 1900, when.tm_mon + 1, when.tm_mday, when.tm_hour,
                       when.tm_min, when.tm_sec, modifiedNanoseconds, inode);
}

FileStatusMark FileStatusMark::from(const struct stat &status)
{
    FileStatusMark mark;
    mark.seconds = status.st_ctim.tv_sec;
    mark.nanoseconds = status.st_ctim.tv_nsec;
    mark.mode = status.st_mode;
    mark.links = static_cast<std::uint64_t>(status.st_nlink);
    mark.owner = status.st_uid;
    mark.group = status.st_gid;
    return mark;
}

bool FileStatusMark::unexplained(const FileStatusMark &before) const
{
    FileStatusMark same = before;
    same.seconds = seconds;
    same.nanoseconds = nanoseconds;
    return *this != before && *this == same;
}

} // namespace kernscope
