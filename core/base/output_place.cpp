// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/output_place.h"

#include "core/base/error_builder.h"
#include "core/base/file_descriptor.h"
#include "core/base/files.h"
#include "core/base/platform.h"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>

namespace kernscope {

/// What a file is recognised by, of what stat() says of it.
SeenFile seenFile(const struct stat &status);

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPartMark = ".kernscope-part-";
constexpr std::string_view kLetters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
constexpr std::size_t kRandomLetters = 6;
constexpr std::size_t kLongestName = 255; ///< of Linux's file systems, in bytes
constexpr int kAttempts = 32;
/// Says of an unfinished output that it is one: a user's own file may have such a name as well. Of
/// a finished one, until what it replaced is removed, "DEVICE INODE" of that.
constexpr const char *kPartAttribute = "user.kernscope.part";

Error writeError(const fs::path &path, int number)
{
    return ioError("io.write", path.string(), "The output cannot be written", number);
}

Error existsError(const fs::path &path, std::string found)
{
    return valueError({path.string()}, "io.exists", {}, "what was there when the command began",
                      found,
                      "The output's place was taken meanwhile; what is there is left as it is");
}

/// What the names of an output's unfinished files begin with.
std::string partPrefix(const fs::path &path)
{
    const std::string name = path.filename().string();
    const std::size_t most = kLongestName - kPartMark.size() - kRandomLetters;
    return name.substr(0, most) + std::string(kPartMark);
}

std::string randomLetters()
{
    std::string letters(kRandomLetters, '\0');
    // Where there are none the names are equal, and the second is refused as one that exists.
    [[maybe_unused]] const int fault = ::getentropy(letters.data(), letters.size());
    for (char &letter : letters)
        letter = kLetters[static_cast<unsigned char>(letter) % kLetters.size()];
    return letters;
}

bool isPartOf(const std::string &name, const std::string &prefix)
{
    return name.size() == prefix.size() + kRandomLetters && name.starts_with(prefix) &&
           name.find_first_not_of(kLetters, prefix.size()) == std::string::npos;
}

/// A new file or folder, open. Negative, with errno, where it cannot be made.
int makePart(const fs::path &path, OutputKind kind)
{
    if (kind == OutputKind::File)
        return ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (::mkdir(path.c_str(), 0777) != 0)
        return -1;
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    const int number = errno;
    if (descriptor < 0)
        ::rmdir(path.c_str());
    errno = number;
    return descriptor;
}

/// The name still leads to the file that is open: it was not removed between two steps.
bool stillNamed(const fs::path &path, int descriptor)
{
    struct stat named = {}, open = {};
    return ::lstat(path.c_str(), &named) == 0 && ::fstat(descriptor, &open) == 0 &&
           named.st_dev == open.st_dev && named.st_ino == open.st_ino;
}

std::string replacedText(std::uint64_t device, std::uint64_t inode)
{
    return fmt::format("{} {}", device, inode);
}

int openToLook(const fs::path &path)
{
    return ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

/// replacedText() of what an output has replaced that a run was killed before it removed; empty:
/// none is left, or the run lives.
std::string takeReplaced(const fs::path &output)
{
    const int descriptor = openToLook(output);
    if (descriptor < 0)
        return {};
    char text[48] = {};
    const ssize_t size = platform::attribute(descriptor, kPartAttribute, text);
    const bool left = size > 0 && ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
    if (left)
        platform::removeAttribute(descriptor, kPartAttribute);
    ::close(descriptor);
    return left ? std::string(text, static_cast<std::size_t>(size)) : std::string();
}

/// Removes one unfinished output where it is ours and no process is working on it, or what a
/// finished one has replaced.
void removeIfAbandoned(const fs::path &path, const std::string &replaced)
{
    const int descriptor = openToLook(path);
    if (descriptor < 0)
        return;
    struct stat status = {};
    const bool ours = ::fstat(descriptor, &status) == 0 && status.st_uid == ::geteuid() &&
                      (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)) &&
                      (platform::attribute(descriptor, kPartAttribute, {}) >= 0 ||
                       replaced == replacedText(status.st_dev, status.st_ino));
    if (ours && ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 && stillNamed(path, descriptor)) {
        if (S_ISDIR(status.st_mode))
            removeTree(path);
        else
            ::unlink(path.c_str());
    }
    ::close(descriptor);
}

/// Renames where nothing is at `to`. False with errno EEXIST where something is.
bool renameWhereNothingIs(const fs::path &from, const fs::path &to, OutputKind kind)
{
    errno = platform::renameExclusively(from, to);
    if (errno != EINVAL && errno != ENOSYS && errno != ENOTSUP)
        return errno == 0;
    // A file system without that flag: both of these fail where something is.
    if (kind == OutputKind::File)
        return ::link(from.c_str(), to.c_str()) == 0 && ::unlink(from.c_str()) == 0;
    return ::mkdir(to.c_str(), 0700) == 0 && ::rename(from.c_str(), to.c_str()) == 0;
}

using Identity = std::pair<std::uint64_t, std::uint64_t>; ///< device, inode

tl::unexpected<Error> refusedOutput(std::string code, const fs::path &path, std::string expected,
                                    std::string found, std::string message)
{
    return refused({path.string()}, code, {}, expected, found, message);
}

bool liesWithin(const fs::path &path, const fs::path &folder)
{
    const auto [end, ignored] =
        std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
    return end == folder.end();
}

std::optional<Identity> identityOf(const fs::path &path)
{
    struct stat status = {};
    if (::stat(path.c_str(), &status) != 0)
        return std::nullopt;
    return Identity{status.st_dev, status.st_ino};
}

/// Whether a file that exists is one of the inputs, or one of those that an input folder holds.
bool isInput(const Identity &file, const std::vector<fs::path> &inputs)
{
    std::error_code fault;
    for (const fs::path &input : inputs) {
        if (identityOf(input) == file)
            return true;
        if (!fs::is_directory(input, fault))
            continue;
        fs::recursive_directory_iterator entry(input, fs::directory_options::skip_permission_denied,
                                               fault);
        for (; !fault && entry != fs::recursive_directory_iterator(); entry.increment(fault)) {
            if (identityOf(entry->path()) == file)
                return true;
        }
    }
    return false;
}

/// The path with its folder's links resolved; of a link, the file that it leads to.
Result<fs::path> resolved(const fs::path &path)
{
    std::error_code fault;
    struct stat status = {};
    if (::lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode)) {
        fs::path target = fs::canonical(path, fault);
        if (fault)
            return refusedOutput("io.kind", path, "a file", "a link that leads to nothing",
                                 "The output cannot be written there");
        return target;
    }
    const fs::path folder =
        fs::canonical(path.has_parent_path() ? path.parent_path() : fs::path("."), fault);
    if (!fault && !fs::is_directory(folder, fault) && !fault)
        fault = std::make_error_code(std::errc::not_a_directory);
    if (fault)
        return refusedOutput("io.write", path, "", fault.message(),
                             "The folder that the output goes into cannot be used");
    return folder / path.filename();
}

Result<void> outsideOfInputs(const fs::path &path, const fs::path &place,
                             const std::vector<fs::path> &inputs)
{
    std::error_code fault;
    for (const fs::path &input : inputs) {
        const fs::path folder = fs::canonical(input, fault);
        if (!fault && fs::is_directory(folder, fault) && liesWithin(place, folder))
            return refusedOutput("io.input", path, "a place outside of the input",
                                 place == folder ? "the input" : "a place inside of it",
                                 "The output would change what the command reads");
    }
    return {};
}

/// Whether a folder itself holds a compiled Core AI program.
bool holdsOdix(const fs::path &folder)
{
    std::error_code fault;
    fs::directory_iterator entry(folder, fault);
    for (; !fault && entry != fs::directory_iterator(); entry.increment(fault)) {
        if (entry->path().extension() == ".odix" && entry->is_regular_file(fault))
            return true;
    }
    return false;
}

bool has(const fs::path &folder, const char *name, fs::file_type type = fs::file_type::regular)
{
    std::error_code fault;
    return fs::symlink_status(folder / name, fault).type() == type;
}

/// What a folder is, by the file that marks it; nothing of one that is neither.
std::optional<OutputKind> folderKind(const fs::path &folder)
{
    if (has(folder, "model.mil") || has(folder, "model0/model.mil") ||
        has(folder, "coremldata.bin") || has(folder, "main.mlirb") || holdsOdix(folder) ||
        (has(folder, "Manifest.json") && has(folder, "Data", fs::file_type::directory)))
        return OutputKind::Model;
    return has(folder, "quantize.json") ? std::optional(OutputKind::Matrix) : std::nullopt;
}

/// In words, with its article.
std::string_view folderText(OutputKind kind)
{
    return kind == OutputKind::Matrix ? "a quantised matrix" : "a model's folder";
}

} // namespace

bool isBundleFolder(const fs::path &folder)
{
    return folderKind(folder).has_value();
}

void removeTree(const fs::path &folder)
{
    std::error_code ignored;
    fs::permissions(folder, fs::perms::owner_all, fs::perm_options::add, ignored);
    fs::recursive_directory_iterator entry(folder, ignored);
    for (; !ignored && entry != fs::recursive_directory_iterator(); entry.increment(ignored)) {
        std::error_code fault;
        if (entry->symlink_status(fault).type() == fs::file_type::directory)
            fs::permissions(entry->path(), fs::perms::owner_all, fs::perm_options::add, fault);
    }
    fs::remove_all(folder, ignored);
}

OutputPlace::OutputPlace(OutputTarget target, OutputKind kind)
    : m_target(std::move(target)), m_kind(kind)
{
}

OutputPlace::OutputPlace(OutputPlace &&other) noexcept
    : m_target(std::move(other.m_target)), m_kind(other.m_kind),
      m_temporary(std::exchange(other.m_temporary, {})),
      m_descriptor(std::exchange(other.m_descriptor, -1)), m_permissions(other.m_permissions)
{
}

OutputPlace::~OutputPlace()
{
    // Removed while it is still locked: no other process takes it for abandoned.
    remove();
    if (m_descriptor >= 0)
        ::close(m_descriptor);
}

/// Removes the file with the temporary name.
void OutputPlace::remove()
{
    if (m_temporary.empty())
        return;
    if (m_kind != OutputKind::File)
        removeTree(m_temporary);
    else
        ::unlink(m_temporary.c_str());
    m_temporary.clear();
}

void OutputPlace::removeAbandoned() const
{
    const std::string prefix = partPrefix(m_target.path);
    std::error_code fault;
    fs::directory_iterator entry(m_target.path.parent_path(), fault);
    std::vector<fs::path> parts;
    for (; !fault && entry != fs::directory_iterator(); entry.increment(fault)) {
        if (isPartOf(entry->path().filename().string(), prefix))
            parts.push_back(entry->path());
    }
    const std::string replaced = parts.empty() ? std::string() : takeReplaced(m_target.path);
    for (const fs::path &part : parts)
        removeIfAbandoned(part, replaced);
}

Result<void> OutputPlace::make()
{
    const std::string prefix = partPrefix(m_target.path);
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
        const fs::path path = m_target.path.parent_path() / (prefix + randomLetters());
        const int descriptor = makePart(path, m_kind);
        if (descriptor < 0 && errno == EEXIST)
            continue;
        if (descriptor < 0)
            return tl::unexpected(writeError(m_target.path, errno));
        // Another run that looks for abandoned parts may be quicker than the lock.
        const bool locked = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
        struct stat status = {};
        if (!locked || !stillNamed(path, descriptor) || ::fstat(descriptor, &status) != 0) {
            ::close(descriptor);
            continue;
        }
        m_temporary = path;
        m_descriptor = descriptor;
        m_permissions = status.st_mode & 0777;
        platform::setAttribute(descriptor, kPartAttribute,
                               {}); // where the file system has attributes
        if (m_kind != OutputKind::File)
            ::fchmod(descriptor, 0700);
        else if (m_target.replaced)
            ::fchmod(descriptor, m_target.replaced->permissions);
        return {};
    }
    return tl::unexpected(writeError(m_target.path, EEXIST));
}

Result<OutputPlace> OutputPlace::claim(const fs::path &path, OutputKind kind,
                                       const OutputRules &rules)
{
    auto target = TRY(checkOutput(path, kind, rules));
    OutputPlace place(std::move(target), kind);
    place.removeAbandoned();
    TRY(place.make());
    return place;
}

/// Swaps the output with what it replaces, and swaps back where that is not what was seen: so that
/// no moment exists at which an unseen file could be lost.
Result<void> OutputPlace::exchange()
{
    const fs::path &to = m_target.path;
    struct stat status = {};
    const std::string replaced = replacedText(m_target.replaced->device, m_target.replaced->inode);
    platform::setAttribute(m_descriptor, kPartAttribute, replaced);
    errno = platform::exchangeNames(m_temporary, to);
    if (errno == 0) {
        if (::lstat(m_temporary.c_str(), &status) == 0 && seenFile(status) == *m_target.replaced) {
            remove();
            return {};
        }
        if (platform::exchangeNames(m_temporary, to) == 0)
            return tl::unexpected(existsError(to, "another file"));
        Error error = existsError(to, "another file, which is now " + m_temporary.string());
        m_temporary.clear(); // it is not ours to remove
        return tl::unexpected(std::move(error));
    }
    if (errno == ENOENT) { // the file to replace is gone
        if (renameWhereNothingIs(m_temporary, to, m_kind)) {
            m_temporary.clear();
            return {};
        }
        return tl::unexpected(errno == EEXIST ? existsError(to, "another file")
                                              : writeError(to, errno));
    }
    if (errno != EINVAL && errno != ENOSYS && errno != ENOTSUP)
        return tl::unexpected(writeError(to, errno));
    if (::lstat(to.c_str(), &status) == 0 && seenFile(status) != *m_target.replaced)
        return tl::unexpected(existsError(to, "another file"));
    if (m_kind != OutputKind::File) // two steps would leave neither where they are cut off
        return tl::unexpected(writeError(to, errno));
    if (::rename(m_temporary.c_str(), to.c_str()) != 0)
        return tl::unexpected(writeError(to, errno));
    m_temporary.clear();
    return {};
}

Result<void> OutputPlace::publish()
{
    if (m_target.replaced) {
        TRY(exchange());
    } else if (renameWhereNothingIs(m_temporary, m_target.path, m_kind)) {
        m_temporary.clear();
    } else {
        return tl::unexpected(errno == EEXIST || errno == ENOTEMPTY
                                  ? existsError(m_target.path, "something that was not there")
                                  : writeError(m_target.path, errno));
    }
    // Not before: what could not be put in its place is still to be known as unfinished.
    platform::removeAttribute(m_descriptor, kPartAttribute);
    // The output is whole and in its place; that its name lasts is all that this adds.
    const int folder =
        ::open(m_target.path.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) {
        ::fsync(folder);
        ::close(folder);
    }
    return {};
}

SeenFile seenFile(const struct stat &status)
{
    SeenFile seen;
    seen.device = status.st_dev;
    seen.inode = status.st_ino;
    seen.bytes = static_cast<std::uint64_t>(status.st_size);
    seen.seconds = platform::changeTime(status).tv_sec;
    seen.nanoseconds = platform::changeTime(status).tv_nsec;
    seen.permissions = status.st_mode & 0777;
    return seen;
}

Result<OutputTarget> checkOutput(const fs::path &path, OutputKind kind, const OutputRules &rules)
{
    fs::path named = path;
    if (!named.has_filename() && kind != OutputKind::File) // "x.mlmodelc/"
        named = named.parent_path();
    if (!named.has_filename() || named.filename() == "." || named.filename() == "..")
        return refusedOutput("io.kind", path, "the name of an output",
                             path.empty() ? "nothing" : "a folder",
                             "The output cannot be written there");
    auto place = TRY(resolved(named));
    TRY(outsideOfInputs(path, place, rules.inputs));
    OutputTarget target{std::move(place), std::nullopt};
    struct stat status = {};
    if (::lstat(target.path.c_str(), &status) != 0) {
        if (errno == ENOENT)
            return target;
        return refusedOutput("io.write", path, "", std::generic_category().message(errno),
                             "The output cannot be written there");
    }
    if (isInput({status.st_dev, status.st_ino}, rules.inputs))
        return refusedOutput("io.input", path, "another file than the inputs", "an input",
                             "The output would replace what the command reads");
    const bool folder = kind != OutputKind::File;
    const auto there = S_ISDIR(status.st_mode) ? folderKind(target.path) : std::nullopt;
    if (folder ? there != kind : !S_ISREG(status.st_mode))
        return refusedOutput(
            "io.kind", path,
            fmt::format("a place where nothing is, or {}", folder ? folderText(kind) : "a file"),
            std::string(folder && there ? folderText(*there) : fileKindText(status.st_mode)),
            "The output cannot take that place");
    if (!rules.replace)
        return refusedOutput("io.exists", path, "a place where nothing is",
                             folder ? "a bundle" : "a file",
                             "The output exists already; it is replaced with --force only");
    target.replaced = seenFile(status);
    return target;
}

} // namespace kernscope
