// SPDX-License-Identifier: GPL-3.0-or-later
#include "faults.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kernscope::simulator {

namespace {

Watch *g_watch = nullptr;
bool g_killAfter = false;

template <class... Arguments>
long real(long number, Arguments... arguments)
{
    return ::syscall(number, arguments...);
}

[[noreturn]] void die()
{
    real(SYS_kill, ::getpid(), SIGKILL);
    for (;;)
        ::pause();
}

bool isBelow(const std::string &path)
{
    const std::string_view folder = g_watch->folder.data();
    return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

std::string linkText(const std::string &link)
{
    std::array<char, 1024> text{};
    const long length = real(SYS_readlinkat, AT_FDCWD, link.c_str(), text.data(), text.size() - 1);
    return length > 0 ? std::string(text.data(), static_cast<std::size_t>(length)) : std::string();
}

/// The path of a watched file; empty where it is none.
std::string watched(int folder, const char *path)
{
    if (g_watch == nullptr || path == nullptr)
        return {};
    std::string whole = path;
    if (whole.empty() || whole.front() != '/') {
        const std::string base = folder == AT_FDCWD
                                     ? linkText("/proc/self/cwd")
                                     : linkText("/proc/self/fd/" + std::to_string(folder));
        whole = base + '/' + whole;
    }
    return isBelow(whole) ? whole : std::string();
}

std::string watched(int descriptor)
{
    if (g_watch == nullptr || descriptor < 0)
        return {};
    const std::string path = linkText("/proc/self/fd/" + std::to_string(descriptor));
    return isBelow(path) ? path : std::string();
}

struct Call {
    const char *name = "";
    bool reads = false, writes = false;
    bool needsRoom = false; ///< it makes something, or makes it longer
    bool changes = false;   ///< the disk, where it succeeds
};

enum class Verdict : std::uint8_t { Go, Fail, Half, Pretend, Damage };

Verdict failWith(int number)
{
    errno = number;
    return Verdict::Fail;
}

Verdict strike(const Call &call)
{
    const FaultPlan &plan = g_watch->plan;
    switch (plan.kind) {
    case Fault::None: break;
    case Fault::Fails:
    case Fault::FailsOnwards: return failWith(plan.number);
    case Fault::Full: return call.needsRoom ? failWith(ENOSPC) : Verdict::Go;
    case Fault::Short: return call.reads || call.writes ? Verdict::Half : Verdict::Go;
    case Fault::Lost: return call.writes ? Verdict::Pretend : Verdict::Go;
    case Fault::Corrupt: return call.writes ? Verdict::Damage : Verdict::Go;
    case Fault::KilledBefore: die();
    case Fault::KilledAfter: g_killAfter = true; break;
    case Fault::Stops: real(SYS_kill, ::getpid(), SIGSTOP); break;
    case Fault::Signal: real(SYS_kill, ::getpid(), plan.number); break;
    }
    return Verdict::Go;
}

Verdict begin(const Call &call, const std::string &path)
{
    const std::uint32_t number = ++g_watch->calls;
    const FaultPlan &plan = g_watch->plan;
    const bool onwards = plan.kind == Fault::FailsOnwards || plan.kind == Fault::Full;
    if (plan.call == 0 || number < plan.call || (g_watch->struck && !onwards))
        return Verdict::Go;
    const bool first = !g_watch->struck;
    if (first)
        std::snprintf(g_watch->where.data(), g_watch->where.size(), "%s %s", call.name,
                      path.c_str() + std::min(path.size(), std::strlen(g_watch->folder.data())));
    const bool stops = plan.kind == Fault::Stops || plan.kind == Fault::KilledBefore;
    g_watch->struck = g_watch->struck || stops;
    const Verdict verdict = strike(call);
    g_watch->struck =
        g_watch->struck || verdict != Verdict::Go || g_killAfter || plan.kind == Fault::Signal;
    return verdict;
}

void end(const Call &call, bool done)
{
    if (call.changes && done)
        ++g_watch->changes;
    if (g_killAfter)
        die();
}

/// One call: it may fail before `work` is done, which gets how it is to be done.
template <class Work>
auto counted(const Call &call, const std::string &path, const Work &work)
    -> decltype(work(Verdict::Go))
{
    const Verdict verdict = begin(call, path);
    if (verdict == Verdict::Fail)
        return -1;
    const auto result = work(verdict);
    const int number = errno;
    end(call, result >= 0);
    errno = number;
    return result;
}

// ---- what a power cut may take back

/// In one piece: another thread records as well, and the process may be killed meanwhile.
void record(const LogEntry &entry)
{
    if (!g_watch->recording)
        return;
    std::vector<std::byte> piece;
    const auto put = [&piece](const void *bytes, std::size_t count) {
        const auto *from = static_cast<const std::byte *>(bytes);
        piece.insert(piece.end(), from, from + count);
    };
    put(&entry.change, sizeof entry.change);
    for (const std::uint64_t number :
         {entry.inode, entry.offset, entry.bytes, entry.oldSize, std::uint64_t{entry.old.size()}})
        put(&number, sizeof number);
    put(entry.old.data(), entry.old.size());
    for (const std::string &text : {entry.first, entry.second}) {
        const std::uint64_t size = text.size();
        put(&size, sizeof size);
        put(text.data(), text.size());
    }
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    if (g_watch->logBytes + piece.size() > Watch::kLogBytes)
        std::abort(); // the samples are small
    std::memcpy(g_watch->log.data() + g_watch->logBytes, piece.data(), piece.size());
    g_watch->logBytes += piece.size();
}

void recordNames(Change change, std::string first, std::string second = {})
{
    LogEntry entry;
    entry.change = change;
    entry.first = std::move(first);
    entry.second = std::move(second);
    record(entry);
}

std::optional<struct stat> statusOf(int descriptor)
{
    struct stat status = {};
    if (real(SYS_newfstatat, descriptor, "", &status, AT_EMPTY_PATH) != 0)
        return std::nullopt;
    return status;
}

/// Before the bytes from `offset` on change, or are cut off.
LogEntry beforeWrite(int descriptor, std::uint64_t offset, std::uint64_t bytes)
{
    LogEntry entry;
    const auto status = statusOf(descriptor);
    if (!g_watch->recording || !status)
        return entry;
    entry.inode = status->st_ino;
    entry.offset = offset;
    entry.bytes = bytes;
    entry.oldSize = static_cast<std::uint64_t>(status->st_size);
    if (offset < entry.oldSize)
        entry.old.resize(static_cast<std::size_t>(std::min(bytes, entry.oldSize - offset)));
    std::size_t done = 0;
    while (done < entry.old.size()) {
        const long n = real(SYS_pread64, descriptor, entry.old.data() + done,
                            entry.old.size() - done, static_cast<long>(offset + done));
        if (n <= 0)
            break; // it was opened for writing only
        done += static_cast<std::size_t>(n);
    }
    entry.old.resize(done);
    return entry;
}

/// A name goes, the file stays to be put back.
long bury(const std::string &path)
{
    const std::string place =
        std::string(g_watch->grave.data()) + '/' + std::to_string(g_watch->buried++);
    const long done = real(SYS_renameat2, AT_FDCWD, path.c_str(), AT_FDCWD, place.c_str(), 0);
    if (done == 0)
        recordNames(Change::Bury, path, place);
    return done;
}

bool isThere(const std::string &path)
{
    return real(SYS_faccessat, AT_FDCWD, path.c_str(), F_OK) == 0;
}

// ---- the calls

int openCounted(int folder, const char *path, int flags, mode_t mode)
{
    const std::string name = watched(folder, path);
    if (name.empty())
        return static_cast<int>(real(SYS_openat, folder, path, flags, mode));
    const bool makes = (flags & O_CREAT) != 0 && !isThere(name);
    return counted({makes ? "create" : "open", false, false, makes, makes}, name, [&](Verdict) {
        const long result = real(SYS_openat, folder, path, flags, mode);
        if (result >= 0 && makes)
            recordNames(Change::Create, name);
        return static_cast<int>(result);
    });
}

ssize_t writeCounted(int descriptor, const void *bytes, std::size_t count, off_t offset, bool here)
{
    const auto plain = [&](const void *from, std::size_t some) {
        return static_cast<ssize_t>(here ? real(SYS_write, descriptor, from, some)
                                         : real(SYS_pwrite64, descriptor, from, some, offset));
    };
    const std::string name = watched(descriptor);
    if (name.empty())
        return plain(bytes, count);
    const auto status = statusOf(descriptor);
    const std::uint64_t at = static_cast<std::uint64_t>(
        here ? real(SYS_lseek, descriptor, 0, SEEK_CUR) : static_cast<long>(offset));
    const bool grows = status && at + count > static_cast<std::uint64_t>(status->st_size);
    return counted({"write", false, true, grows, true}, name, [&](Verdict verdict) -> ssize_t {
        if (verdict == Verdict::Pretend)
            return static_cast<ssize_t>(count);
        const std::size_t some = verdict == Verdict::Half ? (count + 1) / 2 : count;
        std::vector<std::byte> damaged;
        if (verdict == Verdict::Damage && count > 0) {
            const auto *from = static_cast<const std::byte *>(bytes);
            damaged.assign(from, from + count);
            damaged[count / 2] ^= std::byte{0x55};
        }
        const LogEntry entry = beforeWrite(descriptor, at, some);
        const ssize_t result = plain(damaged.empty() ? bytes : damaged.data(), some);
        if (result >= 0)
            record(entry);
        return result;
    });
}

ssize_t readCounted(int descriptor, void *bytes, std::size_t count, off_t offset, bool here)
{
    const auto plain = [&](std::size_t some) {
        return static_cast<ssize_t>(here ? real(SYS_read, descriptor, bytes, some)
                                         : real(SYS_pread64, descriptor, bytes, some, offset));
    };
    const std::string name = watched(descriptor);
    if (name.empty())
        return plain(count);
    return counted({"read", true, false, false, false}, name, [&](Verdict verdict) {
        return plain(verdict == Verdict::Half ? (count + 1) / 2 : count);
    });
}

/// Nothing is brought to the disk: what is said to be there is what a power cut leaves.
int syncCounted(int descriptor)
{
    const std::string name = watched(descriptor);
    if (name.empty())
        return static_cast<int>(real(SYS_fsync, descriptor));
    return counted({"fsync"}, name, [&](Verdict) {
        const auto status = statusOf(descriptor);
        if (status && S_ISDIR(status->st_mode)) {
            recordNames(Change::SyncFolder, name);
        } else if (status) {
            LogEntry entry;
            entry.change = Change::Sync;
            entry.inode = status->st_ino;
            record(entry);
        }
        return 0;
    });
}

int truncateCounted(int descriptor, off_t length)
{
    const std::string name = watched(descriptor);
    if (name.empty())
        return static_cast<int>(real(SYS_ftruncate, descriptor, length));
    const auto status = statusOf(descriptor);
    const bool grows = status && length > status->st_size;
    return counted({"ftruncate", false, false, grows, true}, name, [&](Verdict) {
        const std::uint64_t cut = static_cast<std::uint64_t>(length);
        const std::uint64_t size =
            status ? static_cast<std::uint64_t>(status->st_size) : std::uint64_t{0};
        const LogEntry entry =
            beforeWrite(descriptor, std::min(cut, size), std::max(cut, size) - std::min(cut, size));
        const long result = real(SYS_ftruncate, descriptor, length);
        if (result == 0)
            record(entry);
        return static_cast<int>(result);
    });
}

int renameCounted(int from, const char *old, int to, const char *path, unsigned flags)
{
    const std::string first = watched(from, old), second = watched(to, path);
    if (first.empty() || second.empty())
        return static_cast<int>(real(SYS_renameat2, from, old, to, path, flags));
    return counted({"rename", false, false, false, true}, second, [&](Verdict) {
        if (g_watch->recording && flags == 0 && isThere(first) && isThere(second))
            bury(second);
        const long result = real(SYS_renameat2, from, old, to, path, flags);
        if (result == 0)
            recordNames(flags == RENAME_EXCHANGE ? Change::Exchange : Change::Rename, first,
                        second);
        return static_cast<int>(result);
    });
}

int linkCounted(int from, const char *old, int to, const char *path, int flags)
{
    const std::string first = watched(from, old), second = watched(to, path);
    if (first.empty() || second.empty())
        return static_cast<int>(real(SYS_linkat, from, old, to, path, flags));
    return counted({"link", false, false, true, true}, second, [&](Verdict) {
        const long result = real(SYS_linkat, from, old, to, path, flags);
        if (result == 0)
            recordNames(Change::Link, first, second);
        return static_cast<int>(result);
    });
}

int unlinkCounted(int folder, const char *path, int flags)
{
    const std::string name = watched(folder, path);
    if (name.empty())
        return static_cast<int>(real(SYS_unlinkat, folder, path, flags));
    return counted({"unlink", false, false, false, true}, name, [&](Verdict) {
        if ((flags & AT_REMOVEDIR) == 0 && g_watch->recording) {
            struct stat status = {};
            const bool file =
                real(SYS_newfstatat, AT_FDCWD, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
                !S_ISDIR(status.st_mode);
            if (file)
                return static_cast<int>(bury(name));
        }
        const long result = real(SYS_unlinkat, folder, path, flags);
        if (result == 0 && (flags & AT_REMOVEDIR) != 0)
            recordNames(Change::RemoveFolder, name);
        return static_cast<int>(result);
    });
}

int makeFolderCounted(int folder, const char *path, mode_t mode)
{
    const std::string name = watched(folder, path);
    if (name.empty())
        return static_cast<int>(real(SYS_mkdirat, folder, path, mode));
    return counted({"mkdir", false, false, true, true}, name, [&](Verdict) {
        const long result = real(SYS_mkdirat, folder, path, mode);
        if (result == 0)
            recordNames(Change::MakeFolder, name);
        return static_cast<int>(result);
    });
}

template <class... Arguments>
int otherCounted(const Call &call, long number, int descriptor, Arguments... arguments)
{
    const std::string name = watched(descriptor);
    const auto plain = [&] { return static_cast<int>(real(number, descriptor, arguments...)); };
    return name.empty() ? plain() : counted(call, name, [&](Verdict) { return plain(); });
}

template <class T>
T take(const Watch &watch, std::size_t &at)
{
    T value{};
    std::memcpy(&value, watch.log.data() + at, sizeof value);
    at += sizeof value;
    return value;
}

} // namespace

Watch *makeWatch(const char *path)
{
    const int file = *path != '\0' ? ::open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
    if (file >= 0 && ::ftruncate(file, sizeof(Watch)) != 0)
        std::abort();
    void *memory = ::mmap(nullptr, sizeof(Watch), PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_NORESERVE | (file < 0 ? MAP_ANONYMOUS : 0), file, 0);
    if (memory == MAP_FAILED)
        std::abort();
    if (file >= 0)
        ::close(file);
    return static_cast<Watch *>(memory);
}

void watchCalls(Watch *watch)
{
    g_watch = watch;
}

std::vector<LogEntry> logOf(const Watch &watch)
{
    std::vector<LogEntry> entries;
    for (std::size_t at = 0; at < watch.logBytes;) {
        LogEntry &entry = entries.emplace_back();
        entry.change = take<Change>(watch, at);
        for (std::uint64_t *number : {&entry.inode, &entry.offset, &entry.bytes, &entry.oldSize})
            *number = take<std::uint64_t>(watch, at);
        const auto old = take<std::uint64_t>(watch, at);
        const std::byte *bytes = watch.log.data() + at;
        entry.old.assign(bytes, bytes + old);
        at += old;
        for (std::string *text : {&entry.first, &entry.second}) {
            text->resize(static_cast<std::size_t>(take<std::uint64_t>(watch, at)));
            std::memcpy(text->data(), watch.log.data() + at, text->size());
            at += text->size();
        }
    }
    return entries;
}

} // namespace kernscope::simulator

namespace sim = kernscope::simulator;

extern "C" {

#define KERNSCOPE_MODE                                                                             \
    mode_t mode = 0;                                                                               \
    if ((flags & (O_CREAT | __O_TMPFILE)) != 0) {                                                  \
        va_list rest;                                                                              \
        va_start(rest, flags);                                                                     \
        mode = va_arg(rest, mode_t);                                                               \
        va_end(rest);                                                                              \
    }

int open(const char *path, int flags, ...)
{
    KERNSCOPE_MODE
    return sim::openCounted(AT_FDCWD, path, flags, mode);
}
int open64(const char *path, int flags, ...)
{
    KERNSCOPE_MODE
    return sim::openCounted(AT_FDCWD, path, flags, mode);
}
int openat(int folder, const char *path, int flags, ...)
{
    KERNSCOPE_MODE
    return sim::openCounted(folder, path, flags, mode);
}
int openat64(int folder, const char *path, int flags, ...)
{
    KERNSCOPE_MODE
    return sim::openCounted(folder, path, flags, mode);
}
ssize_t write(int descriptor, const void *bytes, size_t count)
{
    return sim::writeCounted(descriptor, bytes, count, 0, true);
}
ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset)
{
    return sim::writeCounted(descriptor, bytes, count, offset, false);
}
ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset)
{
    return sim::writeCounted(descriptor, bytes, count, offset, false);
}
ssize_t read(int descriptor, void *bytes, size_t count)
{
    return sim::readCounted(descriptor, bytes, count, 0, true);
}
ssize_t pread(int descriptor, void *bytes, size_t count, off_t offset)
{
    return sim::readCounted(descriptor, bytes, count, offset, false);
}
ssize_t pread64(int descriptor, void *bytes, size_t count, off64_t offset)
{
    return sim::readCounted(descriptor, bytes, count, offset, false);
}
int fsync(int descriptor)
{
    return sim::syncCounted(descriptor);
}
int fdatasync(int descriptor)
{
    return sim::syncCounted(descriptor);
}
int ftruncate(int descriptor, off_t length) noexcept
{
    return sim::truncateCounted(descriptor, length);
}
int ftruncate64(int descriptor, off64_t length) noexcept
{
    return sim::truncateCounted(descriptor, length);
}
int rename(const char *from, const char *to) noexcept
{
    return sim::renameCounted(AT_FDCWD, from, AT_FDCWD, to, 0);
}
int renameat(int folder, const char *from, int other, const char *to) noexcept
{
    return sim::renameCounted(folder, from, other, to, 0);
}
int renameat2(int folder, const char *from, int other, const char *to, unsigned flags) noexcept
{
    return sim::renameCounted(folder, from, other, to, flags);
}
int link(const char *from, const char *to) noexcept
{
    return sim::linkCounted(AT_FDCWD, from, AT_FDCWD, to, 0);
}
int linkat(int folder, const char *from, int other, const char *to, int flags) noexcept
{
    return sim::linkCounted(folder, from, other, to, flags);
}
int unlink(const char *path) noexcept
{
    return sim::unlinkCounted(AT_FDCWD, path, 0);
}
int unlinkat(int folder, const char *path, int flags) noexcept
{
    return sim::unlinkCounted(folder, path, flags);
}
int rmdir(const char *path) noexcept
{
    return sim::unlinkCounted(AT_FDCWD, path, AT_REMOVEDIR);
}
int remove(const char *path) noexcept
{
    const int done = sim::unlinkCounted(AT_FDCWD, path, 0);
    return done != 0 && errno == EISDIR ? sim::unlinkCounted(AT_FDCWD, path, AT_REMOVEDIR) : done;
}
int mkdir(const char *path, mode_t mode) noexcept
{
    return sim::makeFolderCounted(AT_FDCWD, path, mode);
}
int mkdirat(int folder, const char *path, mode_t mode) noexcept
{
    return sim::makeFolderCounted(folder, path, mode);
}
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow" // a struct has its name as well
int flock(int descriptor, int operation) noexcept
{
    return sim::otherCounted({"flock"}, SYS_flock, descriptor, operation);
}
#pragma GCC diagnostic pop
int fchmod(int descriptor, mode_t mode) noexcept
{
    return sim::otherCounted({"fchmod"}, SYS_fchmod, descriptor, mode);
}
void *mmap(void *address, size_t length, int protection, int flags, int descriptor,
           off_t offset) noexcept
{
    void *const failed = MAP_FAILED;
    const std::string name =
        (flags & MAP_ANONYMOUS) != 0 ? std::string() : sim::watched(descriptor);
    const auto map = [&] {
        return sim::real(SYS_mmap, address, length, protection, flags, descriptor, offset);
    };
    if (name.empty())
        return reinterpret_cast<void *>(map());
    long place = -1;
    const int done = sim::counted({"mmap"}, name, [&](sim::Verdict) {
        place = map();
        return place == -1 ? -1 : 0;
    });
    return done != 0 ? failed : reinterpret_cast<void *>(place);
}

} // extern "C"
