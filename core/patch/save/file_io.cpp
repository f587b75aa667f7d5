// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/save/file_io.h"

#include "core/base/error_builder.h"
#include "core/base/platform.h"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace kernscope::patch {

Result<DiskFile> DiskFile::open(const std::filesystem::path &path, Mode mode, std::string name)
{
    const bool writes = mode != Mode::Read && mode != Mode::ReadPlain;
    const int flags = mode == Mode::Read        ? O_RDONLY | O_NONBLOCK
                      : mode == Mode::ReadPlain ? O_RDONLY | O_NONBLOCK | O_NOFOLLOW
                      : mode == Mode::Change    ? O_RDWR | O_NONBLOCK | O_NOFOLLOW
                                                : O_RDWR | O_CREAT | O_EXCL;
    const int descriptor =
        ::open(path.c_str(), flags | O_CLOEXEC, mode == Mode::CreatePrivate ? 0600 : 0666);
    if (descriptor < 0) {
        return tl::unexpected(ioError(
            writes ? "io.write" : "io.open", name,
            writes ? "The file cannot be opened for writing" : "The file cannot be opened", errno));
    }
    DiskFile file(descriptor, std::move(name));
    struct stat status = {};
    if (::fstat(descriptor, &status) != 0)
        return tl::unexpected(
            ioError("io.open", file.m_name, "The file cannot be examined", errno));
    if (!S_ISREG(status.st_mode)) {
        return refused({file.m_name}, "io.open", {}, "a regular file", {},
                       "Only regular files are read and written");
    }
    return file;
}

DiskFile::DiskFile(DiskFile &&other) noexcept
    : m_descriptor(std::exchange(other.m_descriptor, -1)), m_end(other.m_end),
      m_name(std::move(other.m_name))
{
}

DiskFile &DiskFile::operator=(DiskFile &&other) noexcept
{
    std::swap(m_descriptor, other.m_descriptor);
    std::swap(m_end, other.m_end);
    std::swap(m_name, other.m_name);
    return *this;
}

DiskFile::~DiskFile()
{
    if (m_descriptor >= 0)
        ::close(m_descriptor);
}

Result<std::uint64_t> DiskFile::size() const
{
    struct stat status = {};
    if (::fstat(m_descriptor, &status) != 0)
        return tl::unexpected(ioError("io.read", m_name, "The file cannot be examined", errno));
    return static_cast<std::uint64_t>(status.st_size);
}

Result<void> DiskFile::readAt(std::uint64_t offset, std::span<std::byte> bytes) const
{
    while (!bytes.empty()) {
        const ssize_t n =
            ::pread(m_descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            ErrorBuilder error(
                ioError("io.read", m_name, "The file cannot be read", n < 0 ? errno : 0));
            if (n == 0)
                error.found("the end of the file");
            return error.at(FileOffset(offset)).unexpected();
        }
        bytes = bytes.subspan(static_cast<std::size_t>(n));
        offset += static_cast<std::uint64_t>(n);
    }
    return {};
}

Result<void> DiskFile::writeAt(std::uint64_t offset, std::span<const std::byte> bytes) const
{
    while (!bytes.empty()) {
        const ssize_t n =
            ::pwrite(m_descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            return ErrorBuilder(ioError("io.write", m_name, "The file cannot be written", errno))
                .at(FileOffset(offset))
                .unexpected();
        }
        bytes = bytes.subspan(static_cast<std::size_t>(n));
        offset += static_cast<std::uint64_t>(n);
    }
    return {};
}

Result<void> DiskFile::append(std::span<const std::byte> bytes)
{
    auto written = writeAt(m_end, bytes);
    if (written)
        m_end += bytes.size();
    return written;
}

void DiskFile::flush(std::uint64_t offset, std::uint64_t bytes) const
{
    platform::startWriting(m_descriptor, offset, bytes);
}

Result<void> DiskFile::sync() const
{
    if (const int fault = platform::syncToDisk(m_descriptor); fault != 0)
        return tl::unexpected(
            ioError("io.write", m_name, "The file cannot be brought to the disk", fault));
    return {};
}

bool DiskFile::tryLock(Lock lock) const
{
    const int kind = lock == Lock::Alone ? LOCK_EX : LOCK_SH;
    // On a file system without locks every lock is granted.
    return ::flock(m_descriptor, kind | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

void DiskFile::unlock() const
{
    ::flock(m_descriptor, LOCK_UN);
}

bool DiskFile::ownedByUser() const
{
    struct stat status = {};
    return ::fstat(m_descriptor, &status) == 0 && status.st_uid == ::geteuid();
}

bool DiskFile::isAt(const std::filesystem::path &path) const
{
    struct stat here = {}, there = {};
    return ::fstat(m_descriptor, &here) == 0 && ::stat(path.c_str(), &there) == 0 &&
           here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

Result<FileStamp> DiskFile::stamp() const
{
    struct stat status = {};
    if (::fstat(m_descriptor, &status) != 0)
        return tl::unexpected(ioError("io.read", m_name, "The file cannot be examined", errno));
    return FileStamp::from(status);
}

Result<void> DiskFile::checkOnlyName() const
{
    struct stat status = {};
    if (::fstat(m_descriptor, &status) != 0)
        return tl::unexpected(ioError("io.read", m_name, "The file cannot be examined", errno));
    if (status.st_nlink <= 1)
        return {};
    return refused({m_name}, "io.links", {}, "a file with one name",
                   std::to_string(status.st_nlink) + " names (hard links)",
                   "What is written in place would change the file under its other names as well, "
                   "such as a backup made with links; write a copy of it first (--break-links), or "
                   "save a copy of the bundle");
}

Result<void> SaveLock::add(const std::filesystem::path &path)
{
    const std::string name = path.filename().string();
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0)
        return tl::unexpected(ioError("io.open", name, "It cannot be opened", errno));
    DiskFile file(descriptor, name);
    struct stat status = {};
    if (::fstat(descriptor, &status) != 0)
        return tl::unexpected(ioError("io.open", name, "It cannot be examined", errno));
    const auto device = static_cast<std::uint64_t>(status.st_dev);
    const auto inode = static_cast<std::uint64_t>(status.st_ino);
    const bool known = std::ranges::any_of(
        m_held, [&](const Held &held) { return held.device == device && held.inode == inode; });
    if (known)
        return {};
    if (!file.tryLock()) {
        return ErrorBuilder("patch.busy")
            .file(name)
            .message("Another process is saving this bundle, or recovering a save of it")
            .unexpected();
    }
    m_held.push_back({device, inode, std::move(file)});
    return {};
}

Result<void> DiskFile::takePermissions(const DiskFile &other) const
{
    struct stat status = {};
    if (::fstat(other.m_descriptor, &status) != 0 ||
        ::fchmod(m_descriptor, status.st_mode & 07777) != 0)
        return tl::unexpected(
            ioError("io.write", m_name, "The permissions cannot be copied", errno));
    return {};
}

Result<void> syncFolder(const std::filesystem::path &folder)
{
    const std::filesystem::path place = folder.empty() ? std::filesystem::path(".") : folder;
    const int descriptor = ::open(place.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0)
        return tl::unexpected(
            ioError("io.write", place.string(), "The folder cannot be opened", errno));
    // Some file systems know no fsync of folders; there is nothing more to be had there.
    const bool failed = ::fsync(descriptor) != 0 && errno != EINVAL && errno != ENOTSUP;
    const int number = errno;
    ::close(descriptor);
    if (failed)
        return tl::unexpected(ioError("io.write", place.string(),
                                      "The folder cannot be brought to the disk", number));
    return {};
}

SignalShield::SignalShield()
{
    ::sigemptyset(&m_ending);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT})
        ::sigaddset(&m_ending, signal);
    ::pthread_sigmask(SIG_BLOCK, &m_ending, &m_before);
}

SignalShield::~SignalShield()
{
    ::pthread_sigmask(SIG_SETMASK, &m_before, nullptr);
}

bool SignalShield::signalled() const
{
    sigset_t waiting;
    ::sigemptyset(&waiting);
    if (::sigpending(&waiting) != 0)
        return false;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
        // One that the caller had blocked already is none of this work's business.
        if (::sigismember(&waiting, signal) == 1 && ::sigismember(&m_before, signal) != 1)
            return true;
    }
    return false;
}

namespace {

namespace fs = std::filesystem;

struct Extent {
    std::uint64_t bytes = 0;
    bool sparse = false; ///< fewer blocks than bytes: it has holes
};

Result<Extent> extentOf(const DiskFile &file)
{
    struct stat status = {};
    if (::fstat(file.descriptor(), &status) != 0)
        return tl::unexpected(
            ioError("io.read", file.name(), "The file cannot be examined", errno));
    const auto bytes = static_cast<std::uint64_t>(status.st_size);
    return Extent{bytes, static_cast<std::uint64_t>(status.st_blocks) * 512 < bytes};
}

bool allZero(std::span<const std::byte> bytes)
{
    return std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{}; });
}

Result<void> copyBytes(const DiskFile &in, const DiskFile &out, const Extent &extent,
                       Progress *progress)
{
    std::vector<std::byte> block(kCopyBlock);
    for (std::uint64_t at = 0; at < extent.bytes; at += kCopyBlock) {
        const auto some = std::span(block).first(
            static_cast<std::size_t>(std::min<std::uint64_t>(kCopyBlock, extent.bytes - at)));
        TRY(in.readAt(at, some));
        if (!extent.sparse || !allZero(some)) {
            TRY(out.writeAt(at, some));
        }
        if (progress != nullptr && !progress->advance(0))
            return tl::unexpected(cancelledError("The save was cancelled; nothing was written"));
    }
    if (::ftruncate(out.descriptor(), static_cast<off_t>(extent.bytes)) != 0)
        return tl::unexpected(ioError("io.write", out.name(), "The file cannot be written", errno));
    return {};
}

} // namespace

bool sameContent(const DiskFile &one, const DiskFile &other, Progress *progress)
{
    const auto bytes = one.size(), others = other.size();
    if (!bytes || !others || *bytes != *others)
        return false;
    std::vector<std::byte> block(kCopyBlock), otherBlock(kCopyBlock);
    for (std::uint64_t at = 0; at < *bytes; at += kCopyBlock) {
        const auto count =
            static_cast<std::size_t>(std::min<std::uint64_t>(kCopyBlock, *bytes - at));
        const auto some = std::span(block).first(count), same = std::span(otherBlock).first(count);
        if (!one.readAt(at, some) || !other.readAt(at, same) || !std::ranges::equal(some, same) ||
            (progress != nullptr && !progress->advance(0)))
            return false;
    }
    return true;
}

Result<void> copyRegularFile(const fs::path &from, const fs::path &to, const std::string &name,
                             Progress *progress)
{
    const auto in = TRY(DiskFile::open(from, DiskFile::Mode::Read, name));
    auto out = TRY(DiskFile::open(to, DiskFile::Mode::Create, name));
    auto copied = copyContent(in, out, progress);
    if (copied)
        copyTime(from, to);
    return copied;
}

Result<void> copyContent(const DiskFile &in, const DiskFile &out, Progress *progress)
{
    // Before the bytes, so that who may not read the original cannot read the copy either.
    TRY(out.takePermissions(in));
    const auto extent = TRY(extentOf(in));
    TRY(copyBytes(in, out, extent, progress));
    const auto after = extentOf(in), made = extentOf(out);
    if (!after || !made || after->bytes != extent.bytes || made->bytes != extent.bytes)
        return tl::unexpected(ioError("io.write", out.name(), "The copy has another length", EIO));
    TRY(out.sync());
    if (sameContent(in, out, progress))
        return {};
    if (progress != nullptr && progress->cancelled())
        return tl::unexpected(cancelledError("The save was cancelled; nothing was written"));
    return ErrorBuilder("patch.verify")
        .file(out.name())
        .message("The bytes of the copy that were read back are not those of the file")
        .unexpected();
}

Result<void> copyLink(const fs::path &from, const fs::path &to, const std::string &name)
{
    std::error_code fault;
    fs::copy_symlink(from, to, fault);
    if (fault)
        return tl::unexpected(
            ioError("io.write", name, "The link cannot be copied", fault.value()));
    copyTime(from, to);
    return {};
}

Result<void> finishFolder(const fs::path &from, const fs::path &to, const std::string &name)
{
    std::error_code fault;
    const auto status = fs::status(from, fault);
    TRY(syncFolder(to));
    if (!fault)
        fs::permissions(to, status.permissions(), fault);
    if (fault)
        return tl::unexpected(
            ioError("io.write", name, "The permissions cannot be copied", fault.value()));
    copyTime(from, to);
    return {};
}

void copyTime(const fs::path &from, const fs::path &to)
{
    struct stat status = {};
    if (::lstat(from.c_str(), &status) != 0)
        return;
    const timespec times[2] = {platform::accessTime(status), platform::changeTime(status)};
    ::utimensat(AT_FDCWD, to.c_str(), times, AT_SYMLINK_NOFOLLOW);
}

} // namespace kernscope::patch
