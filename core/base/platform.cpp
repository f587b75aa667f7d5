// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/platform.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <stdio.h> // renameat2, renamex_np
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#ifdef __APPLE__
#include <mach/mach.h>
#include <mach/mach_vm.h>
#include <xlocale.h>
#else
#include <locale.h>
#endif

namespace kernscope::platform {

namespace {

int faultOf(int status)
{
    return status == 0 ? 0 : errno;
}

int openTemporary(const std::string &folder)
{
    std::string name = folder + "/.kernscope-scratch-XXXXXX";
    const int descriptor = ::mkostemp(name.data(), O_CLOEXEC);
    if (descriptor >= 0)
        ::unlink(name.c_str());
    return descriptor;
}

} // namespace

#ifdef __APPLE__

timespec accessTime(const struct stat &status)
{
    return status.st_atimespec;
}

timespec changeTime(const struct stat &status)
{
    return status.st_mtimespec;
}

timespec statusChangeTime(const struct stat &status)
{
    return status.st_ctimespec;
}

int openNameless(const std::string &folder)
{
    return openTemporary(folder);
}

int reserveRoom(int descriptor, std::uint64_t bytes)
{
    fstore_t room = {F_ALLOCATEALL, F_PEOFPOSMODE, 0, static_cast<off_t>(bytes), 0};
    if (bytes > 0 && ::fcntl(descriptor, F_PREALLOCATE, &room) != 0)
        return errno;
    return faultOf(::ftruncate(descriptor, static_cast<off_t>(bytes)));
}

int openPipe(int (&ends)[2])
{
    if (::pipe(ends) != 0)
        return errno;
    for (const int end : ends)
        ::fcntl(end, F_SETFD, FD_CLOEXEC);
    return 0;
}

int syncToDisk(int descriptor)
{
    // Its fsync() leaves the bytes in the drive's cache; not every file system knows the other.
    return ::fcntl(descriptor, F_FULLFSYNC) == 0 ? 0 : faultOf(::fsync(descriptor));
}

void startWriting(int, std::uint64_t, std::uint64_t) {}

int renameExclusively(const std::string &from, const std::string &to)
{
    return faultOf(::renamex_np(from.c_str(), to.c_str(), RENAME_EXCL));
}

int exchangeNames(const std::string &one, const std::string &other)
{
    return faultOf(::renamex_np(one.c_str(), other.c_str(), RENAME_SWAP));
}

ssize_t attribute(int descriptor, const char *name, std::span<char> value)
{
    return ::fgetxattr(descriptor, name, value.data(), value.size(), 0, 0);
}

void setAttribute(int descriptor, const char *name, std::span<const char> value)
{
    ::fsetxattr(descriptor, name, value.data(), value.size(), 0, 0);
}

void removeAttribute(int descriptor, const char *name)
{
    ::fremovexattr(descriptor, name, 0);
}

int replacePages(void *from, void *to, std::size_t bytes)
{
    mach_vm_address_t place = reinterpret_cast<std::uintptr_t>(to);
    vm_prot_t now = 0, most = 0;
    const kern_return_t status = ::mach_vm_remap(
        mach_task_self(), &place, bytes, 0, VM_FLAGS_FIXED | VM_FLAGS_OVERWRITE, mach_task_self(),
        reinterpret_cast<std::uintptr_t>(from), FALSE, &now, &most, VM_INHERIT_COPY);
    if (status != KERN_SUCCESS)
        return ENOMEM;
    ::munmap(from, bytes);
    return 0;
}

#else

timespec accessTime(const struct stat &status)
{
    return status.st_atim;
}

timespec changeTime(const struct stat &status)
{
    return status.st_mtim;
}

timespec statusChangeTime(const struct stat &status)
{
    return status.st_ctim;
}

int openNameless(const std::string &folder)
{
    const int descriptor = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    return descriptor >= 0 ? descriptor : openTemporary(folder); // no O_TMPFILE there
}

int reserveRoom(int descriptor, std::uint64_t bytes)
{
    int fault = EINTR;
    while (fault == EINTR)
        fault = bytes > 0 ? ::posix_fallocate(descriptor, 0, static_cast<off_t>(bytes)) : 0;
    return fault;
}

int openPipe(int (&ends)[2])
{
    return faultOf(::pipe2(ends, O_CLOEXEC));
}

int syncToDisk(int descriptor)
{
    return faultOf(::fsync(descriptor));
}

void startWriting(int descriptor, std::uint64_t offset, std::uint64_t bytes)
{
    ::sync_file_range(descriptor, static_cast<off_t>(offset), static_cast<off_t>(bytes),
                      SYNC_FILE_RANGE_WRITE);
}

int renameExclusively(const std::string &from, const std::string &to)
{
    return faultOf(::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE));
}

int exchangeNames(const std::string &one, const std::string &other)
{
    return faultOf(::renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE));
}

ssize_t attribute(int descriptor, const char *name, std::span<char> value)
{
    return ::fgetxattr(descriptor, name, value.data(), value.size());
}

void setAttribute(int descriptor, const char *name, std::span<const char> value)
{
    ::fsetxattr(descriptor, name, value.data(), value.size(), 0);
}

void removeAttribute(int descriptor, const char *name)
{
    ::fremovexattr(descriptor, name);
}

int replacePages(void *from, void *to, std::size_t bytes)
{
    const void *moved = ::mremap(from, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to);
    return moved == MAP_FAILED ? errno : 0;
}

#endif

std::from_chars_result readNumber(const char *first, const char *last, double &value,
                                  std::chars_format format)
{
#ifdef __cpp_lib_to_chars
    return std::from_chars(first, last, value, format);
#else
    const bool minus = first != last && *first == '-';
    const char *const begin = first + (minus ? 1 : 0);
    const char *end = std::find_if(begin, last, [](unsigned char letter) {
        return std::isalnum(letter) == 0 && std::strchr(".+-()_", letter) == nullptr;
    });
    // What strtod() takes and from_chars() does not: blanks, a plus sign, a prefix of its own.
    if (begin == end || *begin == '+' || *begin == '-')
        return {first, std::errc::invalid_argument};
    if (end - begin > 1 && begin[0] == '0' && (begin[1] == 'x' || begin[1] == 'X'))
        end = begin + 1;
    std::string text(minus ? "-" : "");
    if (format == std::chars_format::hex && (std::isxdigit(*begin) != 0 || *begin == '.'))
        text += "0x";
    const auto prefix = static_cast<std::ptrdiff_t>(text.size());
    text.append(begin, end);
    static const locale_t plain = ::newlocale(LC_ALL_MASK, "C", nullptr);
    char *stop = nullptr;
    errno = 0;
    const double found = ::strtod_l(text.c_str(), &stop, plain);
    const auto taken = stop - text.c_str() - prefix;
    if (taken <= 0)
        return {first, std::errc::invalid_argument};
    if (errno == ERANGE && (std::isinf(found) || found == 0))
        return {begin + taken, std::errc::result_out_of_range};
    value = found;
    return {begin + taken, std::errc{}};
#endif
}

} // namespace kernscope::platform
