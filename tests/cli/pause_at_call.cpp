// SPDX-License-Identifier: GPL-3.0-or-later
// Loaded before the C library (LD_PRELOAD): stops the process with SIGSTOP right after its K-th
// call of a function, so that a test acts at exactly that point, however fast the machine is.
//
//   KERNSCOPE_PAUSE="K stat PATH"   after the K-th stat() of the file of that path
//   KERNSCOPE_PAUSE="K fsync"       after the K-th fsync()
//   KERNSCOPE_TRY=PATH              there it tries to read a file, and says how that ended
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>

namespace {

std::atomic<int> g_calls{0};

void called(const char *function, const char *path)
{
    const char *wanted = std::getenv("KERNSCOPE_PAUSE");
    if (!wanted)
        return;
    char *rest = nullptr;
    const long count = std::strtol(wanted, &rest, 10);
    const std::size_t length = std::strlen(function);
    if (*rest != ' ' || std::strncmp(rest + 1, function, length) != 0)
        return;
    rest += 1 + length;
    if (*rest == ' ' && std::strcmp(rest + 1, path) != 0)
        return;
    if (++g_calls != count)
        return;
    if (const char *other = std::getenv("KERNSCOPE_TRY")) {
        const int file = ::open(other, O_RDONLY | O_CLOEXEC);
        std::fprintf(stderr, "tried: %s\n", file < 0 ? std::strerror(errno) : "read");
    }
    std::raise(SIGSTOP);
}

} // namespace

extern "C" {

int stat(const char *path, struct stat *status) noexcept
{
    using Function = int (*)(const char *, struct stat *);
    static const auto real = reinterpret_cast<Function>(::dlsym(RTLD_NEXT, "stat"));
    const int result = real(path, status);
    called("stat", path);
    return result;
}

int fsync(int descriptor)
{
    using Function = int (*)(int);
    static const auto real = reinterpret_cast<Function>(::dlsym(RTLD_NEXT, "fsync"));
    const int result = real(descriptor);
    called("fsync", "");
    return result;
}

} // extern "C"
