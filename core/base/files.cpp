// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/files.h"

#include "core/base/error_builder.h"
#include "core/base/file_descriptor.h"
#include "core/base/overlaid_file.h"
#include "core/base/platform.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <limits>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/mman.h>
#include <sys/stat.h>

namespace kernscope {

std::uint64_t holeBytes(const std::filesystem::path &path, std::uint64_t first, std::uint64_t end,
                        std::uint64_t most)
{
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    std::uint64_t holes = 0;
    for (std::uint64_t at = first; file.get() >= 0 && at < end && holes <= most;) {
        const off_t data = ::lseek(file.get(), static_cast<off_t>(at), SEEK_DATA);
        if (data < 0 && errno != ENXIO)
            break;
        const auto next = data < 0 ? end : std::min(static_cast<std::uint64_t>(data), end);
        holes += next - at;
        const off_t hole = data < 0 ? -1 : ::lseek(file.get(), data, SEEK_HOLE);
        at = hole < 0 ? end : static_cast<std::uint64_t>(hole);
    }
    return holes;
}

Error ioError(std::string_view code, std::string_view file, std::string_view what, int number)
{
    return valueError({file}, code, {}, {}, std::generic_category().message(number), what);
}

Result<std::string> readSmallFile(const std::filesystem::path &path, std::uint64_t most)
{
    const auto fault = [&path](const char *code, std::string found, std::string message) {
        return refused({path.string()}, code, {}, {}, found, message);
    };
    const auto systemText = [] { return std::generic_category().message(errno); };
    // O_NONBLOCK: opening a pipe without a writer must not wait.
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return fault("io.open", systemText(), "The file cannot be opened");
    struct stat status = {};
    if (::fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
        ::close(file);
        return refused({path.string()}, "io.open", {}, "a regular file",
                       std::string(fileKindText(status.st_mode)), "Only a regular file is read");
    }
    constexpr std::uint64_t kStep = std::uint64_t{1} << 20;
    std::string text;
    const bool fits = static_cast<std::uint64_t>(status.st_size) <= most;
    ssize_t got = fits ? 1 : 0; // a huge one is not read to be refused
    while (got > 0 && text.size() <= most) {
        const std::size_t before = text.size();
        text.resize(before + std::min(kStep, most + 1 - before));
        do
            got = ::read(file, text.data() + before, text.size() - before);
        while (got < 0 && errno == EINTR);
        text.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    }
    const std::string why = got < 0 ? systemText() : std::string();
    ::close(file);
    if (got < 0)
        return fault("io.read", why, "The file cannot be read");
    if (!fits || text.size() > most)
        return fault("io.limit", "more", fmt::format("Such a file has at most {} bytes", most));
    return text;
}

namespace {

/// Room for all of it: a page without a place on the disk would end the process when written.
int fillWith(int descriptor, std::uint64_t bytes)
{
    if (bytes > static_cast<std::uint64_t>(std::numeric_limits<off_t>::max()))
        return EFBIG;
    return platform::reserveRoom(descriptor, bytes);
}

} // namespace

Result<ScratchFile> ScratchFile::make(std::uint64_t bytes, const std::filesystem::path &folder)
{
    std::error_code none;
    int fault = 0;
    // On the disk first: the folder for temporary files may lie in memory.
    for (const auto &place :
         {folder, std::filesystem::path("/var/tmp"), std::filesystem::temp_directory_path(none)}) {
        ScratchFile made;
        made.m_descriptor = place.empty() ? -1 : platform::openNameless(place);
        fault = made.m_descriptor < 0 ? errno : fillWith(made.m_descriptor, bytes);
        if (fault != 0)
            continue;
        if (bytes == 0)
            return made;
        void *mapped =
            ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, made.m_descriptor, 0);
        if (mapped != MAP_FAILED) {
            made.m_bytes = {static_cast<std::byte *>(mapped), bytes};
            return made;
        }
        fault = errno;
    }
    return refused({folder.string()}, "io.write", {}, fmt::format("room for {} bytes", bytes),
                   std::generic_category().message(fault), "There is no room to make the file in");
}

ScratchFile::ScratchFile(ScratchFile &&other) noexcept
    : m_descriptor(std::exchange(other.m_descriptor, -1)), m_bytes(std::exchange(other.m_bytes, {}))
{
}

ScratchFile::~ScratchFile()
{
    if (!m_bytes.empty())
        ::munmap(m_bytes.data(), m_bytes.size());
    if (m_descriptor >= 0)
        ::close(m_descriptor);
}

Result<std::shared_ptr<OverlaidFile>> ScratchFile::asFile(std::uint64_t bytes,
                                                          std::string name) const
{
    return OverlaidFile::withoutPath(m_descriptor, bytes, std::move(name));
}

std::filesystem::path stateFolder()
{
    // A relative path in the variable is to be ignored, says the base directory specification.
    const auto absolute = [](const char *path) { return path != nullptr && *path == '/'; };
    const char *folder = std::getenv("XDG_STATE_HOME");
    if (absolute(folder))
        return std::filesystem::path(folder) / "kernscope";
    const char *home = std::getenv("HOME");
    if (!absolute(home)) {
        const passwd *user = ::getpwuid(::geteuid());
        home = user != nullptr && absolute(user->pw_dir) ? user->pw_dir : "/";
    }
    return std::filesystem::path(home) / ".local/state/kernscope";
}

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
    stamp.modifiedSeconds = platform::changeTime(status).tv_sec;
    stamp.modifiedNanoseconds = platform::changeTime(status).tv_nsec;
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
    mark.seconds = platform::statusChangeTime(status).tv_sec;
    mark.nanoseconds = platform::statusChangeTime(status).tv_nsec;
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
