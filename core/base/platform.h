// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <span>
#include <string>

#include <sys/types.h>

struct stat;

/// What Linux and macOS call differently. Functions that can fail return 0 or an errno unless their
/// comment says otherwise. The part for macOS was compiled against its headers, never run on one.
namespace kernscope::platform {

timespec accessTime(const struct stat &status);
timespec changeTime(const struct stat &status);       ///< of the content
timespec statusChangeTime(const struct stat &status); ///< of content, name, owner or permissions

/// A descriptor of a new file in `folder` that has no name, or -1 with errno.
int openNameless(const std::string &folder);
/// Gives a new file this many bytes of zeros, with their room on the disk.
int reserveRoom(int descriptor, std::uint64_t bytes);
/// Two ends of a pipe that are closed in programs started later.
int openPipe(int (&ends)[2]);
/// The file's bytes on the disk itself, not only in its cache.
int syncToDisk(int descriptor);
/// Asks the system to begin writing these bytes out. Does not wait.
void startWriting(int descriptor, std::uint64_t offset, std::uint64_t bytes);

/// EEXIST: something is at `to`. EINVAL, ENOSYS or ENOTSUP: the file system knows no such call.
int renameExclusively(const std::string &from, const std::string &to);
/// Both names stay, each with what the other had. Errors as above; ENOENT: one of them is not
/// there.
int exchangeNames(const std::string &one, const std::string &other);

/// Extended attributes of an open file. `attribute` returns the length, or -1 with errno.
ssize_t attribute(int descriptor, const char *name, std::span<char> value);
void setAttribute(int descriptor, const char *name, std::span<const char> value);
void removeAttribute(int descriptor, const char *name);

/// Puts the pages at `from` in the place of those at `to`, so that no reader of `to` finds anything
/// else meanwhile; `from` is unmapped by it.
int replacePages(void *from, void *to, std::size_t bytes);

/// std::from_chars() of a floating-point number; some standard libraries read only integers.
std::from_chars_result readNumber(const char *first, const char *last, double &value,
                                  std::chars_format format = std::chars_format::general);

} // namespace kernscope::platform
