// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/file_descriptor.h"
#include "core/base/files.h"
#include "core/base/progress.h"

#include <signal.h>

/// Files written so that what was reported is on the disk.
namespace kernscope::patch {

/// A file descriptor that closes itself. Errors are "io.open", "io.read" and "io.write", with the
/// system's words in `found`.
class DiskFile
{
public:
    enum class Mode : std::uint8_t {
        Read,
        ReadPlain,     ///< as Read, but not through a link at the path's end
        Change,        ///< an existing file, read and written in place; not through a link
        Create,        ///< a file that must not exist yet
        CreatePrivate, ///< the same, for its owner only
    };
    static Result<DiskFile> open(const std::filesystem::path &path, Mode mode, std::string name);

    DiskFile(DiskFile &&other) noexcept;
    DiskFile &operator=(DiskFile &&other) noexcept;
    DiskFile(const DiskFile &) = delete;
    DiskFile &operator=(const DiskFile &) = delete;
    ~DiskFile();

    int descriptor() const { return m_descriptor; }
    const std::string &name() const { return m_name; }

    /// Bytes of the file now. Errors: "io.read".
    Result<std::uint64_t> size() const;
    /// Exactly bytes.size() bytes; a file that ends before is an error.
    Result<void> readAt(std::uint64_t offset, std::span<std::byte> bytes) const;
    Result<void> writeAt(std::uint64_t offset, std::span<const std::byte> bytes) const;
    /// At the place where the last append ended.
    Result<void> append(std::span<const std::byte> bytes);
    /// Asks the system to begin writing these bytes out, so that sync() has little left to do.
    void flush(std::uint64_t offset, std::uint64_t bytes) const;
    /// Everything written is on the disk when this returns.
    Result<void> sync() const;
    enum class Lock : std::uint8_t { Alone, Shared };
    /// Until it is closed. False where somebody else holds it (alone, or at all).
    bool tryLock(Lock lock = Lock::Alone) const;
    void unlock() const;
    /// The file belongs to the user that this process acts for.
    bool ownedByUser() const;
    /// The name still leads to this file.
    bool isAt(const std::filesystem::path &path) const;
    /// Which file it is, and its state.
    Result<FileStamp> stamp() const;
    /// Other names of the file, whose content would change with it. Errors: "io.links" where it
    /// has any.
    Result<void> checkOnlyName() const;
    /// Permissions as those of `other`.
    Result<void> takePermissions(const DiskFile &other) const;

private:
    friend class SaveLock;
    DiskFile(int descriptor, std::string name) : m_descriptor(descriptor), m_name(std::move(name))
    {
    }

    int m_descriptor = -1;
    std::uint64_t m_end = 0;
    std::string m_name;
};

/// Locks on folders and files that a save or a recovery holds until it ends; each inode once,
/// whatever names it has. Advisory: between processes of this program, and within one.
class SaveLock
{
public:
    /// Errors: "patch.busy" where somebody else holds one of them, "io.open".
    Result<void> add(const std::filesystem::path &path);

private:
    struct Held {
        std::uint64_t device = 0, inode = 0;
        DiskFile file;
    };
    std::vector<Held> m_held;
};

/// Makes renames and removals in a folder last.
Result<void> syncFolder(const std::filesystem::path &folder);

/// Holds back the signals that would end the process, on this thread. They are delivered when it
/// is gone; the process that holds it asks in between whether one waits, and puts things back.
class SignalShield
{
public:
    SignalShield();
    ~SignalShield();
    SignalShield(const SignalShield &) = delete;
    SignalShield &operator=(const SignalShield &) = delete;

    /// Whether one of the signals that are held back waits.
    bool signalled() const;

private:
    sigset_t m_ending{};
    sigset_t m_before{};
};

inline constexpr std::size_t kCopyBlock = std::size_t{1} << 20; ///< bytes between two looks

/// A regular file: bytes, holes, permissions, time of change. Errors: "io.open", "io.read",
/// "io.write", "task.cancelled".
Result<void> copyRegularFile(const std::filesystem::path &from, const std::filesystem::path &to,
                             const std::string &name, Progress *progress);
/// Whether two files hold the same bytes; false where one cannot be read, or on a cancel.
bool sameContent(const DiskFile &one, const DiskFile &other, Progress *progress = nullptr);
/// The same between files that are open: bytes, holes and permissions, brought to the disk and read
/// back. Errors: also "patch.verify".
Result<void> copyContent(const DiskFile &in, const DiskFile &out, Progress *progress);
/// A symbolic link: the same text. Errors: "io.write".
Result<void> copyLink(const std::filesystem::path &from, const std::filesystem::path &to,
                      const std::string &name);
/// Permissions and time of change of a folder, once nothing is written into it any more. Errors:
/// "io.write".
Result<void> finishFolder(const std::filesystem::path &from, const std::filesystem::path &to,
                          const std::string &name);
/// The time of change, where it can be had; a copy without it is still a copy.
void copyTime(const std::filesystem::path &from, const std::filesystem::path &to);

} // namespace kernscope::patch
