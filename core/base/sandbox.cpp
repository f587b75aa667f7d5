// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/sandbox.h"

#ifdef __linux__

#include "core/base/file_descriptor.h"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kernscope {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kReadFile = LANDLOCK_ACCESS_FS_READ_FILE;
constexpr std::uint64_t kRead = kReadFile | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t kTruncate = std::uint64_t(1) << 14; ///< from version 3 of the interface on
constexpr std::uint64_t kWriteFile = LANDLOCK_ACCESS_FS_WRITE_FILE;
constexpr std::uint64_t kWrite = kWriteFile | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                                 LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR |
                                 LANDLOCK_ACCESS_FS_MAKE_REG;
/// All that version 1 knows: what is not granted below is given up.
constexpr std::uint64_t kAll = (std::uint64_t(1) << 13) - 1;

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kArchitecture = 0; // no filter of calls there
#endif

void allow(int rules, const fs::path &path, std::uint64_t access)
{
    const Descriptor file(::open(path.c_str(), O_PATH | O_CLOEXEC));
    struct stat status = {};
    if (file.get() < 0 || ::fstat(file.get(), &status) != 0)
        return;
    landlock_path_beneath_attr rule = {};
    rule.parent_fd = file.get();
    // The kernel refuses rights of folders for a file.
    rule.allowed_access =
        S_ISDIR(status.st_mode) ? access : access & (kReadFile | kWriteFile | kTruncate);
    ::syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
}

/// No new sockets, and no ring of requests, which could ask for one.
bool refuseNetwork()
{
    if constexpr (kArchitecture == 0)
        return true;
    std::array<sock_filter, 7> filter{{
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
    }};
    const sock_fprog program{filter.size(), filter.data()};
    return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

} // namespace

bool enterSandbox(const SandboxRights &rights)
{
    const long version =
        ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (version < 1)
        return false;
    const std::uint64_t truncate = version >= 3 ? kTruncate : 0;
    landlock_ruleset_attr handled = {};
    handled.handled_access_fs = kAll | truncate;
    const Descriptor rules(
        static_cast<int>(::syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0)));
    if (rules.get() < 0)
        return false;
    for (const char *path :
         {"/usr", "/lib", "/lib64", "/etc", "/proc", "/sys", "/dev", "/var/cache/fontconfig"})
        allow(rules.get(), path, kRead);
    for (const fs::path &path : rights.read)
        allow(rules.get(), path, kRead);
    for (const fs::path &path : rights.list)
        allow(rules.get(), path, LANDLOCK_ACCESS_FS_READ_DIR);
    for (const fs::path &path : rights.write)
        allow(rules.get(), path, kRead | kWrite | truncate);
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           ::syscall(SYS_landlock_restrict_self, rules.get(), 0) == 0 && refuseNetwork();
}

} // namespace kernscope

#else

bool kernscope::enterSandbox(const SandboxRights &)
{
    return false;
}

#endif
